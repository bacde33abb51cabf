package schedule

import (
	"context"
	"slices"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Plan is a seat plan in a list, with its newest version.
type Plan = db.LayoutLine

// ResourceForm is a hall or coach as typed. Kind counts for new ones alone.
type ResourceForm struct {
	Kind, Name, Note, Plan, Turnaround, ManifestEmail string
	Revision                                          int
}

// ResourceFormOf is the form of a hall or coach as it is stored.
func ResourceFormOf(r Resource) ResourceForm {
	return ResourceForm{
		Kind: r.Kind, Name: r.Name, Note: r.Note, Plan: strconv.FormatInt(r.LayoutVersionID, 10),
		Turnaround: strconv.Itoa(r.TurnaroundMinutes), ManifestEmail: r.ManifestEmail, Revision: r.Revision,
	}
}

// Fields are the form's fields by name.
func (f ResourceForm) Fields() map[string]string {
	return map[string]string{"kind": f.Kind, "name": f.Name, "note": f.Note, "plan": f.Plan, "turnaround": f.Turnaround, "manifest_email": f.ManifestEmail}
}

// read checks what was typed. Plans that can be chosen are those published and fit for
// the kind; the version it has is kept even when there is a newer one.
func (f ResourceForm) read(kind string, has int64, plans []Plan) (Resource, error) {
	var bad InvalidForm
	r := Resource{
		Kind:              kind,
		Name:              bad.text("name", f.Name, 100, "Please write its name, like “Hall 1”."),
		Note:              bad.text("note", f.Note, 200, ""),
		TurnaroundMinutes: bad.number("turnaround", f.Turnaround, 0, 1440, 0),
		ManifestEmail:     bad.text("manifest_email", f.ManifestEmail, 254, ""),
		Revision:          f.Revision,
	}
	if domain.CheckSetting("manifest_email", r.ManifestEmail) != nil {
		bad.wrong("manifest_email", "Please write one e-mail address, like driver@example.org.")
	}
	if kind != "hall" && kind != "coach" {
		bad.wrong("kind", "Please choose whether it is a hall or a coach.")
	}
	r.LayoutVersionID, _ = strconv.ParseInt(f.Plan, 10, 64) // 0 is no plan
	i := slices.IndexFunc(plans, func(p Plan) bool { return p.VersionID == r.LayoutVersionID })
	switch {
	case r.LayoutVersionID == 0 || i < 0 && r.LayoutVersionID != has:
		bad.wrong("plan", "Please choose a seat plan of the list.")
	case i >= 0 && plans[i].Vehicle != (kind == "coach") && kind != "":
		bad.wrong("plan", "This plan is for the other kind: a hall needs a plan with a screen, a coach one with a driver.")
	}
	return r, bad.err()
}

// HouseResources lists halls and coaches. find "" finds all.
func (s *Service) HouseResources(ctx context.Context, find string, retired bool) ([]Resource, error) {
	return s.db.Resources(ctx, line(find), retired)
}

// HouseResource reads a hall or coach and what uses it; domain.ErrNotFound.
func (s *Service) HouseResource(ctx context.Context, id int64) (Resource, Use, error) {
	r, err := s.db.Resource(ctx, id)
	if err != nil {
		return r, Use{}, err
	}
	use, err := s.db.ResourceUse(ctx, id)
	return r, use, err
}

// Plans lists the seat plans that halls and coaches can have, in their newest version.
func (s *Service) Plans(ctx context.Context) ([]Plan, error) {
	all, err := s.db.Layouts(ctx)
	return slices.DeleteFunc(all, func(p Plan) bool { return p.VersionID == 0 }), err
}

// SaveResource stores a new hall or coach, id 0, or changes one. A change of its plan
// or turnaround is for events made from now on; those that exist keep theirs.
// InvalidForm: what to mend. domain.ErrStale: somebody else changed it since the
// form's revision.
func (s *Service) SaveResource(ctx context.Context, by domain.By, id int64, form ResourceForm) (int64, error) {
	plans, err := s.Plans(ctx)
	if err != nil {
		return id, err
	}
	saved := id
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		var was Resource
		if id != 0 {
			if was, err = t.Resource(ctx, id); err != nil {
				return err
			}
			form.Kind = was.Kind
		}
		r, err := form.read(form.Kind, was.LayoutVersionID, plans)
		if err != nil {
			return err
		}
		r.ID = id
		saved, err = storeResource(ctx, t, by, was, r)
		return err
	})
	return saved, taken(err, "name", "Another one has this name. Those retired count too.")
}

func storeResource(ctx context.Context, t *db.Tx, by domain.By, was, r Resource) (int64, error) {
	after := ResourceFormOf(r).Fields()
	if r.ID == 0 {
		id, err := t.InsertResource(ctx, r)
		if err != nil {
			return 0, err
		}
		return id, t.Log(ctx, by, "resource_added", subject(AResource, id), nil, after)
	}
	done, err := t.UpdateResource(ctx, r)
	if err == nil && !done {
		err = domain.ErrStale
	}
	if err != nil {
		return r.ID, err
	}
	before, after := changed(ResourceFormOf(was).Fields(), after)
	if len(after) == 0 {
		return r.ID, nil
	}
	return r.ID, t.Log(ctx, by, "resource_changed", subject(AResource, r.ID), before, after)
}
