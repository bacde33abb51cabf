package main

import (
	"net/url"
	"testing"
)

// Bytes that are no letters, in an address or a form of staff, are refused or dropped:
// the database is not asked about them.
func TestStaffGarbageIsNoText(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	cashier, manager := w.as(t, "cashier"), w.as(t, "manager")
	for _, n := range []string{"\xff\xfe", "a\xc3", "\x00", "a\x00b"} {
		manager.get(w.URL + "/staff/log?who=" + url.QueryEscape(n)).want(200)
		cashier.get(w.URL + "/staff/bookings?q=" + url.QueryEscape(n)).want(200)
		cashier.get(w.URL + "/staff/bookings/" + url.PathEscape(n)).want(404)
		for _, field := range []string{"key", "name", "seat", "reason", "type." + n} {
			cashier.post(w.URL+"/staff/sell", url.Values{"key": {"k"}, "act": {"cash"}, field: {n}}).want(400)
		}
	}
}
