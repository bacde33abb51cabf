package counter

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"holdfast/db"
)

// sums is what some lines of the ledger add up to. What comes in and what goes back are
// both positive.
type sums struct {
	sold, returned, free  int   // tickets
	gross, tax            int64 // of sales less what was taken back
	back                  int64 // the part that was taken back
	fees, feeTax          int64
	off                   int64 // written off, negative when it went
	payments, refunds     int
	in, out               int64
	exchanges             int
	exchanged, unbalanced int64 // what changed bookings, and what of it does not cancel out
}

// take adds a line. Exchanges move worth from one booking to another: they are no money
// that came or went, and stand apart.
func (s *sums) take(l db.ReportSum) {
	switch l.Kind {
	case "sale":
		s.sold, s.gross, s.tax = s.sold+l.Lines, s.gross+l.Amount, s.tax+l.Tax
		if l.Free {
			s.free += l.Lines
		}
	case "sale_reversal":
		s.returned, s.gross, s.tax, s.back = s.returned+l.Lines, s.gross+l.Amount, s.tax+l.Tax, s.back-l.Amount
		if l.Free {
			s.free -= l.Lines
		}
	case "fee":
		s.fees, s.feeTax = s.fees+l.Amount, s.feeTax+l.Tax
	case "write_off":
		s.off += l.Amount
	case "payment":
		s.pay(l)
	case "refund":
		s.refund(l)
	}
}

func (s *sums) pay(l db.ReportSum) {
	if l.Tender == "exchange" {
		s.exchanges, s.exchanged, s.unbalanced = s.exchanges+l.Lines, s.exchanged+l.Amount, s.unbalanced+l.Amount
		return
	}
	s.payments, s.in = s.payments+l.Lines, s.in+l.Amount
}

func (s *sums) refund(l db.ReportSum) {
	if l.Tender == "exchange" {
		s.unbalanced += l.Amount
		return
	}
	s.out -= l.Amount
	if !l.Against { // one that failed and came back is no refund more
		s.refunds += l.Lines
	}
}

func (s *sums) net() int64    { return s.in - s.out }
func (s *sums) admits() int   { return s.sold - s.returned }
func (s *sums) earned() int64 { return s.gross + s.fees + s.off }

// grouped adds lines up by a key, in the order of the keys.
func grouped[K cmp.Ordered](lines []db.ReportSum, key func(db.ReportSum) (K, bool)) (keys []K, by map[K]*sums) {
	by = map[K]*sums{}
	for _, l := range lines {
		k, ok := key(l)
		if !ok {
			continue
		}
		if by[k] == nil {
			by[k] = &sums{}
		}
		by[k].take(l)
	}
	return slices.Sorted(maps.Keys(by)), by
}

// isMoney tells lines of money that came or went from the rest.
func isMoney(l db.ReportSum) bool {
	return (l.Kind == "payment" || l.Kind == "refund") && l.Tender != "exchange"
}

func isTicket(l db.ReportSum) bool { return l.Kind == "sale" || l.Kind == "sale_reversal" }

// TenderWords is how staff call a tender.
func TenderWords(tender string) string {
	words := map[string]string{"cash": "Cash", "terminal": "Card terminal", "stripe": "Stripe, online", "agent": "Agents’ accounts", "comp": "Free of charge",
		"free": "Nothing to pay", "exchange": "Exchange"}
	return cmp.Or(words[tender], tender, "Unknown")
}

// ChannelWords is how staff call a channel.
func ChannelWords(channel string) string {
	words := map[string]string{"web": "Online", "counter": "Counter", "agent": "Agents", "partner": "Partners"}
	return cmp.Or(words[channel], channel, "Unknown")
}

// reasonWords is why money went back.
func reasonWords(reason string) string {
	words := map[string]string{
		"void": "Voids", "customer": "Refunds: the customer cancelled", "staff": "Refunds: given by staff", "event_cancelled": "Refunds: the event was cancelled",
		"seat_lost": "Refunds: the seats were gone when the money came", "duplicate": "Refunds: paid twice", "mismatch": "Refunds: the sum did not fit",
		"dashboard": "Refunds: made in Stripe by hand", "exchange": "Exchanges: what the new seats cost less",
	}
	return cmp.Or(words[reason], "Refunds: "+strings.ReplaceAll(reason, "_", " "))
}
