package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"holdfast/internal/domain"
)

// planner is a manager's browser on the seat plan pages.
type planner struct {
	*browser
	w *world
}

func (w *world) planner(t *testing.T) planner { return planner{w.as(t, "manager"), w} }

// create sends the form of a new plan and returns the address of its draft.
func (p planner) create(t *testing.T, fields url.Values) string {
	t.Helper()
	form := p.get(p.w.URL + "/staff/layouts/new").want(200)
	sent := p.submit(form, form.form("/staff/layouts"), fields, "do=save")
	sent.want(303)
	return strings.TrimSuffix(sent.location, "/draft")
}

// sections writes fields s0.rows … for some sections.
func sections(name string, parts ...map[string]string) url.Values {
	v := url.Values{"name": {name}, "parts": {fmt.Sprint(len(parts))}}
	for i, part := range parts {
		for k, text := range part {
			v.Set(fmt.Sprintf("s%d.%s", i, k), text)
		}
	}
	return v
}

// do presses a button of the draft's page with cells ticked.
func (p planner) do(t *testing.T, plan, button string, cells []string, change url.Values) *page {
	t.Helper()
	draft := p.get(p.w.URL + plan + "/draft").want(200)
	if change == nil {
		change = url.Values{}
	}
	change["cell"] = cells
	return p.submit(draft, draft.form("/draft"), change, "do="+button)
}

// publish presses the button of the publish page.
func (p planner) publish(t *testing.T, plan string, change url.Values) *page {
	t.Helper()
	at := p.get(p.w.URL + plan + "/publish").want(200)
	return p.submit(at, at.form("/publish"), change, "")
}

