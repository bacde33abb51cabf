package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	rounds = 5
	turn   = 2 * time.Second
)

// side is one contender of a contest.
type side struct {
	name string
	turn func(time.Duration) (tally, error)
}

// contest lets the sides take turns, in another order each round, and reports each one's
// rate and its ratio to the first side's turn of the same round: the median, and the
// lowest and highest. before runs before each turn, outside the clock.
func contest(b *testing.B, what string, before func(), sides ...side) {
	b.Helper()
	all := make([][]tally, len(sides))
	for i := range sides { // the first turn of all warms up and does not count
		before()
		if _, err := sides[i].turn(turn / 4); err != nil {
			b.Fatalf("%s: %v", sides[i].name, err)
		}
	}
	for round := range rounds {
		for k := range sides {
			i := (k + round) % len(sides)
			before()
			t, err := sides[i].turn(turn)
			if err != nil {
				b.Fatalf("%s: %v", sides[i].name, err)
			}
			all[i] = append(all[i], t)
		}
	}
	for i, s := range sides {
		row := score(all[i], all[0])
		rate, ratio := middle(row.rates), middle(row.ratios)
		b.ReportMetric(rate, name(s.name)+"/s")
		if i > 0 {
			b.ReportMetric(ratio, name(s.name)+"-of-"+name(sides[0].name))
		}
		print1(b, row.markdown(what, s.name, i == 0))
	}
	b.ReportMetric(0, "ns/op")
}

// result is one side's rounds.
type result struct {
	rates, ratios            []float64
	p50, p99, self, cpu, max time.Duration
	shed                     int
}

func score(own, base []tally) result {
	var r result
	var took []time.Duration
	for i, t := range own {
		r.rates = append(r.rates, t.rate)
		r.ratios = append(r.ratios, t.rate/base[i].rate)
		took = append(took, t.took...)
		r.self += t.self / time.Duration(len(own))
		r.cpu += t.cpu / time.Duration(len(own))
		r.shed += t.shed
	}
	slices.Sort(took)
	all := tally{took: took}
	r.p50, r.p99, r.max = all.quantile(0.5), all.quantile(0.99), all.quantile(1)
	return r
}

// Columns are: what, side, a second, of the first side (lowest to highest), the answer's
// time at p50, p99 and at most, processor time of the server's process and of the load
// generator for each answer.
func (r result) markdown(what, side string, first bool) string {
	ratio := "1"
	if !first {
		ratio = fmt.Sprintf("**%.2f** (%.2f–%.2f)", middle(r.ratios), slices.Min(r.ratios), slices.Max(r.ratios))
	}
	line := fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", what, side, grouped(middle(r.rates)), ratio, r.times(), r.processors())
	if r.shed > 0 {
		line += fmt.Sprintf(" %d asked to come back |", r.shed)
	}
	return line
}

func (r result) times() string {
	if r.p50 == 0 {
		return ""
	}
	return ms(r.p50) + " / " + ms(r.p99) + " / " + ms(r.max)
}

func (r result) processors() string {
	if r.cpu == 0 {
		return ""
	}
	return fmt.Sprintf("%d + %d", r.cpu.Microseconds(), r.self.Microseconds())
}

func ms(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000)
	}
	return fmt.Sprint(d.Milliseconds())
}

// name is words as the name of a benchmark or a unit.
func name(words string) string {
	return strings.Join(strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == ',' }), "-")
}

// middle is the median.
func middle(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}

// grouped writes a rate for people: 12,345.
func grouped(f float64) string {
	n := int(f + 0.5)
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// print1 shows a row and adds it to the file of BENCH_ROWS, of which scripts/bench.sh
// makes tables.
func print1(b *testing.B, row string) {
	b.Helper()
	b.Log(row)
	path := os.Getenv("BENCH_ROWS")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, row); err != nil {
		b.Fatal(err)
	}
}

// figure is a row for something that is no contest.
func figure(b *testing.B, what, value string) {
	b.Helper()
	print1(b, fmt.Sprintf("| %s | %s |", what, value))
}
