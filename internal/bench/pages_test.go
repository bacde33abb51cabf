package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// BenchmarkSeatPage compares the seat page of 300 seats, drawn for each request, with a
// handler that serves the same bytes from memory; both send them compressed.
func BenchmarkSeatPage(b *testing.B) {
	var ev dbtest.Event
	r := start(b, func(d *db.DB) { ev = dbtest.Screening(b, d, 15, 20) })
	address := fmt.Sprintf("%s/events/%d", r.url, ev.ID)
	page, err := get(address, "gzip")
	if err != nil {
		b.Fatal(err)
	}
	still := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(page)
	}))
	defer still.Close()
	c := &http.Client{Transport: transport()}
	ask := func(url string) func(int, int) error {
		return func(int, int) error {
			req, err := http.NewRequest(http.MethodGet, url, nil)
			if err != nil {
				return err
			}
			req.Header.Set("Accept-Encoding", "gzip")
			res, err := c.Do(req)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			_, err = io.Copy(io.Discard, res.Body)
			return err
		}
	}
	var app, static float64
	for range rounds {
		a, err := crowd(clients, turn, ask(address))
		if err != nil {
			b.Fatal(err)
		}
		s, err := crowd(clients, turn, ask(still.URL))
		if err != nil {
			b.Fatal(err)
		}
		app, static = app+a/rounds, static+s/rounds
	}
	b.ReportMetric(app/static, "of-static")
	b.ReportMetric(app, "pages/s")
	b.ReportMetric(static, "static/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFirstVisit counts what a first visit to the seat page of 300 seats costs, and
// how the program is at rest.
func BenchmarkFirstVisit(b *testing.B) {
	var ev dbtest.Event
	r := start(b, func(d *db.DB) { ev = dbtest.Screening(b, d, 15, 20) })
	html, err := get(fmt.Sprintf("%s/events/%d", r.url, ev.ID), "gzip")
	if err != nil {
		b.Fatal(err)
	}
	plain, err := unzip(html)
	if err != nil {
		b.Fatal(err)
	}
	total, requests := len(html), 1
	for _, m := range regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`).FindAllSubmatch(plain, -1) {
		body, err := get(r.url+string(m[1]), "gzip")
		if err != nil {
			b.Fatal(err)
		}
		total, requests = total+len(body), requests+1
	}
	time.Sleep(3 * time.Second) // at rest: the collector has run
	b.ReportMetric(float64(len(html))/1024, "html-KiB")
	b.ReportMetric(float64(total)/1024, "all-KiB")
	b.ReportMetric(float64(requests), "requests")
	b.ReportMetric(r.startup.Seconds(), "start-s")
	b.ReportMetric(r.resident(b), "rest-MiB")
	b.ReportMetric(0, "ns/op")
}

func get(url, encoding string) ([]byte, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", encoding)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", url, strconv.Itoa(res.StatusCode))
	}
	return io.ReadAll(res.Body)
}

func unzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
