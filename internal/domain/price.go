package domain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// largestPrice bounds what may be typed, in minor units: sums of a booking and of a
// year stay far from the end of int64.
const largestPrice = 100_000_000_000

// Plain is an amount as people type it: "12.50", "1200" where there are no decimals.
// ParsePrice reads it back.
func (c Currency) Plain(amount int64) string {
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	unit := pow10(c.Exponent)
	text := sign + strconv.FormatInt(amount/unit, 10)
	if c.Exponent == 0 || c.Whole && amount%unit == 0 {
		return text
	}
	return fmt.Sprintf("%s.%0*d", text, c.Exponent, amount%unit)
}

// ParsePrice reads an amount as people type it, "12.50", "12,50" or "12", with or
// without the currency's code, into minor units. It never guesses: marks between
// thousands, more decimals than the currency has and everything else that could mean
// two amounts is a *RuleError that says how to write it.
func (c Currency) ParsePrice(text string) (int64, error) {
	number := c.bare(text)
	example := "Please write it like " + c.Plain(1250*pow10(max(c.Exponent-2, 0))) + "."
	refuse := func(words string) error { return &RuleError{Code: "price", Words: words + " " + example} }
	if number == "" || strings.Trim(number, "0123456789.,") != "" {
		return 0, refuse("“" + shown(text) + "” is not an amount in " + c.Code + ".")
	}
	whole, part := number, ""
	if i := strings.IndexAny(number, ".,"); i >= 0 {
		whole, part = number[:i], number[i+1:]
		switch {
		case strings.ContainsAny(part, ".,"):
			return 0, refuse("“" + shown(text) + "” could mean different amounts: leave out the marks between thousands.")
		case c.Exponent == 0:
			return 0, refuse(c.Code + " has no decimals: leave out the points and commas.")
		case len(part) == 3 && (c.Exponent != 3 || number[i] == ',' && whole != "0"):
			return 0, refuse("“" + shown(text) + "” could mean different amounts: leave out the mark between thousands.")
		case len(part) > c.Exponent:
			return 0, refuse(fmt.Sprintf("%s has %d decimals.", c.Code, c.Exponent))
		case part == "" || whole == "":
			return 0, refuse("“" + shown(text) + "” is not an amount in " + c.Code + ".")
		}
	}
	amount, err := strconv.ParseInt(whole+part+strings.Repeat("0", c.Exponent-len(part)), 10, 64)
	if err != nil || amount > largestPrice {
		return 0, &RuleError{Code: "price", Words: "“" + shown(text) + "” is more than any price may be."}
	}
	return amount, nil
}

// bare takes spaces around and the currency's code off.
func (c Currency) bare(text string) string {
	text = strings.TrimFunc(text, unicode.IsSpace)
	if n := len(c.Code); len(text) > n {
		switch {
		case strings.EqualFold(text[:n], c.Code):
			text = text[n:]
		case strings.EqualFold(text[len(text)-n:], c.Code):
			text = text[:len(text)-n]
		}
	}
	return strings.TrimFunc(text, unicode.IsSpace)
}

// shown is what was typed, short enough to be said back.
func shown(text string) string {
	letters := []rune(strings.TrimSpace(text))
	if len(letters) > 20 {
		return string(letters[:20]) + "…"
	}
	return string(letters)
}

// ParseRate reads a percentage as people type it, "22", "22 %" or "5,5 %", into basis
// points, at most two decimals. The error is a *RuleError.
func ParseRate(text string) (int, error) {
	number := strings.TrimFunc(strings.TrimSuffix(strings.TrimFunc(text, unicode.IsSpace), "%"), unicode.IsSpace)
	whole, part, marked := strings.Cut(strings.ReplaceAll(number, ",", "."), ".")
	if whole == "" || len(whole) > 5 || marked && part == "" || len(part) > 2 || strings.Trim(whole+part, "0123456789") != "" {
		return 0, &RuleError{Code: "rate", Words: "“" + shown(text) + "” is not a percentage. Please write it like 22 or 5.5."}
	}
	points, err := strconv.Atoi(whole + part + strings.Repeat("0", 2-len(part)))
	if err != nil {
		return 0, &RuleError{Code: "rate", Words: "“" + shown(text) + "” is not a percentage."}
	}
	return points, nil
}
