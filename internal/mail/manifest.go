package mail

import (
	"context"
	"fmt"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// manifest is the list of passengers for the driver, or of who sits where for the hall.
func (m *Mailer) manifest(ctx context.Context, row db.Mail) (letter, error) {
	if row.EventID == nil {
		return letter{}, noSubject(row)
	}
	e, err := m.db.Event(ctx, *row.EventID)
	if err != nil {
		return letter{}, err
	}
	o, err := m.occasion(ctx, e.ID, domain.Ride{From: 0, To: e.LastStop})
	if err != nil {
		return letter{}, err
	}
	people, err := m.db.Passengers(ctx, e.ID)
	if err != nil {
		return letter{}, err
	}
	n := domain.CountPassengers(people)
	name, who := "Admission list", "ticket"
	if o.trip() {
		name, who = "Manifest", "passenger"
	}
	subject := oneLine(name + ": " + o.headline())
	v := views.MailManifestView{
		Frame: views.MailFrame{Subject: subject}, Event: o.about(), Count: format.Count(n.Sold, who) + ", " + fmt.Sprint(n.In) + " in so far",
		AsOf: "It says what was sold when this mail left; the page below has the newest.", URL: fmt.Sprintf("%s/staff/manifest/%d", m.cfg.BaseURL, e.ID),
	}
	if e.Status == "cancelled" {
		v.Count = "Cancelled. " + v.Count
	}
	for _, g := range domain.Manifest(o.layout, len(o.stops), people) {
		v.Groups = append(v.Groups, o.manifestGroup(g))
	}
	return finish(ctx, o, subject, manifestText(v), views.MailManifest(v))
}

func (o *occasion) manifestGroup(g domain.ManifestGroup) views.MailManifestGroup {
	out := views.MailManifestGroup{Heading: "Row " + g.Row}
	if g.Section != "" {
		out.Heading = g.Section + ", row " + g.Row
	}
	if o.trip() {
		s := o.stops[g.Stop]
		out.Heading = format.Clock(format.In(s.DepartsAt, s.TimeZone)) + " " + joined(s.Place, s.Address) + ": " + fmt.Sprintf("%d on, %d off", len(g.People), g.Off)
	}
	for _, p := range g.People {
		to := ""
		if o.trip() {
			to = "to " + o.stops[p.ToStop].Place
		}
		line := joined(o.where(p.SeatNo)+":", oneLine(p.Name), p.TypeName, to, oneLine(p.Phone), domain.ShowReference(p.Reference), oneLine(p.Note()))
		out.People = append(out.People, strings.Replace(line, ":,", ":", 1))
	}
	return out
}

func manifestText(v views.MailManifestView) string {
	var p plain
	p.par(v.Frame.Subject)
	p.event(v.Event)
	p.par(v.Count, v.AsOf)
	for _, g := range v.Groups {
		p.par(append([]string{g.Heading}, g.People...)...)
	}
	if len(v.Groups) == 0 {
		p.par(v.Nobody())
	}
	p.par("The list as it is now:", v.URL)
	return p.sign(v.Frame)
}
