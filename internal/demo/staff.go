package demo

import (
	"context"
	"errors"

	"github.com/alexedwards/argon2id"

	"holdfast/internal/domain"
)

type account struct {
	Account
	name, hash string
}

// newAccounts makes an account per role.
func newAccounts() ([]account, error) {
	out := []account{
		{name: "Olga Marin", Account: Account{Email: "owner@demo.example", Role: "owner"}},
		{name: "Marko Furlan", Account: Account{Email: "manager@demo.example", Role: "manager"}},
		{name: "Carla Vidali", Account: Account{Email: "cashier@demo.example", Role: "cashier"}},
		{name: "Stefan Ilić", Account: Account{Email: "steward@demo.example", Role: "steward"}},
	}
	for i := range out {
		out[i].Password = domain.NewPassword()
		hash, err := argon2id.CreateHash(out[i].Password, params())
		if err != nil {
			return nil, err
		}
		out[i].hash = hash
	}
	return out, nil
}

// params are the cost of internal/access.
func params() *argon2id.Params {
	return &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// accounts stores them. An e-mail that has an account keeps it, and is not reported.
func (l *loader) accounts(ctx context.Context) ([]Account, error) {
	list, err := newAccounts()
	if err != nil {
		return nil, err
	}
	var made []Account
	for _, a := range list {
		id, err := l.tx.AddDemoStaff(ctx, a.Email, a.name, a.Role, a.hash)
		if errors.Is(err, domain.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if a.Role == "cashier" {
			l.staff = id
		}
		made = append(made, a.Account)
	}
	return made, nil
}