// layout is what is stored of a plan's newest version.
func (w *world) layout(t *testing.T, plan string) *domain.Layout {
	t.Helper()
	id := one[int64](w, `SELECT max(id) FROM layout_versions WHERE layout_id = $1`, strings.TrimPrefix(plan, "/staff/layouts/"))
	l, err := w.DB.Layout(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// realPlans are seat plans of working halls and coaches, as they are typed into the form,
// with what they must come to.
func realPlans() []realPlan {
	return []realPlan{
		{"Five classes", 590, sections("Five classes",
			map[string]string{"name": "Second", "names": "A–B", "seats": "15|15", "zone": "Second"},
			map[string]string{"name": "First", "names": "A–G", "seats": "15|15", "zone": "First"},
			map[string]string{"name": "Balcony", "names": "A–H", "seats": "12|12", "zone": "Balcony", "lines": "A = 13|13\nB–H half"},
			map[string]string{"name": "Star", "names": "A–D", "seats": "18|8", "zone": "Star"},
			map[string]string{"name": "Box", "names": "A–C", "seats": "7", "zone": "Box", "lines": "C = 8"},
		), map[string]int{"Box": 22, "Star": 104, "Balcony": 194, "First": 210, "Second": 60},
			[]string{"BOX-A1", "BOX-C8", "STAR-A1", "STAR-D26", "BALC-A26", "BALC-B24", "FIRS-G30", "SECO-A1"}, 0},
		{"Theatre with bis seats", 29 + 18, sections("Theatre with bis seats", map[string]string{
			"lines": "A: 26 24 22 20 18 16 16b | 12b 12 10 8 6 4 2 1 3 5 7 9 11 13 13b | 15b 15 17 19 21 23 25\n" +
				"B: 20♿ 18♿ 16 | _ _ 10 8 6 4 2 1 3 5 7 9 11 13 _ | 15 17♿ 19♿"}),
			nil, []string{"A16b", "A12b", "A13b", "A15b", "A26", "A25", "B20", "B19"}, 4},
		{"Coach 45", 45, coach("Coach 45", map[string]string{"lines": "1–10: A B | D E\n11: A B C D E"}), nil, []string{"1A", "10E", "11C"}, 0},
		{"Coach 26", 26, coach("Coach 26", map[string]string{"lines": "1–6: A B | D\n7–8: A B | WC\n9: A B C D"}), nil, []string{"6D", "7B", "8B", "9C"}, 0},
		{"Sleeper 30", 30, coach("Sleeper 30",
			map[string]string{"deck": "Lower deck", "berths": "1", "lines": "1–5: A B | D\n-: _ _ | WC", "zone": "Lower"},
			map[string]string{"deck": "Upper deck", "berths": "1", "lines": "1–5: E F | H", "zone": "Upper"}),
			nil, []string{"1A", "5D", "1E", "5H"}, 0},
	}
}

func coach(name string, parts ...map[string]string) url.Values {
	v := sections(name, parts...)
	v.Set("vehicle", "coach")
	v.Set("front", "driver-left")
	return v
}

type realPlan struct {
	name        string
	places      int
	form        url.Values
	perSection  map[string]int
	seats       []string
	wheelchairs int
}

// Plans of real houses can be typed into the form, down to the last label, and published.
func TestS5_RealPlansAreTyped(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.planner(t)
	for _, c := range realPlans() {
		plan := b.create(t, c.form)
		b.get(w.URL+plan+"/draft").want(200).says(fmt.Sprintf("%d places", c.places), "As customers will see it")
		b.publish(t, plan, nil).want(303)
		l := w.layout(t, plan)
		section, wheelchairs := map[string]int{}, 0
		for _, x := range l.Cells {
			if x.Kind.Sellable() {
				section[x.Section]++
			}
			if x.Kind == domain.CellWheelchair {
				wheelchairs++
			}
		}
		if l.Capacity() != c.places || wheelchairs != c.wheelchairs || c.perSection != nil && fmt.Sprint(section) != fmt.Sprint(c.perSection) {
			t.Errorf("%s has %d places, %v, %d for wheelchairs", c.name, l.Capacity(), section, wheelchairs)
		}
		for _, no := range c.seats {
			if _, ok := l.Seat(no); !ok {
				t.Errorf("%s has no %s", c.name, no)
			}
		}
		p := b.get(w.URL + plan).want(200)
		if got := len(p.all("label", "class", "")); got < c.places {
			t.Errorf("%s: the map shows %d of %d places", c.name, got, c.places)
		}
	}
	b.get(w.URL+"/staff/layouts").want(200).says("Five classes", "590", "Sleeper 30")
}

func TestPlanFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.planner(t)
	form := b.get(w.URL + "/staff/layouts/new").want(200)
	bad := sections("", map[string]string{"rows": "99", "seats": "x", "lines": "A: 1 ½", "zone": "Odd & ends"})
	p := b.submit(form, form.form("/staff/layouts"), bad, "do=save").want(422)
	p.says("Type a name", "at most 60 rows", "such as 16", "cannot be a label", "Nothing was stored")
	f := p.form("/staff/layouts")
	for name, want := range map[string]string{"s0.rows": "99", "s0.seats": "x", "s0.lines": "\nA: 1 ½", "s0.zone": "Odd & ends"} {
		if got := f.values.Get(name); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s comes back as %q", name, got)
		}
	}
	w.wantCount(t, 0, "layouts WHERE name = ''")

	// A label twice is refused with both places.
	twice := sections("Twice", map[string]string{"lines": "A: 1 2 | 1"})
	b.submit(form, form.form("/staff/layouts"), twice, "do=save").want(422).says("row A, seat 1", "line 2, column 1", "line 2, column 4")

	// More sections, fewer sections, a look: nothing is stored.
	p = b.submit(form, form.form("/staff/layouts"), sections("Big", map[string]string{"rows": "2", "seats": "3"}), "do=add").want(200).says("Section 2")
	p = b.submit(p, p.form("/staff/layouts"), url.Values{"s1.name": {"Back"}, "s1.rows": {"1"}, "s1.seats": {"4"}}, "do=look").want(200).says("10 places")
	b.submit(p, p.form("/staff/layouts"), nil, "do=drop:1").want(200).says("6 places")
	w.wantCount(t, 0, "layouts WHERE name IN ('Twice', 'Big')")

	plan := b.create(t, sections("Big", map[string]string{"rows": "2", "seats": "3"}))
	b.submit(form, form.form("/staff/layouts"), sections("Big", map[string]string{"rows": "2", "seats": "3"}), "do=save").want(422).says("has this name already")
	b.get(w.URL + plan + "/publish").want(200).says("6")
	for _, path := range []string{"/staff/layouts/999", "/staff/layouts/999/draft", plan + "/versions/7", "/staff/layouts/x"} {
		b.get(w.URL + path).want(404)
	}
}

