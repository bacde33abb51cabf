package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const daysURL = "/staff/days"

func businessDayURL(day time.Time) string { return daysURL + "/" + day.Format(time.DateOnly) }

// dayList shows the last business days.
func (s *site) dayList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Business days", shiftsURL)
	if err != nil {
		return err
	}
	list, err := s.Counter.Days(r.Context())
	if err != nil {
		return err
	}
	v := views.StaffDays{Page: page}
	for _, d := range list {
		x := views.DayLine{URL: businessDayURL(d.Day), Day: format.Day(d.Day), Tills: format.Count(d.Tills, "till"), Badge: views.Badge{Tone: "ok", Text: "Open"}}
		if d.Open > 0 {
			x.Tills += ", " + strconv.Itoa(d.Open) + " open"
		}
		if d.ClosedAt != nil {
			x.Badge, x.Closed = views.Badge{Text: "Closed"}, shortMoment(*d.ClosedAt, set)+" by "+d.ClosedBy
		}
		v.List = append(v.List, x)
	}
	s.render(w, r, http.StatusOK, views.StaffDaysPage(v))
	return nil
}

// pathDay reads the day of the path; anything but a date is not found.
func pathDay(r *http.Request) (time.Time, error) {
	text := r.PathValue("day")
	d, err := date(text)
	if err != nil || d == nil || d.Format(time.DateOnly) != text {
		return time.Time{}, fmt.Errorf("day %q: %w", text, domain.ErrNotFound)
	}
	return *d, nil
}

// businessDay is one day's cash-up.
func (s *site) businessDay(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	day, err := pathDay(r)
	if err != nil {
		return err
	}
	return s.showDay(w, r, who, http.StatusOK, day, nil)
}

// closeDay ends a business day for good.
func (s *site) closeDay(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	day, err := pathDay(r)
	if err != nil {
		return err
	}
	err = s.Counter.CloseDay(r.Context(), s.person(r, who), day)
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule) && rule.Code == "closed", errors.Is(err, domain.ErrConflict): // pressed twice
		s.Sessions.Put(r.Context(), saidKey, "day closed before")
	case errors.As(err, &rule):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showDay(w, r, who, http.StatusUnprocessableEntity, day, refusal("The day is not closed", rule.Words))
	case err != nil:
		return err
	default:
		s.Sessions.Put(r.Context(), saidKey, "day closed")
	}
	return seeOther(w, r, businessDayURL(day))
}

func (s *site) showDay(w http.ResponseWriter, r *http.Request, who access.Staff, status int, day time.Time, alert *views.Note) error {
	page, set, err := s.staffPage(r, who, format.Day(day), shiftsURL)
	if err != nil {
		return err
	}
	d, err := s.Counter.Day(r.Context(), day)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_print.js"))
	v := views.StaffDay{
		Page: page, Paper: paper(r), Heading: format.LongDay(day), Lede: "The business day begins at " + set.BusinessDayStart + ", " + format.Zone(set.TimeZone) + ".",
		Badge: views.Badge{Tone: "ok", Text: "Open"}, Said: daySaid(s.Sessions.PopString(r.Context(), saidKey)), Alert: alert, Waiting: waitingTills(d),
		Report: dayWords(d), OtherURL: businessDayURL(day) + "?paper=80", Other: "For the 80 mm roll",
		Links: []views.Link{{Text: "Its tills", URL: shiftsURL + "?date=" + day.Format(time.DateOnly)}},
	}
	if v.Paper != "" {
		v.OtherURL, v.Other = businessDayURL(day), "For A4"
	}
	switch {
	case d.Closed != nil:
		v.Badge, v.Waiting = views.Badge{Text: "Closed"}, nil
		v.Lede = "Closed " + shortMoment(d.Closed.ClosedAt, set) + " by " + d.Closed.ClosedBy + ". It never changes; it can be printed again."
		if d.Later {
			v.Later = &views.Note{Title: "Money came or went after the close", Text: []string{"What was sold or refunded online later is not in this report. The reports of takings have all of it."}}
		}
	case day.After(d.Today):
		v.Badge, v.Waiting = views.Badge{Text: "To come"}, nil
	case v.Waiting == nil:
		v.CloseURL = businessDayURL(day) + "/close"
	}
	s.render(w, r, status, views.StaffDayPage(v))
	return nil
}

