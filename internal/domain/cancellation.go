package domain

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// CancelStep is one line of the house's cancellation terms: who cancels at least Before
// the start or the departure gets Percent of the price back.
type CancelStep struct {
	Before  time.Duration
	Percent int
}

// CancelTerms are the steps, the longest time first; none means that the house promises
// nothing and staff decide.
type CancelTerms []CancelStep

const (
	mostCancelSteps = 8
	mostCancelHours = 8760
)

// ParseCancelTerms reads "48h:100,24h:50,0h:0". Later must never be better.
func ParseCancelTerms(text string) (CancelTerms, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var out CancelTerms
	for _, part := range strings.Split(text, ",") {
		before, percent, ok := strings.Cut(strings.TrimSpace(part), ":")
		hours, hoursErr := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(before), "h"))
		per, perErr := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(percent), "%"))
		if !ok || hoursErr != nil || perErr != nil || hours < 0 || hours > mostCancelHours || per < 0 || per > 100 {
			return nil, fmt.Errorf("%q is not a step like 48h:100, the hours before and the percent back", strings.TrimSpace(part))
		}
		out = append(out, CancelStep{time.Duration(hours) * time.Hour, per})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Before > out[j].Before })
	for i := 1; i < len(out); i++ {
		if out[i].Before == out[i-1].Before {
			return nil, fmt.Errorf("%d hours stand there twice", int(out[i].Before.Hours()))
		}
		if out[i].Percent > out[i-1].Percent {
			return nil, fmt.Errorf("%d hours before would give more back than earlier", int(out[i].Before.Hours()))
		}
	}
	if len(out) > mostCancelSteps {
		return nil, fmt.Errorf("these are more than %d steps", mostCancelSteps)
	}
	return out, nil
}

// String is how ParseCancelTerms reads them; "" for none.
func (t CancelTerms) String() string {
	parts := make([]string, len(t))
	for i, s := range t {
		parts[i] = fmt.Sprintf("%dh:%d", int(s.Before.Hours()), s.Percent)
	}
	return strings.Join(parts, ",")
}

// Percent is what of the price goes back so long before the start; everything where the
// house has no terms.
func (t CancelTerms) Percent(left time.Duration) int {
	if len(t) == 0 {
		return 100
	}
	for _, s := range t {
		if left >= s.Before {
			return s.Percent
		}
	}
	return 0
}

// Share is so many percent of a price, half away from zero, as the currency can be paid
// and never more than the price. Each ticket is rounded on its own, so that cancelling
// them one by one or together gives the same.
func (c Currency) Share(price int64, percent int) int64 {
	step := max(c.Step/pow10(c.StripeExponent-c.Exponent), 1)
	num, den := price*int64(percent), 100*step
	return min((num+den/2)/den*step, price)
}
