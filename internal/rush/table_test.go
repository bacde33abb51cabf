package rush

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// table is the verdict for people.
func (w *world) table(found []finding) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-26s %s\n", name, fmt.Sprintf(format, args...))
	}
	count := func(sql string, args ...any) string {
		var parts []string
		for _, x := range w.ask(sql, args...) {
			parts = append(parts, strings.Join(x, " "))
		}
		return strings.Join(parts, ", ")
	}
	row("seed", "%d", w.p.seed)
	row("crowd", "%v", w.p)
	row("people end with", "%s", ends(w.ends))
	row("claims", "%s", w.all("claim "))
	claim := func(r request) bool { return r.route == "claim" }
	row("claims in a second", "at most %d tried, %d answered, %d won", w.perSecond(false, claim), w.perSecond(true, claim),
		w.perSecond(true, func(r request) bool { return claim(r) && r.status == 303 }))
	row("happened", "%s", w.happened())
	row("bookings, tickets", "%s", count(`SELECT (SELECT count(*) FROM bookings)::text, (SELECT count(*) FROM tickets WHERE state = 'valid')::text`))
	row("payments", "%s", count(`SELECT count(*)::text, coalesce(outcome, state) FROM payments GROUP BY 2 ORDER BY 2`))
	row("answers", "%s", w.answers())
	row("time of", "%8s %9s %9s %9s   %s", "requests", "own p50", "own p95", "own max", "whole p50, p95")
	line := func(name string, want func(request) bool) {
		own, whole := w.measure(want)
		row("  "+name, "%8d %9s %9s %9s   %s, %s", len(own), ms(own.at(0.5)), ms(own.at(0.95)), ms(own.at(1)), ms(whole.at(0.5)), ms(whole.at(0.95)))
	}
	line("paying customers", w.paying)
	line("customers beside", w.beside)
	for _, route := range w.routes() {
		line(route, func(r request) bool { return r.route == route && r.browser < len(w.browsers) })
	}
	row("memory at most", "%s", w.memories())
	row("others show a sale after", "%s at the latest", ms(w.slowest))
	row("log", "%s", w.all("log "))
	for _, name := range names() {
		of := 0
		for _, f := range found {
			if f.check == name {
				of++
			}
		}
		row(name, "%s", map[bool]string{true: "ok", false: fmt.Sprintf("%d FOUND", of)}[of == 0])
	}
	return b.String()
}

func names() []string {
	out := []string{"answers", "process", "migrations once"}
	for _, c := range checks {
		out = append(out, c.name)
	}
	return out
}

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

func ends(n map[string]int) string {
	var parts []string
	for k, v := range n {
		parts = append(parts, fmt.Sprintf("%s %d", k, v))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// happened are all counts that have no line of their own.
func (w *world) happened() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var parts []string
	for k, v := range w.counts {
		if !strings.HasPrefix(k, "claim ") && !strings.HasPrefix(k, "log ") {
			parts = append(parts, fmt.Sprintf("%s %d", k, v))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// answers counts by status; who was refused, and where.
func (w *world) answers() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	by, refused := map[string]int{}, map[string]int{}
	for _, r := range w.requests {
		switch {
		case r.lost:
			by["lost on the way"]++
		default:
			by[fmt.Sprint(r.status)]++
		}
		if r.refused {
			refused[r.route]++
		}
	}
	words := ends(by)
	if len(refused) > 0 {
		words += "; refused: " + ends(refused)
	}
	return words
}

func (w *world) routes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.requests {
		if r.route != "asset" && !slices.Contains(out, r.route) {
			out = append(out, r.route)
		}
	}
	return out
}

func (w *world) memories() string {
	var parts []string
	for _, x := range w.processes {
		parts = append(parts, fmt.Sprintf("%.0f MB", x.most()))
	}
	return strings.Join(parts, ", ")
}
