package main

import (
	"net/url"
	"strings"
	"testing"

	"holdfast/internal/domain"
)

// settingsForm is the owner's form as it is served.
func settingsForm(b *browser, w *world) (*page, *form) {
	b.t.Helper()
	p := b.get(w.URL + "/staff/settings").want(200)
	return p, p.form("/staff/settings")
}

// Every key of the table has a field that says what is stored, and only what was changed
// is stored and logged.
func TestStaffSettings(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "owner")
	p, f := settingsForm(b, w)
	for _, d := range domain.SettingDefs() {
		if got := p.all("div", "data-setting", d.Key); len(got) != 1 {
			t.Errorf("%s has %d fields", d.Key, len(got))
		}
	}
	b.submit(p, f, nil, "").want(303)
	b.get(w.URL + "/staff/settings").want(200).says("Nothing was changed")
	w.wantCount(t, 0, "settings WHERE key = 'grace_seconds'")

	p, f = settingsForm(b, w)
	b.submit(p, f, url.Values{"venue_name": {" Marigold "}, "seats_per_booking": {"6"}, "lonely_seat_rule": {"on"}}, "").want(303)
	b.get(w.URL+"/staff/settings").want(200).says("Saved: ", "Seats in one booking", "Single seats", "Last changed", "by Owner Person")
	w.wantCount(t, 1, "settings WHERE key = 'venue_name' AND value = 'Marigold'")
	w.wantCount(t, 1, `audit_log WHERE action = 'settings_changed' AND subject = 'settings' AND before->>'seats_per_booking' = '8' AND after->>'seats_per_booking' = '6' AND before->>'venue_name' = 'Holdfast' AND NOT after ? 'grace_seconds'`)

	p, f = settingsForm(b, w)
	delete(f.values, "lonely_seat_rule") // the box is not ticked any more
	b.submit(p, f, nil, "").want(303)
	w.wantCount(t, 1, "settings WHERE key = 'lonely_seat_rule' AND value = 'off'")

	// A refusal changes nothing, says which field and keeps all that was typed.
	p, f = settingsForm(b, w)
	p = b.submit(p, f, url.Values{"seats_per_booking": {"many"}, "address": {"Main Street 1"}, "staff_email": {"no address"}}, "").want(422)
	p.says("Nothing is saved yet", "2 fields", `"many" is not a whole number from 1 to 100`, "is not an e-mail address")
	kept := p.form("/staff/settings")
	if kept.values.Get("address") != "Main Street 1" || kept.values.Get("seats_per_booking") != "many" || kept.values.Get("was.seats_per_booking") != "6" {
		t.Errorf("typed and not kept: %v", kept.values)
	}
	w.wantCount(t, 0, "settings WHERE key = 'address'")
}

// Two owners: the one who comes second loses nobody's change, and fields that only the
// other touched go together.
func TestStaffSettingsTwoOwners(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	one, two := w.as(t, "owner"), w.as(t, "owner")
	p1, f1 := settingsForm(one, w)
	p2, f2 := settingsForm(two, w)
	one.submit(p1, f1, url.Values{"grace_seconds": {"90"}}, "").want(303)
	p2 = two.submit(p2, f2, url.Values{"grace_seconds": {"60"}, "phone": {"040 555"}}, "").want(409)
	p2.says("Meanwhile somebody else set this to “90”")
	w.wantCount(t, 1, "settings WHERE key = 'grace_seconds' AND value = '90'")
	w.wantCount(t, 0, "settings WHERE key = 'phone'")
	again := p2.form("/staff/settings")
	if again.values.Get("grace_seconds") != "60" || again.values.Get("phone") != "040 555" {
		t.Errorf("what the second typed is gone: %v", again.values)
	}
	two.submit(p2, again, nil, "").want(303)
	w.wantCount(t, 1, "settings WHERE key = 'grace_seconds' AND value = '60'")

	p1, f1 = settingsForm(one, w)
	p2, f2 = settingsForm(two, w)
	one.submit(p1, f1, url.Values{"max_extensions": {"3"}}, "").want(303)
	two.submit(p2, f2, url.Values{"address": {"Corner"}}, "").want(303)
	w.wantCount(t, 2, "settings WHERE (key, value) IN (('max_extensions', '3'), ('address', 'Corner'))")
}