func daySaid(what string) *views.Note {
	switch what {
	case "day closed":
		return &views.Note{Tone: "ok", Alert: true, Title: "The day is closed", Text: []string{"Its report is frozen. No till of it can be opened any more."}}
	case "day closed before":
		return &views.Note{Tone: "warn", Alert: true, Title: "This day is closed already", Text: []string{"Nothing was changed. This is its report."}}
	}
	return nil
}

// waitingTills names the tills that keep a day from being closed.
func waitingTills(d *counter.Day) *views.Note {
	open := d.Waiting()
	if len(open) == 0 {
		return nil
	}
	n := &views.Note{Tone: "warn", Title: "The day can be closed when these tills are", Text: nil}
	for _, x := range open {
		n.Links = append(n.Links, views.Link{Text: x.Till + ", " + x.Staff, URL: shiftURL(x.ID)})
	}
	return n
}

// dayWords turns a day's report into words.
func dayWords(d *counter.Day) views.DayReport {
	r := d.Report
	currency := r.House.Currency
	at := format.In(r.At, r.House.Zone)
	v := views.DayReport{
		House: houseLines(r.House), Title: "Business day " + format.Day(d.Day), Currency: currency, Types: typeLines(r.Types, currency),
		Facts: []views.Fact{{Name: "As of", Text: format.Day(at) + ", " + format.Clock(at) + ", " + format.Zone(r.House.Zone)}},
	}
	if d.Closed != nil {
		v.Facts = append(v.Facts, views.Fact{Name: "Closed by", Text: d.Closed.ClosedBy})
	}
	var in, out int64
	for _, x := range r.Sums {
		v.Tenders = append(v.Tenders, views.ReportTender{
			Name: takenBy(x.Channel, x.Tender), Count: paidCount(x.Payments, x.Refunds),
			In: dayNumber(x.In, x.Currency, currency), Out: dayNumber(x.Out, x.Currency, currency), Both: dayNumber(x.In-x.Out, x.Currency, currency),
		})
		if x.Currency == currency {
			in, out = in+x.In, out+x.Out
		}
	}
	if len(v.Tenders) > 1 {
		v.Tenders = append(v.Tenders, views.ReportTender{Name: "All", In: format.Number(in, currency), Out: format.Number(out, currency), Both: format.Number(in-out, currency), Total: true})
	}
	for _, t := range r.Tills {
		x := views.DayTill{Name: "Open: " + t.Till, Who: t.Staff}
		if t.Z > 0 {
			x.Name = fmt.Sprintf("Z %d: %s", t.Z, t.Till)
			x.Expected, x.Counted, x.Differ = dayNumber(t.Expected, t.Currency, currency), dayNumber(t.Counted, t.Currency, currency), signed(t.Counted-t.Expected, t.Currency)
			x.Bad = t.Counted != t.Expected
		}
		v.Tills = append(v.Tills, x)
	}
	return v
}

// dayNumber names the currency where it is not the report's.
func dayNumber(amount int64, currency, usual string) string {
	if currency != usual {
		return format.Money(amount, currency)
	}
	return format.Number(amount, currency)
}

// dayToClose is the small line on the day's page about days that wait to be closed; nil
// when none does, or for a role that closes none.
func (s *site) dayToClose(r *http.Request, who access.Staff) (*views.Link, error) {
	if !who.Role.Covers(access.Manager) {
		return nil, nil
	}
	days, err := s.Counter.DaysToClose(r.Context())
	if err != nil || len(days) == 0 {
		return nil, err
	}
	words := format.LongDay(days[0]) + " is still to be closed."
	if n := len(days) - 1; n > 0 {
		words = format.LongDay(days[0]) + " and " + format.Count(n, "other day") + " are still to be closed."
	}
	return &views.Link{Text: words, URL: businessDayURL(days[0])}, nil
}
