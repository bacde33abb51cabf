package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

var errNoRoute = domain.ErrNotFound

// unavailable marks a failed read or write of the session store.
func unavailable(err error) error {
	if errors.Is(err, domain.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
}

// pathID reads a number of the path; anything else is not found.
func pathID(r *http.Request, name string) (int64, error) {
	text := r.PathValue(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != text {
		return 0, fmt.Errorf("%s %q: %w", name, text, domain.ErrNotFound)
	}
	return id, nil
}

// parseForm reads a form of at most formBytes.
func parseForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return err
		}
		return fmt.Errorf("%w: %w", errBadRequest, err)
	}
	for name, values := range r.PostForm {
		if !isText(name) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) { // nobody types it
			return fmt.Errorf("%w: a field that is no text", errBadRequest)
		}
	}
	return nil
}

// revision is the one that a form was opened at; what is no number fits nothing stored.
func revision(form url.Values) int { return revisionOf(form.Get("revision")) }

func revisionOf(text string) int {
	n, err := strconv.ParseInt(text, 10, 32) // as wide as the column
	if err != nil {
		return 0
	}
	return int(n)
}

// ride reads from and to; nil when neither is given. Half a pair or what is not a
// stop number is a refusal in words.
func ride(get func(string) string) (*domain.Ride, error) {
	from, to := strings.TrimSpace(get("from")), strings.TrimSpace(get("to"))
	if from == "" && to == "" {
		return nil, nil
	}
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	if errA != nil || errB != nil {
		return nil, &domain.RuleError{Code: "ride", Words: "Please choose where you get on and where you get off."}
	}
	return &domain.Ride{From: a, To: b}, nil
}

// date reads YYYY-MM-DD; nil when empty.
func date(text string) (*time.Time, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	d, err := time.Parse("2006-01-02", text)
	if err != nil || d.Year() < 2000 || d.Year() > 2100 {
		return nil, errBadDate
	}
	return &d, nil
}

var errBadDate = &domain.RuleError{Code: "date", Words: "We do not know that date. Here is today."}

// details reads the hold page's form: name, email, phone, type.<seat>, passenger.<seat>.
func details(r *http.Request) booking.Details {
	d := booking.Details{
		Name: r.PostForm.Get("name"), Email: r.PostForm.Get("email"), Phone: r.PostForm.Get("phone"),
		Types: map[string]string{}, Passengers: map[string]string{}, Women: map[string]bool{},
	}
	for key, values := range r.PostForm {
		if seat, ok := strings.CutPrefix(key, "type."); ok {
			d.Types[seat] = values[0]
		}
		if seat, ok := strings.CutPrefix(key, "passenger."); ok {
			d.Passengers[seat] = values[0]
		}
		if seat, ok := strings.CutPrefix(key, "woman."); ok {
			d.Women[seat] = values[0] != ""
		}
	}
	return d
}

// wish reads the form of the best seats. Numbers that are none become refusals later.
func wish(r *http.Request) domain.BestWish {
	n, _ := strconv.Atoi(strings.TrimSpace(r.PostForm.Get("quantity"))) // 0 is refused in words
	w := domain.BestWish{Quantity: n, Accessible: r.PostForm.Get("accessible") != "", Apart: r.PostForm.Get("apart") != ""}
	if z := strings.TrimSpace(r.PostForm.Get("zone")); z != "" {
		if w.Zone, _ = strconv.Atoi(z); w.Zone == 0 {
			w.Zone = -1 // not a zone of any house
		}
	}
	return w
}
