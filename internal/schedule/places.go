package schedule

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// StopPlace is a place as the house keeps it.
type StopPlace = db.StopPlace

// PlaceForm is a place as typed. Keep answers the question of a ZoneQuestion.
type PlaceForm struct {
	Name, Address, TimeZone, Position string
	Keep                              string // "", KeepClock or KeepInstant
	Revision                          int
}

// PlaceFormOf is the form of a place as it is stored.
func PlaceFormOf(p StopPlace) PlaceForm {
	return PlaceForm{Name: p.Name, Address: p.Address, TimeZone: p.TimeZone, Position: strconv.Itoa(p.Position), Revision: p.Revision}
}

// Fields are the form's fields by name.
func (f PlaceForm) Fields() map[string]string {
	return map[string]string{"name": f.Name, "address": f.Address, "zone": f.TimeZone, "position": f.Position}
}

func (f PlaceForm) read(zones []string) (StopPlace, error) {
	var bad InvalidForm
	p := StopPlace{
		Name:     bad.text("name", f.Name, 100, "Please write the place’s name."),
		Address:  bad.text("address", f.Address, 300, ""),
		TimeZone: line(f.TimeZone),
		Position: bad.number("position", f.Position, 0, 9999, 0),
		Revision: f.Revision,
	}
	if name, ok := zoneNamed(zones, p.TimeZone); ok {
		p.TimeZone = name
	} else {
		bad.wrong("zone", "Please choose a zone of the list, like Europe/Rome.")
	}
	return p, bad.err()
}

// zoneNamed finds a zone by its name, or by its city where only one zone has it: "rome",
// "New York".
func zoneNamed(zones []string, typed string) (string, bool) {
	typed = strings.ReplaceAll(typed, " ", "_")
	var found []string
	for _, z := range zones {
		if strings.EqualFold(z, typed) {
			return z, true
		}
		if strings.EqualFold(z[strings.LastIndexByte(z, '/')+1:], typed) {
			found = append(found, z)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// HousePlaces lists places by their position. find "" finds all.
func (s *Service) HousePlaces(ctx context.Context, find string, archived bool) ([]StopPlace, error) {
	return s.db.StopPlaces(ctx, line(find), archived)
}

// HousePlace reads a place and what uses it; domain.ErrNotFound.
func (s *Service) HousePlace(ctx context.Context, id int64) (StopPlace, Use, error) {
	p, err := s.db.StopPlace(ctx, id)
	if err != nil {
		return p, Use{}, err
	}
	use, err := s.db.PlaceUse(ctx, id)
	return p, use, err
}

// Zones lists the time zones a place can have: those that the database and this
// program both know.
func (s *Service) Zones(ctx context.Context) ([]string, error) {
	names, err := s.db.TimeZones(ctx)
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := time.LoadLocation(name)
		return err != nil
	}), err
}

// SavePlace stores a new place, id 0, or changes one. InvalidForm: what to mend.
// *ZoneQuestion: the zone changes and trips are to depart here; ask what to keep.
// domain.ErrStale: somebody else changed it since the form's revision.
func (s *Service) SavePlace(ctx context.Context, by domain.By, id int64, form PlaceForm) (int64, error) {
	zones, err := s.Zones(ctx)
	if err != nil {
		return id, err
	}
	p, err := form.read(zones)
	if err != nil {
		return id, err
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		p.ID = id // again, when this runs again
		if id == 0 {
			p.ID, err = t.InsertPlace(ctx, p)
			if err != nil {
				return err
			}
			return t.Log(ctx, by, "place_added", subject(APlace, p.ID), nil, PlaceFormOf(p).Fields())
		}
		return changePlace(ctx, t, by, p, form.Keep)
	})
	return p.ID, taken(err, "name", "Another place has this name. Archived places count too.")
}

func changePlace(ctx context.Context, t *db.Tx, by domain.By, p StopPlace, keep string) error {
	was, err := t.StopPlace(ctx, p.ID)
	if err != nil {
		return err
	}
	if was.Revision != p.Revision {
		return domain.ErrStale
	}
	var trips []int64
	if was.TimeZone != p.TimeZone {
		if trips, err = t.LockStops(ctx, p.ID); err != nil {
			return err
		}
		if len(trips) > 0 && keep != KeepClock && keep != KeepInstant {
			return askZone(ctx, t, was, p.TimeZone, trips)
		}
	}
	done, err := t.UpdatePlace(ctx, p)
	if err == nil && !done {
		err = domain.ErrStale
	}
	if err != nil {
		return err
	}
	before, after := changed(PlaceFormOf(was).Fields(), PlaceFormOf(p).Fields())
	if len(trips) > 0 {
		if err := moveZone(ctx, t, was, p.TimeZone, trips, keep); err != nil {
			return err
		}
		after["kept"], after["trips"] = keep, strconv.Itoa(len(trips))
	}
	if len(after) == 0 {
		return nil
	}
	return t.Log(ctx, by, "place_changed", subject(APlace, p.ID), before, after)
}
