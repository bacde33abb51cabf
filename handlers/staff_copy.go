package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// copyEvents shows what copying a day or a week would make.
func (s *site) copyEvents(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	wish, err := readCopy(r.URL.Query())
	if err != nil {
		return err
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	p, err := s.Schedule.PreviewCopy(r.Context(), wish, set)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showCopy(w, r, who, wish, r.URL.Query(), http.StatusUnprocessableEntity, nil, refusal("This cannot be copied", rule.Words))
	}
	if err != nil {
		return err
	}
	return s.showCopy(w, r, who, wish, r.URL.Query(), http.StatusOK, &p, nil)
}

// makeCopy makes the drafts.
func (s *site) makeCopy(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	wish, err := readCopy(r.PostForm)
	if err != nil {
		return err
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	ids, err := s.Schedule.Copy(r.Context(), s.by(r, who), wish, set)
	var rule *domain.RuleError
	var clash *schedule.ClashError
	switch {
	case errors.As(err, &clash):
		s.note(r, http.StatusConflict, err)
		return s.showCopy(w, r, who, wish, r.PostForm, http.StatusConflict, &clash.Preview, refusal("Nothing was copied", "Something is in the way: see below."))
	case errors.As(err, &rule):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showCopy(w, r, who, wish, r.PostForm, http.StatusUnprocessableEntity, nil, refusal("Nothing was copied", rule.Words))
	case err != nil:
		return err
	}
	return s.toWeekOf(w, r, wish.To, len(ids), false)
}

// readCopy reads a copy's form. A week goes to the week that the date is in, a day to
// the date itself.
func readCopy(typed url.Values) (wish schedule.CopyWish, err error) {
	if wish.Kind, err = scheduleKind(typed.Get("kind")); err != nil {
		return wish, err
	}
	to, err := date(typed.Get("to"))
	if err != nil {
		return wish, err
	}
	from, what := typed.Get("week"), typed.Get("what")
	wish.Days = 7
	if what != "" && what != "week" {
		from, wish.Days = what, 1
	}
	day, err := date(from)
	if err != nil {
		return wish, err
	}
	if day == nil || to == nil {
		return wish, &domain.RuleError{Code: "to", Words: "Please say what to copy, and to which date."}
	}
	if wish.From, wish.To = *day, *to; wish.Days == 7 {
		wish.From, wish.To = mondayOf(*day), mondayOf(*to)
	}
	wish.Fold, wish.Skip = typed.Get("fold"), typed["skip"]
	return wish, nil
}

func (s *site) showCopy(w http.ResponseWriter, r *http.Request, who access.Staff, wish schedule.CopyWish, typed url.Values, status int, p *schedule.Preview, alert *views.Note) error {
	page, _, err := s.staffPage(r, who, "Copy "+kindNames(wish.Kind), scheduleMenu)
	if err != nil {
		return err
	}
	span := func(from time.Time) string {
		if wish.Days == 1 {
			return format.LongDay(from)
		}
		return weekName(from, wish.From)
	}
	v := views.StaffCopy{
		Page: page, Heading: "Copy " + kindNames(wish.Kind), Lede: span(wish.From) + ", copied to " + span(wish.To) + ".",
		BackURL: weekURL(mondayOf(wish.From)), Alert: alert,
	}
	if p != nil {
		c, err := s.Schedule.Choices(r.Context(), wish.Kind)
		if err != nil {
			return err
		}
		v.Preview = makingPreview(*p, typed, c.Resources, scheduleMenu+"/copy")
		v.Preview.Publish = false
	}
	s.render(w, r, status, views.StaffCopyPage(v))
	return nil
}
