package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/ticket"
	"holdfast/views"
)

// sale reads the booking whose link the path carries.
func (s *site) sale(r *http.Request) (*booking.Sale, error) {
	id, version, err := s.Signer.ReadBookingToken(r.PathValue("token"))
	if err != nil {
		return nil, err
	}
	return s.Booking.Sale(r.Context(), id, version)
}

// bookingPage shows the reference and every ticket.
func (s *site) bookingPage(w http.ResponseWriter, r *http.Request) error {
	x, err := s.sale(r)
	if err != nil {
		return err
	}
	o := x.Scene
	page := s.pages.frame("Booking "+domain.ShowReference(x.Booking.Reference), o.Event.Kind, o.Settings)
	v := views.BookingView{Page: page, Heading: "You are booked", Reference: domain.ShowReference(x.Booking.Reference)}
	v.Lede, v.Mail = s.ticketMail(x, "/bookings/"+r.PathValue("token"))
	v.Note = goesBack(x)
	if v.Refunds = refundSteps(o, x.Terms(), x.Booking.Currency); len(v.Refunds) > 0 {
		v.RefundAsk = "Your plans change? " + callUs(o.Settings) + " and name the reference."
	}
	switch {
	case x.Booking.State == "cancelled":
		v.Mail = nil
		v.Heading, v.Lede = "This booking was cancelled", "Its tickets are not valid any more."
		if o.Event.Status == "cancelled" {
			v.Lede = "We are sorry: " + eventHead(o).Title + " will not take place. " + v.Lede
		}
	case o.Event.Status == "cancelled":
		v.Mail = nil
		v.Heading, v.Lede = "This one was cancelled", "We are sorry. Bookings are being cancelled one by one."
		v.Note = &views.Note{Tone: "warn", Title: "Your money goes back by itself", Text: []string{"You need not do anything. A mail tells you when it is on its way."}}
	default:
		v.Calendar = "/bookings/" + r.PathValue("token") + "/calendar.ics"
	}
	inOrder(o.Layout, x.Tickets, func(t booking.Ticket) string { return t.SeatNo })
	for _, t := range x.Tickets {
		tv, err := s.ticketNow(r, x, t)
		if err != nil {
			return err
		}
		v.Tickets = append(v.Tickets, tv)
	}
	s.render(w, r, http.StatusOK, views.Booking(v))
	return nil
}

// ticketMail says how far the mail with the tickets is; it never keeps anybody from them.
func (s *site) ticketMail(x *booking.Sale, page string) (lede string, note *views.BookingMail) {
	below := "Your tickets are below"
	if x.Booking.Total > 0 {
		below = "Paid. Your tickets are below"
	}
	const show = "Show the code on your phone or on paper."
	m := x.Mail
	switch {
	case m == nil:
		return show, nil
	case m.State == "sent":
		at := ""
		if m.SentAt != nil {
			at = " at " + format.Clock(format.In(*m.SentAt, x.Scene.Settings.TimeZone)) + ", " + format.Zone(x.Scene.Settings.TimeZone)
		}
		return "Tickets were sent to " + m.ToAddress + at + ". " + show, nil
	case m.State == "failed":
		n := &views.BookingMail{Action: page + "/mail", Note: views.Note{Tone: "warn", Title: "The mail to " + m.ToAddress + " did not arrive", Text: []string{
			"Your tickets are below and valid. Keep this page’s link or print them.", "Is the address wrong? " + callUs(x.Scene.Settings) + " and we correct it."}}}
		return below + ". " + show, n
	case s.MailOff:
		return below + ". We cannot send mail at the moment: please keep this page’s link, or print them.", nil
	}
	return below + "; the mail to " + m.ToAddress + " is on its way. " + show, nil
}

func callUs(set domain.Settings) string {
	if set.Phone == "" {
		return "Please tell us at the counter"
	}
	return "Please call " + set.Phone
}

// mailAgain sends a ticket mail once more that was given up.
func (s *site) mailAgain(w http.ResponseWriter, r *http.Request) error {
	x, err := s.sale(r)
	if err != nil {
		return err
	}
	if err := s.Booking.MailTicketsAgain(r.Context(), x.Booking.ID); err != nil {
		return err
	}
	return seeOther(w, r, "/bookings/"+r.PathValue("token"))
}

