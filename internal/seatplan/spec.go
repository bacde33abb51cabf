package seatplan

import (
	"fmt"

	"holdfast/internal/domain"
)

// What a plan may have at most.
const (
	MaxRows   = 60 // of a deck
	MaxCols   = 60
	MaxDecks  = 4
	MaxPlaces = 2000
	maxZones  = 20
	maxParts  = 40
	maxName   = 40 // letters of the name of a section, deck or zone
	maxLabel  = 8  // letters of a row's or seat's label
)

// Spec is a plan as it is typed into the form. It is kept with the plan, so that the
// form opens again as it was sent; every field is the text as typed.
type Spec struct {
	Vehicle  bool
	Front    string // FrontNone, FrontScreen, FrontDriverLeft, FrontDriverRight
	Sections []Section
}

// What stands in front.
const (
	FrontNone        = "none"
	FrontScreen      = "screen"
	FrontDriverLeft  = "driver-left"  // the door is on the right
	FrontDriverRight = "driver-right" // the door is on the left
)

// Section is a part of the plan with rows and numbers of its own.
type Section struct {
	Name     string // printed on the ticket, "" for a plan of one part
	Code     string // before the seat's key, "" to make one from the name
	Deck     string // name of the deck, "" for that of the section before
	Place    string // Behind or Beside the section before
	Rows     string // how many, "" to count the names
	RowNames string // "A–M without I", "1–12", "" for A, B, C or 1, 2, 3
	Seats    string // "16", or blocks with aisles between: "4|8|4"
	Aisles   string // "4, 12": after which seat of a row an aisle stands
	Order    string // one of the Order constants
	Run      string // one of the Run constants
	Start    string // the first number or letter, "" for 1 or A
	Letters  bool   // seats have letters
	Skip     string // "13, 14": numbers or letters that are left out
	Zone     string // price zone, "" for that of the section before
	Berths   bool
	Half     string // rows set in by half a seat: "B–H"
	Lines    string // rows that are different, one to a line: "C = 7|7", "D: 1 2 4 | 5♿"
}

// Where a section stands.
const (
	Behind = ""
	Beside = "beside"
)

// How the seats of a row are numbered.
const (
	OrderRight    = ""          // 1 2 3 4
	OrderLeft     = "left"      // 4 3 2 1
	OrderOddRight = "odd-right" // 4 2 | 1 3
	OrderOddLeft  = "odd-left"  // 3 1 | 2 4
	OrderSnake    = "snake"     // 1 2 3 4, the next row 4 3 2 1
)

// Where the numbers begin again.
const (
	RunRow     = ""        // in every row
	RunSection = "section" // in every section
	RunHouse   = "house"   // nowhere
)

// Problems are refusals in words by field: "s0.rows", "lines" of section 1 is "s1.lines",
// "plan" for what belongs to no field.
type Problems map[string]string

func (p Problems) add(field, words string) {
	if _, told := p[field]; !told {
		p[field] = words
	}
}

// Build makes the plan, or says what is wrong with every field. The plan has no name.
func Build(s Spec) (*domain.Layout, Problems) {
	b := &builder{spec: s, problems: Problems{}, l: &domain.Layout{Vehicle: s.Vehicle}}
	if n := len(s.Sections); n == 0 || n > maxParts {
		return nil, Problems{"plan": fmt.Sprintf("A plan has one to %d sections.", maxParts)}
	}
	for i := range s.Sections {
		b.read(i)
	}
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	b.lay()
	if err := Check(b.l); err != nil {
		b.problems.add("plan", err.Error())
		return nil, b.problems
	}
	return b.l, nil
}
