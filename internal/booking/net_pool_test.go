package booking_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
)

type meet struct {
	*stripepay.Client
	wg *sync.WaitGroup
}

func (m meet) ExpireSession(ctx context.Context, id string) (domain.PaySession, error) {
	s, err := m.Client.ExpireSession(ctx, id)
	m.wg.Done()
	m.wg.Wait()
	return s, err
}

// As many payments closed at once as the pool has connections.
func TestNet_FullPoolCloses(t *testing.T) {
	const n = 6
	d := dbtest.Open(t, dbtest.URL(t), n)
	s, shut := newShop(t, d)
	defer shut()
	holders := []domain.Holder{"web:a", "web:b", "web:c", "web:d", "web:e", "web:f"}
	seats := []string{"A1", "A2", "A3", "B1", "B2", "B3"}
	var holds []string
	for i := range n {
		h, _ := s.paying(holders[i], seats[i])
		holds = append(holds, h)
	}
	var all, done sync.WaitGroup
	all.Add(n)
	svc := s.service(meet{s.pay, &all})
	for i := range n {
		done.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if _, err := svc.Release(ctx, holders[i], holds[i]); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
}
