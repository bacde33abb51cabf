package handlers

import (
	"strconv"

	"holdfast/internal/booking"
	"holdfast/internal/format"
	"holdfast/views"
)

// refundSteps are the cancellation terms with what each sends back, on the clock of the
// place; none when the house has none. Steps that are over are left out.
func refundSteps(o *booking.Offer, terms []booking.TermStep, currency string) []views.RefundStep {
	var out []views.RefundStep
	for _, t := range terms {
		if t.Over || t.Percent == 0 {
			continue
		}
		at := format.In(t.Until, placeZone(o))
		sum := money(t.Back, currency)
		out = append(out, views.RefundStep{When: "Until " + format.Day(at) + ", " + format.Clock(at) + ", " + format.Zone(placeZone(o)), What: strconv.Itoa(t.Percent) + " % back", Sum: &sum})
	}
	switch {
	case len(terms) == 0:
		return nil
	case len(out) == 0:
		return []views.RefundStep{{When: "Now", What: "No money back"}}
	}
	return append(out, views.RefundStep{When: "After that", What: "No money back"})
}
