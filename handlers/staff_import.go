package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

const importURL = "/staff/import"

// importTime is how long a file of the allowed size may take on a slow line, and an
// import to be made.
const importTime = 10 * time.Minute

// staffImport offers every kind of file.
func (s *site) staffImport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showImport(w, r, who, http.StatusOK, "", "")
}

func (s *site) showImport(w http.ResponseWriter, r *http.Request, who access.Staff, status int, kind, words string) error {
	page, _, err := s.staffPage(r, who, "Import and export", importURL)
	if err != nil {
		return err
	}
	v := views.StaffImport{Page: page, Kinds: importKinds()}
	for i := range v.Kinds {
		if v.Kinds[i].ID == kind {
			v.Kinds[i].Error = words
		}
	}
	s.render(w, r, status, views.StaffImportPage(v))
	return nil
}

func importKinds() []views.ImportKind {
	table := func(id, name, lede string) views.ImportKind {
		return views.ImportKind{ID: id, Name: name, Lede: lede, Accept: ".csv,.tsv,.txt,text/csv", Action: importURL + "/" + id, Links: []views.Link{
			{Text: "Template", URL: importURL + "/templates/" + id}, {Text: "Export what is stored", URL: importURL + "/exports/" + id}}}
	}
	return []views.ImportKind{
		{ID: "gtfs", Name: "Timetable", Accept: ".zip,application/zip", Action: importURL + "/gtfs",
			Lede:  "A GTFS feed, the zip in which bus companies publish routes, stops and departures; up to 64 MB. Sending a newer edition later changes what changed and doubles nothing.",
			Links: []views.Link{{Text: "Export our departures as GTFS", URL: importURL + "/exports/gtfs"}}},
		table("films", "Films", "A CSV table. A film is known by its title and version."),
		table("screenings", "Screenings", "A CSV table with the hall’s own wall clock. Screenings that are there already stay as they are."),
		table("fares", "Prices", "A CSV table, one row for each price. Lists that are not there yet are made."),
	}
}

// uploadImport keeps a file and goes on to what it would do.
func (s *site) uploadImport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	kind, ok := importKindOf(r.PathValue("kind"))
	if !ok {
		return errNoRoute
	}
	s.takeTime(w)
	id, err := s.receive(r, who, kind)
	var rule *domain.RuleError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return s.showImport(w, r, who, http.StatusRequestEntityTooLarge, kind, "The file is larger than 64 MB. Nothing was changed.")
	case errors.As(err, &rule):
		return s.showImport(w, r, who, http.StatusUnprocessableEntity, kind, rule.Words)
	case err != nil:
		return err
	}
	return seeOther(w, r, importFileURL(id))
}

// takeTime lets a request take longer than ordinary pages may. Where the connection has
// no such limits there is nothing to lift.
func (s *site) takeTime(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	end := time.Now().Add(importTime)
	if err := errors.Join(c.SetReadDeadline(end), c.SetWriteDeadline(end)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.Log.Warn("an import keeps the ordinary time limits", "error", err.Error())
	}
}

func importKindOf(text string) (string, bool) {
	for _, k := range importKinds() {
		if k.ID == text {
			return text, true
		}
	}
	return "", false
}

// receive reads the form's one file as it comes in, without keeping it whole.
func (s *site) receive(r *http.Request, who access.Staff, kind string) (int64, error) {
	noFile := &domain.RuleError{Code: "file", Words: "Please choose a file."}
	form, err := r.MultipartReader()
	if err != nil {
		return 0, noFile
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return 0, noFile
		}
		if err != nil {
			return 0, unreadableForm(err)
		}
		if part.FormName() != "file" {
			continue
		}
		if part.FileName() == "" {
			return 0, noFile
		}
		id, err := s.Schedule.StoreImport(r.Context(), s.by(r, who), kind, part.FileName(), formPart{part})
		return id, err
	}
}

// formPart tells a broken upload from trouble of ours.
type formPart struct{ *multipart.Part }

// Read reads on.
func (p formPart) Read(b []byte) (int, error) {
	n, err := p.Part.Read(b)
	if err != nil && err != io.EOF {
		err = unreadableForm(err)
	}
	return n, err
}

func unreadableForm(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return fmt.Errorf("%w: %w", errBadRequest, err)
}

// importTemplate is an empty table.
func (s *site) importTemplate(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	var b bytes.Buffer
	if err := s.Schedule.TableTemplate(&b, r.PathValue("kind")); err != nil {
		return err
	}
	download(w, r.PathValue("kind")+"-template.csv", "text/csv; charset=utf-8", b.Bytes())
	return nil
}

// exportFile is what is stored, in the form that it can be imported in.
func (s *site) exportFile(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if kind := r.PathValue("kind"); kind != "gtfs" {
		if err := s.Schedule.ExportTable(r.Context(), &b, kind, set); err != nil {
			return err
		}
		download(w, kind+".csv", "text/csv; charset=utf-8", b.Bytes())
		return nil
	}
	if err := s.Schedule.ExportFeed(r.Context(), &b, set, s.BaseURL); err != nil {
		return err
	}
	download(w, "gtfs.zip", "application/zip", b.Bytes())
	return nil
}

func download(w http.ResponseWriter, name, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // a reader that went away is nobody's error
}

func importFileURL(id int64) string { return importURL + "/files/" + strconv.FormatInt(id, 10) }

// importPreview shows what a file would do.
func (s *site) importPreview(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	file, err := s.importOf(r)
	if err != nil {
		return err
	}
	s.takeTime(w)
	if file.Kind == "gtfs" {
		return s.showFeed(w, r, who, file, http.StatusOK, feedForm{get: r.URL.Query().Get})
	}
	return s.showTable(w, r, who, file, http.StatusOK, "")
}

// doImport does it.
func (s *site) doImport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	file, err := s.importOf(r)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	s.takeTime(w)
	if file.Kind == "gtfs" {
		return s.importFeed(w, r, who, file)
	}
	return s.importTable(w, r, who, file)
}

func (s *site) importOf(r *http.Request) (schedule.ImportFile, error) {
	id, err := pathID(r, "import")
	if err != nil {
		return schedule.ImportFile{}, err
	}
	return s.Schedule.ImportFile(r.Context(), id)
}

// problemRows puts what is wrong with a file into words.
func problemRows(list []schedule.ImportProblem) views.ImportProblems {
	stops := 0
	v := views.ImportProblems{Head: "What was noticed"}
	for _, p := range list {
		row := views.ImportProblem{File: p.File, Words: p.Words}
		switch p.Level {
		case schedule.ProblemStops:
			stops++
			row.Badge = views.Badge{Tone: "bad", Text: "Stops the import"}
		case schedule.ProblemLeftOut:
			row.Badge = views.Badge{Tone: "warn", Text: "Left out"}
		default:
			row.Badge = views.Badge{Text: "To know"}
		}
		if p.Count > 1 {
			row.Count = format.Count(p.Count, "time")
			if p.Count > len(p.Examples) {
				row.Count += ", for instance"
			}
		}
		for _, x := range p.Examples {
			text := x.Text
			if x.Row > 0 {
				text = "row " + strconv.Itoa(x.Row)
				if x.Text != "" {
					text += ": " + x.Text
				}
			}
			if text != "" {
				row.Examples = append(row.Examples, text)
			}
		}
		v.Rows = append(v.Rows, row)
	}
	if stops > 0 {
		v.Head = "What has to be mended first"
	}
	return v
}
