package handlers

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// cashCount is cash as somebody counted it, as typed and as read.
type cashCount struct {
	currency string
	typed    url.Values
	counts   domain.Counts
	wrong    map[string]string // by field
}

const freeSum = "cash" // the one field of a currency whose pieces are not known

func pieceField(value int64) string { return "n." + strconv.FormatInt(value, 10) }

// readCount reads the fields of views.CashCount; an empty field is no piece.
func readCount(form url.Values, currency string) cashCount {
	c := cashCount{currency: currency, typed: form, counts: domain.Counts{}, wrong: map[string]string{}}
	pieces := domain.Pieces(currency)
	if pieces == nil {
		c.readSum(form.Get(freeSum))
	}
	for _, p := range pieces {
		text := strings.TrimSpace(form.Get(pieceField(p.Value)))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || (domain.Counts{p.Value: n}).Check() != nil {
			c.wrong[pieceField(p.Value)] = "Please write how many, such as 12."
			continue
		}
		if n > 0 {
			c.counts[p.Value] = n
		}
	}
	return c
}

func (c *cashCount) readSum(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	amount, err := typedAmount(text, c.currency)
	if err == nil && amount > 0 {
		err = (domain.Counts{amount: 1}).Check()
	}
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule):
		c.wrong[freeSum] = rule.Words
	case amount > 0:
		c.counts[amount] = 1
	}
}

func (c *cashCount) sum() int64 { return c.counts.Sum() }

// view is the form's fields with what was typed and what is wrong with it.
func (c *cashCount) view() views.CashCount {
	v := views.CashCount{Sum: money(c.sum(), c.currency)}
	if cur, err := domain.CurrencyOf(c.currency); err == nil {
		v.Exponent, v.Whole = cur.Exponent, cur.Whole
	}
	pieces := domain.Pieces(c.currency)
	if pieces == nil {
		v.Free = &views.AccountField{Name: freeSum, Label: "All the cash, " + c.currency, Value: c.typed.Get(freeSum), Err: c.wrong[freeSum], Mode: "decimal", Optional: true}
	}
	for _, p := range pieces {
		name := pieceField(p.Value)
		x := views.CashPiece{
			Name: name, Label: pieceName(p.Value, c.currency), Value: p.Value, Typed: c.typed.Get(name), Err: c.wrong[name],
		}
		if n := c.counts[p.Value]; n > 0 {
			x.Worth = format.Number(p.Value*int64(n), c.currency)
		}
		if p.Coin {
			v.Coins = append(v.Coins, x)
		} else {
			v.Notes = append(v.Notes, x)
		}
	}
	return v
}

// pieceName is "500" or "0.50": a note or coin without its currency.
func pieceName(value int64, currency string) string {
	text := format.Number(value, currency)
	if whole, part, ok := strings.Cut(text, "."); ok && strings.Trim(part, "0") == "" {
		return whole
	}
	return text
}
