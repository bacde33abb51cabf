// Holdfast sells numbered seats for one small cinema or bus company: one binary and
// one PostgreSQL. This file only wires: configuration, database, adapters, services,
// handlers, server and jobs, in that order, stopped in reverse.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // places have zones; the machine may have none of them
)

var version = "dev" // set by the build

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err == nil {
		return
	}
	var code exitCode
	if errors.As(err, &code) {
		os.Exit(int(code))
	}
	fmt.Fprintln(os.Stderr, "holdfast: "+err.Error())
	os.Exit(1)
}

// exitCode ends the program without another word: all was said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit %d", int(c)) }

const usage = `usage: holdfast COMMAND

  serve                    run the shop
  migrate                  bring the database's schema up
  demo load | clear        load demo data; remove exactly what was loaded
  owner create EMAIL       make an owner's account without the page /setup
  owner reset EMAIL        let an owner in again: new password, no second factor, nothing signed in
  settings get [KEY]       read the settings of the business
  settings set KEY VALUE   change one
  stripe setup             make Stripe's webhook for BASE_URL and print its secret
  audit                    look for what must never be; exit 0 clean, 1 findings, 2 could not look
  version                  which build this is
`

// run is the program: tests call it as main does. It returns when ctx ends or the
// command is done.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	a := app{getenv: getenv, stdin: os.Stdin, stdout: stdout, stderr: stderr}
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitCode(2)
	}
	switch name, rest := args[0], args[1:]; name {
	case "serve":
		return a.serve(ctx, rest)
	case "migrate":
		return a.migrate(ctx)
	case "demo":
		return a.demo(ctx, rest)
	case "owner":
		return a.owner(ctx, rest)
	case "settings":
		return a.settings(ctx, rest)
	case "stripe":
		return a.stripe(ctx, rest)
	case "audit":
		return a.audit(ctx)
	case "version":
		_, err := fmt.Fprintln(stdout, "holdfast "+version)
		return err
	case "help", "-h", "--help":
		_, err := fmt.Fprint(stdout, usage)
		return err
	default:
		fmt.Fprintf(stderr, "holdfast: there is no command %q\n\n%s", name, usage)
		return exitCode(2)
	}
}

// app is what every command has.
type app struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
}
