package handlers

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

const faresURL = "/staff/fares"

func fareURL(tariff int64) string { return faresURL + "/" + strconv.FormatInt(tariff, 10) }

// fareLists is the page of all price lists.
func (s *site) fareLists(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showFareLists(w, r, who, http.StatusOK, nil, nil)
}

// showFareLists shows them with a new list's form as typed; typed nil for an empty one.
func (s *site) showFareLists(w http.ResponseWriter, r *http.Request, who access.Staff, status int, typed *schedule.ListForm, bad schedule.FareProblems) error {
	page, _, err := s.staffPage(r, who, "Price lists", faresURL)
	if err != nil {
		return err
	}
	x, err := s.Schedule.FareLists(r.Context())
	if err != nil {
		return err
	}
	v := views.FareLists{Page: page, Said: fareSaid(s.Sessions.PopString(r.Context(), saidKey)), Currency: x.Money.Code}
	for _, l := range x.Lists {
		line := views.FareListLine{Name: l.Name, URL: fareURL(l.ID), For: fareFor(l), Prices: pricesWords(l), Tax: format.TaxRate(l.TaxBP), Used: comingWords(l)}
		if l.Archived {
			v.Archived = append(v.Archived, line)
		} else {
			v.Lists = append(v.Lists, line)
		}
	}
	form := schedule.ListForm{For: "screening", Currency: x.Money.Code}
	if typed != nil {
		form = *typed
	}
	v.New = fareListForm(form, bad, x.Routes)
	v.New.Action, v.New.Button, v.New.Open, v.New.Currency = faresURL, "Make price list", typed != nil, x.Money.Code
	s.render(w, r, status, views.FareListsPage(v))
	return nil
}

// fareFor says what a list is for.
func fareFor(l schedule.Tariff) string {
	switch {
	case l.Route != "":
		return l.Route + ", " + format.Count(l.LastStop+1, "stop")
	case l.LastStop > 1:
		return "Trips of " + format.Count(l.LastStop+1, "stop")
	}
	return "Screenings"
}

func pricesWords(l schedule.Tariff) string {
	if l.Bands == 0 {
		return format.Count(l.Prices, "price")
	}
	return format.Count(l.Prices, "price") + ", " + strconv.Itoa(l.Bands) + " by day and time"
}

func comingWords(l schedule.Tariff) string {
	if l.Coming == 0 {
		return "No coming event"
	}
	return format.Count(l.Coming, "coming event")
}

func fareListForm(f schedule.ListForm, bad schedule.FareProblems, routes []schedule.TariffRoute) views.FareListForm {
	v := views.FareListForm{
		Name: views.FareField{ID: "name", Name: "name", Label: "Name", Value: f.Name, Error: bad["name"], Hint: "For staff: “Evening”, “Coast line”."},
		Tax:  views.FareField{ID: "tax", Name: "tax", Label: "Tax in the prices", Value: f.Tax, Error: bad["tax"], Mode: "decimal", Hint: "In percent, like 22 or 5.5. Empty for none."},
		Stops: views.FareField{ID: "stops", Name: "stops", Label: "Number of stops", Value: f.Stops, Error: bad["stops"], Mode: "numeric",
			Hint: "Only for trips that are no one route."},
		For:      []views.Option{{Value: "screening", Text: "Screenings", Selected: f.For == "screening"}},
		ForError: bad["for"], CurrencyError: bad["currency"],
	}
	for _, route := range routes {
		value := "route:" + strconv.FormatInt(route.ID, 10)
		v.For = append(v.For, views.Option{Value: value, Text: route.Name + ", " + format.Count(route.LastStop+1, "stop"), Selected: f.For == value})
	}
	v.For = append(v.For, views.Option{Value: "stops", Text: "Trips of so many stops", Selected: f.For == "stops"})
	return v
}

func listForm(r *http.Request) schedule.ListForm {
	get := r.PostForm.Get
	return schedule.ListForm{Name: get("name"), Tax: get("tax"), Currency: get("currency"), For: get("for"), Stops: get("stops")}
}

// newFareList makes an empty list.
func (s *site) newFareList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	form := listForm(r)
	id, err := s.Schedule.NewList(r.Context(), s.by(r, who), form)
	var bad schedule.FareProblems
	if errors.As(err, &bad) {
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showFareLists(w, r, who, http.StatusUnprocessableEntity, &form, bad)
	}
	if err != nil {
		return err
	}
	return s.toFares(w, r, fareURL(id), "made")
}

// toFares leads on to a page that says what was done.
func (s *site) toFares(w http.ResponseWriter, r *http.Request, url, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, url)
}

