package counter

import (
	"context"
	"strings"

	"holdfast/db"
)

// Agents is what each agent sold and gave back on some business days.
func (s *Reports) Agents(ctx context.Context, span Span, house string) (*Sheet, error) {
	r, err := s.start(ctx, span)
	if err != nil {
		return nil, err
	}
	all, err := s.db.AgentSums(ctx, span.From, span.To)
	if err != nil {
		return nil, err
	}
	for _, code := range currencies(house, all, func(a db.AgentSum) string { return a.Currency }) {
		t := table("agent", "By agent", Column{"Agent", Words}, Column{"Sold", Count}, Column{"Taken back", Count}, Column{"Admits", Count}, Column{"Gross", Amount},
			Column{"Tax", Amount}, Column{"Net", Amount}, Column{"Received", Amount}, Column{"Given back", Amount})
		t.None, t.Chart = "No agent sold anything in these days.", 4
		for _, a := range all {
			if a.Currency == code {
				t.add(says(agentName(a.Agent)), counts(a.Sold), counts(a.Returned), counts(a.Sold-a.Returned), number(a.Amount), number(a.Tax), number(a.Amount-a.Tax),
					number(a.Received), number(a.Refunded))
			}
		}
		t.total("All agents")
		r.Sections = append(r.Sections, Section{Currency: code, Tables: []Table{t}})
	}
	return r, nil
}

// agentName is how a hold names an agent, for people: "Agent 7".
func agentName(holder string) string {
	if id, ok := strings.CutPrefix(holder, "agent:"); ok {
		return "Agent " + id
	}
	return holder
}
