package booking

import (
	"context"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/domain"
)

// linkLife is how long a customer at the counter may take to pay on the phone.
const linkLife = 30 * time.Minute

// PayLink holds the seats and opens a payment page for them, which the customer at the
// counter opens with the phone. It returns the hold; Link has the address of the page. A
// total of nothing is booked at once.
//
// Errors as Keep; ErrPaymentsOff; ErrGateway with the hold's id: the seats are held, the
// page could not be opened.
func (s *Service) PayLink(ctx context.Context, o *Offer, who Seller, c CounterSale) (holdID string, err error) {
	if s.pay == nil {
		return "", domain.ErrPaymentsOff
	}
	label := tidyText(c.Name, 80)
	if label == "" {
		label = "Paying by phone"
	}
	id, err := s.Keep(ctx, o, who, c, label, o.Event.Now.Add(linkLife))
	if err != nil {
		return "", err
	}
	if err := s.db.DetailHold(ctx, id); err != nil {
		return id, endedIf(err)
	}
	h, err := s.db.Hold(ctx, id)
	if err != nil {
		return id, err
	}
	_, err = s.Pay(ctx, h.Holder, id)
	return id, err
}

// Link is a hold of the counter that is paid by a link.
type Link struct {
	Hold  *domain.Hold
	Scene *Offer
	URL   string // of the payment page while it is open, else ""
}

// Link reads it; ErrNotFound for holds that are not the counter's.
func (s *Service) Link(ctx context.Context, holdID string) (*Link, error) {
	h, o, err := s.LookForStaff(ctx, holdID)
	if err != nil {
		return nil, err
	}
	if h.Channel != domain.ChannelCounter {
		return nil, domain.ErrNotFound
	}
	x := &Link{Hold: h, Scene: o}
	p, err := s.db.LivePayment(ctx, h.ID)
	if err == nil && p.StripeURL != nil {
		x.URL = *p.StripeURL
	}
	return x, ignore(err, domain.ErrNotFound)
}

// CloseLink makes sure that nobody can pay the hold by its link any more. Booked: the
// customer was faster. The seats stay held. ErrGateway: nobody knows, the page stays.
func (s *Service) CloseLink(ctx context.Context, holdID string) (Settled, error) {
	x, err := s.Link(ctx, holdID)
	if err != nil {
		return "", err
	}
	switch x.Hold.Phase() {
	case domain.PhaseBooked:
		return Booked, nil
	case domain.PhaseLost:
		return Lost, nil
	}
	return s.closeLive(ctx, holdID)
}

// ReturnByLink settles for a phone that paid by the counter's link. It knows nothing of
// the hold but its number: ErrNotFound for every hold that nobody was sent to pay by link.
func (s *Service) ReturnByLink(ctx context.Context, holdID string) (Settled, error) {
	if !isUUID(holdID) {
		return "", domain.ErrNotFound
	}
	h, err := s.db.Hold(ctx, holdID)
	if err != nil {
		return "", err
	}
	if h.Channel != domain.ChannelCounter {
		return "", domain.ErrNotFound
	}
	p, err := s.db.NewestPayment(ctx, holdID)
	if err != nil {
		return "", err
	}
	if p.Tender != "stripe" {
		return "", domain.ErrNotFound
	}
	return s.back(ctx, h)
}

// staffOf is who made a hold of the counter, 0 for every other hold.
func staffOf(h *domain.Hold) int64 {
	number, ok := strings.CutPrefix(string(h.Holder), "staff:")
	if !ok || h.Channel != domain.ChannelCounter {
		return 0
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0
	}
	return id
}
