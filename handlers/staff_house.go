package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// houseKind is how the pages speak of one kind of thing.
type houseKind struct {
	path, param  string // "/staff/films", "film"
	noun, plural string // "film", "films"
	away         string // "archived"
	put          string // "Archive"
	used, coming string // "screening"; what keeps using it
}

func kindOf(k schedule.Kind) houseKind {
	switch k {
	case schedule.AFilm:
		return houseKind{"/staff/films", "film", "film", "films", "archived", "Archive", "screening", "screening"}
	case schedule.APlace:
		return houseKind{"/staff/places", "place", "place", "places", "archived", "Archive", "stop", "departure"}
	case schedule.ARoute:
		return houseKind{"/staff/routes", "route", "route", "routes", "archived", "Archive", "trip", "trip"}
	}
	return houseKind{"/staff/resources", "resource", "hall or coach", "halls and coaches", "retired", "Retire", "event", "event"}
}

func (k houseKind) url(id int64) string { return k.path + "/" + strconv.FormatInt(id, 10) }

// houseID reads the thing's number of the path; 0 on the list's own address, for a new one.
func houseID(r *http.Request, k houseKind) (int64, error) {
	if r.PathValue(k.param) == "" {
		return 0, nil
	}
	return pathID(r, k.param)
}

// houseForm is what a form shows beside its fields.
type houseForm struct {
	typed  map[string]string
	stored map[string]string // what is there now, when somebody else changed it meanwhile
	bad    schedule.InvalidForm
	alert  *views.Note
	status int
}

func freshForm(fields map[string]string) houseForm {
	return houseForm{typed: fields, status: http.StatusOK}
}

// refused turns a refusal of a form into what the page shows, and answers every other
// error. stored reads the form of what is there now.
func (s *site) refused(r *http.Request, typed map[string]string, err error, stored func() (map[string]string, error)) (houseForm, error) {
	f := houseForm{typed: typed, status: http.StatusUnprocessableEntity}
	var rule *domain.RuleError
	switch {
	case errors.As(err, &f.bad):
	case errors.As(err, &rule):
		f.alert = refusal("Nothing was changed", rule.Words)
	case errors.Is(err, domain.ErrStale):
		now, gone := stored()
		if gone != nil {
			return f, gone
		}
		f.status, f.stored, f.alert = http.StatusConflict, now, refusal("Somebody else changed this meanwhile",
			"Nothing was overwritten. What you typed is still here; where it differs, the field says what is stored now. Press the button again to store yours.")
	default:
		return f, err
	}
	s.note(r, f.status, err)
	return f, nil
}

// field fills a field with what was typed, what is wrong with it and what is stored now.
func (f houseForm) field(v views.HouseField) views.HouseField {
	v.Value, v.Error, v.Stored = f.typed[v.Name], f.wrong(v.Name), f.differs(v.Name)
	return v
}

func (f houseForm) wrong(name string) string {
	for _, e := range f.bad {
		if e.Field == name {
			return e.Words
		}
	}
	return ""
}

func (f houseForm) differs(name string) string {
	now, ok := f.stored[name]
	switch {
	case !ok || now == f.typed[name]:
		return ""
	case now == "":
		return "Stored now: nothing."
	}
	return "Stored now: " + now
}

func (f houseForm) errors() (list []views.FieldError) {
	for _, e := range f.bad {
		list = append(list, views.FieldError{ID: e.Field, Text: e.Words})
	}
	return list
}