// Cell by cell without JavaScript: kinds, zones, marks, labels, rows and columns.
func TestPlanCellByCell(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.planner(t)
	plan := b.create(t, sections("Cells", map[string]string{"rows": "3", "seats": "4|4"}))
	edit := func(button string, change url.Values, cells ...string) {
		t.Helper()
		b.do(t, plan, button, cells, change).want(303)
	}
	edit("make:wheelchair", nil, "0-1-0", "0-1-1") // line 0 is the screen's
	edit("make:companion", nil, "0-1-2")
	edit("make:gap", nil, "0-1-8")
	edit("make:seat", nil, "0-1-4") // the aisle becomes a seat with the next number
	edit("make:stairs", nil, "0-3-0")
	edit("ladies:on", nil, "0-2-0")
	edit("view:on", nil, "0-3-8")
	edit("half", nil, "0-3-3")
	edit("label", url.Values{"first": {"16b"}, "printed": {"16 bis"}, "section": {"Side"}}, "0-2-8")
	// Zones: add, rename, order.
	send := func(do string, values url.Values) *page {
		t.Helper()
		values.Set("revision", b.get(w.URL+plan+"/draft").form("/draft").values.Get("revision"))
		values.Set("do", do)
		return b.post(w.URL+plan+"/draft", values)
	}
	send("zones", url.Values{"zone": {"Plain"}, "new": {"Best"}}).want(303)
	edit("zone:2", nil, "0-2-0", "0-2-1")
	send("zone-up:2", url.Values{}).want(303)
	send("zone-drop:1", url.Values{}).want(422).says("2 places are in the zone “Best”")
	send("zones", url.Values{"zone": {"Best", "Best"}}).want(422).says("Two price zones")
	edit("row-before", nil, "0-1-0")
	edit("col-after", nil, "0-1-8")
	edit("make:seat", nil, "0-1-0") // a row of its own, with the next letter
	b.publish(t, plan, nil).want(303)
	l := w.layout(t, plan)
	for no, want := range map[string]string{
		"A1": "wheelchair A1 zone 2 at 2.0", "A3": "companion A3 zone 2 at 2.2", "A8": "seat A8 zone 2 at 2.4", "B1": "seat B1 zone 1 ladies at 3.0",
		"SIDE-B16b": "seat B16b zone 2 printed 16 bis in Side at 3.8", "C8": "seat C8 zone 2 view half at 4.8", "D1": "seat D1 zone 2 at 1.0",
	} {
		c, _ := l.Seat(no)
		got := fmt.Sprintf("%s %s%s zone %d", c.Kind, c.RowLabel, c.Number, c.Zone)
		for _, x := range []struct {
			on    bool
			words string
		}{{c.Ladies, "ladies"}, {c.Restricted, "view"}, {c.Half, "half"}, {c.Printed != "", "printed " + c.Printed}, {c.Section != "", "in " + c.Section}} {
			if x.on {
				got += " " + x.words
			}
		}
		if got += fmt.Sprintf(" at %d.%d", c.Row, c.Col); got != want {
			t.Errorf("%s is %s, want %s", no, got, want)
		}
	}
	if l.Capacity() != 24+1-1-1+1 { // a seat in the aisle, one gone, stairs, a row of one
		t.Errorf("%d places", l.Capacity())
	}
	w.wantCount(t, 15, "audit_log WHERE action = 'plan_edited'")

	// What cannot be is refused, in words, with the ticks kept and nothing changed.
	b.post(w.URL+plan+"/drafts", url.Values{"version": {"1"}}).want(303)
	p := b.do(t, plan, "label", []string{"0-2-1"}, url.Values{"first": {"1"}}).want(422).says("Two places would be called row A, seat 1", "line 3, column 1", "line 3, column 2")
	if f := p.form("/draft"); f.values.Get("cell") != "0-2-1" || f.values.Get("first") != "1" {
		t.Errorf("it comes back with %v", f.values)
	}
	if len(p.all("label", "id", "c-0-2-0")) != 1 || strings.Count(p.body, "lost") != 2 {
		t.Errorf("both places are to be marked, %d are", strings.Count(p.body, "lost"))
	}
	b.do(t, plan, "make:seat", nil, nil).want(422).says("Tick one or more cells first")
	b.do(t, plan, "make:sofa", []string{"0-1-0"}, nil).want(422)
	b.do(t, plan, "zone:9", []string{"0-1-0"}, nil).want(422).says("no such price zone")
	b.do(t, plan, "label", []string{"0-2-1"}, url.Values{"row": {"Ä"}}).want(422).says("cannot be a label")
	w.wantCount(t, 1, "layout_drafts WHERE revision = 1")
	b.do(t, plan, "row-delete", []string{"0-1-0"}, nil).want(303)
	b.get(w.URL + plan + "/draft").says("23 places")
	b.do(t, plan, "undo", nil, nil).want(303)
	b.get(w.URL + plan + "/draft").says("24 places")
}

// A plan of nothing is no version.
func TestPlanWithoutPlaces(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.planner(t)
	plan := b.create(t, sections("Empty", map[string]string{"rows": "1", "seats": "2"}))
	b.do(t, plan, "make:gap", []string{"0-1-0", "0-1-1"}, nil).want(303)
	b.publish(t, plan, nil).want(422).says("This plan has no places yet")
	w.wantCount(t, 0, "layout_versions v JOIN layouts l ON l.id = v.layout_id WHERE l.name = 'Empty'")
	draft := b.get(w.URL + plan + "/draft").want(200)
	b.submit(draft, draft.form("/discard"), url.Values{"sure": {"1"}}, "").want(303)
	b.get(w.URL + "/staff/layouts").want(200).says("the plan is gone with it")
	w.wantCount(t, 0, "layouts WHERE name = 'Empty'")
	for role, status := range map[string]int{"cashier": 403, "steward": 403, "owner": 200} {
		w.as(t, role).get(w.URL + "/staff/layouts").want(status)
	}
}

