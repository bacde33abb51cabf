package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// types comes to a field by Tab and types into it.
func (b *tab) types(field, text string) {
	b.t.Helper()
	b.tabTo(field)
	b.keys("a", chromedp.ModifierCtrl)
	b.keys(text)
}

// enters comes to a button by Tab and presses Enter there.
func (b *tab) enters(button string, status int64) {
	b.t.Helper()
	b.tabTo("button " + button)
	b.goes(status, "Enter on "+button, chromedp.KeyEvent(kb.Enter))
}

// A new house on a phone's width by keyboard alone: the set-up with a mistake on the way,
// then the second step, its recovery codes, and the door with both steps. Every page is
// accessible in light and dark and nothing scrolls sideways.
func TestBrowserSetupAndTwoStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.open("/setup", 200)
	b.sound("set-up", checker)
	b.big("set-up")
	if got := eval[string](b, `document.querySelector('#time_zone').value`); got == "" {
		t.Error("no time zone is proposed")
	}
	b.types("token", "setup")
	b.types("name", "Olga Marin")
	b.types("email", "olga@rex.example")
	b.types("password", "password1234")
	b.tabTo("button Show")
	b.keys(kb.Enter)
	if got := eval[string](b, `document.querySelector('#password').type`); got != "text" {
		t.Errorf("the password is shown as %q", got)
	}
	b.types("venue_name", "Rex")
	b.enters("Make the account and sign in", 422)
	b.says("one of the first passwords")
	b.sound("set-up refused", checker)
	b.types("password", staffPassword)
	b.enters("Make the account and sign in", 200)
	b.says("Rex")

	b.open("/staff/accounts", 200)
	b.sound("accounts", checker)
	b.types("name", "Ana Kos")
	b.types("email", "ana@rex.example")
	b.enters("Add and show the first password", 200)
	b.sound("first password", checker)
	b.open("/staff/accounts/2", 200)
	b.sound("account", checker)
	b.big("account")

	b.open("/staff/me", 200)
	b.sound("own account", checker)
	b.big("own account")
	b.enters("Set it up", 200)
	b.sound("second step", checker)
	b.big("second step")
	b.until("the QR code is drawn", `document.querySelector('img.qr').naturalWidth > 0`)
	secret := eval[string](b, `document.querySelector('main code').textContent.replaceAll(' ', '')`)
	b.types("code", "000000")
	b.types("password", staffPassword)
	b.enters("Switch it on", 422)
	b.sound("second step refused", checker)
	b.types("code", code(t, secret))
	b.types("password", staffPassword)
	b.enters("Switch it on", 200)
	b.says("The second step is on", "shown only now")
	b.sound("recovery codes", checker)
	recovery := b.list(`[...document.querySelectorAll('.secrets code')].map(e => e.textContent)`)

	b.open("/staff/me", 200)
	b.sound("own account with a second step", checker)
	b.size(1280, 900) // there the menu stands beside the page
	b.enters("Sign out", 200)
	b.size(360, 740)
	b.types("email", "olga@rex.example")
	b.types("password", staffPassword)
	b.enters("Sign in", 200)
	b.says("Your code")
	b.sound("code", checker)
	b.types("code", recovery[0])
	b.enters("Go on", 200)
	b.says("Rex")
}
