package stripesim

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed pages/*.html
var pageFiles embed.FS

type pages struct{ pay, over, control *template.Template }

func loadPages() pages {
	load := func(name string) *template.Template {
		return template.Must(template.ParseFS(pageFiles, "pages/frame.html", "pages/"+name))
	}
	return pages{pay: load("pay.html"), over: load("over.html"), control: load("control.html")}
}

// frame is what every page has.
type frame struct {
	Title       string
	Venue       string
	Stylesheets []string
	Home        string // the control page
	Wide        bool   // tables: all the width there is
}

func (s *Sim) frame(title string) frame {
	return frame{Title: title, Venue: s.opt.Venue, Stylesheets: s.opt.StylesheetURL, Home: s.prefix + "/"}
}

type payPage struct {
	frame
	Action      string
	Description string
	Printed     string
	Amount      int64 // in the unit of prices
	Currency    string
	Declined    bool
}

type overPage struct {
	frame
	Words string
	Link  string
	Label string
}

func (s *Sim) render(w http.ResponseWriter, status int, t *template.Template, data any) {
	var buf bytes.Buffer
	if err := t.ExecuteTemplate(&buf, "frame", data); err != nil {
		s.opt.Log.Error("render the look-alike's page", "err", err)
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = buf.WriteTo(w)
}

// showPay is the hosted page: the form while the session is open, words and a
// link back afterwards.
func (s *Sim) showPay(w http.ResponseWriter, r *http.Request) {
	sess, ok := s.Session(r.PathValue("id"))
	switch {
	case !ok:
		s.render(w, http.StatusNotFound, s.pages.over, overPage{frame: s.frame("No such payment page"),
			Words: "This payment page does not exist. Nothing was charged."})
	case sess.Status == "open":
		s.renderPay(w, http.StatusOK, sess, false)
	default:
		s.renderOver(w, sess)
	}
}

func (s *Sim) renderPay(w http.ResponseWriter, status int, sess Session, declined bool) {
	s.render(w, status, s.pages.pay, payPage{
		frame: s.frame("Demo payment page"), Action: s.prefix + "/pay/" + sess.ID, Description: sess.Description,
		Printed: printed(sess.AmountTotal, sess.Currency), Amount: shownMinor(sess.AmountTotal, sess.Currency),
		Currency: strings.ToUpper(sess.Currency), Declined: declined,
	})
}

func (s *Sim) renderOver(w http.ResponseWriter, sess Session) {
	if sess.Status == "complete" {
		s.render(w, http.StatusOK, s.pages.over, overPage{frame: s.frame("Already paid"),
			Words: "This payment is complete. You do not need to pay again.", Link: back(sess.SuccessURL, sess), Label: "Go to your tickets"})
		return
	}
	s.render(w, http.StatusGone, s.pages.over, overPage{frame: s.frame("This payment page has ended"),
		Words: "The time to pay here is over. Nothing was charged.", Link: back(sess.CancelURL, sess), Label: "Back to the seller"})
}

// submitPay is the customer's button. Whether Pay still counts is decided by Pay
// itself, so that two presses or a press after the end are harmless.
func (s *Sim) submitPay(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	sess, ok := s.Session(r.PathValue("id"))
	if !ok {
		s.showPay(w, r)
		return
	}
	switch r.PostFormValue("action") {
	case "pay":
		_ = s.Pay(sess.ID) // the session's state below says what became of it
		sess, _ = s.Session(sess.ID)
		if sess.Status == "complete" {
			http.Redirect(w, r, back(sess.SuccessURL, sess), http.StatusSeeOther)
			return
		}
		s.renderOver(w, sess)
	case "decline":
		if s.Decline(sess.ID) != nil {
			s.showPay(w, r)
			return
		}
		s.renderPay(w, http.StatusPaymentRequired, sess, true)
	case "cancel":
		if sess.CancelURL == "" {
			s.showPay(w, r)
			return
		}
		http.Redirect(w, r, back(sess.CancelURL, sess), http.StatusSeeOther)
	default:
		http.Error(w, "Choose pay, decline or cancel.", http.StatusUnprocessableEntity)
	}
}

// back fills Stripe's placeholder for the session's id in a return address.
func back(address string, sess Session) string {
	return strings.ReplaceAll(address, "{CHECKOUT_SESSION_ID}", sess.ID)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
