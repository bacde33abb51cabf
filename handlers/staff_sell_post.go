package handlers

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// sell does what was pressed: a sale by cash, card, both, or free; a hold; a payment link;
// or only the price of what is chosen, which changes nothing.
func (s *site) sell(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f := readSell(r.PostForm)
	seller := booking.Seller{StaffID: who.ID, By: s.by(r, who)}
	if done, err := s.soldBefore(w, r, f, seller); done || err != nil {
		return err
	}
	if !slices.Contains([]string{"cash", "card", "split", "comp", "hold", "link"}, f.act) {
		f.act = ""
		return s.showSell(w, r, who, http.StatusOK, f, nil)
	}
	seats := slices.Clone(f.seats)
	c, err := s.sellScene(r, f)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return s.showSell(w, r, who, http.StatusUnprocessableEntity, f, sellRefusal(rule))
	}
	if err != nil {
		return err
	}
	if alert := s.toMend(f, c, seats); alert != nil {
		return s.showSell(w, r, who, http.StatusUnprocessableEntity, f, alert)
	}
	alert, err := s.toConfirm(r, f, c, seller)
	if err != nil {
		return err
	}
	if alert != nil {
		return s.showSell(w, r, who, http.StatusUnprocessableEntity, f, alert)
	}
	if f.act == "comp" && f.reason != "" {
		if seller.Confirmed, f.super, err = s.supervised(r, who, access.Manager); err != nil {
			return err
		}
	}
	if f.super != nil {
		return s.notConfirmed(w, r, who, f)
	}
	to, err := s.doSell(r, f, c, seller)
	if err != nil {
		return s.notSold(w, r, who, f, c, err)
	}
	return seeOther(w, r, to)
}

// soldBefore leads a form that was sent already to what it came to.
func (s *site) soldBefore(w http.ResponseWriter, r *http.Request, f *sellForm, seller booking.Seller) (bool, error) {
	id, err := s.Booking.SoldBefore(r.Context(), f.key, seller)
	if err != nil {
		return false, err
	}
	if id > 0 {
		return true, seeOther(w, r, saleURL(id))
	}
	hold, err := s.Booking.KeptBefore(r.Context(), f.key, seller)
	switch {
	case err != nil || hold == "":
		return false, err
	case f.act == "link":
		return true, seeOther(w, r, linkURL(hold))
	}
	return true, seeOther(w, r, sellURL)
}

// toMend is what must be put right before anything can be sold.
func (s *site) toMend(f *sellForm, c *sellScene, sent []string) *views.SellAlert {
	no := func(heading string, text ...string) *views.SellAlert {
		return &views.SellAlert{Tone: "bad", Heading: heading, Text: append(text, "Nothing was sold.")}
	}
	what := noun(c.o.Layout)
	switch {
	case len(sent) == 0 && len(f.seats) > 0:
		return &views.SellAlert{Tone: "warn", Heading: "Please look at the " + what + "s first", Text: []string{"The best free ones are ticked now. Press once more to go on. Nothing was sold."}}
	case len(f.seats) == 0 && f.tickets() > 0:
		return no("There are not " + format.Count(f.tickets(), what) + " free")
	case len(f.seats) == 0:
		return no("Choose at least one "+what, "Type how many tickets, or tick "+what+"s on the map.")
	}
	if words := booking.EmailProblem(f.email); f.email != "" && words != "" {
		f.wrong["email"] = words
		return no("The e-mail address cannot be right", words)
	}
	if words := f.misfit(what); words != "" {
		return no("Tickets and "+what+"s do not fit", words)
	}
	_, total, err := s.Booking.Quote(c.o, f.sale(c.o, c.fares), c.hold)
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule):
		return sellRefusal(rule)
	case err != nil:
		return no("That cannot be priced")
	case f.act == "hold" || f.quoted == strconv.FormatInt(total, 10):
		return nil
	}
	return &views.SellAlert{Tone: "warn", Heading: "The price is " + format.Money(total, c.o.Event.Currency), Text: []string{
		"The choice changed since the price was shown. Press once more if that is right. Nothing was sold."}}
}

