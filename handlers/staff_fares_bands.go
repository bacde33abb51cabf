package handlers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
	"holdfast/views"
)

func bandURL(tariff, band int64) string {
	return fareURL(tariff) + "/bands/" + strconv.FormatInt(band, 10)
}

// bandForms is what was sent to a band's page and comes back with it.
type bandForms struct {
	tariff, band int64 // band 0: a new one
	err          error
	form         *schedule.BandForm
	grid         *gridForm
}

// bandChange is an act on one band of a list.
type bandChange func(ctx context.Context, by domain.By, tariff int64, revision int, band int64) error

// bandPath reads which band an address is about; "new" is 0.
func bandPath(r *http.Request) (tariff, band int64, err error) {
	if tariff, err = pathID(r, "tariff"); err != nil {
		return 0, 0, err
	}
	if r.PathValue("band") == "new" {
		return tariff, 0, nil
	}
	band, err = pathID(r, "band")
	return tariff, band, err
}

// fareBand is the page of one band.
func (s *site) fareBand(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, band, err := bandPath(r)
	if err != nil {
		return err
	}
	return s.showBand(w, r, who, http.StatusOK, bandForms{tariff: tariff, band: band})
}

func (s *site) showBand(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f bandForms) error {
	x, err := s.Schedule.Sheet(r.Context(), f.tariff, f.band)
	if err != nil {
		return err
	}
	heading := "Prices for some times"
	if x.Band != nil {
		heading = x.Band.Name
	}
	page, _, err := s.staffPage(r, who, heading, faresURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_fares.js"))
	form := storedBand(x)
	if f.form != nil {
		form = *f.form
	}
	v := bandView(x, form, problems(f.err))
	v.Page, v.Heading, v.Said = page, heading, fareSaid(s.Sessions.PopString(r.Context(), saidKey))
	v.Action = fareURL(f.tariff) + "/bands/new"
	if x.Band != nil {
		v.Action = bandURL(f.tariff, f.band)
		v.DeleteURL = v.Action + "/delete"
	}
	if f.form != nil {
		v.Alert = fareAlert(f.err)
		if x.Band != nil && errors.Is(f.err, domain.ErrStale) {
			v.Alert.Text = append(v.Alert.Text, "Stored now: "+x.Band.Name+", "+bandWhen(*x.Band)+": "+bandWhat(x, *x.Band)+".")
		}
	} else if f.grid == nil && f.err != nil {
		v.Said = fareAlert(f.err)
	}
	if x.Band != nil && x.Band.Rule == "own" {
		g, err := s.grid(r, x, f.grid, f.err)
		if err != nil {
			return err
		}
		v.Grid = &g
	}
	s.render(w, r, status, views.FareBandPage(v))
	return nil
}

// storedBand is a band's form as stored, the empty one for a new band.
func storedBand(x *schedule.Sheet) schedule.BandForm {
	f := schedule.BandForm{Days: []int{0, 1, 2, 3, 4, 5, 6}, Rule: "percent"}
	b := x.Band
	if b == nil {
		return f
	}
	f.Name, f.Rule, f.Days = b.Name, b.Rule, nil
	for d := range 7 {
		if b.Days&(1<<d) != 0 {
			f.Days = append(f.Days, d)
		}
	}
	f.From, f.To = optionalClock(b.FromMinute), optionalClock(b.ToMinute)
	switch b.Rule {
	case "percent":
		f.Percent = typedRate(int(b.Value))
		if b.Step > 1 {
			f.Step = x.Money.Plain(b.Step)
		}
	case "amount":
		f.Amount = x.Money.Plain(b.Value)
	}
	return f
}

// optionalClock is a time of the day, nothing for none.
func optionalClock(minute *int) string {
	if minute == nil {
		return ""
	}
	return schedule.ShowClock(*minute)
}

func bandView(x *schedule.Sheet, f schedule.BandForm, bad schedule.FareProblems) views.FareBand {
	v := views.FareBand{
		BackURL: fareURL(x.List.ID), List: x.List.Name, Revision: strconv.Itoa(x.List.Revision), Rule: f.Rule, RuleError: bad["rule"], DaysError: bad["days"],
		Name: views.FareField{ID: "name", Name: "name", Label: "Name", Value: f.Name, Error: bad["name"], Hint: "For staff: “Matinee”, “Weekend”."},
		From: views.FareField{ID: "from", Name: "from", Label: "Starts from", Value: f.From, Error: bad["from"], Kind: "time", Hint: "Empty: from the beginning of the day"},
		To:   views.FareField{ID: "to", Name: "to", Label: "Starts before", Value: f.To, Error: bad["to"], Kind: "time", Hint: "Empty: to the end of the day"},
		Percent: views.FareField{ID: "band-percent", Name: "percent", Label: "Percent", Value: f.Percent, Error: bad["percent"], Mode: "decimal",
			Hint: "80 is a fifth less, 125 a quarter more"},
		Step: views.FareField{ID: "band-step", Name: "step", Label: "Rounded to", Value: f.Step, Error: bad["step"], Mode: "decimal",
			Hint: "Like " + x.Money.Plain(stepExample(x)) + ". Empty: not at all"},
		Amount: views.FareField{ID: "amount", Name: "amount", Label: "Difference in " + x.Money.Code, Value: f.Amount, Error: bad["amount"],
			Hint: "Like " + x.Money.Plain(stepExample(x)*3) + " for more, -" + x.Money.Plain(stepExample(x)*3) + " for less. Free tickets stay free."},
	}
	for d, name := range [7]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		v.Days = append(v.Days, views.FareDay{Value: strconv.Itoa(d), Text: name, Ticked: slices.Contains(f.Days, d)})
	}
	return v
}

