package main

import (
	"testing"
)

// An exchange is sound at each of its steps on a phone and a desk, in light and dark, and
// works without JavaScript; so do the booking's page and its contact form.
func TestBrowserExchange(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	bought := w.on(t)
	bought.buys(eventPath(ev.ID), "A1", "A2")
	id := w.bookingOf(bought)
	w.till("manager")
	b := newTab(t, chromium(t), w)
	checker := axe(t)
	b.signIn("manager")
	b.scripts(false)
	path := "/staff/bookings/" + itoa(id)
	first, at := w.ticketOn(ev.ID, "A1"), itoa(ev.ID)
	steps := []string{path, path + "/exchange", path + "/exchange?ticket=" + first + "&at=" + at, path + "/exchange?ticket=" + first + "&at=" + at + "&seat=D1"}
	for _, address := range steps {
		b.scripts(true)
		for _, width := range []int64{360, 1280} {
			b.size(width, 800)
			b.open(address, 200)
			b.sound(address, checker)
		}
		b.size(360, 740)
		if small := b.small("main .btn:not([hidden])", 44, 44); len(small) > 0 {
			t.Errorf("%s: small buttons %v", address, small)
		}
	}
	b.scripts(false)
	b.open(steps[3], 200)
	b.says("To pay", "EUR 5.00")
	b.fill("#reason", "Wants to sit at the back.")
	b.press("form[data-exchange] .btn", 200)
	b.says("Exchanged: these are the new tickets")
	w.clean()
}

// A swap's pages are sound, and the whole act works without JavaScript.
func TestBrowserSwap(t *testing.T) {
	t.Parallel()
	w, ev, small := coachHouse(t, 4, 3, 1)
	w.till("cashier")
	w.sellSeats(ev.ID, pairs(ev.Seats[2:], 8)...)
	b := newTab(t, chromium(t), w)
	checker := axe(t)
	b.signIn("manager")
	path := "/staff/events/" + itoa(ev.ID) + "/swap"
	look := func(address string) {
		t.Helper()
		b.scripts(true)
		for _, width := range []int64{360, 1280} {
			b.size(width, 800)
			b.open(address, 200)
			b.sound(address, checker)
		}
		b.size(360, 740)
		if tiny := b.small("main .btn:not([hidden])", 44, 44); len(tiny) > 0 {
			t.Errorf("%s: small buttons %v", address, tiny)
		}
	}
	look(path)
	look(path + "?to=" + itoa(small))
	b.scripts(false)
	b.open(path+"?to="+itoa(small), 200)
	b.press("form[method=post] .btn", 200)
	b.says("Everybody has the seats of the new plan", "Undo it")
	look(path)
	b.scripts(false)
	b.open(path, 200)
	b.press("form[action$='/undo'] .btn", 200)
	b.says("It is as it was before")
	w.clean()
}
