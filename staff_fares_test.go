package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// fareList is the address of an event's price list.
func (w *world) fareList(event int64) string {
	w.t.Helper()
	return w.URL + "/staff/fares/" + itoa(one[int64](w, `SELECT tariff_id FROM events WHERE id = $1`, event))
}

// prices sends the form of prices with changes, pressing save or fill.
func (b *browser) prices(p *page, do string, change url.Values) *page {
	b.t.Helper()
	return b.submit(p, p.form("/prices"), change, "do="+do)
}

// field is what a field of a page holds.
func (p *page) field(name string) string {
	p.t.Helper()
	found := p.all("input", "name", name)
	if len(found) == 0 {
		p.t.Fatalf("%s has no field %s", p.url, name)
	}
	value, _ := attribute(found[0], "value")
	return value
}

// H20 again, now through the page that staff use: the hold keeps its prices, the next
// customer has the new ones.
func TestH20_PriceChangedOnThePage(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b, boss := w.on(t), w.as(t, "manager")
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	sheet := boss.get(w.fareList(ev.ID)).want(200)
	if got := sheet.field("p.1.adult.0.1"); got != "10.00" {
		t.Errorf("the page says %q", got)
	}
	saved := boss.follow(boss.prices(sheet, "save", url.Values{"p.1.adult.0.1": {"12,00"}}).want(303)).want(200)
	saved.says("Prices saved", "Running holds keep")
	b.choose(eventPath(ev.ID), "A1", "A2", "A4").want(303) // one more seat in the same hold
	review := b.details(url.Values{"type.A2": {"child"}})
	review.says("10.00", "6.00", "26.00")
	booked := b.paid(b.pay(review))
	if text := booked.text(); strings.Contains(text, "12.00") {
		t.Errorf("the booking knows the new price: %s", text)
	}
	w.wantTaken(t, b.id(), 2600)
	next := w.on(t)
	next.choose(eventPath(ev.ID), "A3").want(303)
	if got := next.at("").values("data-price"); !slices.Equal(got, []string{"1200", "600"}) {
		t.Errorf("the next customer's prices: %v", got)
	}
	w.wantCount(t, 1, `audit_log WHERE action = 'prices_changed' AND actor LIKE 'staff:%' AND before = '{"zone 1, adult, 0-1": 1000}' AND after = '{"zone 1, adult, 0-1": 1200}'`)
	w.clean()
}

// P15 through the page: what no card can pay is refused with the least that can be, free
// is taken only when it is said to be meant, and then booked without Stripe.
func TestP15_PriceSetOnThePage(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	boss := w.as(t, "manager")
	sheet := boss.get(w.fareList(ev.ID)).want(200)
	typed := url.Values{"p.1.adult.0.1": {"0.20"}, "p.1.child.0.1": {" 1.250,00"}, "p.2.adult.0.1": {"17.5"}}
	refused := boss.prices(sheet, "save", typed).want(422)
	refused.says("EUR 0.20 cannot be paid by card", "at least EUR 0.50", "could mean different amounts", "Nothing was stored")
	for name, v := range typed {
		if got := refused.field(name); got != v[0] {
			t.Errorf("%s came back as %q", name, got)
		}
	}
	w.wantCount(t, 1, "fares WHERE price = 1000")
	w.wantCount(t, 0, "audit_log WHERE action = 'prices_changed'")

	asked := boss.prices(sheet, "save", url.Values{"p.1.adult.0.1": {"0"}, "p.2.child.0.1": {""}}).want(422)
	asked.says("A price of 0 gives tickets away: Standard, Adult", "are meant to be free")
	w.wantCount(t, 0, "fares WHERE price = 0")
	boss.prices(asked, "save", url.Values{"free": {"1"}}).want(303)
	w.wantCount(t, 1, "fares WHERE price = 0 AND zone_no = 1 AND ticket_type = 'adult'")
	w.wantCount(t, 0, "fares WHERE zone_no = 2 AND ticket_type = 'child'") // emptied: not sold

	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	review := b.details(nil)
	b.follow(b.submit(review, review.form("/pay"), nil, "")).want(200).says("A1")
	w.wantCount(t, 1, "bookings WHERE total = 0")
	w.wantCount(t, 1, "payments WHERE tender = 'free'")
	w.clean()
}

