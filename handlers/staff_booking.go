package handlers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// staffBooking shows everything about one booking; with ?ticket= also the exact amount
// that cancelling these tickets sends back.
func (s *site) staffBooking(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	f, err := s.bookingFile(r)
	if err != nil {
		return err
	}
	c := &cancelForm{tickets: r.URL.Query()["ticket"], refund: r.URL.Query().Get("refund")}
	c.asked = r.URL.Query().Has("refund")
	status := http.StatusOK
	if c.asked {
		status = c.work(f)
	}
	return s.showBooking(w, r, who, status, f, c, nil)
}

func (s *site) bookingFile(r *http.Request) (*booking.File, error) {
	id, err := pathID(r, "booking")
	if err != nil {
		return nil, err
	}
	f, err := s.Booking.BookingFile(r.Context(), id)
	if err != nil {
		return nil, err
	}
	inOrder(f.Scene.Layout, f.Tickets, func(t booking.Ticket) string { return t.SeatNo })
	return f, nil
}

func (s *site) showBooking(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f *booking.File, c *cancelForm, edit *contactForm) error {
	b := f.Booking
	page, set, err := s.staffPage(r, who, "Booking "+domain.ShowReference(b.Reference), "/staff/bookings")
	if err != nil {
		return err
	}
	d := dossier{s: s, f: f, set: set, manager: who.Role.Covers(access.Manager)}
	v := views.StaffBooking{
		Page: page, ID: strconv.FormatInt(b.ID, 10), URL: bookingFileURL(b.ID), Reference: domain.ShowReference(b.Reference), Name: b.Name,
		Said: bookingSaid(s.Sessions.PopString(r.Context(), saidKey)), Badge: d.badge(), Notes: d.notes(), Email: b.Email,
		Tickets: d.tickets(), Total: money(b.Total, b.Currency), Payments: d.payments(), Refunds: d.refunds(), Mails: d.mails(),
		Ledger: d.ledger(), History: d.history(), HistoryZone: format.Zone(placeZone(f.Scene)), Event: d.event(), Facts: d.facts(), MayAct: d.manager, Bounced: d.bounced(),
		Contact: edit.view(f), StaffNote: b.StaffNote,
	}
	if f.Scene.Event.TaxBP > 0 && b.Tax > 0 {
		v.Tax = "with VAT " + format.Money(b.Tax, b.Currency)
	}
	for _, p := range f.Payments {
		if change := coinsBack(p); change > 0 && v.Said != nil && b.ExchangedFrom != nil {
			given := money(change, p.Currency)
			v.Change = &given
		}
	}
	link := "/bookings/" + s.Signer.BookingToken(b.ID, b.LinkVersion)
	v.Links = append([]views.Link{{Text: "The customer’s page", URL: link}}, d.exchanges()...)
	v.Links = append(v.Links, counterLinks(f)...)
	if c.till, err = s.tillOpen(r, who); err != nil {
		return err
	}
	if v.Cancel = c.view(f); v.Cancel != nil {
		v.ExchangeURL = bookingFileURL(b.ID) + "/exchange"
		if v.Cancel.Supervised, err = s.superviseFields(r, who, access.Manager, "cancel-", c.super); err != nil {
			return err
		}
	}
	s.render(w, r, status, views.StaffBookingPage(v))
	return nil
}

func bookingSaid(what string) *views.Note {
	if words, ok := strings.CutPrefix(what, handedBack); ok {
		return &views.Note{Tone: "ok", Alert: true, Title: "Taken back. " + words, Text: []string{"The seats are for sale again. What went back stands below."}}
	}
	if words, ok := strings.CutPrefix(what, exchangedBack); ok {
		return &views.Note{Tone: "ok", Alert: true, Title: "Exchanged. " + words, Text: []string{"These are the new tickets. The old ones are not valid any more, and their seats are for sale again."}}
	}
	switch what {
	case "exchanged":
		return &views.Note{Tone: "ok", Alert: true, Title: "Exchanged: these are the new tickets", Text: []string{"The old ones are not valid any more, and their seats are for sale again."}}
	case "cancelled":
		return &views.Note{Tone: "ok", Alert: true, Title: "Cancelled", Text: []string{"The seats are for sale again. What goes back stands below; the customer gets a mail."}}
	case "cancelled before":
		return &views.Note{Tone: "warn", Alert: true, Title: "These tickets are cancelled already", Text: []string{"Nothing was done a second time and no money went back twice."}}
	case "renamed":
		return &views.Note{Tone: "ok", Alert: true, Title: "The name is changed", Text: []string{"Seat, price and code are as before. The log keeps who changed it."}}
	case "handed over":
		return &views.Note{Tone: "ok", Alert: true, Title: "Handed over from your till", Text: []string{"It stands in your shift’s report, and nothing waits for a hand any more."}}
	case "contact":
		return &views.Note{Tone: "ok", Alert: true, Title: "Saved", Text: []string{"Seats, prices and codes are as before. The log keeps who changed it."}}
	case "contact mailed":
		return &views.Note{Tone: "ok", Alert: true, Title: "Saved, and the tickets go to the new address", Text: []string{"The old address is told that mails go elsewhere now."}}
	case "contact moved":
		return &views.Note{Tone: "ok", Alert: true, Title: "Saved. Mails go to the new address from now on", Text: []string{"The tickets were not mailed there. “Mail the tickets again” does it."}}
	case "mailed":
		return &views.Note{Tone: "ok", Alert: true, Title: "The mail is on its way", Text: []string{"It has the link to the tickets. Its state stands below."}}
	}
	return nil
}