// goesBack says where money is that goes back for a booking, nil when none does.
func goesBack(x *booking.Sale) *views.Note {
	sums := map[string]int64{}
	var numbers []string
	for _, r := range x.Refunds {
		state := r.State
		if r.PaymentIntent == nil && state == string(domain.RefundSucceeded) {
			state = "by hand"
		}
		sums[state] += r.Amount
		numbers = append(numbers, "R-"+strconv.FormatInt(r.ID, 10))
	}
	if len(numbers) == 0 {
		return nil
	}
	n := &views.Note{Tone: "ok"}
	words := func(amount int64, tail, tone, text string) {
		if amount == 0 {
			return
		}
		line := format.Money(amount, x.Booking.Currency) + tail
		if n.Title == "" {
			n.Tone, n.Title = tone, line
		} else {
			n.Text = append(n.Text, line+".")
		}
		n.Text = append(n.Text, text)
	}
	words(sums["failed"], " could not be sent back yet", "bad", "It is still yours: we know about it and will find another way with you.")
	words(sums["requested"]+sums["pending"], " is on its way back", "", "Paid by card online, it goes back to that card; banks take 5 to 10 days to show it. Paid at the counter, you get it there.")
	words(sums["by hand"], " is given back at the counter", "", "You paid us directly, so please ask for it there and name the number below.")
	words(sums["succeeded"], " was sent back", "ok", "Banks take 5 to 10 days to show it.")
	n.Text = append(n.Text, "Number of the refund: "+format.List(numbers)+".")
	return n
}

func (s *site) ticketURL(t booking.Ticket) string {
	return "/t/" + s.Signer.TicketCode(t.EventID, t.ID, t.CodeVersion)
}

func (s *site) ticketView(x *booking.Sale, t booking.Ticket) (views.Ticket, error) {
	o := x.Scene
	c, _ := o.Layout.Seat(t.SeatNo)
	qr, err := ticket.DataURI(s.BaseURL + s.ticketURL(t))
	if err != nil {
		return views.Ticket{}, err
	}
	v := views.Ticket{
		ID: strconv.FormatInt(t.ID, 10), Seat: seatRef(o.Layout, t.SeatNo), SeatHead: o.Layout.Where(c), QR: templ.SafeURL(qr),
		Reference: domain.ShowReference(x.Booking.Reference), URL: s.ticketURL(t), Paid: money(t.Price, x.Booking.Currency),
	}
	if t.Passenger != "" {
		v.Facts = append(v.Facts, views.Fact{Name: "Passenger", Text: t.Passenger})
	}
	v.Facts = append(v.Facts, views.Fact{Name: "Ticket", Text: t.TypeName})
	if o.Event.Kind == domain.Trip {
		v.Way = ticketWay(o)
	} else {
		v.Show = ticketShow(o)
		if o.Event.Resource != "" {
			v.Facts = append(v.Facts, views.Fact{Name: "Hall", Text: o.Event.Resource})
		}
		v.Facts = append(v.Facts, views.Fact{Name: "Zone", Text: zoneName(o.Layout, c.Zone)})
	}
	if t.State == "cancelled" {
		v.Cancelled = "Cancelled"
	}
	return v, nil
}

// ticketNow is ticketView that also says what an exchanged ticket became.
func (s *site) ticketNow(r *http.Request, x *booking.Sale, t booking.Ticket) (views.Ticket, error) {
	v, err := s.ticketView(x, t)
	if err != nil || t.ExchangedTicket == nil {
		return v, err
	}
	next, err := s.Booking.ExchangedFor(r.Context(), t)
	if err != nil {
		return v, err
	}
	v.Cancelled = "Exchanged for " + becameWords(x.Scene, next) + "."
	if next.Tickets[0].State == "valid" {
		v.Next = &views.Link{Text: "Open the new ticket", URL: s.ticketURL(next.Tickets[0])}
	}
	return v, nil
}

// becameWords name a ticket that another was exchanged for: "D7", with the event where it
// is another one.
func becameWords(was *booking.Offer, next *booking.Sale) string {
	words := seatRef(next.Scene.Layout, next.Tickets[0].SeatNo).Name
	if next.Scene.Event.ID != was.Event.ID {
		words += ", " + eventHead(next.Scene).Title + ", " + boards(next.Scene)
	}
	return words
}

