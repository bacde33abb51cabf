package booking

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
)

// Manifest is who travels, or who sits where, with what the driver needs beside it.
type Manifest struct {
	*DoorList
	Legs    []db.LegSeats
	Mails   []db.ManifestMail
	Address string // where it is mailed, "" for nowhere
}

// Groups are its passengers by stop or by row.
func (m *Manifest) Groups() []domain.ManifestGroup {
	return domain.Manifest(m.Scene.Layout, len(m.Scene.Stops), m.People)
}

// Manifest reads it; domain.ErrNotFound as DoorList.
func (s *Service) Manifest(ctx context.Context, eventID int64) (*Manifest, error) {
	d, err := s.DoorList(ctx, eventID)
	if err != nil {
		return nil, err
	}
	m := &Manifest{DoorList: d}
	if m.Legs, err = s.db.LegSeats(ctx, eventID); err != nil {
		return nil, err
	}
	if m.Mails, err = s.db.ManifestMails(ctx, eventID); err != nil {
		return nil, err
	}
	m.Address, err = s.db.ManifestAddress(ctx, eventID, d.Scene.Settings.ManifestEmail)
	return m, err
}

// manifestMinutes is how long before the start the list is mailed by itself.
const manifestMinutes = 30

// MailManifests mails the lists of what starts within half an hour, each once.
func (s *Service) MailManifests(ctx context.Context) error {
	set, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	due, err := s.db.ManifestsDue(ctx, manifestMinutes, set.ManifestEmail)
	if err != nil {
		return err
	}
	for _, e := range due {
		err := s.db.InTx(ctx, func(t *db.Tx) error {
			return s.queueMail(ctx, t, db.Mail{Kind: "manifest", EventID: &e.EventID, ToAddress: e.Address})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// MailManifest mails the list again because somebody asked for it, once per key. It
// returns the address. *domain.RuleError: there is none.
func (s *Service) MailManifest(ctx context.Context, eventID int64, key string, by domain.By) (string, error) {
	staff, err := staffID(by)
	if err != nil {
		return "", err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return "", err
	}
	to, err := s.db.ManifestAddress(ctx, eventID, set.ManifestEmail)
	if err != nil {
		return "", err
	}
	if to == "" {
		return "", &domain.RuleError{Code: "manifest_email", Words: "There is no address to mail it to. A manager gives the hall or coach one, or the owner the house, under Settings."}
	}
	return to, s.db.InTx(ctx, func(t *db.Tx) error {
		_, done, err := t.BeginAct(ctx, key, staff, "manifest")
		if err != nil || done {
			return err
		}
		if err := s.queueMail(ctx, t, db.Mail{Kind: "manifest_again", EventID: &eventID, ToAddress: to}); err != nil {
			return err
		}
		if err := t.Log(ctx, by, "manifest mailed", fmt.Sprintf("event:%d", eventID), nil, map[string]string{"to": to}); err != nil {
			return err
		}
		return t.EndAct(ctx, key, to)
	})
}

// WriteManifest writes the list as a table for spreadsheets. Times are the wall clock of
// the place where people come in.
func (s *Service) WriteManifest(w io.Writer, m *Manifest) error {
	header := []string{"stop", "time", "row", "seat", "name", "phone", "ticket", "from", "to", "reference", "sold", "note", "in"}
	var rows [][]string
	for _, g := range m.Groups() {
		for _, p := range g.People {
			rows = append(rows, m.tableRow(g, p))
		}
	}
	return csvfile.Write(w, header, rows)
}

func (m *Manifest) tableRow(g domain.ManifestGroup, p domain.Passenger) []string {
	o := m.Scene
	stop, at, zone, from, to := "", o.Event.StartsAt, o.Event.TimeZone, "", ""
	if len(o.Stops) > 0 {
		x := o.Stops[g.Stop]
		stop, at, zone = strconv.Itoa(g.Stop), x.DepartsAt, x.TimeZone
		from, to = x.Place, o.Stops[p.ToStop].Place
	}
	return []string{
		stop, clockIn(at, zone), g.Row, p.SeatNo, p.Name, p.Phone, p.TypeName, from, to, domain.ShowReference(p.Reference), p.Channel, p.Note(),
		map[bool]string{true: "in"}[p.In()],
	}
}

func clockIn(at time.Time, zone string) string {
	if loc, err := time.LoadLocation(zone); err == nil {
		at = at.In(loc)
	}
	return at.Format("2006-01-02 15:04")
}
