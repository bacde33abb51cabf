package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAccounts(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	owner := w.as(t, "owner")
	list := owner.get(w.URL+"/staff/accounts").want(200).says("Steward Person", "manager@house.example", "(you)")
	add := func(change url.Values) *page {
		t.Helper()
		form := url.Values{"name": {"Ana Kos"}, "email": {" Ana@House.example "}, "role": {"cashier"}}
		for k, v := range change {
			form[k] = v
		}
		return owner.submit(list, list.form("/staff/accounts"), form, "")
	}
	for field, bad := range map[string]string{"name": " ", "email": "ana", "role": "king"} {
		p := add(url.Values{field: {bad}}).want(422)
		if len(p.all("", "aria-invalid", "true")) != 1 || p.form("/staff/accounts").values.Get("name") == "" && field != "name" {
			t.Errorf("%s=%q: %s", field, bad, p.text())
		}
	}
	add(url.Values{"email": {"CASHIER@house.example"}}).want(422).says("Another account has this e-mail")
	first := add(nil).want(200).says("Ana Kos is added", "shown only now").secrets()
	if len(first) != 1 || len(first[0]) < 20 {
		t.Fatalf("first password %q", first)
	}
	owner.get(w.URL + "/staff/accounts").want(200).says("First password")
	w.wantCount(t, 0, "audit_log x WHERE x::text LIKE '%"+first[0]+"%'")

	ana := w.browser()
	ana.login(w, "ana@house.example", first[0]).want(303)
	if got := ana.get(w.URL + "/staff/bookings").want(303).location; got != "/staff/me" {
		t.Errorf("with a first password /staff/bookings leads to %q", got)
	}
	me := ana.get(w.URL + "/staff/me").want(200).says("First, a password of your own")
	change := func(old, password string) *page {
		return ana.submit(me, me.form("/staff/me/password"), url.Values{"old": {old}, "new": {password}}, "")
	}
	change(first[0], "short").want(422).says("at least 12 letters")
	change(first[0], first[0]).want(422).says("That is the old password")
	change("wrong", staffPassword).want(422).says("The password is not right")
	ana.get(w.URL + "/staff/bookings").want(303)
	change(first[0], "rain over the viaduct").want(303)
	ana.get(w.URL + "/staff/bookings").want(200)
	w.browser().login(w, "ana@house.example", first[0]).want(422)
	for _, action := range []string{"account_added", "password_changed"} {
		w.wantCount(t, 1, "audit_log WHERE action = '"+action+"'")
	}
}

func TestAccountChanges(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	owner, cashier := w.as(t, "owner"), w.as(t, "cashier")
	address := w.URL + "/staff/accounts/" + itoa(one[int64](w, `SELECT id FROM staff WHERE role = 'cashier'`))
	file := owner.get(address).want(200)
	save := func(change url.Values) *page { return owner.submit(file, file.form(file.url.Path), change, "") }
	save(url.Values{"role": {"manager"}, "name": {"Carla Vidali"}}).want(303)
	owner.get(address).want(200).says("Carla Vidali", "Saved")
	cashier.get(w.URL + "/staff/events/1").want(200) // a manager now
	save(url.Values{"name": {"Somebody Else"}}).want(409).says("Somebody else changed this meanwhile", "Stored is now: Carla Vidali")
	w.wantCount(t, 1, "staff WHERE name = 'Carla Vidali' AND role = 'manager' AND revision = 2")
	w.wantCount(t, 1, "audit_log WHERE action = 'account_changed' AND before->>'Role' = 'cashier' AND after->>'Role' = 'manager'")
	file = owner.get(address).want(200)
	save(url.Values{"email": {"owner@house.example"}}).want(422).says("Another account has this e-mail")

	// A new password, and everything that was open is over.
	given := owner.post(address+"/password", nil).want(200).secrets()
	cashier.get(w.URL + "/staff/bookings").want(303)
	cashier.login(w, "cashier@house.example", staffPassword).want(422)
	cashier.login(w, "cashier@house.example", given[0]).want(303)
	cashier.post(w.URL+"/staff/me/password", url.Values{"old": {given[0]}, "new": {staffPassword}}).want(303)

	// A lost phone.
	cashier.twoStep(w, staffPassword)
	owner.get(address).want(200).says("Take the second step away")
	owner.post(address+"/two-step", nil).want(303)
	w.as(t, "cashier").get(w.URL + "/staff/bookings").want(200)

	owner.post(address+"/sign-ins", nil).want(303)
	cashier.get(w.URL + "/staff/bookings").want(303)
	cashier.login(w, "cashier@house.example", staffPassword).want(303)
	owner.post(address+"/off", nil).want(303)
	cashier.get(w.URL + "/staff/bookings").want(303)
	cashier.login(w, "cashier@house.example", staffPassword).want(422)
	owner.post(address+"/on", nil).want(303)
	cashier.login(w, "cashier@house.example", staffPassword).want(303)
	for _, action := range []string{"password_reset", "two_step_reset", "sign_ins_ended", "account_off", "account_on"} {
		w.wantCount(t, 1, "audit_log WHERE action = '"+action+"'")
	}
}

