package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/format"
	"holdfast/internal/waitroom"
	"holdfast/views"
)

// lookSeconds is how often the page's script looks again; without one, people do.
const lookSeconds = 5

// placeView puts a place into words: what is, what is safe, one next step.
func (s *site) placeView(r *http.Request, id int64, p waitroom.Place) views.WaitPlace {
	v := views.WaitPlace{State: string(p.State)}
	clock := func(t time.Time) string { return format.Clock(format.In(t, p.Zone)) + ", " + format.Zone(p.Zone) }
	get := r.FormValue
	join := &views.WaitJoin{Action: eventURL(id) + "/wait", From: get("from"), To: get("to"), Button: "Get a place in line"}
	choose := &views.Link{Text: "Choose your seats", URL: withStops(eventURL(id), get)}
	switch p.State {
	case waitroom.NoRoom:
		v.Heading, v.Lede, v.Go = "There is no line here now", "Everybody may choose seats.", choose
		return titled(v)
	case waitroom.Soon:
		v.Heading, v.Lede, v.Go = "The line has not begun", "It begins "+s.moment(p, p.Room.BeginsAt)+". Until then everybody may choose seats.", choose
		return titled(v)
	case waitroom.Outside:
		v.Heading, v.Lede, v.Join = "Seats are handed out in turn", outsideWords(p, s.moment(p, p.Room.OpensAt)), join
	case waitroom.Draw:
		v.Heading = "You are in the draw"
		v.Lede = "Seats are handed out from " + s.moment(p, p.Room.OpensAt) + ". Everybody who is here by then gets a place by lot, so coming early is no advantage."
	case waitroom.InLine:
		v.Heading, v.Lede = aheadWords(p.Ahead), minutesWords(p)
	case waitroom.Turn:
		v.Heading, v.Lede = "It is your turn", "Choose your seats until "+clock(p.Until)+". Once you hold them, you have the usual time to pay."
		choose.URL = turnURL(choose.URL)
		v.Go = choose
	case waitroom.Passed:
		v.Heading, v.Lede, v.Join = "Your turn is over", "Somebody else has it now. Seats that you hold stay held until the time shown with them. For other seats you can join again, at the end of the line.", join
		join.Button = "Join at the end of the line"
	case waitroom.Done:
		v.Heading, v.Lede, v.Join = "You have booked", "Your turn has gone to somebody else. If you want more seats, you can join again, at the end of the line.", join
		join.Button = "Join at the end of the line"
	}
	v.Facts = placeFacts(p, clock)
	v.Note = placeNote(p)
	if p.State == waitroom.Draw || p.State == waitroom.InLine || p.State == waitroom.Outside {
		v.Look = lookAgain(r, id, p.Now, p.Zone)
		if p.State == waitroom.Outside {
			v.Look.Quiet = true
		}
	}
	if p.State == waitroom.Turn {
		v.Look = lookAgain(r, id, p.Now, p.Zone)
		v.Look.Quiet = true
	}
	return titled(v)
}

// titled gives the document the heading as its title.
func titled(v views.WaitPlace) views.WaitPlace {
	v.Title = v.Heading
	return v
}

// moment is a time with the day where it is not today.
func (s *site) moment(p waitroom.Place, t time.Time) string {
	at, now := format.In(t, p.Zone), format.In(p.Now, p.Zone)
	words := format.Clock(at) + ", " + format.Zone(p.Zone)
	if format.DayOff(now, at) != 0 {
		words = format.ShortDay(at) + ", " + words
	}
	return words
}

func turnURL(seats string) string {
	if strings.Contains(seats, "?") {
		return seats + "&turn=1"
	}
	return seats + "?turn=1"
}

func outsideWords(p waitroom.Place, opens string) string {
	if p.Now.Before(p.Room.OpensAt) {
		return "Many people want this one. Get a place now; seats are handed out from " + opens + ", and everybody who is here by then gets a place by lot."
	}
	return "Many people want this one, so only some can choose at a time. Get a place; your turn comes by itself, first come, first served."
}

func people(n int) string {
	switch n {
	case 0:
		return "nobody yet"
	case 1:
		return "1 person"
	}
	return format.Whole(int64(n)) + " people"
}

// aheadWords rounds as people do: nobody needs to see 121 become 120.
func aheadWords(n int) string {
	switch {
	case n == 0:
		return "You are next"
	case n == 1:
		return "One person is ahead of you"
	case n < 10:
		return strconv.Itoa(n) + " people are ahead of you"
	case n < 100:
		n = (n + 2) / 5 * 5
	case n < 1000:
		n = (n + 5) / 10 * 10
	default:
		n = (n + 50) / 100 * 100
	}
	return "About " + format.Whole(int64(n)) + " people are ahead of you"
}

