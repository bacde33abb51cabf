package main

import (
	"archive/zip"
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// terminal is a world with a coach plan, a hall and staff.
func terminal(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(d *db.DB) {
		dbtest.Trip(t, d, 2, 2)
		dbtest.Screening(t, d, 2, 3)
		hire(t, d)
	}, nil)
}

// coaches is a feed of one coach a day from the day after tomorrow on, for a week.
func coaches(t testing.TB, change map[string]string) []byte {
	t.Helper()
	first := time.Now().AddDate(0, 0, 2)
	files := map[string]string{
		"agency.txt":     "agency_id,agency_name,agency_timezone\nX,Coaches,Europe/Rome\n",
		"stops.txt":      "stop_id,stop_name\nA,Aosta\nB,Bari\nC,Como\n",
		"routes.txt":     "route_id,agency_id,route_short_name,route_long_name\nR,X,12,Coast Line\n",
		"trips.txt":      "route_id,service_id,trip_id\nR,S,T\nR,S,U\n",
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,8:00:00,8:00:00,A,1\nT,9:00:00,9:00:00,B,2\nT,10:00:00,10:00:00,C,3\nU,8:00:00,8:00:00,A,1\nU,9:00:00,9:00:00,Z,2\n",
		"calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nS,1,1,1,1,1,1,1," +
			first.Format("20060102") + "," + first.AddDate(0, 0, 6).Format("20060102") + "\n",
	}
	for name, text := range change {
		files[name] = text
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// upload sends a file as the import page's form does.
func (b *browser) upload(w *world, kind, name string, body io.Reader) *page {
	b.t.Helper()
	in, out := io.Pipe()
	form := multipart.NewWriter(out)
	go func() {
		part, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = io.Copy(part, body)
		}
		if err == nil {
			err = form.Close()
		}
		out.CloseWithError(err)
	}()
	res, err := b.Post(w.URL+"/staff/import/"+kind, form.FormDataContentType(), in)
	in.Close()
	return b.read(res, err)
}

func TestImportTimetable(t *testing.T) {
	t.Parallel()
	w := terminal(t)
	b := w.as(t, "manager")
	b.get(w.URL+"/staff/import").want(200).says("Timetable", "Films", "Screenings", "Prices")
	p := b.follow(b.upload(w, "gtfs", `C:\feeds\coaches.zip`, bytes.NewReader(coaches(t, nil))).want(303)).want(200)
	p.says("Timetable from coaches.zip", "all are used", "of 2 in the feed", "row 6: trip U, stop Z", "7 new", "12 Coast Line: Aosta – Como")
	w.wantCount(t, 0, "places WHERE external_id IS NOT NULL") // nothing is changed by looking

	// Another last day; then without a plan.
	from := p.form("/staff/import/files/1").values.Get("from")
	narrow := b.get(p.url.String() + "?from=" + from + "&until=" + from).want(200)
	narrow.says("0 departures between these days")
	b.get(p.url.String() + "?from=yesterday").want(422).says("That is not a date.")
	b.get(p.url.String() + "?from=2027-01-02&until=2027-01-01").want(422).says("The last day is before the first one.")

	post := func(change url.Values) *page {
		for _, n := range p.all("form", "method", "post") {
			if action, _ := attribute(n, "action"); strings.HasSuffix(action, "/files/1") {
				f := &form{action: action, method: "post", values: url.Values{}}
				for c := range n.Descendants() {
					f.add(c)
				}
				return b.submit(p, f, change, "")
			}
		}
		t.Fatal("no form to import")
		return nil
	}
	bad := post(url.Values{"layout": {"999"}, "publish": {"yes"}}).want(422).says("Please choose the coach plan")
	if len(bad.all("input", "checked", "")) != 1 || len(bad.all("select", "aria-invalid", "true")) != 1 {
		t.Error("what was chosen is lost, or no field is marked")
	}
	done := b.follow(post(url.Values{"publish": {"yes"}}).want(303)).want(200).says("Imported", "New departures 7", "New stops 3")
	w.wantCount(t, 7, "events WHERE external_id IS NOT NULL AND status = 'published'")
	b.get(done.url.String()).want(200)
	p = b.get(w.URL + "/staff/import/files/1").want(200).says("7 there already")
	b.follow(post(nil).want(303)).says("New departures 0", "There already 7")
	w.wantCount(t, 7, "events WHERE external_id IS NOT NULL")
	w.wantCount(t, 2, "audit_log WHERE action = 'feed_imported' AND actor LIKE 'staff:%'")

	feed := b.get(w.URL + "/staff/import/exports/gtfs").want(200)
	if feed.header.Get("Content-Type") != "application/zip" {
		t.Errorf("the export is %s", feed.header.Get("Content-Type"))
	}
	p = b.follow(b.upload(w, "gtfs", "own.zip", strings.NewReader(feed.body)).want(303)).want(200).says("Timetable from own.zip")
}

// Whatever is sent: words, never a 500, and nothing changed.
func TestImportBrokenFiles(t *testing.T) {
	t.Parallel()
	w := terminal(t)
	b := w.as(t, "manager")
	for name, test := range map[string]struct {
		kind, says string
		body       []byte
	}{
		"no zip":  {"gtfs", "not a zip", []byte("hello")},
		"NUL":     {"gtfs", "row 3: it has a NUL byte", coaches(t, map[string]string{"stops.txt": "stop_id,stop_name\nA,Aosta\nB,Ba\x00ri\n"})},
		"Mars":    {"gtfs", "Mars/Pluto", coaches(t, map[string]string{"agency.txt": "agency_id,agency_name,agency_timezone\nX,x,Mars/Pluto\n"})},
		"path":    {"gtfs", "points outside the zip", coaches(t, map[string]string{"../../etc/passwd": "x"})},
		"cut off": {"gtfs", "not a zip", coaches(t, nil)[:700]},
		"table":   {"films", "A column is missing", []byte("a,b\n1,2\n")},
		"bytes":   {"screenings", "cannot be read", []byte("\xFF\xFE\x00")},
		"xlsx":    {"fares", "spreadsheet", []byte("PK\x03\x04")},
	} {
		p := b.follow(b.upload(w, test.kind, name, bytes.NewReader(test.body)).want(303)).want(200)
		p.says(test.says)
		for _, n := range p.all("form", "method", "post") {
			if action, _ := attribute(n, "action"); strings.HasPrefix(action, "/staff/import/files/") {
				t.Errorf("%s can be imported", name)
			}
		}
		b.post(p.url.String(), url.Values{}).want(422)
	}
	b.upload(w, "films", "empty.csv", strings.NewReader("")).want(422).says("none came, or it is empty")
	b.post(w.URL+"/staff/import/films", url.Values{"file": {"x"}}).want(422).says("Please choose a file.")
	b.upload(w, "poems", "x", strings.NewReader("x")).want(404)
	b.get(w.URL + "/staff/import/files/9999").want(404)
	b.get(w.URL + "/staff/import/files/1/done").want(404)
	b.get(w.URL + "/staff/import/exports/poems").want(404)
	w.wantCount(t, 0, "places WHERE external_id IS NOT NULL")
	w.wantCount(t, 0, "imports WHERE bytes IS NULL")

	// Kept for a day.
	w.exec(`UPDATE imports SET created_at = now() - interval '25 hours'`)
	b.upload(w, "films", "x.csv", strings.NewReader("title,runtime_min\nX,90\n")).want(303)
	b.get(w.URL + "/staff/import/files/1").want(422).says("please send it again")
	w.wantCount(t, 1, "import_parts")
}

func TestImportTooLarge(t *testing.T) {
	t.Parallel()
	w := terminal(t)
	b := w.as(t, "manager")
	res, err := b.Post(w.URL+"/staff/import/gtfs", "multipart/form-data; boundary=x", io.MultiReader(
		strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"big.zip\"\r\n\r\n"), io.LimitReader(zeros{}, 65<<20), strings.NewReader("\r\n--x--\r\n")))
	if err == nil { // the connection may also be closed while the rest is still being sent
		b.read(res, nil).want(http.StatusRequestEntityTooLarge).says("larger than 64 MB")
	}
	w.eventually("nothing is kept", `SELECT NOT EXISTS (SELECT 1 FROM import_parts)`)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestImportTables(t *testing.T) {
	t.Parallel()
	w := terminal(t)
	b := w.as(t, "manager")
	for _, kind := range []string{"films", "screenings", "fares"} {
		template := b.get(w.URL + "/staff/import/templates/" + kind).want(200)
		if !strings.HasPrefix(template.header.Get("Content-Disposition"), "attachment") || !strings.HasPrefix(template.body, "\uFEFF") {
			t.Errorf("%s: %v", kind, template.header)
		}
	}
	p := b.follow(b.upload(w, "films", "films.csv", strings.NewReader("title;runtime_min\nNew Film;90\n;1\n")).want(303)).want(200)
	p.says("cannot be imported yet", "row 3", "A film needs a title.")
	p = b.follow(b.upload(w, "films", "films.csv", strings.NewReader("title;runtime_min\nNew Film;90\n")).want(303)).want(200).says("Import 1 row", "New Film, 90 min")
	b.follow(b.submit(p, p.form(p.url.Path), nil, "").want(303)).want(200).says("Imported", "New 1")
	w.wantCount(t, 1, "films WHERE title = 'New Film'")
	out := b.get(w.URL + "/staff/import/exports/films").want(200)
	b.follow(b.upload(w, "films", "films.csv", strings.NewReader(out.body)).want(303)).want(200).says("Everything in this table is there already")
}

func TestImportIsForManagers(t *testing.T) {
	t.Parallel()
	w := terminal(t)
	b := w.as(t, "cashier")
	b.get(w.URL + "/staff/import").want(403)
	b.upload(w, "gtfs", "x.zip", bytes.NewReader(coaches(t, nil))).want(403)
	b.get(w.URL + "/staff/import/exports/films").want(403)
	w.wantCount(t, 0, "imports")
}

// A person on a phone, without JavaScript: send, look, choose, import.
func TestBrowserImport(t *testing.T) {
	t.Parallel()
	w := terminal(t)
	checker := axe(t)
	file := filepath.Join(t.TempDir(), "coaches.zip")
	if err := os.WriteFile(file, coaches(t, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, chromium(t), w)
	b.open("/staff/login", 200)
	b.fill("#email", "manager@house.example")
	b.fill("#password", staffPassword)
	b.press("main .btn", 200)
	b.size(360, 740)
	b.open("/staff/import", 200)
	b.sound("import", checker)
	b.scripts(false)
	b.open("/staff/import", 200)
	b.attach("#gtfs", file)
	b.press("form[action$='/gtfs'] .btn", 200)
	b.says("Timetable from coaches.zip", "row 6: trip U, stop Z")
	preview := b.path()
	b.press("main form[method=post] .btn", 200)
	b.says("Imported", "New departures")
	done := b.path()
	b.scripts(true)
	for name, path := range map[string]string{"preview": preview, "done": done} {
		b.open(path, 200)
		eval[any](b, `document.querySelectorAll('details').forEach(d => d.open = true)`)
		b.sound(name, checker)
	}
	w.wantCount(t, 7, "events WHERE external_id IS NOT NULL")
}

// attach chooses a file in a file field.
func (b *tab) attach(css, file string) {
	b.t.Helper()
	field := tell(b, runtime.Evaluate, runtime.EvaluateParams{Expression: `document.querySelector(` + quoted(css) + `)`})
	tell(b, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, ObjectID: field.Result.ObjectID})
}