// Two managers with the same list open: the second is told, sees both, and overwrites
// only what they then send again.
func TestFaresTwoManagers(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	a, b := w.as(t, "manager"), w.as(t, "owner")
	first, second := a.get(w.fareList(ev.ID)).want(200), b.get(w.fareList(ev.ID)).want(200)
	a.prices(first, "save", url.Values{"p.1.adult.0.1": {"11.00"}}).want(303)
	told := b.prices(second, "save", url.Values{"p.1.adult.0.1": {"13.00"}, "p.2.adult.0.1": {"19.00"}}).want(409)
	told.says("Somebody else changed this meanwhile", "now 11.00", "now 15.00")
	if got := told.field("p.1.adult.0.1"); got != "13.00" {
		t.Errorf("what was typed became %q", got)
	}
	w.wantCount(t, 1, "fares WHERE price = 1100 AND zone_no = 1 AND ticket_type = 'adult'")
	w.wantCount(t, 0, "fares WHERE price = 1900")
	b.prices(told, "save", nil).want(303)
	w.wantCount(t, 1, "fares WHERE price = 1300")

	head := first.lastForm("/staff/fares/" + strings.TrimPrefix(first.url.Path, "/staff/fares/"))
	a.submit(first, head, url.Values{"name": {"Mine"}}, "").want(409).says("Somebody else changed this meanwhile")
	w.wantCount(t, 0, "tariffs WHERE name = 'Mine'")
	w.wantCount(t, 2, "audit_log WHERE action = 'prices_changed'")
}

// Filling stores nothing: it fills the form, and what is saved is what was seen.
func TestFaresAreFilledAndLookedAt(t *testing.T) {
	t.Parallel()
	var trip dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		trip = dbtest.Trip(t, d, 4, 4)
		hire(t, d)
	}, nil)
	w.exec(`UPDATE tariffs SET route_id = (SELECT route_id FROM events WHERE id = $1), last_stop = 4`, trip.ID)
	boss := w.as(t, "manager")
	sheet := boss.get(w.fareList(trip.ID)).want(200).says("Town 0", "Town 4", "10 of 10 prices")
	filled := boss.prices(sheet, "fill", url.Values{"method": {"distance"}, "fill_type": {"adult"}, "first": {"5.00"}, "further": {"3.00"}, "step": {"0.50"}}).want(200)
	filled.says("Not stored yet: 10 prices", "now 10.00", "now 40.00")
	if a, b := filled.field("p.1.adult.0.1"), filled.field("p.1.adult.0.4"); a != "5.00" || b != "14.00" {
		t.Errorf("one leg is %s, four are %s", a, b)
	}
	w.wantCount(t, 4, "fares WHERE ticket_type = 'adult' AND price = 1000")
	child := boss.prices(filled, "fill", url.Values{"method": {"percent"}, "fill_type": {"child"}, "from_type": {"adult"}, "percent": {"60 %"}, "step": {"0.50"}}).want(200)
	if a, b := child.field("p.1.child.0.1"), child.field("p.1.adult.0.4"); a != "3.00" || b != "14.00" {
		t.Errorf("a child's leg is %s; the adults' prices from before are %s", a, b)
	}
	boss.prices(child, "fill", url.Values{"method": {"distance"}, "first": {"much"}, "percent": {"60"}}).want(422).says("“much” is not an amount", "Nothing was filled in")
	boss.prices(child, "save", url.Values{"p.1.adult.0.2": {""}}).want(303)
	w.wantCount(t, 4, "fares WHERE ticket_type = 'adult' AND price = 500")
	w.wantCount(t, 1, "fares WHERE ticket_type = 'child' AND from_stop = 0 AND to_stop = 4 AND price = 850") // 8.40

	// A pair without any price is not offered.
	boss.prices(boss.get(w.fareList(trip.ID)), "save", url.Values{"p.1.child.0.2": {""}}).want(303)
	w.browser().get(w.URL + eventPath(trip.ID) + "?from=0&to=2").want(422)
	w.browser().get(w.URL + eventPath(trip.ID) + "?from=0&to=3").want(200).says("11.00")
	boss.get(w.fareList(trip.ID) + "?event=" + itoa(trip.ID) + "&from=0&to=2").want(200).says("Nothing is sold here")
	boss.get(w.fareList(trip.ID)+"?event="+itoa(trip.ID)+"&from=0&to=3").want(200).says("EUR 11.00", "EUR 6.50")
}

