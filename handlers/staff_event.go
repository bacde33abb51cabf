package handlers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// staffEvent shows what one event sold, and how far its cancellation is.
func (s *site) staffEvent(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	return s.showEvent(w, r, who, id, http.StatusOK, views.EventCancel{})
}

func (s *site) showEvent(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, status int, typed views.EventCancel) error {
	return s.showEventWith(w, r, who, id, status, typed, eventSaid(s.Sessions.PopString(r.Context(), saidKey)))
}

func (s *site) showEventWith(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, status int, typed views.EventCancel, said *views.Note) error {
	f, err := s.Booking.EventFile(r.Context(), id)
	if err != nil {
		return err
	}
	title := eventTitle(f.Scene)
	page, set, err := s.staffPage(r, who, title, scheduleMenu)
	if err != nil {
		return err
	}
	e := f.Scene.Event
	v := views.StaffEvent{
		Page: page, ID: strconv.FormatInt(id, 10), Title: title, Facts: []string{eventWhen(e.StartsAt, e.TimeZone)}, Badge: eventBadge(e.Status),
		Said: said, Acts: eventActs(e), Tiles: eventTiles(f), SeatsURL: eventURL(id), BookingsURL: "/staff/bookings?event=" + strconv.FormatInt(id, 10), Progress: progress(f),
	}
	if e.Resource != "" {
		v.Facts = append(v.Facts, e.Resource)
	}
	for _, x := range f.Sales {
		v.Sales = append(v.Sales, views.StaffSale{Type: x.TypeName, Sold: strconv.Itoa(x.Count), Cancelled: strconv.Itoa(x.Cancelled), Amount: money(x.Amount, e.Currency)})
	}
	hand := handSums{}
	for _, x := range f.Refunds {
		if x.PaymentIntent == "" {
			hand.add(x.PaymentID, x.Amount, x.State)
		}
	}
	for _, x := range f.Refunds {
		line := lateRefund(x, f, set)
		line.Hand = hand.take(x.PaymentID, x.Currency)
		v.Refunds = append(v.Refunds, line)
		v.Unshown = x.All - len(f.Refunds)
	}
	for _, a := range f.Log {
		v.History = append(v.History, views.StaffHistory{When: shortMoment(a.At, set), What: eventChange(a), Who: a.Who})
	}
	if e.Status == "published" {
		typed.Action, typed.Title, typed.Effect = "/staff"+eventURL(id)+"/cancel", title, cancelEffect(f)
		typed.StepUp.Code = who.TwoStep
		v.Cancel = &typed
	}
	s.render(w, r, status, views.StaffEventPage(v))
	return nil
}

// eventTitle is the film or the route: what has to be typed to cancel.
func eventTitle(o *booking.Offer) string {
	return cmp.Or(o.Event.Film, o.Event.Route, "Event "+strconv.FormatInt(o.Event.ID, 10))
}

func eventBadge(status string) views.Badge {
	switch status {
	case "published":
		return views.Badge{Tone: "ok", Text: "On sale"}
	case "cancelled":
		return views.Badge{Tone: "bad", Text: "Cancelled"}
	}
	return views.Badge{Text: "Draft"}
}

func eventTiles(f *booking.EventFile) []views.StaffTile {
	valid := 0
	for _, x := range f.Sales {
		valid += x.Count
	}
	out := []views.StaffTile{
		{Name: "Tickets valid", Value: strconv.Itoa(valid), Small: "of " + format.Count(f.Seats, noun(f.Scene.Layout))},
		{Name: "Free now", Value: strconv.Itoa(f.Free)},
	}
	if f.Scene.Event.Kind == domain.Trip {
		out[1].Small = "on the whole way"
	}
	for _, m := range f.Money {
		out = append(out, views.StaffTile{Name: "Taken", Value: format.Money(m.Received, m.Currency)})
		if m.Refunded != 0 || m.Kept != 0 {
			small := ""
			if m.Kept != 0 {
				small = format.Money(m.Kept, m.Currency) + " kept as fees"
			}
			out = append(out, views.StaffTile{Name: "Sent or going back", Value: format.Money(m.Refunded, m.Currency), Small: small})
		}
	}
	return out
}

// progress is how far a cancellation is: bookings first, then their money.
func progress(f *booking.EventFile) *views.StaffProgress {
	if f.Scene.Event.Status != "cancelled" {
		return nil
	}
	p := f.Progress
	all := p.Bookings + p.Left
	v := &views.StaffProgress{
		Words: fmt.Sprintf("%d of %s cancelled", p.Bookings, format.Count(all, "booking")), Percent: percent(p.Bookings, all),
		ResumeURL: "/staff" + eventURL(f.Scene.Event.ID) + "/resume", Done: p.Left == 0 && p.Requested == 0 && p.Failed == 0,
	}
	for _, x := range []struct {
		count int
		words string
	}{{p.Succeeded, "done"}, {p.ByHand, "to hand over at the counter: the status page has a task for each"}, {p.Pending, "at the bank: nothing to do"}, {p.Requested, "waiting to be sent"}, {p.Failed, "failed"}} {
		if x.count > 0 {
			v.Facts = append(v.Facts, format.Count(x.count, "refund")+" "+x.words)
		}
	}
	if len(v.Facts) == 0 {
		v.Facts = []string{"No money has to go back so far."}
	}
	return v
}