// toConfirm asks about blocked seats and the rules of the house, once for each.
func (s *site) toConfirm(r *http.Request, f *sellForm, c *sellScene, seller booking.Seller) (*views.SellAlert, error) {
	a := &views.SellAlert{Tone: "warn", Sure: &views.SellSure{Act: f.act, Text: "Sell all the same"}}
	switch f.act {
	case "hold":
		a.Sure.Text = "Hold all the same"
	case "link":
		a.Sure.Text = "Go on all the same"
	}
	ask := func(what, heading, words string) {
		if slices.Contains(f.sure, what) {
			return
		}
		f.sure = append(f.sure, what)
		if a.Heading == "" {
			a.Heading = heading
		}
		a.Text = append(a.Text, words)
	}
	for _, no := range f.seats {
		look, other := c.x.Looks[no]
		if !other || look.State != "blocked" {
			continue
		}
		words := seatRef(c.o.Layout, no).Name + " is blocked: " + blockReason(look)
		if look.Until != nil {
			words += ", until " + untilClock(*look.Until, c.o.Settings)
		}
		ask("blocked:"+no, "This takes a blocked "+noun(c.o.Layout), strings.TrimSuffix(words, ".")+".")
	}
	warnings, err := s.Booking.Warnings(r.Context(), c.o, seller, f.seats)
	if err != nil {
		return nil, err
	}
	for _, x := range warnings {
		ask(x.Code+":"+strings.Join(x.Seats, ","), "A rule of the house", x.Words)
		if len(a.Instead) == 0 && len(x.Instead) > 0 && a.Heading != "" && len(x.Instead[0]) == len(f.seats) {
			a.Instead = seatRefs(c.o.Layout, x.Instead[0])
		}
	}
	if a.Heading == "" {
		return nil, nil
	}
	a.Text = append(a.Text, "Nothing was sold yet.")
	return a, nil
}

// doSell calls the one act that was pressed and says where to go.
func (s *site) doSell(r *http.Request, f *sellForm, c *sellScene, seller booking.Seller) (string, error) {
	sale := f.sale(c.o, c.fares)
	sale.Blocked = slices.ContainsFunc(f.seats, func(no string) bool { return c.x.Looks[no].State == "blocked" })
	switch f.act {
	case "hold":
		until, err := f.holdEnd(c.o)
		if err != nil {
			return "", err
		}
		id, err := s.Booking.Keep(r.Context(), c.o, seller, sale, f.label, until)
		if err == nil {
			s.Sessions.Put(r.Context(), saidKey, "kept "+id)
		}
		return sellURL, err
	case "link":
		id, err := s.Booking.PayLink(r.Context(), c.o, seller, sale)
		if err != nil && id != "" { // held, and no page to pay on: another press is another act
			f.hold, f.key = id, rand.Text()
		}
		return linkURL(id), err
	}
	var err error
	if sale.Tenders, err = f.tenders(c.o.Event.Currency); err != nil {
		return "", err
	}
	id, err := s.Booking.Sell(r.Context(), c.o, seller, sale)
	return saleURL(id), err
}

