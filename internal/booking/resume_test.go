package booking_test

import (
	"testing"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/stripesim"
)

// jobs counts the jobs of a kind about one thing.
func (s *shop) jobs(kind, field string, id int64) int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM river_job WHERE kind = $1 AND (args ->> $2)::bigint = $3`, kind, field, id)
}

// A mail whose job is lost, with a process that was killed or a queue that was emptied,
// is taken up again by the sweep: once, and only when it waits in earnest.
func TestResume_Mails(t *testing.T) {
	s := oneShop(t)
	_, session := s.paid("web:ada", "A1")
	_, err := s.Settle(s.ctx, session)
	s.must(err)
	id := one[int64](s, `SELECT id FROM mails WHERE kind = 'tickets' AND state = 'queued'`)
	sweep := func(want int, words string) {
		t.Helper()
		s.must(s.Sweep(s.ctx))
		if n := s.jobs("mail", "mail_id", id); n != want {
			t.Errorf("%s: %d jobs, want %d", words, n, want)
		}
	}
	s.exec(`UPDATE mails SET created_at = created_at - interval '3 minutes'`)
	sweep(1, "its job waits")
	s.exec(`DELETE FROM river_job`)
	s.exec(`UPDATE mails SET error = 'mail is off'`)
	sweep(0, "mail is off")
	s.exec(`UPDATE mails SET error = '', created_at = now()`)
	sweep(0, "it is a moment old")
	s.exec(`UPDATE mails SET created_at = now() - interval '3 minutes'`)
	sweep(1, "its job is lost")
	sweep(1, "swept again")
	s.exec(`UPDATE river_job SET state = 'running', attempted_at = now() - interval '3 minutes' WHERE kind = 'mail'`)
	sweep(2, "its process died")
	s.exec(`DELETE FROM river_job`)
	s.exec(`UPDATE mails SET state = 'sent'`)
	sweep(0, "it was sent")
}

// A cancelled event whose job is lost goes on: its bookings get their money back.
func TestResume_CancelledEvents(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1", "A2")
	_, err := s.Settle(s.ctx, session)
	s.must(err)
	s.must(s.CancelEvent(s.ctx, s.ev.ID, "staff:1", "", "storm"))
	if n := s.jobs("cancel_event", "event_id", s.ev.ID); n != 1 {
		t.Fatalf("%d jobs after the cancellation", n)
	}
	s.must(s.Sweep(s.ctx))
	if n := s.jobs("cancel_event", "event_id", s.ev.ID); n != 1 {
		t.Errorf("%d jobs while the first waits", n)
	}
	s.exec(`DELETE FROM river_job`)
	s.must(s.Sweep(s.ctx))
	s.must(s.Sweep(s.ctx))
	if n := s.jobs("cancel_event", "event_id", s.ev.ID); n != 1 {
		t.Errorf("%d jobs after the first was lost", n)
	}
	s.must(s.WorkCancelledEvent(s.ctx, s.ev.ID))
	if n := s.tickets(hold); n != 0 {
		t.Errorf("%d tickets are valid", n)
	}
	if n := one[int64](s, `SELECT sum(amount)::bigint FROM refunds WHERE reason = 'event_cancelled'`); n != 2000 {
		t.Errorf("%d goes back", n)
	}
	s.exec(`DELETE FROM river_job`)
	s.must(s.Sweep(s.ctx))
	if n := s.jobs("cancel_event", "event_id", s.ev.ID); n != 0 {
		t.Errorf("%d jobs although nothing is left", n)
	}
}

// Money that bought nothing beside a booking, or did not fit: the buyer is told at once
// that it goes back, and once, however often the news comes.
func TestRefundStarted_ToldOnce(t *testing.T) {
	s := oneShop(t)
	hold, first := s.paying("web:ada", "A1")
	s.exec(`UPDATE payments SET state = 'closed' WHERE hold_id = $1`, hold) // as if its page had ended
	_, err := s.Pay(s.ctx, "web:ada", hold)
	s.must(err)
	all := s.sim.Sessions()
	second := all[len(all)-1]
	if second.ID == first.ID {
		t.Fatal("no second page")
	}
	_, wrong := s.paid("web:ben", "A3")
	s.exec(`UPDATE payments SET amount = amount + 500 WHERE stripe_session_id = $1`, wrong)
	s.must(s.sim.Pay(first.ID))
	s.must(s.sim.Pay(second.ID))
	for range 3 {
		for session, want := range map[string]booking.Settled{wrong: booking.Refused, second.ID: booking.Booked} {
			if got, err := s.Settle(s.ctx, session); err != nil || got != want {
				t.Fatalf("settle: %q, %v, want %q", got, err, want)
			}
		}
	}
	for range 3 {
		if got, err := s.Settle(s.ctx, first.ID); err != nil || got != booking.Refused {
			t.Fatalf("paid twice: %q, %v", got, err)
		}
	}
	for _, reason := range []string{"duplicate", "mismatch"} {
		id := one[int64](s, `SELECT id FROM refunds WHERE reason = $1`, reason)
		if n := one[int](s, `SELECT count(*) FROM mails WHERE kind = 'refund_started' AND refund_id = $1 AND to_address = 'ada@example.org'`, id); n != 1 {
			t.Errorf("%s: told %d times that it goes back", reason, n)
		}
		for range 2 {
			if _, err := s.WorkRefund(s.ctx, id); err != nil {
				t.Fatal(err)
			}
		}
		if n := one[int](s, `SELECT count(*) FROM mails WHERE kind = 'refund_done' AND refund_id = $1`, id); n != 1 {
			t.Errorf("%s: told %d times that it is back", reason, n)
		}
	}
	if n := s.tickets(hold); n != 1 {
		t.Errorf("%d tickets", n)
	}
	s.exec(`UPDATE payments SET amount = received WHERE stripe_session_id = $1`, wrong)
	s.clean()
}

// A refund failed and staff ask for it again; then the news of the first try comes once
// more: the second one goes on.
func TestRefundRetry_OldNewsEndsNothing(t *testing.T) {
	s := oneShop(t)
	_, session := s.paid("web:ada", "A1")
	s.pass(38 * time.Minute)
	_, err := s.choose("web:ben", "A1")
	s.must(err)
	s.sim.SetFaults(stripesim.Faults{{Kind: stripesim.RefundPending, Times: 1}})
	if settled, err := s.Settle(s.ctx, session); err != nil || settled != booking.Lost {
		t.Fatalf("settle: %q, %v", settled, err)
	}
	id := one[int64](s, `SELECT id FROM refunds`)
	_, err = s.WorkRefund(s.ctx, id)
	s.must(err)
	first := one[string](s, `SELECT stripe_refund_id FROM refunds`)
	s.must(s.sim.FinishRefund(first, false))
	state := func(want string) {
		t.Helper()
		if got := one[string](s, `SELECT state FROM refunds`); got != want {
			t.Fatalf("the refund is %s, want %s", got, want)
		}
	}
	s.must(s.WorkRefundNews(s.ctx, first, ""))
	state("failed")
	s.must(s.RetryRefund(s.ctx, id))
	s.must(s.WorkRefundNews(s.ctx, first, ""))
	state("requested")
	done, err := s.WorkRefund(s.ctx, id)
	if err != nil || !done {
		t.Errorf("the second try: %v, %v", done, err)
	}
	s.must(s.WorkRefundNews(s.ctx, first, ""))
	state("succeeded")
	s.clean()
}