func lateRefund(x booking.LateRefund, f *booking.EventFile, set domain.Settings) views.FileLine {
	v := views.FileLine{
		Kind: "refund", ID: strconv.FormatInt(x.ID, 10), Head: format.Money(x.Amount, x.Currency), Small: contact(domain.ShowReference(x.Reference), x.Name),
		Badge: refundBadge(x.State, x.Error, x.PaymentIntent == ""), Words: []string{refundWhy(x.Reason) + ", " + shortMoment(x.CreatedAt, set)},
	}
	if x.Error != "" {
		v.Words = append(v.Words, x.Error)
	}
	if x.Reference != "" {
		v.Links = []views.Link{{Text: "The booking", URL: "/staff/bookings?q=" + x.Reference}}
	}
	if canRetry(x.State, x.Reason, x.Error, x.CreatedAt, f.Scene.Event.Now) {
		v.RetryURL = "/staff/refunds/" + v.ID + "/retry"
	}
	return v
}

func eventChange(a booking.AuditLine) string {
	switch a.Action {
	case "cancel event":
		var why string
		_ = json.Unmarshal(a.After, &why) // an older line of another form: only the act is named
		return strings.TrimSuffix("Cancelled the event: "+why, ": ")
	case "event_made", "event_published", "event_unpublished", "event_changed", "seats_blocked", "seats_unblocked":
		return timetableChange(a)
	case "event_swapped", "event_swap_undone", "event_swap_told":
		return swapChange(a.Action)
	case "waitroom_planned", "waitroom_changed", "waitroom_paused", "waitroom_resumed", "waitroom_started", "waitroom_ended":
		return logAction(a.Action)
	case "resume cancellation":
		return "Asked to go on with the cancellation"
	}
	return strings.ToUpper(a.Action[:1]) + strings.ReplaceAll(a.Action[1:], "_", " ")
}

// cancelEffect says what cancelling would do now.
func cancelEffect(f *booking.EventFile) string {
	valid, worth := 0, int64(0)
	for _, x := range f.Sales {
		valid, worth = valid+x.Count, worth+x.Amount
	}
	if valid == 0 {
		return "Nothing was sold yet: it only goes off sale."
	}
	return fmt.Sprintf("%s with %s are cancelled and %s goes back.", format.Count(f.Progress.Left, "booking"), format.Count(valid, "ticket"), format.Money(worth, f.Scene.Event.Currency))
}

func eventSaid(what string) *views.Note {
	switch what {
	case "event cancelled":
		return &views.Note{Tone: "ok", Alert: true, Title: "The event is cancelled", Text: []string{"It is off sale. Bookings are cancelled and refunded one by one in the background; look again here to see how far that is."}}
	case "event resumed":
		return &views.Note{Tone: "ok", Alert: true, Title: "It goes on", Text: []string{"What was left, waited or had failed is being tried again. Look again in a minute."}}
	}
	return eventSaidNow(what)
}

// cancelEvent cancels an event for good, once its title and the password were typed.
func (s *site) cancelEvent(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	o, err := s.Booking.Scene(r.Context(), id, nil)
	if err != nil {
		return err
	}
	typed := views.EventCancel{Typed: r.PostForm.Get("title"), Reason: r.PostForm.Get("reason")}
	refuse := func(status int, cause error, title, words string) error {
		typed.Alert = refusal(title, words+" Nothing was cancelled.")
		s.note(r, status, cause)
		waits(w, status)
		return s.showEvent(w, r, who, id, status, typed)
	}
	switch {
	case o.Event.Status == "cancelled": // the same button, pressed twice
		return s.toEvent(w, r, id, "event cancelled")
	case strings.TrimSpace(typed.Reason) == "":
		return refuse(http.StatusUnprocessableEntity, errBadRequest, "A reason is missing", "Please say why: it stays in the log with your name.")
	case !sameWords(typed.Typed, eventTitle(o)):
		return refuse(http.StatusUnprocessableEntity, errBadRequest, "The title is not right", "Please type “"+eventTitle(o)+"”, so that it is this event for certain.")
	}
	no, err := s.stepUp(r, who)
	if err != nil {
		return err
	}
	if no != nil {
		typed.StepUp.Err = no.words
		return refuse(no.status, no.cause, no.title, no.words)
	}
	err = s.Booking.CancelEvent(r.Context(), id, who.Actor(), s.clientAddress(r), strings.TrimSpace(typed.Reason))
	if errors.Is(err, domain.ErrConflict) {
		return refuse(http.StatusConflict, err, "This event is not on sale", "A draft can be changed instead.")
	}
	if err != nil {
		return err
	}
	return s.toEvent(w, r, id, "event cancelled")
}

// sameWords compares what was typed with a title: letters count, case and spaces do not.
func sameWords(typed, title string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(typed), " "), strings.Join(strings.Fields(title), " "))
}

// resumeCancel goes on with a cancellation.
func (s *site) resumeCancel(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	err = s.Booking.ResumeCancel(r.Context(), id, who.Actor(), s.clientAddress(r))
	if errors.Is(err, domain.ErrConflict) {
		s.note(r, http.StatusConflict, err)
		return s.showEvent(w, r, who, id, http.StatusConflict, views.EventCancel{Alert: refusal("There is nothing to go on with", "This event is not cancelled.")})
	}
	if err != nil {
		return err
	}
	return s.toEvent(w, r, id, "event resumed")
}

func (s *site) toEvent(w http.ResponseWriter, r *http.Request, id int64, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, "/staff"+eventURL(id))
}