// tenders are the parts of the payment. The price is the one that was shown; Sell refuses
// when it is another by now.
func (f *sellForm) tenders(currency string) ([]booking.Tender, error) {
	total, err := strconv.ParseInt(f.quoted, 10, 64)
	if err != nil {
		return nil, errBadRequest
	}
	given := int64(0)
	if f.given != "" && (f.act == "cash" || f.act == "split") {
		if given, err = handAmount(f.given, currency); err != nil {
			return nil, onField("given", err)
		}
	}
	short := func(cash int64) error {
		return onField("given", &domain.RuleError{Code: "short", Words: "That is " + format.Money(cash-given, currency) + " less than the price. Nothing was sold."})
	}
	switch f.act {
	case "card":
		return []booking.Tender{{Kind: "terminal", Amount: total}}, nil
	case "comp":
		if f.reason == "" {
			return nil, onField("reason", &domain.RuleError{Code: "comp", Words: "Please say why: it stays in the report. Nothing was sold."})
		}
		return []booking.Tender{{Kind: "comp", Words: f.reason}}, nil
	case "split":
		cash, err := handAmount(f.split, currency)
		if err != nil {
			return nil, onField("split", err)
		}
		if cash <= 0 || cash >= total {
			return nil, onField("split", &domain.RuleError{Code: "split", Words: "The cash part must be more than nothing and less than " + format.Money(total, currency) + ". Nothing was sold."})
		}
		if given > 0 && given < cash {
			return nil, short(cash)
		}
		return []booking.Tender{{Kind: "cash", Amount: cash, Tendered: given}, {Kind: "terminal", Amount: total - cash}}, nil
	}
	if given > 0 && given < total || f.given != "" && given == 0 && total > 0 {
		return nil, short(total)
	}
	return []booking.Tender{{Kind: "cash", Amount: total, Tendered: given}}, nil
}

// fieldRefusal is a refusal that stands beside its field.
type fieldRefusal struct {
	field string
	err   error
}

func (e *fieldRefusal) Error() string { return e.field + ": " + e.err.Error() }
func (e *fieldRefusal) Unwrap() error { return e.err }

func onField(field string, err error) error { return &fieldRefusal{field, err} }

// holdEnd is until when a hold is kept.
func (f *sellForm) holdEnd(o *booking.Offer) (time.Time, error) {
	switch f.until {
	case "30":
		return o.Event.Now.Add(30 * time.Minute), nil
	case "phone":
		if until := o.PhoneUntil(); until.After(o.Event.Now) {
			return until, nil
		}
		return time.Time{}, &domain.RuleError{Code: "until", Words: "It is too late for a phone booking: such seats are free again by now. Nothing is held yet."}
	case "time":
		zone, err := time.LoadLocation(o.Settings.TimeZone)
		if err != nil {
			return time.Time{}, err
		}
		clock, err := time.Parse("15:04", f.clock)
		if err != nil {
			return time.Time{}, onField("until_time", &domain.RuleError{Code: "until", Words: "Please write the time like 14:30. Nothing is held yet."})
		}
		for _, day := range []time.Time{o.Event.Now.In(zone), o.Event.Now.In(zone).AddDate(0, 0, 1)} {
			for _, at := range domain.WallClock(day, clock.Hour()*60+clock.Minute(), zone) {
				if at.After(o.Event.Now) {
					return at, nil
				}
			}
		}
	}
	return o.Event.Now.Add(10 * time.Minute), nil
}

