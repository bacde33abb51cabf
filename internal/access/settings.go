package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What the settings page reads, as the database has it.
type (
	HouseEvent = db.HouseEvent
	Changed    = db.Changed
)

// SettingChange is one setting as the form was opened with it and as it was typed.
type SettingChange struct{ Key, Was, Value string }

// FieldErrors refuses a form: words for each field that is wrong, by its name. Nothing
// was changed. Stale: somebody else changed these fields meanwhile.
type FieldErrors struct {
	Fields map[string]string
	Stale  bool
}

func (e *FieldErrors) Error() string { return fmt.Sprintf("%d fields cannot be taken", len(e.Fields)) }

// ErrWhichTime: the house's zone changes and events to come go by it. It must be said
// whether their wall clock or their instant stays; nothing was changed.
var ErrWhichTime = errors.New("the clock or the instant of events to come must be chosen")

// Keep says what of the events to come stays when the house's zone changes.
type Keep string

// KeepClock: 19:30 stays 19:30 on the new clock. KeepInstant: they start when they
// would have, and the new clock shows another time.
const (
	KeepClock   Keep = "clock"
	KeepInstant Keep = "instant"
)

const settingsSubject = "settings"

// SettingValues is the value of every key, as stored or its default.
func (s *Service) SettingValues(ctx context.Context) (map[string]string, error) {
	stored, err := s.db.Settings(ctx)
	return withDefaults(stored), err
}

func withDefaults(stored map[string]string) map[string]string {
	out := map[string]string{}
	for _, d := range domain.SettingDefs() {
		out[d.Key] = d.Default
		if v, ok := stored[d.Key]; ok {
			out[d.Key] = v
		}
	}
	return out
}

// SettingsChanged is who changed settings last; domain.ErrNotFound for nobody.
func (s *Service) SettingsChanged(ctx context.Context) (Changed, error) {
	return s.db.LastChange(ctx, settingsSubject)
}

// ZoneNames lists the time zones that can be chosen.
func (s *Service) ZoneNames(ctx context.Context) ([]string, error) { return s.db.ZoneNames(ctx) }

// HouseEvents lists the next n events to come that go by a clock of the house, for
// ErrWhichTime's question.
func (s *Service) HouseEvents(ctx context.Context, zone string, n int) ([]HouseEvent, error) {
	return s.db.HouseEvents(ctx, zone, n)
}

// SaveSettings stores what was changed, all or nothing, and answers the keys that are
// new. A field whose stored value is not the one that the form was opened with is
// refused; fields that were not touched are left to whoever changed them. The errors:
// *FieldErrors, ErrWhichTime.
func (s *Service) SaveSettings(ctx context.Context, by domain.By, changes []SettingChange, keep Keep) ([]string, error) {
	var saved []string
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		saved = nil
		if err := t.LockSettings(ctx); err != nil {
			return err
		}
		stored, err := t.Settings(ctx)
		if err != nil {
			return err
		}
		now := withDefaults(stored)
		before, after := map[string]string{}, map[string]string{}
		wrong := &FieldErrors{Fields: map[string]string{}}
		for _, c := range changes {
			c.Value = strings.TrimSpace(c.Value)
			if err := domain.CheckSetting(c.Key, c.Value); err != nil {
				wrong.Fields[c.Key] = sentence(err)
			} else if now[c.Key] != c.Value && now[c.Key] != c.Was {
				wrong.Fields[c.Key], wrong.Stale = "Meanwhile somebody else set this to “"+now[c.Key]+"”. Save again to replace it by what stands here.", true
			} else if now[c.Key] != c.Value {
				before[c.Key], after[c.Key] = now[c.Key], c.Value
				saved = append(saved, c.Key)
			}
		}
		if err := s.currencyMay(ctx, t, after["currency"], wrong); err != nil {
			return err
		}
		if len(wrong.Fields) > 0 {
			return wrong
		}
		if len(saved) == 0 {
			return nil
		}
		return s.apply(ctx, t, by, now, before, after, keep)
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

func (s *Service) apply(ctx context.Context, t *db.Tx, by domain.By, now, before, after map[string]string, keep Keep) error {
	for key, value := range after {
		if err := t.SetSetting(ctx, key, value); err != nil {
			return err
		}
	}
	dayStart := now["business_day_start"]
	if v, ok := after["business_day_start"]; ok {
		dayStart = v
	}
	if zone, ok := after["time_zone"]; ok {
		moved, err := s.moveHouse(ctx, t, now["time_zone"], zone, dayStart, keep)
		if err != nil {
			return err
		}
		if moved > 0 {
			after["events_to_come"] = fmt.Sprintf("%d keep their %s", moved, keep)
		}
	}
	if _, ok := after["business_day_start"]; ok {
		if err := t.RecountDays(ctx, dayStart); err != nil {
			return err
		}
	}
	return t.Log(ctx, by, "settings_changed", settingsSubject, before, after)
}

// currencyMay: prices and money in two currencies would make every sum a lie.
func (s *Service) currencyMay(ctx context.Context, t *db.Tx, code string, wrong *FieldErrors) error {
	if code == "" {
		return nil
	}
	o, err := t.OtherMoney(ctx, code)
	if err != nil || o.Tariffs+o.Bookings+o.Lines == 0 {
		return err
	}
	why := "This stays " + o.Example + ": money was taken in it."
	switch {
	case o.Bookings > 0:
		why = fmt.Sprintf("This stays %s: %d bookings were sold in it, and sums over two currencies would be wrong.", o.Example, o.Bookings)
	case o.Tariffs > 0:
		why = fmt.Sprintf("This stays %s: %d price lists are in it. Remove them first, or give them the new currency.", o.Example, o.Tariffs)
	}
	wrong.Fields["currency"] = why
	return nil
}

// moveHouse gives the events to come that go by the house's clock its new zone and
// answers how many there are.
func (s *Service) moveHouse(ctx context.Context, t *db.Tx, old, zone, dayStart string, keep Keep) (int, error) {
	events, err := t.LockHouseEvents(ctx, old)
	if err != nil || len(events) == 0 {
		return 0, err
	}
	switch keep {
	case KeepInstant:
	case KeepClock:
		switch e, err := t.HouseMissingHour(ctx, events, old, zone); {
		case err == nil:
			return 0, &FieldErrors{Fields: map[string]string{"time_zone": "“" + e.Title + "” would start in the hour that the clocks of " + zone + " skip. Move it first, or keep the moment."}}
		case !errors.Is(err, domain.ErrNotFound):
			return 0, err
		}
	default:
		return 0, ErrWhichTime
	}
	err = t.MoveHouseEvents(ctx, events, old, zone, keep == KeepClock, dayStart)
	if errors.Is(err, domain.ErrOverlap) {
		return 0, &FieldErrors{Fields: map[string]string{"time_zone": "Two events would be in one hall at the same time, because the clocks of the two zones change on different days. Move one of them first, or keep the moment."}}
	}
	return len(events), err
}

// sentence is an error of the settings table as a field says it.
func sentence(err error) string {
	words := err.Error()
	return strings.ToUpper(words[:1]) + words[1:] + "."
}
