package domain

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SettingDef describes one key for the settings command and the owner's page.
type SettingDef struct {
	Key     string
	Group   string // one of SettingGroups
	Label   string
	Default string
	Help    string // one or two sentences
	Input   SettingInput
}

// The groups of the owner's page.
const (
	GroupHouse   = "The house"
	GroupTime    = "Time"
	GroupHolds   = "Holding seats"
	GroupSelling = "Selling"
	GroupStaff   = "Signing in"
	GroupMail    = "Mail"
)

// SettingGroups is the order of the owner's page.
func SettingGroups() []string {
	return []string{GroupHouse, GroupTime, GroupHolds, GroupSelling, GroupStaff, GroupMail}
}

// SettingInput is how a value is typed and read.
type SettingInput struct {
	Kind     string   // text, tel, email, number, time, switch, choice, currency, zone
	Min, Max int      // of a number
	Unit     string   // of a number: "minutes"
	Options  []string // of a choice: value, words, value, words, …
	parse    func(*Settings, string) error
}

func text(f func(*Settings) *string) SettingInput {
	return SettingInput{Kind: "text", parse: func(s *Settings, v string) error {
		if v = strings.TrimSpace(v); len([]rune(v)) > 200 {
			return fmt.Errorf("this is longer than 200 letters")
		}
		*f(s) = v
		return nil
	}}
}

func phone(f func(*Settings) *string) SettingInput {
	in := text(f)
	in.Kind = "tel"
	return in
}

func email(f func(*Settings) *string) SettingInput {
	return SettingInput{Kind: "email", parse: func(s *Settings, v string) error {
		if v = strings.TrimSpace(v); v != "" && (strings.Count(v, "@") != 1 || strings.ContainsAny(v, " \r\n,;<>")) {
			return fmt.Errorf("%q is not an e-mail address", v)
		}
		*f(s) = v
		return nil
	}}
}

func number(lo, hi int, unit string, f func(*Settings) *int) SettingInput {
	return SettingInput{Kind: "number", Min: lo, Max: hi, Unit: unit, parse: func(s *Settings, v string) error {
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil || n < lo || n > hi {
			return fmt.Errorf("%q is not a whole number from %d to %d", v, lo, hi)
		}
		*f(s) = n
		return nil
	}}
}

// choice takes pairs of a value and its words.
func choice(f func(*Settings) *string, options ...string) SettingInput {
	return SettingInput{Kind: "choice", Options: options, parse: func(s *Settings, v string) error {
		var known []string
		for i := 0; i < len(options); i += 2 {
			if options[i] == v {
				*f(s) = v
				return nil
			}
			known = append(known, options[i])
		}
		return fmt.Errorf("%q is not %s", v, strings.Join(known, " or "))
	}}
}

func currency(f func(*Settings) *string) SettingInput {
	return SettingInput{Kind: "currency", parse: func(s *Settings, v string) error {
		if _, err := CurrencyOf(v); err != nil {
			return fmt.Errorf("%q is not a currency of the list", v)
		}
		*f(s) = v
		return nil
	}}
}

func zone(f func(*Settings) *string) SettingInput {
	return SettingInput{Kind: "zone", parse: func(s *Settings, v string) error {
		if _, err := time.LoadLocation(v); err != nil || v == "" || v == "Local" {
			return fmt.Errorf("%q is not an IANA time zone", v)
		}
		*f(s) = v
		return nil
	}}
}

func clock(f func(*Settings) *string) SettingInput {
	return SettingInput{Kind: "time", parse: func(s *Settings, v string) error {
		if _, err := time.Parse("15:04", v); err != nil {
			return fmt.Errorf("%q is not a time like 05:00", v)
		}
		*f(s) = v
		return nil
	}}
}

func onOff(f func(*Settings) *bool) SettingInput {
	return SettingInput{Kind: "switch", parse: func(s *Settings, v string) error {
		switch v {
		case "on", "true", "1":
			*f(s) = true
		case "off", "false", "0":
			*f(s) = false
		default:
			return fmt.Errorf("%q is not on or off", v)
		}
		return nil
	}}
}

func cancelTerms(f func(*Settings) *CancelTerms) SettingInput {
	return SettingInput{Kind: "text", parse: func(s *Settings, v string) error {
		terms, err := ParseCancelTerms(v)
		if err == nil {
			*f(s) = terms
		}
		return err
	}}
}