func ticketWay(o *booking.Offer) *views.TicketWay {
	from, to := o.Stops[o.Ride.From], o.Stops[o.Ride.To]
	be := format.In(o.Boards.Add(-time.Duration(o.Settings.BoardingNoticeMin)*time.Minute), from.TimeZone)
	w := &views.TicketWay{
		Depart: views.TripEnd{Time: format.Clock(format.In(o.Boards, from.TimeZone)), Place: from.Place, Detail: from.Address},
		Arrive: tripArrival(o.Boards, o.Arrives, from, to, crossesZones(o)), Duration: format.Span(o.Arrives.Sub(o.Boards)),
		Day:  format.LongDay(format.In(o.Boards, from.TimeZone)),
		Note: "At the stop by " + format.Clock(be) + ", " + format.Zone(from.TimeZone) + ".",
	}
	if o.Event.Resource != "" {
		w.Note += " " + o.Event.Resource + "."
	}
	return w
}

func ticketShow(o *booking.Offer) *views.TicketShow {
	at := format.In(o.Boards, o.Event.TimeZone)
	return &views.TicketShow{
		Place: o.Settings.VenueName + commaIf(o.Settings.Address), Title: o.Event.Film, Certificate: o.Event.Certificate, Meta: filmMeta(o.Event),
		When: format.Day(at) + ", " + format.Clock(at), Note: format.Zone(o.Event.TimeZone) + ". It ends about " + format.Clock(format.In(o.Arrives, o.Event.TimeZone)) + ".",
	}
}

// ticketPage is one ticket alone, for whoever has its code; staff see what it is worth at
// the door, and the ticket itself with ?show=ticket.
func (s *site) ticketPage(w http.ResponseWriter, r *http.Request) error {
	x, err := s.saleOfCode(r, r.PathValue("code"))
	if err != nil {
		return err
	}
	switch who, err := s.signedIn(r); {
	case err == nil && !who.Owes() && r.URL.Query().Get("show") != "ticket":
		return s.ticketForStaff(w, r, who, x)
	case err != nil && !errors.Is(err, access.ErrSignedOut):
		return err
	}
	v, err := s.ticketNow(r, x, x.Tickets[0])
	if err != nil {
		return err
	}
	page := s.pages.frame("Ticket "+v.Seat.Name, x.Scene.Event.Kind, x.Scene.Settings)
	s.render(w, r, http.StatusOK, views.TicketPage(views.TicketView{Page: page, Ticket: v}))
	return nil
}

// bookingCalendar is the booking as a calendar file.
func (s *site) bookingCalendar(w http.ResponseWriter, r *http.Request) error {
	x, err := s.sale(r)
	if err != nil {
		return err
	}
	var seats []string
	for _, t := range x.Tickets {
		if c, ok := x.Scene.Layout.Seat(t.SeatNo); ok && t.State == "valid" {
			seats = append(seats, x.Scene.Layout.Where(c))
		}
	}
	body, err := ticket.ICS(ticket.Booking{
		ID: x.Booking.ID, Reference: domain.ShowReference(x.Booking.Reference), Event: x.Scene.Event, Stops: x.Scene.Stops, Ride: x.Scene.Ride,
		Seats: seats, URL: s.BaseURL + "/bookings/" + r.PathValue("token"), Venue: x.Scene.Settings,
		Cancelled: x.Booking.State == "cancelled" || x.Scene.Event.Status == "cancelled", At: x.Scene.Event.Now,
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/calendar; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+domain.ShowReference(x.Booking.Reference)+`.ics"`)
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // a reader that went away is nobody's error
	return nil
}

// findPage asks for reference and address.
func (s *site) findPage(w http.ResponseWriter, r *http.Request) error { return s.find(w, r, false) }

// findBooking mails the link when they belong together; the answer is always the same.
func (s *site) findBooking(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	if err := s.Booking.MailLink(r.Context(), r.PostForm.Get("reference"), r.PostForm.Get("email")); err != nil {
		return err
	}
	return s.find(w, r, true)
}

func (s *site) find(w http.ResponseWriter, r *http.Request, sent bool) error {
	page, _, err := s.pages.page(r.Context(), "Find my booking", domain.Screening)
	if err != nil {
		return err
	}
	page.Narrow = true
	s.render(w, r, http.StatusOK, views.Find(views.FindView{Page: page, Sent: sent, MailOff: s.MailOff, Reference: r.PostForm.Get("reference"), Email: r.PostForm.Get("email")}))
	return nil
}
