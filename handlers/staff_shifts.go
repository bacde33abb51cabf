package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// shiftList shows tills: a cashier's own, to managers all of a business day.
func (s *site) shiftList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Tills", shiftsURL)
	if err != nil {
		return err
	}
	v := views.StaffShifts{Page: page, Said: shiftSaid(s.Sessions.PopString(r.Context(), saidKey)), OpenURL: shiftsURL + "/new"}
	mine, err := s.Counter.Mine(r.Context(), who.ID)
	if err == nil {
		v.OpenURL, v.MineURL = "", shiftURL(mine.ID)
	} else if !errors.Is(err, domain.ErrNoShift) {
		return err
	}
	if who.Role.Covers(access.Manager) {
		err = s.shiftsOfDay(r, &v, set)
	} else {
		err = s.shiftsOfMine(r, &v, who, set)
	}
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffShiftsPage(v))
	return nil
}

func (s *site) shiftsOfMine(r *http.Request, v *views.StaffShifts, who access.Staff, set domain.Settings) error {
	list, err := s.Counter.ShiftsOf(r.Context(), who.ID)
	if err != nil {
		return err
	}
	v.Lede, v.ListHead, v.EmptyWords = "Your own tills, the newest first.", "Your tills", "You have not opened one yet. Count the float and open yours; then you can sell."
	for _, x := range list {
		v.List = append(v.List, shiftLine(x, set, false))
	}
	return nil
}

func (s *site) shiftsOfDay(r *http.Request, v *views.StaffShifts, set domain.Settings) error {
	wish, err := date(r.URL.Query().Get("date"))
	if err != nil {
		return err
	}
	today, err := s.Counter.Today(r.Context())
	if err != nil {
		return err
	}
	day := today
	if wish != nil {
		day = *wish
	}
	d, err := s.Counter.Day(r.Context(), day)
	if err != nil {
		return err
	}
	open, err := s.Counter.OpenShifts(r.Context())
	if err != nil {
		return err
	}
	for _, x := range open {
		if !x.BusinessDay.Equal(day) {
			v.Forgotten = append(v.Forgotten, shiftLine(x, set, true))
		}
	}
	v.Lede, v.ListHead, v.EmptyWords = format.LongDay(day)+".", "Tills of the day", "No till was opened on this day."
	v.DayURL, v.Turner = businessDayURL(day), turner(shiftsURL, day, today)
	for _, x := range d.Shifts {
		v.List = append(v.List, shiftLine(x, set, true))
	}
	return nil
}

func turner(path string, day, today time.Time) *views.DayTurner {
	to := func(d time.Time) string { return path + "?" + url.Values{"date": {d.Format(time.DateOnly)}}.Encode() }
	v := &views.DayTurner{Action: path, Date: day.Format(time.DateOnly), PreviousURL: to(day.AddDate(0, 0, -1)), NextURL: to(day.AddDate(0, 0, 1))}
	if !day.Equal(today) {
		v.TodayURL = path
	}
	return v
}

func shiftLine(x counter.Shift, set domain.Settings, named bool) views.ShiftLine {
	v := views.ShiftLine{URL: shiftURL(x.ID), Till: x.Till, When: shortMoment(x.OpenedAt, set), Badge: views.Badge{Tone: "ok", Text: "Open"}}
	if named {
		v.Who = x.Staff
	}
	if x.ClosedAt == nil {
		v.When += " until now"
		return v
	}
	closed := format.In(*x.ClosedAt, set.TimeZone)
	v.When += " to " + format.Clock(closed)
	if opened := format.In(x.OpenedAt, set.TimeZone); format.DayOff(opened, closed) != 0 {
		v.When = shortMoment(x.OpenedAt, set) + " to " + shortMoment(*x.ClosedAt, set)
	}
	v.Badge = views.Badge{Text: "Z " + strconv.FormatInt(*x.ZNumber, 10)}
	v.Counted, v.Differ = format.Money(*x.Counted, x.Currency), signed(*x.Counted-*x.Expected, x.Currency)
	v.DifferBad = *x.Counted != *x.Expected
	return v
}
