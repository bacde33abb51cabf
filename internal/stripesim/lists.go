package stripesim

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// listed is one object of a list before filters and paging.
type listed struct {
	id      string
	created time.Time
	object  func() object
}

// page answers a list call: newest first, created[gte|gt|lte|lt], limit 1..100
// (10 when missing), starting_after. all is oldest first.
func page(c call, all []listed) (object, *apiError) {
	limit, given, err := integer(c.form, "limit")
	if err != nil {
		return nil, err
	}
	if !given {
		limit = 10
	}
	if limit < 1 || limit > 100 {
		return nil, invalid("limit", "Invalid limit: must be between 1 and 100")
	}
	bounds, err := readBounds(c.form)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	if after := c.form.Get("starting_after"); after != "" {
		i := slices.IndexFunc(all, func(l listed) bool { return l.id == after })
		if i < 0 {
			return nil, invalid("starting_after", "No such object: '%s'", after)
		}
		all = all[i+1:]
	}
	all = slices.DeleteFunc(all, func(l listed) bool { return !bounds.hold(l.created.Unix()) })
	data := []object{}
	for _, l := range all[:min(int(limit), len(all))] {
		data = append(data, l.object())
	}
	return object{"object": "list", "url": c.path, "has_more": len(all) > len(data), "data": data}, nil
}

// bounds are the created[…] filters of a list.
type bounds map[string]int64

func readBounds(form url.Values) (bounds, *apiError) {
	b := bounds{}
	for _, op := range []string{"gte", "gt", "lte", "lt"} {
		n, given, err := integer(form, "created["+op+"]")
		if err != nil {
			return nil, err
		}
		if given {
			b[op] = n
		}
	}
	return b, nil
}

func (b bounds) hold(created int64) bool {
	for op, n := range b {
		ok := map[string]bool{"gte": created >= n, "gt": created > n, "lte": created <= n, "lt": created < n}[op]
		if !ok {
			return false
		}
	}
	return true
}

// expands reads expand[]=… and expand[0]=….
func expands(form url.Values) []string {
	var out []string
	for k, v := range form {
		if strings.HasPrefix(k, "expand[") {
			out = append(out, v...)
		}
	}
	return out
}