// Drawing anew keeps what was changed by hand on places that still exist.
func TestPlanRedrawKeepsChanges(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.planner(t)
	plan := b.create(t, sections("Again", map[string]string{"rows": "2", "seats": "4"}))
	b.do(t, plan, "make:wheelchair", []string{"0-1-3", "0-2-3"}, nil).want(303)
	form := b.get(w.URL + plan + "/form").want(200)
	b.submit(form, form.form("/form"), url.Values{"s0.rows": {"1"}, "s0.seats": {"2|4"}}, "do=save").want(303)
	// The same form once more: somebody drew meanwhile.
	p := b.submit(form, form.form("/form"), url.Values{"s0.rows": {"9"}}, "do=save").want(409).says("Somebody else changed this draft meanwhile")
	if got := p.form("/form").values.Get("s0.rows"); got != "9" {
		t.Errorf("rows come back as %q", got)
	}
	b.publish(t, plan, nil).want(303)
	l := w.layout(t, plan)
	if c, _ := l.Seat("A4"); l.Capacity() != 6 || c.Kind != domain.CellWheelchair || c.Col != 4 {
		t.Errorf("%d places, A4 is %+v", l.Capacity(), c)
	}
}

// Two managers: whoever comes second hears of it, and nothing is overwritten.
func TestPlanTwoManagers(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b, other := w.planner(t), planner{w.as(t, "owner"), w}
	plan := b.create(t, sections("Two", map[string]string{"rows": "2", "seats": "4"}))
	mine := b.get(w.URL + plan + "/draft").want(200)
	ready := b.get(w.URL + plan + "/publish").want(200)
	other.do(t, plan, "make:wheelchair", []string{"0-1-0"}, nil).want(303)
	p := b.submit(mine, mine.form("/draft"), url.Values{"cell": {"0-1-1"}}, "do=make:gap").want(409)
	p.says("Somebody else changed this draft meanwhile", "Nothing was overwritten", "last changed by Owner Person", "8 places")
	if got := p.form("/draft").values["cell"]; len(got) != 1 || got[0] != "0-1-1" {
		t.Errorf("the ticks come back as %v", got)
	}
	b.submit(ready, ready.form("/publish"), nil, "").want(409)
	w.wantCount(t, 0, "layout_versions v JOIN layouts l ON l.id = v.layout_id WHERE l.name = 'Two'")
	b.submit(p, p.form("/draft"), nil, "do=make:gap").want(303) // knowingly

	// At the same moment: one is published, and once.
	got := make([]int, 2)
	pages := []*page{b.get(w.URL + plan + "/publish"), other.get(w.URL + plan + "/publish")}
	who := []planner{b, other}
	atOnce(2, func(i int) { got[i] = who[i].submit(pages[i], pages[i].form("/publish"), nil, "").status })
	if got[0]+got[1] != 303+409 {
		t.Errorf("published at once: %v", got)
	}
	w.wantCount(t, 1, "layout_versions v JOIN layouts l ON l.id = v.layout_id WHERE l.name = 'Two'")
	b.get(w.URL + plan + "/draft").want(404)

	// A name likewise.
	page := b.get(w.URL + plan).want(200)
	other.post(w.URL+plan+"/name", url.Values{"was": {"Two"}, "name": {"Three"}}).want(303)
	b.submit(page, page.form("/name"), url.Values{"name": {"Four"}}, "").want(409)
	w.wantCount(t, 1, "layouts WHERE name = 'Three'")

	// A draft is thrown away only knowingly.
	b.post(w.URL+plan+"/drafts", url.Values{"version": {"1"}}).want(303)
	b.post(w.URL+plan+"/drafts", url.Values{"version": {"1"}}).want(303)
	draft := b.get(w.URL + plan + "/draft").want(200).says("A draft was open already")
	b.submit(draft, draft.form("/discard"), nil, "").want(422).says("Tick the box")
	b.submit(draft, draft.form("/discard"), url.Values{"sure": {"1"}}, "").want(303)
	b.get(w.URL+plan).want(200).says("The version in use is as it was", "Change this plan")
	b.get(w.URL+plan+"/versions/1").want(200).says("Three, version 1", "7 places", "New draft from this")
}
