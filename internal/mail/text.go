package mail

import (
	"strings"

	"holdfast/views"
)

// The plain text of a mail says what its HTML says, from the same view. Every address
// stands alone on its line, so that readers find it whole.

// plain collects paragraphs.
type plain struct{ strings.Builder }

// par adds a paragraph of lines; empty lines are left out.
func (p *plain) par(lines ...string) {
	var kept []string
	for _, l := range lines {
		if l != "" {
			kept = append(kept, l)
		}
	}
	if len(kept) == 0 {
		return
	}
	if p.Len() > 0 {
		p.WriteString("\n")
	}
	p.WriteString(strings.Join(kept, "\n") + "\n")
}

func factLines(facts []views.Fact) []string {
	out := make([]string, len(facts))
	for i, f := range facts {
		out[i] = f.Name + ": " + f.Text
	}
	return out
}

func (p *plain) event(e views.MailEvent) {
	p.par(append([]string{e.Title}, factLines(e.Facts)...)...)
}

func (p *plain) sign(f views.MailFrame) string {
	p.par(f.Questions(), f.House)
	return p.String()
}

func ticketsText(v views.MailTicketsView) string {
	var p plain
	p.par(v.Heading())
	p.par(factLines(v.Event.Facts)...)
	p.par("Reference " + v.Reference + ". " + v.PaidLine())
	p.par("Your booking:", v.URL)
	if !v.Cancelled {
		p.par(v.Show())
	}
	for _, t := range v.Tickets {
		address := t.URL
		if t.Cancelled {
			address = ""
		}
		p.par(t.Seat, t.About(), address)
	}
	if !v.Cancelled && len(v.Event.Notes) > 0 {
		p.par(append([]string{"Good to know:"}, v.Event.Notes...)...)
	}
	return p.sign(v.Frame)
}

func lostText(v views.MailLostView) string {
	var p plain
	p.par(v.Heading())
	p.par(v.Story())
	p.par(v.Refund, v.When)
	if v.Receipt != "" {
		p.par("Number of the refund: " + v.Receipt)
	}
	p.event(v.Event)
	if v.OtherURL != "" {
		p.par(v.Offer(), "Choose other seats:", v.OtherURL)
	}
	return p.sign(v.Frame)
}

func refundText(v views.MailRefundView) string {
	var p plain
	p.par(v.Heading())
	p.par(v.Why, v.Next())
	reference := ""
	if v.Reference != "" {
		reference = "Reference of the booking: " + v.Reference
	}
	p.par("Number of the refund: "+v.Receipt, reference)
	p.event(v.Event)
	if v.URL != "" {
		p.par("The booking:", v.URL)
	}
	return p.sign(v.Frame)
}

func linkText(v views.MailLinkView) string {
	var p plain
	p.par(v.Event.Title)
	p.par(v.Story())
	p.par("Your booking:", v.URL)
	p.par(factLines(v.Event.Facts)...)
	p.par(v.Warning())
	return p.sign(v.Frame)
}

func staffText(v views.MailStaffView) string {
	var p plain
	p.par(v.Frame.Subject)
	p.par(v.Tasks...)
	p.par(factLines(v.About)...)
	if v.Event.Title != "" {
		p.event(v.Event)
	}
	p.par("The staff pages:", v.URL)
	return p.sign(v.Frame)
}