func TestLastOwnerStays(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	owner := w.as(t, "owner")
	id := one[int64](w, `SELECT id FROM staff WHERE role = 'owner'`)
	address := w.URL + "/staff/accounts/" + itoa(id)
	owner.post(address+"/off", nil).want(422).says("This is the last owner")
	owner.post(address+"/password", nil).want(422).says("your own account")
	p := owner.get(address).want(200)
	owner.submit(p, p.form(p.url.Path), url.Values{"role": {"manager"}}, "").want(422).says("This is the last owner")
	owner.submit(p, p.form(p.url.Path), url.Values{"name": {"Olga Marin"}}, "").want(303)
	w.wantCount(t, 1, "staff WHERE role = 'owner' AND disabled_at IS NULL")

	// With another owner one may step back, and is led to what is left to see.
	w.exec(`UPDATE staff SET role = 'owner' WHERE role = 'manager'`)
	p = owner.get(address).want(200)
	owner.follow(owner.submit(p, p.form(p.url.Path), url.Values{"role": {"cashier"}}, "").want(303)).want(200).says("Olga Marin, cashier")
}

// Two owners switch each other off, or make each other managers, at the same moment: one
// of them stays, each time.
func TestLastOwnerRace(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.exec(`UPDATE staff SET role = 'owner' WHERE role = 'manager'`)
	ids := [2]int64{one[int64](w, `SELECT id FROM staff WHERE email LIKE 'owner@%'`), one[int64](w, `SELECT id FROM staff WHERE email LIKE 'manager@%'`)}
	for round := range 8 {
		w.exec(`UPDATE staff SET disabled_at = NULL, role = 'owner', revision = 1 WHERE email LIKE 'owner@%' OR email LIKE 'manager@%'`)
		both := [2]*browser{w.as(t, "owner"), w.as(t, "manager")}
		var got [2]int
		atOnce(2, func(i int) {
			address := w.URL + "/staff/accounts/" + itoa(ids[1-i])
			if round%2 == 0 {
				got[i] = both[i].post(address+"/off", nil).status
				return
			}
			got[i] = both[i].post(address, url.Values{"role": {"manager"}, "name": {"X"}, "email": {"x" + itoa(int64(i)) + "@house.example"}, "revision": {"1"}}).status
		})
		if n := w.count("staff WHERE role = 'owner' AND disabled_at IS NULL"); n != 1 {
			t.Fatalf("round %d: %d owners are left after %v", round, n, got)
		}
		w.exec(`UPDATE staff SET email = CASE id WHEN $1 THEN 'owner@house.example' ELSE 'manager@house.example' END WHERE id = $1 OR id = $2`, ids[0], ids[1])
	}
}