// minutesWords is the range of minutes, never more exact than it is known.
func minutesWords(p waitroom.Place) string {
	if p.Phase == waitroom.Paused {
		return "Handing out is paused for a moment. It goes on where it stopped."
	}
	low, high := int(p.Low/time.Minute), int((p.High+time.Minute-1)/time.Minute)
	switch {
	case p.High <= 0:
		return "Your turn comes by itself."
	case high <= 1:
		return "Your turn comes within about a minute."
	case low >= 120:
		return "It takes more than two hours as it goes now."
	case low < 1:
		return fmt.Sprintf("Your turn comes in less than %d minutes or so.", roundUp(high))
	case roundDown(low) == roundUp(high):
		return fmt.Sprintf("Your turn comes in about %d minutes.", roundUp(high))
	}
	return fmt.Sprintf("Your turn comes in about %d to %d minutes.", roundDown(low), roundUp(high))
}

func roundDown(m int) int {
	if m > 10 {
		return m / 5 * 5
	}
	return m
}

func roundUp(m int) int {
	if m > 10 {
		return (m + 4) / 5 * 5
	}
	return m
}

func placeFacts(p waitroom.Place, clock func(time.Time) string) []views.Fact {
	var out []views.Fact
	if p.State == waitroom.Draw && p.People > 0 {
		out = append(out, views.Fact{Name: "In the draw", Text: people(p.People)})
	}
	if p.State == waitroom.InLine || p.State == waitroom.Outside {
		out = append(out, views.Fact{Name: "In line now", Text: people(p.People)})
	}
	if p.State != waitroom.Passed && p.State != waitroom.Done {
		out = append(out, views.Fact{Name: "Free now", Text: fmt.Sprintf("%s of %s", format.Whole(int64(p.Free)), format.Count(p.Seats, "place"))})
	}
	return out
}

// placeNote says what else matters: a pause, a slow database, an empty house.
func placeNote(p waitroom.Place) *views.Note {
	switch {
	case p.Old:
		return &views.Note{Tone: "warn", Title: "Our seat records answer slowly", Text: []string{"You keep your place, and nothing is lost. Nobody is let in ahead of you meanwhile."}}
	case p.State == waitroom.Passed || p.State == waitroom.Done:
	case p.Free == 0 && p.Coming == 0:
		return &views.Note{Tone: "warn", Title: "Everything is sold", Text: []string{"Seats come back only when somebody cancels. You may stay in line; there may be nothing left when your turn comes."}, Links: []views.Link{{Text: "See what else is on", URL: "/"}}}
	case p.Free == 0:
		return &views.Note{Title: "Everything is held right now", Text: []string{"Others are choosing or paying. What they let go comes back."}}
	case p.Phase == waitroom.Paused && p.State != waitroom.Turn:
		return &views.Note{Title: "The house has paused handing out", Text: []string{"Everybody keeps their place."}}
	}
	return nil
}

// lookAgain is the form that looks again, for browsers without a script by hand. A zero
// now is not printed.
func lookAgain(r *http.Request, id int64, now time.Time, zone string) *views.WaitLook {
	get := r.FormValue
	v := &views.WaitLook{Action: eventURL(id) + "/wait", From: get("from"), To: get("to"), Seconds: lookSeconds, PartURL: withStops(eventURL(id)+"/wait/place", get)}
	if !now.IsZero() {
		at := format.In(now, zone)
		v.At, v.Before = at.Format("15:04:05"), at.Add(2*time.Minute).Format("15:04:05")
	}
	return v
}

func slowPlace() views.WaitPlace {
	return views.WaitPlace{State: "slow", Title: "Please wait a moment", Heading: "Please wait a moment",
		Lede: "Our seat records answer slowly. You keep your place in line, nothing is lost, and nobody is let in ahead of you meanwhile."}
}

func (s *site) fullPlace(r *http.Request, id int64, o *booking.Offer) views.WaitPlace {
	text := []string{"This keeps programs from filling the line. Places that are there keep their turn; when one of them is used, another can be had."}
	v := views.WaitPlace{State: "full", Title: "No more places from here", Heading: "No more places from your connection",
		Lede: "As many people as the house allows wait from your internet address already.",
		Note: &views.Note{Title: "At home, at work or on a mobile line many people can share one address", Text: text}, Look: lookAgain(r, id, time.Time{}, "")}
	v.Note.Text = append(v.Note.Text, "On another connection you get a place at once.")
	if o.Settings.Phone != "" {
		v.Note.Links = []views.Link{{Text: "Call " + o.Settings.Phone, URL: telURL(o.Settings.Phone)}}
	}
	v.Look.Quiet = true
	return v
}

// waitNote is what the seat page of an event with a room says above the map; turn for a
// page that was opened from one's turn. nil without a room. It asks nobody.
func (s *site) waitNote(o *booking.Offer, turn bool) *views.Note {
	if !s.Wait.Handing(o.Event.ID) {
		return nil
	}
	stops := map[string]string{"from": stopNo(o, o.Ride.From), "to": stopNo(o, o.Ride.To)}
	url := waitURL(o.Event.ID, func(name string) string { return stops[name] })
	if turn {
		return &views.Note{Tone: "ok", Title: "It is your turn", Text: []string{"Choose seats and press Continue."}, Links: []views.Link{{Text: "How long your turn lasts", URL: url}}}
	}
	return &views.Note{Title: "Seats of this one are handed out in turn", Text: []string{"The map shows what is free. To hold seats you need a place in line first."}, Links: []views.Link{{Text: "Get your place in line", URL: url}}}
}
