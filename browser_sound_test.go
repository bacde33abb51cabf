package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/runtime"
)

// axe is the accessibility checker's source. Through the DevTools protocol it runs on
// pages whose own rules would refuse it.
func axe(t testing.TB) string {
	t.Helper()
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("the browser tests need axe-core (npm ci, or make test): %v", err)
	}
	return string(source)
}

// sound checks the page as it stands: axe finds nothing in light and dark, and it does
// not scroll sideways at 320 px.
func (b *tab) sound(name, axe string) {
	b.t.Helper()
	if !eval[bool](b, `typeof globalThis.axe === 'object'`) {
		eval[any](b, axe+"\n;true")
	}
	for _, scheme := range []string{"light", "dark"} {
		b.media("prefers-color-scheme="+scheme, "prefers-reduced-motion=reduce")
		found := b.list(`axe.run(document, {resultTypes: ['violations'], runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}})
			.then(r => r.violations.map(v => v.id + ': ' + v.help + ' — ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')))`)
		if len(found) > 0 {
			b.t.Errorf("%s, %s: axe finds\n  %s", name, scheme, strings.Join(found, "\n  "))
		}
	}
	b.media()
	b.upright(name)
}

// upright checks that the page does not scroll sideways on the narrowest phone.
func (b *tab) upright(name string) {
	b.t.Helper()
	b.size(320, 640)
	wide := b.list(`document.documentElement.scrollWidth <= 320 ? [] : [...document.querySelectorAll('body *')]
		.filter(e => e.getBoundingClientRect().right > 321 && !e.closest('.scroll, .table-box') && getComputedStyle(e).position !== 'absolute').map(e => e.outerHTML.slice(0, 120)).slice(0, 5)
		.concat('page is ' + document.documentElement.scrollWidth + ' px wide')`)
	if len(wide) > 0 {
		b.t.Errorf("%s scrolls sideways at 320 px: %s", name, strings.Join(wide, "\n  "))
	}
	b.size(360, 740)
}

// named is the name that the browser gives an element to screen readers.
func (b *tab) named(css string) string {
	b.t.Helper()
	obj := tell(b, runtime.Evaluate, runtime.EvaluateParams{Expression: `document.querySelector(` + quoted(css) + `)`})
	tree := tell(b, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: obj.Result.ObjectID, FetchRelatives: new(false)})
	var name string
	if len(tree.Nodes) == 0 || json.Unmarshal(tree.Nodes[0].Name.Value, &name) != nil {
		b.t.Fatalf("%s has no name", css)
	}
	return strings.ReplaceAll(name, " ,", ",") // parts that only listeners get are set apart by a space
}
