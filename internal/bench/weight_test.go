package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"regexp"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// BenchmarkFirstVisit counts what a first visit to the seat page of 300 seats costs, and
// how the program is at rest.
func BenchmarkFirstVisit(b *testing.B) {
	var ev dbtest.Event
	r := start(b, func(d *db.DB) { ev = dbtest.Screening(b, d, 15, 20) })
	first, err := fetch(fmt.Sprintf("%s/events/%d", r.url, ev.ID))
	if err != nil {
		b.Fatal(err)
	}
	plain, err := unzip(first.Body)
	if err != nil {
		b.Fatal(err)
	}
	total, requests := len(first.Body), 1
	for _, m := range regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`).FindAllSubmatch(plain, -1) {
		part, err := fetch(r.url + string(m[1]))
		if err != nil {
			b.Fatal(err)
		}
		total, requests = total+len(part.Body), requests+1
	}
	time.Sleep(3 * time.Second) // at rest: the collector has run
	rest := resident(b, r.pid)
	b.ReportMetric(float64(len(first.Body))/1024, "html-KiB")
	b.ReportMetric(float64(total)/1024, "all-KiB")
	b.ReportMetric(float64(requests), "requests")
	b.ReportMetric(r.startup.Seconds(), "start-s")
	b.ReportMetric(rest, "rest-MiB")
	b.ReportMetric(0, "ns/op")
	figure(b, "first visit to a seat page of 300", fmt.Sprintf("%.1f KiB of HTML, %.0f KiB in %d requests", float64(len(first.Body))/1024, float64(total)/1024, requests))
	figure(b, "the program at rest", fmt.Sprintf("%.0f MiB, ready %.2f s after its start", rest, r.startup.Seconds()))
}

func unzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
