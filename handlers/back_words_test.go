package handlers

import (
	"slices"
	"testing"

	"holdfast/internal/booking"
)

// Money of several payments that goes back the same way is one sum to hand over.
func TestMoneyBackIsOneSumForEachWay(t *testing.T) {
	t.Parallel()
	parts := []booking.BackPart{{Tender: "cash", Amount: 400}, {Tender: "terminal", Amount: 100}, {Tender: "cash", Amount: 500}, {Tender: "stripe", Online: true, Amount: 50}}
	if got, want := backWords(handed(parts), "EUR"), "Hand over EUR 9.00 in cash. Send EUR 1.00 back on the card terminal. EUR 0.50 goes back to the card by itself."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := partLines(parts, "EUR", true), []string{"EUR 9.00 in cash", "EUR 1.00 goes back on the card terminal", "EUR 0.50 goes to the card or account that paid online"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
