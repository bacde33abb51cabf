package domain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxOffset is the longest way of a route: a week, in minutes.
const MaxOffset = 7 * 24 * 60

var errOffset = errors.New("not a time after the departure")

// ParseOffset reads minutes after a departure as people type them: "150", "2:30",
// "+2:30", "2h30", "2 h 30 min", "150 min", "26:15". A refusal is an error without
// words for people.
func ParseOffset(typed string) (int, error) {
	text := strings.ToLower(strings.Join(strings.Fields(typed), ""))
	text = strings.TrimPrefix(text, "+")
	hours, rest, clock := strings.Cut(text, ":")
	if !clock {
		hours, rest, clock = strings.Cut(text, "h")
	}
	if !clock {
		return offsetPart(strings.TrimSuffix(text, "min"), MaxOffset)
	}
	h, err := offsetPart(hours, MaxOffset/60)
	if err != nil {
		return 0, err
	}
	rest = strings.TrimSuffix(rest, "min")
	if rest == "" && strings.HasSuffix(text, "h") { // "2 h"
		return h * 60, nil
	}
	if len(rest) != 2 && !strings.Contains(text, "h") { // "2:3" may mean 2:03 or 2:30
		return 0, errOffset
	}
	m, err := offsetPart(rest, 59)
	if err != nil || h*60+m > MaxOffset {
		return 0, errOffset
	}
	return h*60 + m, nil
}

// offsetPart reads digits alone: no sign, no other letter.
func offsetPart(text string, most int) (int, error) {
	if text == "" || len(text) > 5 || strings.Trim(text, "0123456789") != "" {
		return 0, errOffset
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > most {
		return 0, errOffset
	}
	return n, nil
}

// ShowOffset is "2:30", as ParseOffset reads it.
func ShowOffset(minutes int) string { return fmt.Sprintf("%d:%02d", minutes/60, minutes%60) }