func fareSaid(said string) *views.Note {
	for _, x := range []struct{ said, title, text string }{
		{"made", "The price list is made", "Give it its prices now. A child’s or a student’s ticket is a ticket type of its own."},
		{"prices saved", "Prices saved", "They count for new holds from now on. Running holds keep the prices they were made with."},
		{"list saved", "Saved", "The list’s name, tax and purpose are stored."},
		{"copied", "This is the copy", "It has the same prices. Nothing uses it yet."},
		{"archived", "Archived", "New events are not offered this list. Events that have it keep it."},
		{"in use", "In use again", "New events can have this list."},
		{"band saved", "These times are saved", "They count for new holds from now on. Running holds keep their prices."},
		{"band deleted", "These times are taken away", "New holds cost what the list says. Running holds keep their prices."},
		{"band raised", "The order is saved", "The first times that fit an event count."},
		{"types saved", "Ticket types saved", "They count for new holds from now on."},
	} {
		if x.said == said {
			note := &views.Note{Tone: "ok", Alert: true, Title: x.title, Text: []string{x.text}}
			switch said {
			case "made":
				note.Links = []views.Link{{Text: "Ticket types", URL: faresURL + "/types"}}
			case "prices saved":
				note.Links = []views.Link{{Text: "Schedule", URL: scheduleMenu}}
			case "types saved":
				note.Links = []views.Link{{Text: "Price lists", URL: faresURL}}
			}
			return note
		}
	}
	return nil
}

// notOnSale says why nothing went on sale; where a price is missing it leads to its list.
func notOnSale(title string, err error, rule *domain.RuleError) *views.Note {
	note := refusal(title, rule.Words)
	var missing *schedule.NoPriceError
	if errors.As(err, &missing) {
		note.Links = []views.Link{{Text: "Open the price list", URL: fareURL(missing.TariffID)}}
	}
	return note
}

// fareForm reads a form about one list: its id and the revision that was open.
func fareForm(r *http.Request) (tariff int64, revision int, err error) {
	if tariff, err = pathID(r, "tariff"); err != nil {
		return 0, 0, err
	}
	if err = parseForm(r); err != nil {
		return 0, 0, err
	}
	return tariff, revisionOf(r.PostForm.Get("revision")), nil
}

// editFareList stores a list's name, tax and what it is for.
func (s *site) editFareList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, revision, err := fareForm(r)
	if err != nil {
		return err
	}
	form := listForm(r)
	err = s.Schedule.EditList(r.Context(), s.by(r, who), tariff, revision, form)
	if err == nil {
		return s.toFares(w, r, fareURL(tariff), "list saved")
	}
	return s.refuseSheet(w, r, who, err, sheetForms{tariff: tariff, head: &form})
}

// copyFareList makes another with the same prices.
func (s *site) copyFareList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, _, err := fareForm(r)
	if err != nil {
		return err
	}
	name := r.PostForm.Get("copy_name")
	id, err := s.Schedule.CopyList(r.Context(), s.by(r, who), tariff, name)
	if err == nil {
		return s.toFares(w, r, fareURL(id), "copied")
	}
	return s.refuseSheet(w, r, who, err, sheetForms{tariff: tariff, copyName: &name})
}

// archiveFareList puts a list away, or takes it back.
func (s *site) archiveFareList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, revision, err := fareForm(r)
	if err != nil {
		return err
	}
	archived := r.PostForm.Get("archived") == "1"
	if err := s.Schedule.ArchiveList(r.Context(), s.by(r, who), tariff, revision, archived); err != nil {
		return s.refuseSheet(w, r, who, err, sheetForms{tariff: tariff})
	}
	if archived {
		return s.toFares(w, r, fareURL(tariff), "archived")
	}
	return s.toFares(w, r, fareURL(tariff), "in use")
}

// beside writes what is stored now under what was typed, where another change came
// between.
func beside(err error, f *views.FareField, stored string) {
	if errors.Is(err, domain.ErrStale) && f.Value != stored {
		f.Hint = "Stored now: " + cmp.Or(stored, "nothing")
	}
}

// refuseSheet shows a list's page again with what was typed and why it was not stored.
func (s *site) refuseSheet(w http.ResponseWriter, r *http.Request, who access.Staff, err error, f sheetForms) error {
	status, ok := refusedFare(err)
	if !ok {
		return err
	}
	s.note(r, status, err)
	f.err = err
	return s.showSheet(w, r, who, status, f)
}

// refusedFare is the status of an error that a form can be shown again for.
func refusedFare(err error) (int, bool) {
	var bad schedule.FareProblems
	var rule *domain.RuleError
	switch {
	case errors.As(err, &bad), errors.As(err, &rule):
		return http.StatusUnprocessableEntity, true
	case errors.Is(err, domain.ErrStale):
		return http.StatusConflict, true
	}
	return 0, false
}

// fareAlert says why a form was not stored; what stands beside fields is not repeated.
func fareAlert(err error) *views.Note {
	var bad schedule.FareProblems
	var rule *domain.RuleError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &rule):
		return refusal("Nothing was stored", rule.Words)
	case errors.As(err, &bad):
		return refusal("Nothing was stored", "Please look at what is marked. Everything you typed is still here.")
	}
	return refusal("Somebody else changed this meanwhile", "Nothing was overwritten. What you typed is still here, and what is stored now stands beside it where it differs. Save again to store yours.")
}
