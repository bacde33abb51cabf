package handlers

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
)

// chooser is known with where the request comes from.
func (s *site) chooser(r *http.Request) booking.Visitor {
	who := s.known(r)
	who.Address, who.Aside = s.addressOf(r), s.aside(r)
	return who
}

// addressOf is what limits may know of where a request comes from. Without a proxy that
// we were told of, an address that is nobody's on the internet is a proxy's that we were
// not told of, or the house's own network.
func (s *site) addressOf(r *http.Request) booking.Address {
	return booking.Address{Key: s.Signer.AddressKey(s.clientAddress(r)), Shared: s.ProxyHops == 0 && !public(r.RemoteAddr)}
}

func public(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsGlobalUnicast() && !a.Unmap().IsPrivate() && !carrier().Contains(a.Unmap())
}

// carrier are the addresses that providers give to machines behind their own (RFC 6598);
// load balancers use them too.
func carrier() netip.Prefix { return netip.MustParsePrefix("100.64.0.0/10") }

// whatNow ends the words of a refusal: when it will be allowed, if time helps, and what is
// safe.
func whatNow(rule *domain.RuleError, o *booking.Offer) string {
	if rule.Until.IsZero() {
		return " Nothing was charged."
	}
	const safe = ". Nothing was changed and nothing was charged."
	lead := " Or try again "
	if rule.Code == "paused" {
		lead = " Please choose others, or try again "
	}
	if left := rule.Until.Sub(o.Event.Now); left < 2*time.Minute {
		return lead + "in " + format.Count(max(1, int(left.Round(time.Second).Seconds())), "second") + safe
	}
	at := format.In(rule.Until.Add(time.Minute-time.Nanosecond), o.Settings.TimeZone) // a minute that began must be over
	return lead + "at " + format.Clock(at) + ", " + format.Zone(o.Settings.TimeZone) + safe
}
