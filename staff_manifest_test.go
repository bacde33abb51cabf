package main

import (
	"encoding/csv"
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// busHouse is a world with a trip of three legs that leaves in an hour and a half: two get on
// at the first stop, one at the second.
func busHouse(t *testing.T) (*world, dbtest.Event) {
	t.Helper()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev = dbtest.Trip(t, d, 4, 3)
		hire(t, d)
	}, nil)
	w.exec(`UPDATE settings SET value = 'bus' WHERE key = 'kind'`)
	w.exec(`INSERT INTO settings (key, value) VALUES ('kind', 'bus') ON CONFLICT DO NOTHING`)
	w.on(t).buys(eventPath(ev.ID)+"?from=0&to=2", "1A", "1B")
	w.on(t).buys(eventPath(ev.ID)+"?from=1&to=3", "2A")
	return w, ev
}

func manifestPath(event int64) string { return "/staff/manifest/" + itoa(event) }

// The list has everybody by stop with the way they go, and how many seats are free.
func TestManifest(t *testing.T) {
	t.Parallel()
	w, ev := busHouse(t)
	w.exec(`UPDATE bookings SET phone = '+39 040 123456', staff_note = 'Two cases' WHERE id = 1`)
	w.exec(`UPDATE tickets SET passenger = '=HYPERLINK("http://evil.example")' WHERE seat_no = '1A'`)
	driver := w.as(t, "steward")
	w.exec(`UPDATE events SET business_day = business_day_of(now())`)
	driver.get(w.URL + "/staff/manifest").want(200).says("0 of 3 in")
	p := driver.get(w.URL+manifestPath(ev.ID)).want(200).says("0 of 3", "busiest leg 3", "2 get on, 0 get off", "1 get on, 0 get off", "0 get on, 2 get off", "Two cases", "14 of 16 free", "13 of 16 free", "15 of 16 free", "mailed to nobody")
	if got := strings.Join(p.values("data-seat"), " "); got != "1A 1B 2A" {
		t.Errorf("lists %s", got)
	}
	if len(p.all("a", "href", "tel:+39040123456")) != 2 {
		t.Error("the phone cannot be called")
	}
	if len(p.all("a", "href", "/staff/manifest")) != 1 {
		t.Error("a bus house has no line for manifests in its menu")
	}

	table := driver.get(w.URL + manifestPath(ev.ID) + "/table.csv").want(200)
	if got := table.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("the table is %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(table.body, "\uFEFF"))).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if rows[1][3] != "1A" || rows[1][4] != `'=HYPERLINK("http://evil.example")` || rows[3][0] != "1" || rows[3][3] != "2A" {
		t.Errorf("rows %q", rows)
	}
	driver.get(w.URL + manifestPath(999)).want(404)
	w.exec(`UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE seat_no = '1B'`)
	if got := strings.Join(driver.get(w.URL+manifestPath(ev.ID)).values("data-seat"), " "); got != "1A 2A" {
		t.Errorf("with 1B cancelled it lists %s", got)
	}
}

// The list is mailed half an hour before departure, once however often the job runs and
// on however many processes, and again when somebody asks: once for each press.
func TestManifest_MailedOnce(t *testing.T) {
	t.Parallel()
	w, ev := busHouse(t)
	s := w.service()
	mail := func() {
		t.Helper()
		if err := s.MailManifests(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	driver := w.as(t, "steward")
	p := driver.get(w.URL + manifestPath(ev.ID))
	driver.submit(p, p.form("/mail"), nil, "").want(422).says("no address")
	w.exec(`INSERT INTO settings (key, value) VALUES ('manifest_email', 'office@house.example') ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`)
	s.SettingsChanged()
	w.exec(`UPDATE events SET starts_at = now() + interval '31 minutes' WHERE id = $1`, ev.ID)
	mail()
	w.wantCount(t, 0, "mails WHERE kind = 'manifest'")
	w.exec(`UPDATE events SET starts_at = now() + interval '29 minutes' WHERE id = $1`, ev.ID)
	atOnce(4, func(int) {
		if err := s.MailManifests(t.Context()); err != nil {
			t.Error(err)
		}
	})
	mail()
	w.wantCount(t, 1, "mails WHERE kind = 'manifest' AND to_address = 'office@house.example'")

	w.exec(`INSERT INTO resources (kind, name, layout_version_id, manifest_email) VALUES ('coach', 'Coach 7', $1, 'driver@house.example')`, ev.Layout.VersionID)
	w.exec(`UPDATE events SET resource_id = (SELECT id FROM resources WHERE name = 'Coach 7') WHERE id = $1`, ev.ID)
	p = driver.get(w.URL+manifestPath(ev.ID)).says("office@house.example", "Mail it again")
	for range 2 { // the finger was too quick
		driver.follow(driver.submit(p, p.form("/mail"), nil, "").want(303)).want(200)
	}
	w.wantCount(t, 1, "mails WHERE kind = 'manifest_again' AND to_address = 'driver@house.example'")
	w.wantCount(t, 1, "audit_log WHERE action = 'manifest mailed'")
	driver.post(w.URL+manifestPath(ev.ID)+"/mail", url.Values{"key": {"another press"}}).want(303)
	w.wantCount(t, 2, "mails WHERE kind = 'manifest_again'")

	// What has left, or does not take place, is not mailed.
	w.exec(`DELETE FROM mails WHERE event_id IS NOT NULL`)
	w.exec(`UPDATE events SET starts_at = now() - interval '1 minute' WHERE id = $1`, ev.ID)
	mail()
	w.exec(`UPDATE events SET starts_at = now() + interval '5 minutes', status = 'cancelled' WHERE id = $1`, ev.ID)
	mail()
	w.wantCount(t, 0, "mails WHERE kind = 'manifest'")
	if (domain.ManifestJob{}).Kind() != "manifests" {
		t.Error("the job's stored name changed")
	}
}

// A hall's list is by row.
func TestManifest_AdmissionList(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.on(t).buys(eventPath(ev.ID), "B2", "A1", "A2")
	p := w.as(t, "steward").get(w.URL+manifestPath(ev.ID)).want(200).says("Row A", "2 tickets", "Row B", "1 ticket")
	if got := strings.Join(p.values("data-seat"), " "); got != "A1 A2 B2" {
		t.Errorf("lists %s", got)
	}
	if len(p.all("a", "href", "/staff/manifest")) != 0 {
		t.Error("a cinema has a line for manifests in its menu")
	}
}
