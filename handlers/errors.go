package handlers

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"holdfast/internal/domain"
	"holdfast/views"
)

// answer is what the public hears of an error.
type answer struct {
	status              int
	heading, lede, safe string
	retry               bool // the same address may well work in a moment
}

const nothingCharged = "Seats you hold stay held. Nothing was charged by this page. Tickets you bought are valid."

// answerTo is the one table from errors to status and words.
func answerTo(err error) answer {
	var rule *domain.RuleError
	var conflict *domain.SeatConflict
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &rule):
		return answer{422, "That is not possible", rule.Words, "Nothing was changed and nothing was charged.", false}
	case errors.As(err, &conflict):
		return answer{409, "These seats were just taken", "Somebody else was faster. Please choose others.", "Nothing is held and nothing was charged.", false}
	case errors.As(err, &large):
		return answer{413, "That was too much", "What was sent is larger than anything this page takes.", "Nothing was changed.", false}
	case errors.Is(err, errBadRequest):
		return answer{400, "We could not read that", "The form or the link was not complete. Please go back and try again.", "Nothing was changed.", false}
	case errors.Is(err, errForbidden):
		return answer{403, "That came from another page", "For your safety we only take forms from our own pages. Please open the page again here and repeat it.", "Nothing was changed.", false}
	case errors.Is(err, errMethod):
		return answer{405, "This page does not take that", "The address is right, but not for this kind of request.", "Nothing was changed.", false}
	case errors.Is(err, domain.ErrHoldEnded):
		return answer{410, "This hold has ended", "The time for these seats is over, or they were given back.", "Nothing was charged.", false}
	case errors.Is(err, domain.ErrNoExtensions):
		return answer{409, "No more time can be added", "This hold was extended as often as the house allows.", "Your seats are still held until the time shown.", false}
	case errors.Is(err, domain.ErrSalesClosed):
		return answer{422, "Online sales are closed", "Seats for this one cannot be booked online any more.", "Nothing is held and nothing was charged.", false}
	case errors.Is(err, domain.ErrNoShift):
		return answer{409, "Your till is not open", "Open your shift with its float first; then money can be taken and paid out.", "Nothing was sold and nothing was changed.", false}
	case errors.Is(err, domain.ErrConflict):
		return answer{409, "That does not go together any more", "What you sent belongs to something that has changed or was done already. Please open the page again and look.", "Nothing was changed.", false}
	case errors.Is(err, domain.ErrStale):
		return answer{409, "Somebody else changed this meanwhile", "The page you sent was opened before that change. Please open it again, look at what is there now, and repeat yours.", "Nothing was overwritten.", false}
	case errors.Is(err, domain.ErrOverlap):
		return answer{409, "That hall or coach is taken then", "Another event uses it at that time, the turnaround after it included. Please choose another time, or another hall or coach.", "Nothing was changed.", false}
	case errors.Is(err, domain.ErrBusy), errors.Is(err, domain.ErrAlreadyPaid):
		return answer{409, "Very busy right now", "Many people are choosing seats at the same moment. Please try again.", nothingCharged, true}
	case errors.Is(err, domain.ErrPaymentsOff):
		return answer{503, "Online payment is not set up", "This house cannot take payments online at the moment.", nothingCharged, false}
	case errors.Is(err, domain.ErrGateway), errors.Is(err, domain.ErrGatewayRefused):
		return answer{503, "The payment page does not answer", "Our payment provider cannot be reached just now. Please try again in a minute.", "Your seats are kept while we find out. Please do not pay a second time elsewhere.", true}
	case errors.Is(err, domain.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return answer{503, "We cannot reach our seat records", "This is our fault, not yours. We would rather show nothing than something wrong.", nothingCharged, true}
	case errors.Is(err, domain.ErrNotFound):
		return answer{404, "There is no page here", "The link may be old, or a letter is missing.", "Your bookings are not affected.", false}
	}
	return answer{500, "Something went wrong on our side", "It was written down with the number below. Please try again; if it stays, call us.", nothingCharged, true}
}

var (
	errBadRequest = errors.New("bad request")
	errForbidden  = errors.New("cross-site request")
	errMethod     = errors.New("method not allowed")
)

// fail writes the page for an error.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(r.Context().Err(), context.Canceled) {
		return // the reader went away
	}
	a := answerTo(err)
	s.note(r, a.status, err)
	if a.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	retry := ""
	if a.retry && r.Method == http.MethodGet {
		retry = r.URL.RequestURI()
	}
	page, ok := s.pages.quiet(r)
	if !ok && a.status == http.StatusServiceUnavailable {
		s.render(w, r, a.status, views.Unavailable(page.CSS, retry, requestID(r)))
		return
	}
	page.Title = a.heading
	next := []views.Link{{Text: "See what’s on", URL: "/"}, {Text: "Find my booking", URL: "/find"}}
	if r.URL.Path == "/staff" || strings.HasPrefix(r.URL.Path, "/staff/") {
		next = []views.Link{{Text: "To your start page", URL: "/staff"}}
		if a.status == http.StatusNotFound {
			a.lede, a.safe = "The link may be old, or what it led to was deleted.", "Nothing was changed."
		}
	}
	if retry != "" {
		next = append([]views.Link{{Text: "Try again", URL: retry}}, next[:1]...)
	}
	s.render(w, r, a.status, views.Error(views.ErrorView{
		Page: page, Status: a.status, Heading: a.heading, Lede: a.lede, Safe: a.safe, Next: next, RequestID: requestID(r),
	}))
}