// notSold answers a refusal with the whole page: what happened, what is safe, and
// everything typed.
func (s *site) notSold(w http.ResponseWriter, r *http.Request, who access.Staff, f *sellForm, c *sellScene, err error) error {
	var conflict *domain.SeatConflict
	var field *fieldRefusal
	var rule *domain.RuleError
	status, alert := http.StatusConflict, (*views.SellAlert)(nil)
	switch {
	case errors.As(err, &conflict):
		var readErr error
		if alert, readErr = s.sellConflict(r, f, c, conflict); readErr != nil {
			return readErr
		}
	case errors.As(err, &field) && errors.As(err, &rule):
		f.wrong[field.field] = rule.Words
		status, alert = http.StatusUnprocessableEntity, &views.SellAlert{Tone: "bad", Heading: "Nothing was sold", Text: []string{rule.Words}}
	case errors.As(err, &rule):
		status, alert = http.StatusUnprocessableEntity, sellRefusal(rule)
		if rule.Code == "label" {
			f.wrong["label"] = rule.Words
		}
	case errors.Is(err, domain.ErrNoShift):
		alert = &views.SellAlert{Tone: "warn", Heading: "Your till is not open", Text: []string{"Open your shift first, or hold the seats under a name. Nothing was sold and no money was taken."},
			Links: []views.Link{{Text: "Open my shift", URL: "/staff/shifts/new?next=" + sellURL}}}
	case errors.Is(err, domain.ErrSalesClosed):
		status, alert = http.StatusUnprocessableEntity, &views.SellAlert{Tone: "bad", Heading: "The counter’s sales for this one are closed", Text: []string{"Nothing was sold."}}
	case errors.Is(err, domain.ErrHoldEnded):
		f.hold, status = "", http.StatusGone
		alert = &views.SellAlert{Tone: "warn", Heading: "The hold ended meanwhile", Text: []string{"Nothing was sold. The seats are still chosen here: press once more to sell them if they are free."}}
	case errors.Is(err, domain.ErrBusy):
		alert = &views.SellAlert{Tone: "warn", Heading: "Very busy right now", Text: []string{"Nothing was sold. Everything is still here: please press once more."}}
	case errors.Is(err, domain.ErrGateway), errors.Is(err, domain.ErrGatewayRefused), errors.Is(err, domain.ErrPaymentsOff):
		s.note(r, http.StatusServiceUnavailable, err)
		return s.noLink(w, r, who, f)
	default:
		return err
	}
	s.note(r, status, err)
	return s.showSell(w, r, who, status, f, alert)
}

// notConfirmed: a free ticket takes a manager, or one who confirms it in place.
func (s *site) notConfirmed(w http.ResponseWriter, r *http.Request, who access.Staff, f *sellForm) error {
	waits(w, f.super.status)
	s.note(r, f.super.status, f.super.cause)
	return s.showSell(w, r, who, f.super.status, f, &views.SellAlert{Tone: "bad", Heading: "Free tickets need a supervisor", Text: []string{f.super.words, "Nothing was sold."}})
}

// noLink: Stripe did not open its page. The seats are held under a name, so that they can
// be paid otherwise.
func (s *site) noLink(w http.ResponseWriter, r *http.Request, who access.Staff, f *sellForm) error {
	return s.showSell(w, r, who, http.StatusServiceUnavailable, f, &views.SellAlert{Tone: "warn", Heading: "The payment page does not answer", Text: []string{
		"Nothing was charged. The seats are held: take cash or card, or try the link again in a minute."}})
}

// sellConflict names the seats that are gone; the others stay chosen.
func (s *site) sellConflict(r *http.Request, f *sellForm, c *sellScene, lost *domain.SeatConflict) (*views.SellAlert, error) {
	now, err := s.Booking.CounterMap(r.Context(), c.o, c.hold)
	if err != nil {
		return nil, err
	}
	wanted := slices.Clone(f.seats)
	f.seats = slices.DeleteFunc(f.seats, func(no string) bool { return slices.Contains(lost.Lost, no) })
	f.proposed = nil
	a := &views.SellAlert{Tone: "bad", Lost: seatRefs(c.o.Layout, lost.Lost), Text: []string{"Nothing was sold and no money was taken."}}
	switch len(f.seats) {
	case 0:
	case 1:
		a.Text = append([]string{f.seats[0] + " stays chosen."}, a.Text...)
	default:
		a.Text = append([]string{format.List(f.seats) + " stay chosen."}, a.Text...)
	}
	if len(lost.Paying) == len(lost.Lost) && len(lost.Lost) > 0 {
		a.Text = append(a.Text, "Somebody has the payment page open for them; they may come back in a minute, or be sold.")
	}
	if set := c.o.Layout.Instead(wanted, now.Free(c.o.Layout), c.o.Rules()); set != nil {
		a.Instead = seatRefs(c.o.Layout, set)
	}
	return a, nil
}

func sellRefusal(rule *domain.RuleError) *views.SellAlert {
	return &views.SellAlert{Tone: "bad", Heading: "That is not possible", Text: []string{rule.Words}}
}