// dossier is a booking on its way to words.
type dossier struct {
	s       *site
	f       *booking.File
	set     domain.Settings
	manager bool
}

func (d dossier) badge() views.Badge {
	valid := 0
	for _, t := range d.f.Tickets {
		if t.State == "valid" {
			valid++
		}
	}
	switch {
	case d.f.Booking.State == "cancelled":
		return views.Badge{Tone: "bad", Text: "Cancelled"}
	case valid < len(d.f.Tickets):
		return views.Badge{Tone: "warn", Text: "Partly cancelled"}
	}
	return views.Badge{Tone: "ok", Text: "Confirmed"}
}

// notes are what a person must look at: disputes and open tasks.
func (d dossier) notes() (out []views.Note) {
	for _, x := range d.f.Disputes {
		n := views.Note{Tone: "warn", Title: "The cardholder’s bank asks about this payment", Text: []string{
			format.Money(x.Amount, x.Currency) + ", state at Stripe: " + strings.ReplaceAll(x.Status, "_", " ") + ". The tickets stay valid."}}
		if !x.Inquiry {
			n.Tone, n.Title = "bad", "This payment is disputed"
			n.Text[0] = format.Money(x.Amount, x.Currency) + ", state at Stripe: " + strings.ReplaceAll(x.Status, "_", " ") + "."
			if x.DecidedAt == nil && x.Status != "won" {
				n.Text = append(n.Text, "The door asks staff before it lets these tickets in, until the task on the status page is done.")
			}
		}
		if x.Closed {
			n.Tone = ""
		}
		out = append(out, n)
	}
	for _, t := range d.f.Tasks {
		if t.Kind == "dispute" && len(d.f.Disputes) > 0 {
			continue
		}
		out = append(out, views.Note{Tone: "warn", Title: taskTitle(t.Kind), Text: []string{t.Words, "Since " + shortMoment(t.CreatedAt, d.set) + "."}, Links: []views.Link{{Text: "To the list of tasks", URL: "/staff/status"}}})
	}
	return out
}

func (d dossier) tickets() (out []views.StaffTicket) {
	o := d.f.Scene
	for _, t := range d.f.Tickets {
		c, _ := o.Layout.Seat(t.SeatNo)
		v := views.StaffTicket{
			ID: strconv.FormatInt(t.ID, 10), Seat: seatRef(o.Layout, t.SeatNo), Type: t.TypeName, Passenger: t.Passenger,
			Price: money(t.Price, d.f.Booking.Currency), Badge: views.Badge{Tone: "bad", Text: "Cancelled"},
		}
		if len(o.Layout.Zones) > 1 {
			v.Type += ", " + zoneName(o.Layout, c.Zone)
		}
		if t.ExchangedTicket != nil {
			v.Badge.Text = "Exchanged"
		}
		if t.Tax > 0 {
			v.Tax = "VAT " + format.Money(t.Tax, d.f.Booking.Currency)
		}
		if t.State == "valid" {
			v.Badge, v.RenameURL = views.Badge{Tone: "ok", Text: "Valid"}, bookingFileURL(t.BookingID)+"/passenger"
			if t.CheckedInAt != nil {
				v.Badge.Text = "In since " + format.Clock(format.In(*t.CheckedInAt, placeZone(o)))
			}
		}
		out = append(out, v)
	}
	return out
}