// saveFareBand stores a band's days, times and rule.
func (s *site) saveFareBand(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, band, err := bandPath(r)
	if err != nil {
		return err
	}
	_, revision, err := fareForm(r)
	if err != nil {
		return err
	}
	get := r.PostForm.Get
	form := schedule.BandForm{Name: get("name"), From: get("from"), To: get("to"), Rule: get("rule"), Percent: get("percent"), Amount: get("amount"), Step: get("step")}
	for _, text := range r.PostForm["day"] {
		if d, err := strconv.Atoi(text); err == nil {
			form.Days = append(form.Days, d)
		}
	}
	id, err := s.Schedule.SaveBand(r.Context(), s.by(r, who), tariff, revision, band, form)
	if err != nil {
		return s.refuseBand(w, r, who, err, bandForms{tariff: tariff, band: band, form: &form})
	}
	if form.Rule == "own" {
		return s.toFares(w, r, bandURL(tariff, id), "band saved")
	}
	return s.toFares(w, r, fareURL(tariff), "band saved")
}

// saveBandPrices stores a band's own prices, or shows what filling would make of them.
func (s *site) saveBandPrices(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, band, err := bandPath(r)
	if err != nil {
		return err
	}
	_, revision, err := fareForm(r)
	if err != nil {
		return err
	}
	g := readGrid(r)
	f := bandForms{tariff: tariff, band: band, grid: g}
	if err := s.sendGrid(r, who, tariff, band, revision, g); err != nil {
		return s.refuseBand(w, r, who, err, f)
	}
	if g.filling {
		return s.showBand(w, r, who, http.StatusOK, f)
	}
	return s.toFares(w, r, bandURL(tariff, band), "prices saved")
}

func (s *site) refuseBand(w http.ResponseWriter, r *http.Request, who access.Staff, err error, f bandForms) error {
	status, ok := refusedFare(err)
	if !ok {
		return err
	}
	s.note(r, status, err)
	f.err = err
	return s.showBand(w, r, who, status, f)
}

// raiseBand has a band asked before the one above it.
func (s *site) raiseBand(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.changeBand(w, r, who, s.Schedule.RaiseBand, "band raised")
}

// deleteBand takes a band away.
func (s *site) deleteBand(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.changeBand(w, r, who, s.Schedule.DeleteBand, "band deleted")
}

func (s *site) changeBand(w http.ResponseWriter, r *http.Request, who access.Staff, change bandChange, said string) error {
	tariff, revision, err := fareForm(r)
	if err != nil {
		return err
	}
	band, err := pathID(r, "band")
	if err != nil {
		return err
	}
	if err := change(r.Context(), s.by(r, who), tariff, revision, band); err != nil {
		return s.refuseSheet(w, r, who, err, sheetForms{tariff: tariff})
	}
	return s.toFares(w, r, fareURL(tariff), said)
}
