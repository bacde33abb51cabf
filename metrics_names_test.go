package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// Every figure that the board and the alert rules ask for is told by the program, also
// before anything has happened that it counts.
func TestMetrics_BoardAndAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, map[string]string{"METRICS_TOKEN": "watch"})
	body := w.monitor()
	name := regexp.MustCompile(`\b(?:holdfast|process|go)_[a-z_]+`)
	asked := 0
	for _, file := range []string{"docs/monitoring/grafana.json", "docs/monitoring/alerts.yml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range name.FindAllString(string(text), -1) {
			asked++
			if !strings.Contains(body, "\n"+n+"{") && !strings.Contains(body, "\n"+n+" ") {
				t.Errorf("%s asks for %s, which is not told", file, n)
			}
		}
	}
	if asked < 30 {
		t.Errorf("only %d figures are asked for: are they still written like that?", asked)
	}
}

// How long money took is told by both ways that it is heard of; what the sweep alone
// found is counted.
func TestMetrics_Settled(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 1, 4) }, map[string]string{"METRICS_TOKEN": "watch"})
	w.on(t).buys(eventPath(ev.ID), "A1")
	w.eventuallySim("both are counted", func() bool {
		body := w.monitor()
		return strings.Contains(body, `holdfast_settle_seconds_count{by="return"} 1`+"\n") && strings.Contains(body, `holdfast_settle_seconds_count{by="webhook"} 1`+"\n")
	})
	w.tells(`holdfast_sweep_found_total{outcome="booked"} 0`, `holdfast_payments_settled_day{outcome="booked"} 1`, `holdfast_waitroom_visitors{state="waiting"} 0`)
}

// monitor is what a monitor with the token reads.
func (w *world) monitor() string {
	w.t.Helper()
	return w.browser().ask("GET", w.URL+"/metrics", "", map[string]string{"Authorization": "Bearer " + w.env["METRICS_TOKEN"]}).want(200).body
}
