package access_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/access"
	"holdfast/internal/domain"
)

const (
	password = "tomato-bicycle-lamp"
	pin      = "290718"
)

// staffed is a service with an owner who signed in and has a PIN, and a cashier.
func staffed(t *testing.T) (*access.Service, *db.DB, access.Staff, int64) {
	t.Helper()
	d := dbtest.New(t)
	s, err := access.New(d, "secret of the test, long enough for it")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := s.CreateOwner(ctx, domain.By{Actor: "test"}, "olga@house.example", password); err != nil {
		t.Fatal(err)
	}
	who, err := s.SignIn(ctx, "olga@house.example", password, "", "10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetPIN(ctx, who, pin, password, "10.0.0.1"); err != nil {
		t.Fatal(err)
	}
	id, first, err := s.AddAccount(ctx, who, access.Profile{Email: "carla@house.example", Name: "Carla", Role: access.Cashier}, "")
	if err != nil {
		t.Fatal(err)
	}
	carla, err := s.SignIn(ctx, "carla@house.example", first, "", "10.0.0.2")
	if err != nil || !carla.MustChange {
		t.Fatal(err, carla)
	}
	if _, err := s.Supervise(ctx, "carla@house.example", first, access.Cashier, "x"); !errors.Is(err, access.ErrRefused) {
		t.Errorf("with a first password: %v", err)
	}
	if err := s.ChangePassword(ctx, carla, first, "rain over the viaduct", "10.0.0.2"); err != nil {
		t.Fatal(err)
	}
	return s, d, who, id
}

func TestSupervise(t *testing.T) {
	t.Parallel()
	s, d, olga, _ := staffed(t)
	number := strconv.FormatInt(olga.ID, 10)
	for _, c := range []struct {
		whom, secret string
		need         access.Role
		want         error
	}{
		{"olga@house.example", pin, access.Manager, nil},
		{" Olga@House.example ", password, access.Owner, nil},
		{number, pin, access.Owner, nil},
		{number, "111111", access.Manager, access.ErrRefused},
		{number, "", access.Manager, access.ErrRefused},
		{"nobody@house.example", pin, access.Manager, access.ErrRefused},
		{"999999", pin, access.Manager, access.ErrRefused},
		{"carla@house.example", "rain over the viaduct", access.Cashier, nil},
		{"carla@house.example", "rain over the viaduct", access.Manager, access.ErrRole},
		{"carla@house.example", "2907", access.Cashier, access.ErrRefused}, // has no PIN
	} {
		who, err := s.Supervise(t.Context(), c.whom, c.secret, c.need, "till")
		if !errors.Is(err, c.want) || err == nil && (who.ID == 0 || who.SignIn != 0) {
			t.Errorf("%s with %q for %s: %v %+v, want %v", c.whom, c.secret, c.need, err, who, c.want)
		}
	}
	if _, err := d.Pool().Exec(t.Context(), `UPDATE staff SET disabled_at = now() WHERE id = $1`, olga.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Supervise(t.Context(), number, pin, access.Manager, "till"); !errors.Is(err, access.ErrRefused) {
		t.Errorf("switched off: %v", err)
	}
}

// Ten wrong PINs in a row, at whatever pace, switch the PIN off; the password still works.
func TestSuperviseLimits(t *testing.T) {
	t.Parallel()
	s, d, olga, _ := staffed(t)
	ctx := t.Context()
	later := func() {
		t.Helper()
		if _, err := d.Pool().Exec(context.WithoutCancel(ctx), `UPDATE login_failures SET at = at - interval '16 minutes'`); err != nil {
			t.Fatal(err)
		}
	}
	try := func(secret string) error {
		_, err := s.Supervise(ctx, "olga@house.example", secret, access.Manager, "till")
		return err
	}
	for range 9 {
		if err := try("0000"); !errors.Is(err, access.ErrRefused) {
			t.Fatal(err)
		}
	}
	if err := try(pin); err != nil { // the right one forgives
		t.Fatal(err)
	}
	for range 10 {
		if err := try("0000"); !errors.Is(err, access.ErrRefused) {
			t.Fatal(err)
		}
	}
	if err := try(pin); !errors.Is(err, access.ErrTooMany) {
		t.Errorf("the eleventh in a quarter of an hour: %v", err)
	}
	later()
	if err := try(pin); !errors.Is(err, access.ErrRefused) {
		t.Errorf("after ten wrong ones in a row the PIN still works: %v", err)
	}
	if err := try(password); err != nil {
		t.Errorf("the password: %v", err)
	}
	if err := try(pin); !errors.Is(err, access.ErrRefused) {
		t.Errorf("the password brought the PIN back: %v", err)
	}
	if err := s.SetPIN(ctx, olga, pin, password, ""); err != nil {
		t.Fatal(err)
	}
	if err := try(pin); err != nil {
		t.Errorf("set anew: %v", err)
	}
}