// A currency that something is priced in stays.
func TestStaffSettingsCurrency(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.as(t, "owner")
	p, f := settingsForm(b, w)
	b.submit(p, f, url.Values{"currency": {"LKR"}}, "").want(422).says("This stays EUR", "price list")
	w.on(t).buys(eventPath(ev.ID), "A1")
	p, f = settingsForm(b, w)
	b.submit(p, f, url.Values{"currency": {"LKR"}}, "").want(422).says("bookings were sold in it")
	w.wantCount(t, 0, "settings WHERE key = 'currency' AND value = 'LKR'")
	p, f = settingsForm(b, w)
	b.submit(p, f, url.Values{"currency": {"XXX"}}, "").want(422).says("not a currency")
}

// T6: a new zone of the house asks what stays and shows both times.
func TestT6_HouseZoneAsksWhichTimeStays(t *testing.T) {
	t.Parallel()
	for _, keep := range []string{"clock", "instant"} {
		t.Run(keep, func(t *testing.T) {
			w, ev := office(t)
			w.exec(`INSERT INTO settings (key, value) VALUES ('time_zone', 'Europe/Rome') ON CONFLICT (key) DO UPDATE SET value = 'Europe/Rome'`)
			w.exec(`UPDATE events SET time_zone = 'Europe/Rome', starts_at = '2031-07-04 19:30 Europe/Rome', ends_at = '2031-07-04 21:30 Europe/Rome', business_day = '2031-07-04'`)
			b := w.as(t, "owner")
			p, f := settingsForm(b, w)
			p = b.submit(p, f, url.Values{"time_zone": {"Asia/Colombo"}, "phone": {"011 555"}}, "").want(200)
			p.says("Which time stays?", "now Fri 4 Jul, 19:30, Rome time", "that is Fri 4 Jul, 16:00, Rome time", "Fri 4 Jul, 23:00")
			w.wantCount(t, 0, "settings WHERE key = 'phone'")
			b.submit(p, p.form("/staff/settings"), url.Values{"keep": {keep}}, "").want(303)
			w.wantCount(t, 2, "settings WHERE (key, value) IN (('phone', '011 555'), ('time_zone', 'Asia/Colombo'))")
			want := map[string]string{"clock": "2031-07-04 19:30 Asia/Colombo", "instant": "2031-07-04 19:30 Europe/Rome"}[keep]
			w.wantCount(t, 1, "events WHERE id = $1 AND time_zone = 'Asia/Colombo' AND starts_at = $2::timestamptz AND ends_at = starts_at + interval '2 hours' AND business_day = '2031-07-04'", ev.ID, want)
			w.wantCount(t, 1, "audit_log WHERE action = 'settings_changed' AND before->>'time_zone' = 'Europe/Rome' AND after->>'events_to_come' = '1 keep their "+keep+"'")
		})
	}
}

// An hour that the new clock skips is refused with the film's name, and nothing moves.
func TestT6_AnHourThatIsSkippedIsRefused(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.exec(`UPDATE events SET time_zone = 'UTC', starts_at = '2031-03-30 02:30Z', ends_at = '2031-03-30 04:30Z'`)
	b := w.as(t, "owner")
	p, f := settingsForm(b, w)
	p = b.submit(p, f, url.Values{"time_zone": {"Europe/Rome"}}, "").want(200)
	b.submit(p, p.form("/staff/settings"), url.Values{"keep": {"clock"}}, "").want(422).says("the clocks of Europe/Rome skip")
	w.wantCount(t, 1, "events WHERE time_zone = 'UTC' AND starts_at = '2031-03-30 02:30Z'")
	w.wantCount(t, 0, "settings WHERE key = 'time_zone' AND value = 'Europe/Rome'")
}

func TestStaffSettingsAreTheOwners(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "manager")
	b.get(w.URL + "/staff/settings").want(403)
	b.post(w.URL+"/staff/settings", url.Values{"was.phone": {""}, "phone": {"1"}}).want(403)
	w.wantCount(t, 0, "settings WHERE key = 'phone'")
	if strings.Contains(b.get(w.URL+"/staff/today").want(200).body, `href="/staff/settings"`) {
		t.Error("a manager's menu leads to the settings")
	}
}