// Lists are made in the house's money, copied with everything, renamed and put away.
func TestFareListsAreKept(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	boss := w.as(t, "manager")
	lists := boss.get(w.URL+"/staff/fares").want(200).says("1 coming event", "4 prices", "22 %", "Screenings")
	create := func(p *page, change url.Values) *page { return boss.submit(p, p.form("/staff/fares"), change, "") }
	made := create(lists, url.Values{"name": {" Morning  shows "}, "tax": {"5,5 %"}}).want(303)
	page := boss.follow(made).want(200).says("Morning shows", "5.5 % tax", "No coming event has this list")
	w.wantCount(t, 1, "tariffs WHERE name = 'Morning shows' AND tax_bp = 550 AND currency = 'EUR'")
	create(lists, url.Values{"name": {"Morning shows"}}).want(422).says("There is another with this name")
	create(lists, url.Values{"name": {""}, "tax": {"half"}, "for": {"stops"}, "stops": {"1"}}).want(422).says("Please give it a name", "“half” is not a percentage", "from 2 to 40")
	create(lists, url.Values{"name": {"Dollars"}, "currency": {"USD"}}).want(422).says("The house sells in EUR")
	w.exec(`INSERT INTO settings (key, value) VALUES ('currency', 'LKR')`)
	create(lists, url.Values{"name": {"Old form"}}).want(422).says("The house sells in LKR")
	w.wantCount(t, 2, "tariffs")
	copyOf := boss.get(w.fareList(ev.ID))
	boss.submit(copyOf, copyOf.form("/copy"), nil, "").want(422).says("in EUR and the house sells in LKR")
	w.exec(`DELETE FROM settings`)

	copied := boss.follow(boss.submit(copyOf, copyOf.form("/copy"), url.Values{"copy_name": {"Evening"}}, "").want(303)).want(200)
	if got := copied.field("p.2.adult.0.1"); got != "15.00" {
		t.Errorf("the copy's price is %q", got)
	}
	head := copied.form(copied.url.Path)
	renamed := boss.follow(boss.submit(copied, head, url.Values{"name": {"Late"}, "tax": {"20"}, "for": {"stops"}, "stops": {"9"}}, "").want(303)).want(200)
	renamed.says("Late", "20 % tax", "Screenings", "EUR 10.00 has EUR 1.67 tax in it (20 %), EUR 8.33 without")
	boss.follow(boss.submit(renamed, renamed.form("/archive"), nil, "archived=1").want(303)).want(200).says("Archived", "Use it again")
	boss.get(w.URL + "/staff/fares").says("New events cannot have these")
	w.wantCount(t, 1, "audit_log WHERE action = 'price_list_changed' AND before->>'archived' = 'false' AND after->>'archived' = 'true'")
	w.wantCount(t, 1, "audit_log WHERE action = 'price_list_changed' AND before->>'name' = 'Evening' AND after->>'name' = 'Late'")
	boss.get(w.URL + "/staff/fares/999").want(404)
	boss.get(page.url.String() + "/bands/999").want(404)
}