// exchanges lead to the bookings that this one came from and went to.
func (d dossier) exchanges() (out []views.Link) {
	if d.f.From != nil {
		out = append(out, views.Link{Text: "Exchanged from " + domain.ShowReference(d.f.From.Reference), URL: bookingFileURL(d.f.From.ID)})
	}
	for _, b := range d.f.To {
		out = append(out, views.Link{Text: "Exchanged for " + domain.ShowReference(b.Reference), URL: bookingFileURL(b.ID)})
	}
	return out
}

func (d dossier) event() views.StaffEventCard {
	o := d.f.Scene
	v := views.StaffEventCard{Title: eventHead(o).Title, Facts: slices.DeleteFunc(facts(o), func(s string) bool { return s == "" })}
	if o.Event.Status == "cancelled" {
		v.Facts = append(v.Facts, "This event is cancelled.")
	}
	if d.manager {
		v.URL = "/staff" + eventURL(o.Event.ID)
	}
	return v
}

func (d dossier) facts() []views.Fact {
	b := d.f.Booking
	out := []views.Fact{{Name: "Contact", Text: contact(b.Email, b.Phone)}, {Name: "Booked", Text: shortMoment(b.CreatedAt, d.set) + ", " + format.Zone(d.set.TimeZone)}, {Name: "Sold through", Text: b.Channel}}
	if out[0].Text == "" {
		out[0].Text = "None was given"
	}
	return out
}

// change is one line of the log in words.
func (d dossier) change(a booking.AuditLine) string {
	type note struct {
		Tickets         []int64
		Refund          int64
		Why             string
		Seat, Passenger string
		Place           string
		Email           string
		Name, Phone     string
		Tender          string
		Note            string
		Booking         any
		Seats           []string
		Reason          string
	}
	var before, after note
	_ = json.Unmarshal(a.Before, &before) // older lines may be of another form: then only the act is named
	_ = json.Unmarshal(a.After, &after)
	switch a.Action {
	case "cancel tickets":
		words := fmt.Sprintf("Cancelled %s, %s goes back", format.List(d.seatsOf(after.Tickets)), format.Money(after.Refund, d.f.Booking.Currency))
		return words + ": " + cmp.Or(after.Reason, after.Why)
	case "rename passenger":
		if before.Passenger == "" {
			return "Seat " + after.Seat + ": named " + after.Passenger
		}
		return "Seat " + after.Seat + ": " + before.Passenger + " became " + after.Passenger
	case "correct e-mail":
		return contact("E-mail corrected to "+after.Email, before.Email+" before")
	case "hand over refund":
		return format.Money(after.Refund, d.f.Booking.Currency) + " handed over from a till" + commaIf(lower(tenderWords(after.Tender)))
	case "correct contact":
		return contactChanged([][3]string{{"name", before.Name, after.Name}, {"e-mail", before.Email, after.Email}, {"phone", before.Phone, after.Phone}, {"note", before.Note, after.Note}})
	case "mail again":
		return "Tickets mailed again to " + after.Email
	case "counter_sale":
		return strings.TrimSuffix("Sold at the counter: "+after.Reason, ": ")
	case "exchange":
		if was, ok := before.Booking.(string); ok && was != d.f.Booking.Reference {
			return "Exchanged from booking " + domain.ShowReference(was) + ": " + after.Reason
		}
		return "Exchanged " + format.List(d.seatsOf(before.Tickets)) + " for " + format.List(after.Seats) + ": " + after.Reason
	case "check in":
		words := "Seat " + after.Seat + ": checked in" + commaIf(after.Place)
		if after.Why != "" {
			words += ", knowingly: " + after.Why
		}
		return words
	case "undo check-in":
		return "Seat " + after.Seat + ": the check-in was undone"
	}
	return strings.ToUpper(a.Action[:1]) + a.Action[1:]
}

func (d dossier) seatsOf(tickets []int64) (out []string) {
	for _, t := range d.f.Tickets {
		if slices.Contains(tickets, t.ID) {
			out = append(out, seatRef(d.f.Scene.Layout, t.SeatNo).Name)
		}
	}
	return out
}

// contactChanged is a correction in words: each field that changed, with what it was.
func contactChanged(fields [][3]string) string {
	var out []string
	for _, f := range fields {
		if f[1] == f[2] {
			continue
		}
		words := f[0] + " taken out"
		if f[2] != "" {
			words = f[0] + " is now " + f[2]
		}
		if f[1] != "" {
			words += " (before: " + f[1] + ")"
		}
		out = append(out, words)
	}
	return "Corrected: " + strings.Join(out, "; ")
}