// houseHead is the head of a form; name is "" for a new thing.
func (s *site) houseHead(r *http.Request, who access.Staff, k houseKind, id int64, name string, revision int, f houseForm) (views.HouseHead, error) {
	heading, button, action := name, "Save", k.url(id)
	if id == 0 {
		heading, button, action = "New "+k.noun, "Add the "+k.noun, k.path
	}
	page, _, err := s.staffPage(r, who, heading, k.path)
	if err != nil {
		return views.HouseHead{}, err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_house.js"))
	return views.HouseHead{
		Page: page, Heading: heading, Back: views.Link{Text: "All " + k.plural, URL: k.path}, Said: houseSaid(s.Sessions.PopString(r.Context(), saidKey), k, id),
		Alert: f.alert, Errors: f.errors(), Action: action, Revision: strconv.Itoa(revision), Button: button,
	}, nil
}

// away marks what was put away.
func away(k houseKind, is bool) *views.Badge {
	if !is {
		return nil
	}
	return &views.Badge{Tone: "warn", Text: strings.ToUpper(k.away[:1]) + k.away[1:]}
}

// shelfView offers what can be done with a whole thing: what is used is put away, what
// is not can be deleted as well.
func shelfView(k houseKind, id int64, revision int, use schedule.Use, isAway bool) *views.HouseShelf {
	if id == 0 {
		return nil
	}
	v := &views.HouseShelf{Action: k.url(id) + "/shelf", Revision: strconv.Itoa(revision), Heading: k.put + " it"}
	keep := "It is then offered for nothing new."
	if use.Coming > 0 {
		keep += " " + format.Count(use.Coming, k.coming) + " to come " + isAre(use.Coming, "keeps", "keep") + " it."
	}
	if isAway {
		v.Heading, v.Text = "It is "+k.away, "It is offered for nothing new."
		v.Buttons = []views.HouseAct{{Act: "restore", Text: "Take it back"}}
	} else {
		v.Text = keep
		v.Buttons = []views.HouseAct{{Act: "archive", Text: k.put}}
	}
	if use.All == 0 {
		v.Text += " Nothing uses it yet, so it can be deleted as well."
		v.Buttons = append(v.Buttons, views.HouseAct{Act: "delete", Text: "Delete", Danger: true})
	} else {
		v.Text += " It cannot be deleted: " + format.Count(use.All, k.used) + " " + isAre(use.All, "uses", "use") + " it, past ones counted."
	}
	return v
}

func isAre(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// shelve archives, takes back or deletes a thing.
func (s *site) shelve(kind schedule.Kind) staffAction {
	k := kindOf(kind)
	return func(w http.ResponseWriter, r *http.Request, who access.Staff) error {
		id, err := pathID(r, k.param)
		if err != nil {
			return err
		}
		if err := parseForm(r); err != nil {
			return err
		}
		act := schedule.Act(r.PostForm.Get("act"))
		if act != schedule.Archive && act != schedule.Restore && act != schedule.Delete {
			return errBadRequest
		}
		if err := s.Schedule.Shelve(r.Context(), s.by(r, who), kind, id, revision(r.PostForm), act); err != nil {
			return s.notDone(w, r, who, k, id, err)
		}
		to := k.url(id)
		if act == schedule.Delete {
			to = k.path
		}
		return s.toHouse(w, r, to, string(act))
	}
}

// notDone says on a page of its own why a press of a button changed nothing; other
// errors it hands back.
func (s *site) notDone(w http.ResponseWriter, r *http.Request, who access.Staff, k houseKind, id int64, err error) error {
	var rule *domain.RuleError
	status, v := http.StatusConflict, views.StaffNotice{Heading: "Somebody else changed this meanwhile", Lede: "Please look at what is there now, then press the button again."}
	switch {
	case errors.As(err, &rule):
		status, v = http.StatusUnprocessableEntity, views.StaffNotice{Heading: "That is not possible", Lede: rule.Words}
	case !errors.Is(err, domain.ErrStale):
		return err
	}
	page, _, failed := s.staffPage(r, who, v.Heading, k.path)
	if failed != nil {
		return failed
	}
	s.note(r, status, err)
	v.Page, v.Note = page, &views.Note{Tone: "ok", Title: "Nothing was changed"}
	v.Links = []views.Link{{Text: "Back to the " + k.noun, URL: k.url(id)}, {Text: "All " + k.plural, URL: k.path}}
	s.render(w, r, status, views.StaffNoticePage(v))
	return nil
}

func (s *site) toHouse(w http.ResponseWriter, r *http.Request, to, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, to)
}

// houseSaid answers what was just done.
func houseSaid(what string, k houseKind, id int64) *views.Note {
	done := func(title string, text ...string) *views.Note {
		return &views.Note{Tone: "ok", Alert: true, Title: title, Text: text}
	}
	switch what {
	case "added":
		note := done("Added", "It can be used from now on.")
		note.Links = houseNext(k, id)
		return note
	case "saved":
		return done("Saved")
	case "archive":
		return done("It is "+k.away, "It is offered for nothing new. What uses it stays as it is.")
	case "restore":
		return done("It is back", "It can be used again.")
	case "delete":
		return done("Deleted")
	case "return":
		return done("This is the way back", "The stops are in reverse with the same times between them. Look at the times and the notes, then save what you change.")
	}
	return nil
}

// houseNext is what usually follows when a thing was added.
func houseNext(k houseKind, id int64) []views.Link {
	no := strconv.FormatInt(id, 10)
	switch k.param {
	case "film":
		return []views.Link{{Text: "Plan its screenings", URL: scheduleMenu + "/new?kind=screening&film=" + no}}
	case "route":
		return []views.Link{{Text: "Plan its trips", URL: scheduleMenu + "/new?kind=trip&route=" + no}}
	case "place":
		return []views.Link{{Text: "Add another place", URL: k.path + "/new"}, {Text: "Routes", URL: "/staff/routes"}}
	}
	return []views.Link{{Text: "Schedule", URL: scheduleMenu}}
}