// Other prices by day and time, as customers then see them.
func TestFareBandsOnThePage(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	boss := w.as(t, "manager")
	w.exec(`UPDATE events SET starts_at = '2030-12-02 19:30Z', ends_at = '2030-12-02 21:30Z', business_day = '2030-12-02', time_zone = 'UTC'`) // a Monday
	list := w.fareList(ev.ID)
	band := boss.get(list + "/bands/new").want(200)
	send := func(p *page, path string, change url.Values) *page { return boss.submit(p, p.form(path), change, "") }
	send(band, "/bands/new", url.Values{"name": {""}, "day": {}, "percent": {"0"}, "from": {"17:00"}, "to": {"17:00"}}).want(422).
		says("Please give it a name", "tick at least one day", "above 0", "These times are the same")
	send(band, "/bands/new", url.Values{"name": {"Gift"}, "rule": {"percent"}, "percent": {"1"}}).want(422).says("With “Gift” the price of", "cannot be paid by card")
	send(band, "/bands/new", url.Values{"name": {"Gift"}, "rule": {"amount"}, "amount": {"-10"}}).want(422).says("A difference never makes a ticket free")
	w.wantCount(t, 0, "tariff_bands")
	monday := url.Values{"name": {"Monday"}, "day": {"0"}, "rule": {"percent"}, "percent": {"80 %"}, "step": {"0.50"}, "from": {"17:00"}}
	sheet := boss.follow(send(band, "/bands/new", monday).want(303)).want(200)
	sheet.says("Monday", "Mon, from 17:00", "80 % of the list’s prices, rounded to EUR 0.50", "17:00 to 05:00", "Tue to Sun", "The prices of “Monday” count", "EUR 12.00")
	w.browser().get(w.URL+eventPath(ev.ID)).says("8.00", "12.00")
	w.browser().get(w.URL + "/?date=2030-12-02").says("8.00")
	send(band, "/bands/new", monday).want(409) // an old form

	own := boss.get(list + "/bands/new").want(200)
	page := boss.follow(send(own, "/bands/new", url.Values{"name": {"Premiere"}, "rule": {"own"}}).want(303)).want(200)
	if got := page.field("p.1.adult.0.1"); got != "10.00" {
		t.Errorf("own prices begin with %q", got)
	}
	boss.prices(page, "save", url.Values{"p.1.adult.0.1": {"14"}}).want(303)
	w.browser().get(w.URL+eventPath(ev.ID)).says("8.00", "12.00") // the first that fits counts
	sheet = boss.get(list).want(200)
	raised := boss.follow(send(sheet, "/raise", nil).want(303)).want(200).says("The prices of “Premiere” count")
	w.browser().get(w.URL+eventPath(ev.ID)).says("14.00", "15.00")

	// A change of the list that a difference could not follow is refused.
	w.exec(`UPDATE tariff_bands SET rule = 'amount', value = -450 WHERE name = 'Monday'`)
	boss.prices(raised, "save", url.Values{"p.1.child.0.1": {"4.80"}}).want(422).says("With “Monday” the price of Standard, Child under 12 would not work", "at least EUR 0.50")
	id := itoa(one[int64](w, `SELECT id FROM tariff_bands WHERE name = 'Monday'`))
	open := boss.get(list + "/bands/" + id).want(200)
	send(open, "/bands/"+id, url.Values{"name": {"Early week"}, "amount": {"-1.50"}, "day": {"0", "1"}, "from": {""}}).want(303)
	send(open, "/bands/"+id, url.Values{"name": {"Mine"}}).want(409).says("Stored now: Early week, Mon and Tue, all day: EUR 1.50 less than the list")
	premiere := boss.get(list + "/bands/" + itoa(one[int64](w, `SELECT id FROM tariff_bands WHERE name = 'Premiere'`))).want(200)
	send(premiere, "/delete", nil).want(303)
	w.wantCount(t, 0, "band_fares")
	w.wantCount(t, 1, "audit_log WHERE action = 'price_band_deleted'")
}

// Ticket types: a new one, another order, one that is not sold any more but stays.
func TestTicketTypesOnThePage(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	boss := w.as(t, "manager")
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	p := boss.get(w.URL + "/staff/fares/types").want(200)
	send := func(p *page, change url.Values) *page { return boss.submit(p, p.form("/types"), change, "") }
	send(p, url.Values{"name.adult": {""}, "order.child": {"first"}}).want(422).says("Please give it a name", "from 1 to 1000")
	send(p, url.Values{"retired.adult": {"1"}, "retired.child": {"1"}}).want(422).says("At least one ticket type must be sold")
	send(p, url.Values{"name.": {"Student"}, "order.": {"1"}, "retired.child": {"1"}, "name.adult": {"Grown-up"}}).want(303)
	if got := one[string](w, `SELECT string_agg(code || ' ' || name || ' ' || position, ', ' ORDER BY position) FROM ticket_types WHERE retired_at IS NULL`); got != "student Student 1, adult Grown-up 2" {
		t.Errorf("types sold: %s", got)
	}
	send(p, url.Values{"name.adult": {"Mine"}}).want(409).says("Somebody else changed this meanwhile", "Stored now: Grown-up")
	send(p, url.Values{"code": {"adult", "child", "made_up", ""}, "name.made_up": {"Made up"}, "order.made_up": {"1"}}).want(409)
	w.wantCount(t, 3, "ticket_types")
	boss.get(w.fareList(ev.ID)).want(200).says("Student", "Grown-up")
	if text := w.browser().get(w.URL + eventPath(ev.ID)).want(200).text(); strings.Contains(text, "6.00") {
		t.Errorf("a type not sold any more is offered: %s", text)
	}
	b.paid(b.pay(b.details(url.Values{"type.A1": {"child"}}))).says("6.00") // the hold was made before
	w.wantCount(t, 1, "tickets WHERE ticket_type = 'child'")
	w.wantCount(t, 1, "audit_log WHERE action = 'ticket_type_added' AND subject = 'ticket_type:student'")
	w.clean()
}
