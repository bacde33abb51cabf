package schedule

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"holdfast/internal/gtfs"
)

// Keys of what comes from a feed: "gtfs|<agency>|…". A feed may be renamed, zipped anew
// and published again; its agency and its ids stay. An agency_id alone is often "1", so
// the name is part of the agency's key.

func agencyKey(a gtfs.Agency) string {
	return "gtfs|" + keyPart(a.ID) + "~" + keyPart(a.Name)
}

// keyPart is an id that can stand between the bars, whatever is in it.
func keyPart(id string) string {
	if id = url.QueryEscape(id); len(id) <= 120 {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256-" + hex.EncodeToString(sum[:16])
}

func placeKey(agency, stopID string) string { return agency + "|stop|" + keyPart(stopID) }

func routeKey(agency, routeID, pattern string) string {
	return agency + "|route|" + keyPart(routeID) + "|" + pattern
}

// tripPrefix begins the keys of an agency's departures.
func tripPrefix(agency string) string { return agency + "|trip|" }

// departureKey is a trip on a service day. Trips that depart many times a day are told
// apart by the time.
func departureKey(agency, tripID string, d gtfs.Departure) string {
	key := tripPrefix(agency) + d.Day.Format("20060102") + "|" + keyPart(tripID)
	if d.Repeated {
		key += fmt.Sprintf("|%02d%02d%02d", d.Start/3600, d.Start/60%60, d.Start%60)
	}
	return key
}

// serviceDay reads the day of a departure's key.
func serviceDay(prefix, key string) (time.Time, bool) {
	day, _, _ := strings.Cut(strings.TrimPrefix(key, prefix), "|")
	t, err := time.Parse("20060102", day)
	return t, err == nil
}

// names gives things names that nobody else has.
type names map[string]bool

func (n names) take(first string, more ...string) string {
	for _, name := range append([]string{first}, more...) {
		if name = cut(name, 200); name != "" && !n[name] {
			n[name] = true
			return name
		}
	}
	last := cut(append([]string{first}, more...)[len(more)], 190)
	for i := 2; ; i++ {
		if name := fmt.Sprintf("%s (%d)", last, i); !n[name] {
			n[name] = true
			return name
		}
	}
}

func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}
