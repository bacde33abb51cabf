package main

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
)

// Tills, days and papers in a browser: axe finds nothing in light and dark, nothing
// scrolls sideways, and on the roll nothing is wider than the paper.
func TestBrowserTills(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	c := w.as(t, "cashier")
	openTill(c, w)
	id := sellCash(t, w, one[int64](w, `SELECT id FROM staff WHERE role = 'cashier'`), "A1", "D1")
	sale := "/staff/sales/" + itoa(id)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.everywhere(`window.print = () => {}`)
	b.signIn("cashier")
	looks := func(name, path string, words ...string) {
		t.Helper()
		b.open(path, 200)
		b.says(words...)
		b.sound(name, checker)
		b.big(name)
	}
	till := "/staff/shifts/" + itoa(one[int64](w, `SELECT id FROM shifts`))
	looks("tills", "/staff/shifts", "Your tills")
	looks("X report", till, "X report")
	looks("void", sale+"/void", "A supervisor confirms")
	looks("count", till+"/close", "Count and close")
	b.fill(`[name="n.5000"]`, "2")
	b.fill(`[name="n.1000"]`, "3")
	b.until("the sum is shown while somebody counts", `document.querySelector('output').textContent === '130.00' && document.querySelector('[name=sum]').value === '13000'`)

	for _, kind := range []string{"tickets", "receipt"} {
		looks("print "+kind, sale+"/"+kind, "Print on the roll")
		b.press(`main form [value="80"]`, 200)
		b.sound("sheet of "+kind, checker)
		b.onRoll(kind)
		looks("copy of "+kind, sale+"/"+kind, "Why a copy", "A supervisor confirms")
	}

	b.open(till+"/close", 200)
	b.fill(`[name="n.5000"]`, "2")
	b.fill(`[name="n.1000"]`, "2")
	b.fill(`[name="n.500"]`, "1")
	b.press("main .till-form .btn", 200) // one press: the sum was shown
	b.says("Z report 1", "exact")
	b.sound("Z report", checker)
	b.open(till+"?paper=80", 200)
	b.onRoll("Z report")

	m := newTab(t, chromium(t), w)
	m.signIn("manager")
	for _, path := range []string{"/staff/days", "/staff/days/" + one[time.Time](w, `SELECT business_day_of(now())`).Format(time.DateOnly), "/staff/shifts", "/staff/shifts/new"} {
		m.open(path, 200)
		m.sound(path, checker)
	}
}

// onRoll looks at the page as the roll's printer gets it: 72 mm wide, nothing beyond,
// codes of 25 mm and more.
func (b *tab) onRoll(name string) {
	b.t.Helper()
	b.size(302, 1000) // 80 mm
	b.print(true)
	if wrong := b.list(`(() => {
		const mm = 96 / 25.4, box = document.querySelector('.slip, .report').getBoundingClientRect();
		return [...document.querySelectorAll('.slip *, .report *')].filter(e => e.getClientRects().length && getComputedStyle(e).position !== 'absolute')
			.filter(e => e.getBoundingClientRect().right > box.left + 72 * mm + 1).map(e => e.outerHTML.slice(0, 120)).slice(0, 4)
			.concat([...document.querySelectorAll('.qr')].filter(e => e.getBoundingClientRect().width < 25 * mm).map(() => 'a code below 25 mm'));
	})()`); len(wrong) > 0 {
		b.t.Errorf("%s on the roll: %v", name, wrong)
	}
	b.print(false)
	b.size(360, 740)
}

// print shows the page as on paper, or as on the screen again.
func (b *tab) print(on bool) {
	b.t.Helper()
	medium := ""
	if on {
		medium = "print"
	}
	tell(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium})
}
