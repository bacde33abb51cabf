package access_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"holdfast/internal/access"
)

// After the password nobody is in: a signing-in that waits for its code loads nobody, is
// listed nowhere and cannot be passed twice.
func TestPasswordAloneOpensNothing(t *testing.T) {
	t.Parallel()
	s, d, olga, _ := staffed(t)
	ctx := t.Context()
	if err := s.StartTwoStep(ctx, olga, "Rex"); err != nil {
		t.Fatal(err)
	}
	setup, err := s.PendingTwoStep(ctx, olga)
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(setup.Secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	recovery, err := s.TurnOnTwoStep(ctx, olga, password, code, "")
	if err != nil {
		t.Fatal(err)
	}
	half, err := s.SignIn(ctx, olga.Email, password, "", "10.0.0.3")
	if !errors.Is(err, access.ErrCodeNeeded) || half.SignIn == 0 {
		t.Fatalf("%+v, %v", half, err)
	}
	if who, err := s.Load(ctx, half.SignIn); !errors.Is(err, access.ErrSignedOut) {
		t.Errorf("the password alone loads %+v, %v", who, err)
	}
	me, err := s.Me(ctx, olga)
	if err != nil || len(me.Open) != 1 || me.CodesLeft != 10 {
		t.Errorf("%+v, %v", me, err)
	}
	if _, err := s.EnterCode(ctx, half.SignIn, recovery[0], ""); err != nil {
		t.Fatal(err)
	}
	if who, err := s.Load(ctx, half.SignIn); err != nil || who.ID != olga.ID || !who.TwoStep {
		t.Errorf("%+v, %v", who, err)
	}
	if _, err := s.EnterCode(ctx, half.SignIn, recovery[1], ""); !errors.Is(err, access.ErrSignedOut) {
		t.Errorf("passed twice: %v", err)
	}

	// Switched off between the two steps.
	half, err = s.SignIn(ctx, olga.Email, password, "", "")
	if !errors.Is(err, access.ErrCodeNeeded) {
		t.Fatal(err)
	}
	if _, err := d.Pool().Exec(ctx, `UPDATE staff SET disabled_at = now() WHERE id = $1`, olga.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EnterCode(ctx, half.SignIn, recovery[2], ""); !errors.Is(err, access.ErrSignedOut) {
		t.Errorf("switched off: %v", err)
	}
}

// A code that many send at once lets one in.
func TestCodeOnceAtOnce(t *testing.T) {
	t.Parallel()
	s, _, olga, _ := staffed(t)
	ctx := t.Context()
	if err := s.StartTwoStep(ctx, olga, "Rex"); err != nil {
		t.Fatal(err)
	}
	setup, err := s.PendingTwoStep(ctx, olga)
	if err != nil {
		t.Fatal(err)
	}
	now, err := totp.GenerateCode(setup.Secret, time.Now().Add(-30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	recovery, err := s.TurnOnTwoStep(ctx, olga, password, now, "")
	if err != nil {
		t.Fatal(err)
	}
	later, err := totp.GenerateCode(setup.Secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{later, recovery[0]} {
		const many = 4
		start, got := make(chan struct{}), make(chan error, many)
		for range many {
			go func() {
				<-start
				_, err := s.SignIn(ctx, olga.Email, password, code, "10.0.0.9")
				got <- err
			}()
		}
		close(start)
		in := 0
		for range many {
			if err := <-got; err == nil {
				in++
			} else if !errors.Is(err, access.ErrCode) {
				t.Errorf("refused with %v", err)
			}
		}
		if in != 1 {
			t.Errorf("%d came in with one code", in)
		}
	}
}
