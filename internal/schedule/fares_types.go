package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// TypeForm is one line of the ticket types as typed; Code is empty for a new one.
type TypeForm struct {
	Code     string
	Revision int
	Name     string
	Order    string
	Retired  bool
}

// TicketTypes lists them in order, those not sold any more last.
func (s *Service) TicketTypes(ctx context.Context) ([]TicketType, error) {
	return s.db.TicketTypes(ctx)
}

// typeLog is what the log of changes keeps of a ticket type.
type typeLog struct {
	Name     string `json:"name"`
	Position int    `json:"position"`
	Retired  bool   `json:"retired"`
}

// SaveTypes stores the names, the order and which types are sold. A new one has a name
// and no code; without a name it is nothing. Codes never go away: tickets have them.
// FareProblems: fields "name.<code>" and "order.<code>"; domain.ErrStale.
func (s *Service) SaveTypes(ctx context.Context, by domain.By, lines []TypeForm) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		stored, err := t.TicketTypes(ctx)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if l.Code != "" && !slices.ContainsFunc(stored, func(y TicketType) bool { return y.Code == l.Code }) {
				return domain.ErrStale
			}
		}
		want, bad := readTypes(lines, stored)
		if len(bad) > 0 {
			return bad
		}
		if !slices.ContainsFunc(want, func(y TicketType) bool { return !y.Retired }) {
			return &domain.RuleError{Code: "types", Words: "At least one ticket type must be sold: the first is what a seat costs before anybody chose."}
		}
		for i, y := range want {
			y.Position = i + 1
			if err := saveType(ctx, t, by, y, stored); err != nil {
				return err
			}
		}
		return nil
	})
}

func saveType(ctx context.Context, t *db.Tx, by domain.By, y TicketType, stored []TicketType) error {
	after := typeLog{y.Name, y.Position, y.Retired}
	i := slices.IndexFunc(stored, func(s TicketType) bool { return s.Code == y.Code })
	if i < 0 {
		err := t.InsertTicketType(ctx, y)
		if errors.Is(err, domain.ErrConflict) {
			return domain.ErrStale // somebody else added one at the same moment
		}
		if err != nil {
			return err
		}
		return t.Log(ctx, by, "ticket_type_added", "ticket_type:"+y.Code, nil, after)
	}
	before := typeLog{stored[i].Name, stored[i].Position, stored[i].Retired}
	if y.Revision != stored[i].Revision {
		return domain.ErrStale
	}
	if before == after {
		return nil
	}
	if err := t.UpdateTicketType(ctx, y); err != nil {
		return err
	}
	return t.Log(ctx, by, "ticket_type_changed", "ticket_type:"+y.Code, before, after)
}

// firstType gives a house without any ticket type one for everybody.
func firstType(ctx context.Context, t *db.Tx, by domain.By) error {
	stored, err := t.TicketTypes(ctx)
	if err != nil || len(stored) > 0 {
		return err
	}
	return saveType(ctx, t, by, TicketType{Code: "adult", Name: "Adult", Position: 1}, nil)
}

// readTypes reads the form into the types in their new order.
func readTypes(lines []TypeForm, stored []TicketType) ([]TicketType, FareProblems) {
	bad := FareProblems{}
	type placed struct {
		TicketType
		order int
	}
	var list []placed
	names := map[string]bool{}
	for _, l := range lines {
		if l.Code == "" && strings.TrimSpace(l.Name) == "" {
			continue
		}
		problem := FareProblems{}
		y := TicketType{Code: l.Code, Revision: l.Revision, Name: readName(l.Name, problem), Retired: l.Retired}
		order, err := strconv.Atoi(strings.TrimSpace(l.Order))
		if l.Code == "" && strings.TrimSpace(l.Order) == "" {
			order, err = 1000, nil
		}
		if err != nil || order < 1 || order > 1000 {
			bad["order."+l.Code] = "A number from 1 to 1000, please."
		}
		switch key := strings.ToLower(y.Name); {
		case problem["name"] != "":
			bad["name."+l.Code] = problem["name"]
		case !y.Retired && names[key]:
			bad["name."+l.Code] = "Another type has this name."
		case !y.Retired:
			names[key] = true
		}
		list = append(list, placed{y, ranked(order, slices.IndexFunc(stored, func(s TicketType) bool { return s.Code == l.Code })+1)})
	}
	for _, y := range stored { // what the form did not have stays as it is
		if !slices.ContainsFunc(list, func(p placed) bool { return p.Code == y.Code }) {
			list = append(list, placed{y, ranked(1000, 1000) + y.Position})
		}
	}
	slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(a.order, b.order) })
	out := make([]TicketType, len(list))
	for i, p := range list {
		if out[i] = p.TicketType; p.Code == "" {
			out[i].Code = newCode(p.Name, stored)
		}
	}
	return out, bad
}

// ranked sorts a wanted number: whoever moves to one that is taken comes before its owner
// on the way up and behind on the way down. was is 0 for a new type.
func ranked(order, was int) int {
	return order*3 + cmp.Compare(order, cmp.Or(was, 1001))
}

// newCode makes a code of a name that no type has: "Child under 12" is child_under_12.
func newCode(name string, stored []TicketType) string {
	letters := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r == ' ' || r == '-':
			return '_'
		}
		return -1
	}, strings.ToLower(name))
	letters = strings.TrimLeft(letters, "_0123456789")
	if letters == "" {
		letters = "type"
	}
	letters = letters[:min(len(letters), 16)]
	code := letters
	for n := 2; slices.ContainsFunc(stored, func(y TicketType) bool { return y.Code == code }); n++ {
		code = fmt.Sprintf("%s_%d", letters, n)
	}
	return code
}
