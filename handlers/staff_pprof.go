package handlers

import (
	"context"
	"fmt"
	"net/http"
	"runtime/pprof"
	runtimetrace "runtime/trace"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/views"
)

const pprofURL = "/staff/pprof"

// profileTime is the longest a profile may run, and profileRoom what its answer may take
// on top of that.
const (
	profileTime = time.Minute
	profileRoom = 20 * time.Second
)

func profiles(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, pprofURL+"/") }

// pprofIndex leads the owner to what the program can tell of itself.
func (s *site) pprofIndex(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, _, err := s.staffPage(r, who, "Profiles", "")
	if err != nil {
		return err
	}
	var links []views.Link
	for _, l := range []views.Link{
		{Text: "Processor, 30 seconds", URL: "/profile?seconds=30"}, {Text: "Memory in use", URL: "/heap"}, {Text: "Memory since the start", URL: "/allocs"},
		{Text: "What runs, as text", URL: "/goroutine?debug=1"}, {Text: "Trace, 5 seconds", URL: "/trace?seconds=5"}, {Text: "Threads", URL: "/threadcreate"},
	} {
		links = append(links, views.Link{Text: l.Text, URL: pprofURL + l.URL})
	}
	s.render(w, r, http.StatusOK, views.StaffNoticePage(views.StaffNotice{
		Page: page, Heading: "Profiles of the running program",
		Lede: "Files for whoever looks into why it is slow or large: read them with “go tool pprof”, the trace with “go tool trace”. One is made at a time; selling goes on meanwhile.",
		Note: &views.Note{Tone: "info", Title: "What they contain", Text: []string{"Names of functions and figures; no customers and no secrets. They are for the owner alone all the same."}}, Links: links,
	}))
	return nil
}

// pprof writes one profile.
func (s *site) pprof(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	name := r.PathValue("profile")
	timed := name == "profile" || name == "trace"
	one := pprof.Lookup(name)
	if one == nil && !timed {
		return errNoRoute
	}
	seconds, err := profileSeconds(r)
	if err != nil {
		return err
	}
	debug, _ := strconv.Atoi(r.URL.Query().Get("debug"))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(seconds + profileRoom)) // a writer that cannot has no deadline either
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="holdfast-`+name+`"`)
	if !timed && debug > 0 {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Del("Content-Disposition")
	}
	switch name {
	case "profile":
		err = pprof.StartCPUProfile(w)
		if err == nil {
			wait(r.Context(), seconds)
			pprof.StopCPUProfile()
		}
	case "trace":
		err = runtimetrace.Start(w)
		if err == nil {
			wait(r.Context(), seconds)
			runtimetrace.Stop()
		}
	default:
		return one.WriteTo(w, min(debug, 1))
	}
	if err != nil { // the other may come from a debugger beside us
		h.Del("Content-Disposition")
		return fmt.Errorf("%w: %w", domain.ErrConflict, err)
	}
	return nil
}

func profileSeconds(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("seconds")
	if text == "" {
		return 30 * time.Second, nil
	}
	n, err := strconv.Atoi(text)
	if most := int(profileTime.Seconds()); err != nil || n < 1 || n > most {
		return 0, &domain.RuleError{Code: "seconds", Words: "A profile runs for 1 to " + strconv.Itoa(most) + " seconds."}
	}
	return time.Duration(n) * time.Second, nil
}

// wait waits, unless the reader goes away.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
