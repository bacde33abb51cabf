package handlers

import (
	"strconv"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// receiptView is a sale as a simple tax invoice: as it was sold, then what went back.
func receiptView(p *booking.Paper, set domain.Settings) *views.Receipt {
	b := p.Booking
	at := format.In(b.CreatedAt, set.TimeZone)
	v := &views.Receipt{
		House: paperHouse(set, true), Reference: domain.ShowReference(b.Reference), Currency: b.Currency, Total: money(b.Total, b.Currency),
		What: append([]string{eventHead(p.Scene).Title}, facts(p.Scene)...), Lines: receiptLines(p),
		Facts: []views.Fact{
			{Name: "Receipt", Text: strconv.FormatInt(b.ID, 10)}, {Name: "Booking", Text: domain.ShowReference(b.Reference)},
			{Name: "Date", Text: format.Day(at) + ", " + format.Clock(at)},
		},
	}
	if b.Name != "" {
		v.Facts = append(v.Facts, views.Fact{Name: "For", Text: b.Name})
	}
	number := func(n int64) string { return format.Number(n, b.Currency) }
	if b.Tax > 0 {
		v.Tax = []views.ReceiptSum{{Name: "Without tax", Amount: number(b.Total - b.Tax)}, {Name: "VAT " + taxRateOf(p) + "in it", Amount: number(b.Tax)}}
	}
	for _, x := range p.Paid {
		v.Paid = append(v.Paid, views.ReceiptSum{Name: tenderName(x.Tender), Amount: number(x.Amount)})
		if x.Tendered > 0 {
			v.Paid = append(v.Paid, views.ReceiptSum{Name: "Given", Amount: number(x.Tendered)}, views.ReceiptSum{Name: "Change", Amount: number(x.Tendered - x.Amount)})
		}
		if x.ShiftID > 0 && len(v.Facts) > 0 && v.Facts[len(v.Facts)-1].Name != "Served by" {
			v.Facts = append(v.Facts, views.Fact{Name: "Till", Text: x.Till + ", shift " + strconv.FormatInt(x.ShiftID, 10)}, views.Fact{Name: "Served by", Text: x.Staff})
		}
	}
	for _, r := range p.Refunds {
		if r.State == string(domain.RefundFailed) {
			continue
		}
		day := format.In(r.CreatedAt, set.TimeZone)
		v.Back = append(v.Back, views.ReceiptSum{Name: format.Day(day) + ", R-" + strconv.FormatInt(r.ID, 10), Amount: number(-r.Amount)})
	}
	return v
}

// receiptLines group the tickets of one kind and price.
func receiptLines(p *booking.Paper) (out []views.ReceiptLine) {
	type kind struct {
		name  string
		price int64
	}
	var order []kind
	seats := map[kind][]string{}
	for _, t := range p.Tickets {
		c, _ := p.Scene.Layout.Seat(t.SeatNo)
		k := kind{t.TypeName, t.Price}
		if len(p.Scene.Layout.Zones) > 1 {
			k.name += ", " + zoneName(p.Scene.Layout, c.Zone)
		}
		if len(seats[k]) == 0 {
			order = append(order, k)
		}
		seats[k] = append(seats[k], seatRef(p.Scene.Layout, t.SeatNo).Name)
	}
	for _, k := range order {
		n := int64(len(seats[k]))
		out = append(out, views.ReceiptLine{
			What: strconv.FormatInt(n, 10) + " × " + k.name, Detail: format.List(seats[k]),
			Each: format.Number(k.price, p.Booking.Currency), Amount: format.Number(n*k.price, p.Booking.Currency),
		})
	}
	return out
}
