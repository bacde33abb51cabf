package stripesim_test

import (
	"strings"
	"testing"
)

func TestDisputeLife(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ steps, events string }{
		{"warning_needs_response warning_under_review warning_closed", "created updated closed"},
		{"warning_needs_response needs_response under_review lost", "created updated updated closed"},
		{"needs_response won", "created closed"},
	} {
		r := newRig(t)
		_, pi := r.paid("2450", "eur")
		var id string
		for i, status := range strings.Fields(tc.steps) {
			var err error
			if i == 0 {
				id, err = r.Dispute(pi, status)
			} else {
				err = r.UpdateDispute(id, status)
			}
			if err != nil {
				t.Fatal(err)
			}
			if a := r.get("/v1/disputes/"+id, nil); a.status != 200 || a.json["status"] != status || a.json["payment_intent"] != pi || a.json["amount"] != 2450.0 {
				t.Errorf("%s: %s", status, a.text)
			}
		}
		if r.UpdateDispute(id, "needs_response") == nil {
			t.Errorf("%s: a closed dispute moved", tc.steps)
		}
		var got []string
		for _, e := range r.Events()[1:] {
			kind, ok := strings.CutPrefix(e.Type, "charge.dispute.")
			if !ok || e.Object != id {
				t.Errorf("event %s about %s", e.Type, e.Object)
			}
			got = append(got, kind)
		}
		if strings.Join(got, " ") != tc.events {
			t.Errorf("%s: events %v", tc.steps, got)
		}
		if taken, back := r.Paid(pi); taken != 2450 || back != 0 {
			t.Errorf("a dispute is no refund: %d, %d", taken, back)
		}
	}
}

func TestDisputeRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, pi := r.paid("2450", "eur")
	for _, status := range []string{"won", "warning_closed", "angry", ""} {
		if _, err := r.Dispute(pi, status); err == nil {
			t.Errorf("a dispute began as %q", status)
		}
	}
	question, _ := r.Dispute(pi, "warning_needs_response")
	chargeback, _ := r.Dispute(pi, "needs_response")
	for _, tc := range []struct{ id, status string }{
		{question, "won"}, {question, "lost"}, {question, "angry"},
		{chargeback, "warning_closed"}, {chargeback, "warning_needs_response"}, {"dp_nobody", "won"},
	} {
		if r.UpdateDispute(tc.id, tc.status) == nil {
			t.Errorf("%s became %s", tc.id, tc.status)
		}
	}
	if n := len(r.Events()); n != 3 {
		t.Errorf("%d events", n)
	}
}
