// Package rush is the evening before a long weekend: hundreds of browsers want the few
// seats of one event in the seconds after it opens, while the event beside it sells as on
// any day. It has tests only.
//
// The real program, as one process or as three behind a router without stickiness, runs on
// a real PostgreSQL and a Stripe look-alike that takes a second for every answer. The
// browsers keep cookies, poll the seat page, choose again among what a refusal still
// offers, press Pay, and come back; some give up, let go, pay late or click twice. One of
// three processes may be killed with SIGKILL in the middle; its router then knows nothing
// better than what a platform's router does, and people reload. Afterwards the ends of all
// holds pass by moving them in the database, and a verdict is given.
//
// What is measured: the time from sending a request to the last byte of its answer, at the
// browser, for every page, form and poll of ours (not for the style sheets, and not for
// Stripe's page). "Own" leaves out the time in which an answer waited for the look-alike:
// the calls about the same hold that began and ended within the request. A claim that has
// to ask about somebody else's payment counts in full. "Whole" leaves out nothing.
//
// `make test` runs a short form. `make rush` runs the long one: RUSH_BROWSERS (500),
// RUSH_SEATS (300), RUSH_PROCESSES and RUSH_KILL (without them: one process, three, and
// three with one killed), RUSH_SEED. Each browser throws its own dice from the one seed
// that is printed; the order in which they meet is the machine's.
package rush