func TestOwnSignIns(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	here, there, third, other := w.as(t, "cashier"), w.as(t, "cashier"), w.as(t, "cashier"), w.as(t, "owner")
	w.exec(`UPDATE staff_sessions SET address = '203.0.113.' || id`)
	p := here.get(w.URL+"/staff/me").want(200).says("203.0.113.1", "203.0.113.2", "203.0.113.3", "This one")
	if strings.Contains(p.text(), "203.0.113.4") {
		t.Error("another person's sign-in is listed")
	}
	here.post(w.URL+"/staff/me/sign-ins/"+itoa(one[int64](w, `SELECT max(id) FROM staff_sessions`))+"/end", nil).want(303)
	other.get(w.URL + "/staff/bookings").want(200) // was not theirs to end
	here.submit(p, p.form("/sign-ins/2/end"), nil, "").want(303)
	there.get(w.URL + "/staff/bookings").want(303)
	third.get(w.URL + "/staff/bookings").want(200)
	here.submit(p, p.form("/sign-ins/end"), nil, "").want(303)
	third.get(w.URL + "/staff/bookings").want(303)
	p = here.get(w.URL + "/staff/me").want(200)
	if strings.Contains(p.body, "sign-ins/end") || len(p.all("form", "action", "")) == 0 {
		t.Error("nothing is left to end")
	}

	// Whoever signs in where another was signed in ends that.
	shared := w.as(t, "manager")
	shared.post(w.URL+"/staff/login", url.Values{"email": {"owner@house.example"}, "password": {staffPassword}}).want(303)
	shared.get(w.URL + "/staff/accounts").want(200)
	w.wantCount(t, 0, "staff_sessions s JOIN staff p ON p.id = s.staff_id WHERE p.role = 'manager' AND s.ended_at IS NULL")

	// Another password ends the others too.
	there.login(w, "cashier@house.example", staffPassword).want(303)
	here.post(w.URL+"/staff/me/password", url.Values{"old": {staffPassword}, "new": {"rain over the viaduct"}}).want(303)
	there.get(w.URL + "/staff/bookings").want(303)
	here.get(w.URL + "/staff/bookings").want(200)
}

// An open till keeps a sign-in from idling; its age counts all the same.
func TestOpenTillStaysSignedIn(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	w.exec(`INSERT INTO shifts (staff_id, currency, business_day, float_amount) SELECT id, 'EUR', current_date, 0 FROM staff WHERE role = 'cashier'`)
	w.exec(`UPDATE staff_sessions SET seen_at = now() - interval '3 hours'`)
	b.get(w.URL + "/staff/bookings").want(200)
	manager := w.as(t, "manager")
	w.exec(`UPDATE staff_sessions SET seen_at = now() - interval '3 hours'`)
	manager.get(w.URL + "/staff/bookings").want(303) // has no till
	b.get(w.URL + "/staff/bookings").want(200)
	w.exec(`UPDATE staff_sessions SET signed_in_at = now() - interval '12 hours 1 minute'`)
	b.get(w.URL + "/staff/bookings").want(303)
}

func TestOwnPIN(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "manager")
	p := b.get(w.URL + "/staff/me").want(200)
	set := func(pin, password string) *page {
		return b.submit(p, p.form("/staff/me/pin"), url.Values{"pin": {pin}, "password": {password}}, "")
	}
	set("12a4", staffPassword).want(422).says("A PIN is 4 to 8 figures")
	set("4444", staffPassword).want(422).says("try that PIN first")
	set("2907", "wrong").want(422).says("Nothing was changed")
	w.wantCount(t, 0, "staff WHERE pin_hash IS NOT NULL")
	set("2907", staffPassword).want(303)
	b.get(w.URL+"/staff/me").want(200).says("Your PIN is saved", "You have one")
	w.wantCount(t, 1, "staff WHERE pin_hash LIKE '$argon2id$%'")
	w.wantCount(t, 0, "audit_log x WHERE x::text LIKE '%2907%'")
	set("", staffPassword).want(303)
	w.wantCount(t, 0, "staff WHERE pin_hash IS NOT NULL")
	if p := w.as(t, "cashier").get(w.URL + "/staff/me").want(200); strings.Contains(p.text(), "PIN") {
		t.Error("a cashier is offered a PIN")
	}
	w.as(t, "cashier").post(w.URL+"/staff/me/pin", nil).want(http.StatusForbidden)
}

// The log of changes cannot be emptied, not even in one go.
func TestLogOfChangesKeeps(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.as(t, "owner")
	for _, sql := range []string{`TRUNCATE audit_log`, `DELETE FROM audit_log`, `UPDATE audit_log SET actor = 'x'`} {
		if _, err := w.DB.Pool().Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	w.wantCount(t, 1, "audit_log")
}
