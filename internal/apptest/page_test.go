package apptest

import (
	"net/url"
	"reflect"
	"testing"
)

func TestForm_WhatABrowserWouldSend(t *testing.T) {
	t.Parallel()
	p := &Page{URL: &url.URL{Path: "/events/7"}, Body: []byte(`<script>var pgx = 1</script><form action="/find"><input name="q" value="x"></form>
		<form action="/events/7/holds?a=b" data-seats><input type="hidden" name="from" value="1">
		<label><input type="checkbox" name="seat" value="A1"></label><label><input type="checkbox" name="seat" value="A2" checked></label>
		<input type="radio" name="size" value="large"><input type="radio" name="size" value="normal" checked>
		<select name="zone"><option value="">Any</option><option value="2" selected>Two</option><option value="3">Three</option></select>
		<select name="type"><option value="adult">Adult</option><option value="child">Child</option></select></form>
		<form action="/events/7/holds"><input name="late" value="1"></form>`)}
	f := p.Form("/holds")
	want := url.Values{"from": {"1"}, "seat": {"A2"}, "size": {"normal"}, "zone": {"2"}, "type": {"adult"}}
	if f == nil || !reflect.DeepEqual(f.Values, want) || !reflect.DeepEqual(f.Seats, []string{"A1", "A2"}) {
		t.Errorf("form %+v, want %v", f, want)
	}
	if p.Form("/pay") != nil {
		t.Error("there is no such form")
	}
	if got := p.Inside(); got != "" {
		t.Errorf("a script is not read by people, and %q was found", got)
	}
	p.Body = []byte("<p>ERROR: deadlock detected (SQLSTATE 40P01)</p>")
	if p.Inside() == "" {
		t.Error("our inside is shown, and nothing was found")
	}
}
