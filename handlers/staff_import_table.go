package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

func tableName(kind string) string {
	for _, k := range importKinds() {
		if k.ID == kind {
			return k.Name
		}
	}
	return kind
}

// showTable shows what a table would do.
func (s *site) showTable(w http.ResponseWriter, r *http.Request, who access.Staff, file schedule.ImportFile, status int, refused string) error {
	page, set, err := s.staffPage(r, who, tableName(file.Kind)+" from a table", importURL)
	if err != nil {
		return err
	}
	p, err := s.Schedule.TablePreview(r.Context(), file.ID, file.Kind, set)
	if err != nil {
		return err
	}
	c := p.Changes
	v := views.StaffTableImport{
		Page: page, Title: tableName(file.Kind) + " from " + p.File.Name, Lede: "Nothing is changed yet.", Back: importURL, Problems: problemRows(p.Problems),
		Tiles: []views.StaffTile{
			{Name: "Rows", Value: strconv.Itoa(c.Rows)}, {Name: "New", Value: strconv.Itoa(c.New)}, {Name: "Changed", Value: strconv.Itoa(c.Changed)},
			{Name: "Already the same", Value: strconv.Itoa(c.Same)},
		},
	}
	switch {
	case refused != "":
		v.Said = &views.Note{Tone: "bad", Title: refused, Alert: true}
	case p.Stopped:
		v.Said = &views.Note{Tone: "bad", Title: "This table cannot be imported yet", Text: []string{"The rows below have to be mended in the file. Nothing was changed; nothing of it will be, before all rows are right."}}
	case c.New+c.Changed == 0:
		v.Said = &views.Note{Tone: "ok", Title: "Everything in this table is there already", Text: []string{"Importing it would change nothing."}}
	}
	if !p.Stopped && c.New+c.Changed > 0 {
		v.Action, v.Button = importFileURL(file.ID), "Import "+format.Count(c.New+c.Changed, "row")
	}
	for _, l := range c.Lines {
		line := views.ImportLine{Row: strconv.Itoa(l.Row), Badge: views.Badge{Tone: "ok", Text: "New"}, Text: l.Text}
		if !l.New {
			line.Badge = views.Badge{Tone: "warn", Text: "Changed"}
		}
		v.Lines = append(v.Lines, line)
	}
	if c.Unshown > 0 {
		v.Unshown = fmt.Sprintf("And %d more.", c.Unshown)
	}
	s.render(w, r, status, views.StaffTableImportPage(v))
	return nil
}

func (s *site) importTable(w http.ResponseWriter, r *http.Request, who access.Staff, file schedule.ImportFile) error {
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	_, err = s.Schedule.ImportTable(r.Context(), s.by(r, who), file.ID, file.Kind, set)
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule) && rule.Code != schedule.ImportGone:
		return s.showTable(w, r, who, file, http.StatusUnprocessableEntity, rule.Words)
	case err != nil:
		return err
	}
	return seeOther(w, r, importFileURL(file.ID)+"/done")
}

// importDone says what an import did.
func (s *site) importDone(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	file, err := s.importOf(r)
	if err != nil {
		return err
	}
	page, _, err := s.staffPage(r, who, "Imported", importURL)
	if err != nil {
		return err
	}
	v := views.StaffImportDone{Page: page, Title: tableName(file.Kind) + " from " + file.Name}
	if file.Kind == "gtfs" {
		x, err := s.Schedule.FeedResult(r.Context(), file.ID)
		if err != nil {
			return err
		}
		feedDone(&v, x)
	} else {
		c, err := s.Schedule.TableResult(r.Context(), file.ID)
		if err != nil {
			return err
		}
		v.Said = views.Note{Tone: "ok", Title: "Imported", Text: []string{"All rows of the file are stored now. Sending the same file again changes nothing."}}
		v.Tiles = []views.StaffTile{{Name: "New", Value: strconv.Itoa(c.New)}, {Name: "Changed", Value: strconv.Itoa(c.Changed)}, {Name: "Already the same", Value: strconv.Itoa(c.Same)}}
	}
	v.Links = []views.Link{{Text: "Import something else", URL: importURL}}
	s.render(w, r, http.StatusOK, views.StaffImportDonePage(v))
	return nil
}
