package handlers

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/schedule"
	"holdfast/internal/waitroom"
	"holdfast/static"
)

// routes is the whole site.
func (s *site) routes() http.Handler { return s.around(s.shopRoutes()) }

// shopRoutes is every URL of pages, each with its guard in the row.
func (s *site) shopRoutes() classed {
	shop := newClassed() // visitors: session, cross-site posts refused
	get := func(path string, do action) { shop.Handle("GET "+path, s.page(do)) }
	post := func(path string, do action) { shop.Handle("POST "+path, s.page(do)) }

	get("/{$}", s.home)
	get("/events/{event}", s.seatPage)
	get("/events/{event}/seats", s.seatUpdates)
	post("/events/{event}/holds", s.chooseSeats)
	post("/events/{event}/best", s.chooseBest)
	get("/events/{event}/wait", s.waitPage)
	post("/events/{event}/wait", s.joinWait)
	get("/events/{event}/wait/place", s.waitPlace)
	get("/holds/{hold}", s.holdPage)
	post("/holds/{hold}/details", s.saveDetails)
	get("/holds/{hold}/review", s.reviewPage)
	post("/holds/{hold}/pay", s.startPayment)
	post("/holds/{hold}/extend", s.extendHold)
	post("/holds/{hold}/release", s.releaseHold)
	shop.Handle("GET /holds/{hold}/clock", s.json(s.holdClock))
	get("/holds/{hold}/return", s.returnFromPayment)
	get("/bookings/{token}", s.bookingPage)
	post("/bookings/{token}/mail", s.mailAgain)
	get("/bookings/{token}/calendar.ics", s.bookingCalendar)
	get("/find", s.findPage)
	post("/find", s.findBooking)
	get("/t/{code}", s.ticketPage)
	get("/films/{film}/poster", s.poster)
	if s.Demo != nil {
		get("/demo/outbox", s.outboxPage)
		get("/demo/outbox/{mail}", s.outboxMail)
	}

	get("/setup", s.setupPage)
	post("/setup", s.setUp)
	get("/staff/login", s.loginPage)
	post("/staff/login", s.login)
	post("/staff/logout", s.logout)
	for _, row := range s.staffRoutes() {
		shop.Handle(row.Pattern, s.staff(row.Need, row.do))
	}
	shop.Handle(anyStaffPage, s.page(s.noStaffPage(shop.ServeMux)))
	return shop
}

// StaffRoute is one address for people who are signed in.
type StaffRoute struct {
	Pattern string      // "POST /staff/tasks/{task}/done"
	Need    access.Role // it and the roles above may
	do      staffAction
}

// StaffRoutes lists every address that only staff may call, with who may.
func StaffRoutes() []StaffRoute { return new(site).staffRoutes() }

// staffRoutes is every URL of the staff but the door itself, each with the role it needs.
func (s *site) staffRoutes() (rows []StaffRoute) {
	staff := func(pattern string, need access.Role, do staffAction) {
		rows = append(rows, StaffRoute{pattern, need, do})
	}
	staff("GET /staff", access.Steward, s.staffHome)
	staff("GET /staff/today", access.Cashier, s.staffToday)
	staff("GET /staff/sell", access.Cashier, s.sellPage)
	staff("POST /staff/sell", access.Cashier, s.sell)
	staff("GET /staff/sell/seats", access.Cashier, s.sellSeats)
	staff("POST /staff/sell/holds/{hold}/release", access.Cashier, s.releaseKept)
	staff("GET /staff/sell/holds/{hold}/link", access.Cashier, s.payLinkPage)
	staff("GET /staff/sell/holds/{hold}/clock", access.Cashier, s.payLinkClock)
	staff("POST /staff/sell/holds/{hold}/close", access.Cashier, s.closePayLink)
	staff("GET /staff/sales/{booking}", access.Cashier, s.soldPage)
	staff("GET /staff/start", access.Manager, s.staffStart)
	staff("POST /staff/start/mail", access.Manager, s.sendTestMail)
	staff("POST /staff/start/demo/load", access.Manager, s.loadDemo)
	staff("POST /staff/start/demo/clear", access.Owner, s.clearDemo)
	staff("GET /staff/log", access.Manager, s.staffLog)
	staff("GET /staff/settings", access.Owner, s.staffSettings)
	staff("POST /staff/settings", access.Owner, s.saveSettings)
	staff("POST /staff/checkin", access.Steward, s.checkIn)
	staff("POST /staff/checkin/undo", access.Steward, s.undoCheckIn)
	staff("GET /staff/door", access.Steward, s.doorDay)
	staff("POST /staff/door/place", access.Steward, s.nameDoor)
	staff("GET /staff/door/{event}", access.Steward, s.doorPage)
	staff("POST /staff/door/{event}/in", access.Steward, s.doorIn)
	staff("POST /staff/door/{event}/undo", access.Steward, s.doorUndo)
	staff("POST /staff/door/{event}/scans", access.Steward, s.doorScans)
	staff("GET /staff/manifest", access.Steward, s.manifestDay)
	staff("GET /staff/manifest/{event}", access.Steward, s.manifest)
	staff("GET /staff/manifest/{event}/table.csv", access.Steward, s.manifestTable)
	staff("POST /staff/manifest/{event}/mail", access.Steward, s.mailManifest)
	staff("GET /staff/status", access.Cashier, s.staffStatus)
	staff("GET /staff/pprof", access.Owner, s.pprofIndex)
	staff("GET /staff/pprof/{profile}", access.Owner, s.pprof)
	staff("POST /staff/tasks/{task}/done", access.Manager, s.finishTask)
	staff("POST /staff/refunds/{refund}/retry", access.Manager, s.retryRefund)
	staff("POST /staff/payments/ask", access.Manager, s.askStripe)
	staff("GET /staff/import", access.Manager, s.staffImport)
	staff("POST /staff/import/{kind}", access.Manager, s.uploadImport)
	staff("GET /staff/import/files/{import}", access.Manager, s.importPreview)
	staff("POST /staff/import/files/{import}", access.Manager, s.doImport)
	staff("GET /staff/import/files/{import}/done", access.Manager, s.importDone)
	staff("GET /staff/import/templates/{kind}", access.Manager, s.importTemplate)
	staff("GET /staff/import/exports/{kind}", access.Manager, s.exportFile)
	staff("GET /staff/bookings", access.Cashier, s.staffBookings)
	staff("GET /staff/bookings/{booking}", access.Cashier, s.staffBooking)
	staff("POST /staff/bookings/{booking}/cancel", access.Cashier, s.cancelTickets)
	staff("GET /staff/bookings/{booking}/exchange", access.Cashier, s.exchangePage)
	staff("POST /staff/bookings/{booking}/exchange", access.Cashier, s.exchangeTickets)
	staff("POST /staff/bookings/{booking}/passenger", access.Cashier, s.renamePassenger)
	staff("POST /staff/payments/{payment}/handed", access.Cashier, s.handOver)
	staff("POST /staff/bookings/{booking}/contact", access.Cashier, s.setContact)
	staff("POST /staff/bookings/{booking}/resend", access.Cashier, s.resendTickets)
	staff("GET /staff/holds", access.Cashier, s.endedHolds)
	staff("POST /staff/holds/{hold}/revive", access.Cashier, s.reviveHold)
	s.reportRoutes(staff)
	s.waitRoutes(staff)
	s.eventRoutes(staff)
	s.fareRoutes(staff)
	s.accountRoutes(staff)
	s.houseRoutes(staff)
	s.planRoutes(staff)
	s.tillRoutes(staff)
	s.paperRoutes(staff)
	return rows
}

// waitRoutes are the waiting rooms.
func (s *site) waitRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/waiting", access.Manager, s.waitRooms)
	staff("POST /staff/waiting/windows", access.Manager, s.planWindow)
	staff("POST /staff/waiting/windows/{window}/end", access.Manager, s.endWindow)
	staff("GET /staff/events/{event}/waiting", access.Manager, s.waitRoom)
	staff("POST /staff/events/{event}/waiting", access.Manager, s.planRoom)
	staff("GET /staff/events/{event}/waiting/counts", access.Manager, s.waitCountsPart)
	staff("POST /staff/events/{event}/waiting/pause", access.Manager, s.setRoom("room paused", (*waitroom.Service).Pause))
	staff("POST /staff/events/{event}/waiting/resume", access.Manager, s.setRoom("room resumed", (*waitroom.Service).Resume))
	staff("POST /staff/events/{event}/waiting/end", access.Manager, s.setRoom("room ended", (*waitroom.Service).End))
}

// eventRoutes are the timetable and what is done with one event.
func (s *site) eventRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/events/{event}", access.Manager, s.staffEvent)
	staff("GET /staff/schedule", access.Manager, s.staffSchedule)
	staff("POST /staff/schedule/publish", access.Manager, s.publishDrafts)
	staff("GET /staff/schedule/new", access.Manager, s.planEvents)
	staff("POST /staff/schedule/new", access.Manager, s.makeEvents)
	staff("GET /staff/schedule/copy", access.Manager, s.copyEvents)
	staff("POST /staff/schedule/copy", access.Manager, s.makeCopy)
	staff("GET /staff/events/{event}/edit", access.Manager, s.editEvent)
	staff("POST /staff/events/{event}/edit", access.Manager, s.saveEvent)
	staff("POST /staff/events/{event}/publish", access.Manager, s.publishEvent)
	staff("POST /staff/events/{event}/unpublish", access.Manager, s.unpublishEvent)
	staff("POST /staff/events/{event}/remove", access.Manager, s.removeDraft)
	staff("GET /staff/events/{event}/blocks", access.Manager, s.eventBlocks)
	staff("POST /staff/events/{event}/blocks", access.Manager, s.blockSeats)
	staff("POST /staff/events/{event}/blocks/{block}/lift", access.Manager, s.liftBlock)
	staff("GET /staff/events/{event}/swap", access.Manager, s.swapPage)
	staff("POST /staff/events/{event}/swap", access.Manager, s.swapEvent)
	staff("POST /staff/events/{event}/swap/undo", access.Manager, s.undoSwap)
	staff("POST /staff/events/{event}/swap/tell", access.Manager, s.tellSwap)
	staff("POST /staff/events/{event}/cancel", access.Manager, s.cancelEvent)
	staff("POST /staff/events/{event}/resume", access.Manager, s.resumeCancel)
}

// fareRoutes are the price lists and ticket types.
func (s *site) fareRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/fares", access.Manager, s.fareLists)
	staff("POST /staff/fares", access.Manager, s.newFareList)
	staff("GET /staff/fares/types", access.Manager, s.ticketTypes)
	staff("POST /staff/fares/types", access.Manager, s.saveTypes)
	staff("GET /staff/fares/{tariff}", access.Manager, s.fareSheet)
	staff("POST /staff/fares/{tariff}", access.Manager, s.editFareList)
	staff("POST /staff/fares/{tariff}/prices", access.Manager, s.savePrices)
	staff("POST /staff/fares/{tariff}/copy", access.Manager, s.copyFareList)
	staff("POST /staff/fares/{tariff}/archive", access.Manager, s.archiveFareList)
	staff("GET /staff/fares/{tariff}/bands/{band}", access.Manager, s.fareBand)
	staff("POST /staff/fares/{tariff}/bands/{band}", access.Manager, s.saveFareBand)
	staff("POST /staff/fares/{tariff}/bands/{band}/prices", access.Manager, s.saveBandPrices)
	staff("POST /staff/fares/{tariff}/bands/{band}/raise", access.Manager, s.raiseBand)
	staff("POST /staff/fares/{tariff}/bands/{band}/delete", access.Manager, s.deleteBand)
}

// accountRoutes are the people who may sign in, and one’s own account.
func (s *site) accountRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/accounts", access.Owner, s.staffAccounts)
	staff("POST /staff/accounts", access.Owner, s.addAccount)
	staff("GET /staff/accounts/{staff}", access.Owner, s.staffAccount)
	staff("POST /staff/accounts/{staff}", access.Owner, s.saveAccount)
	staff("POST /staff/accounts/{staff}/off", access.Owner, s.accountOff)
	staff("POST /staff/accounts/{staff}/on", access.Owner, s.accountOn)
	staff("POST /staff/accounts/{staff}/password", access.Owner, s.resetPassword)
	staff("POST /staff/accounts/{staff}/two-step", access.Owner, s.resetTwoStep)
	staff("POST /staff/accounts/{staff}/sign-ins", access.Owner, s.endSignIns)
	staff("GET /staff/me", access.Steward, s.staffMe)
	staff("POST /staff/me/password", access.Steward, s.changePassword)
	staff("POST /staff/me/pin", access.Manager, s.setPIN)
	staff("POST /staff/me/two-step", access.Steward, s.startTwoStep)
	staff("GET /staff/me/two-step", access.Steward, s.twoStepPage)
	staff("POST /staff/me/two-step/on", access.Steward, s.twoStepOn)
	staff("POST /staff/me/two-step/off", access.Steward, s.twoStepOff)
	staff("POST /staff/me/two-step/codes", access.Steward, s.renewCodes)
	staff("POST /staff/me/sign-ins/{sign}/end", access.Steward, s.endSignIn)
	staff("POST /staff/me/sign-ins/end", access.Steward, s.endOthers)
}

// reportRoutes are the office's reports.
func (s *site) reportRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/reports", access.Manager, s.staffReports)
	staff("GET /staff/reports/day", access.Manager, s.dayReport)
	staff("GET /staff/reports/films", access.Manager, s.filmReport)
	staff("GET /staff/reports/events", access.Manager, s.eventsReport)
	staff("GET /staff/reports/events/{event}", access.Manager, s.eventReport)
	staff("GET /staff/reports/routes", access.Manager, s.routeReport)
	staff("GET /staff/reports/agents", access.Manager, s.agentReport)
	staff("GET /staff/reports/stripe", access.Manager, s.stripeReport)
}

// planRoutes are the seat plans and their drafts.
func (s *site) planRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/layouts", access.Manager, s.staffPlans)
	staff("GET /staff/layouts/new", access.Manager, s.newPlanPage)
	staff("POST /staff/layouts", access.Manager, s.createPlan)
	staff("GET /staff/layouts/{layout}", access.Manager, s.staffPlan)
	staff("POST /staff/layouts/{layout}/name", access.Manager, s.renamePlan)
	staff("POST /staff/layouts/{layout}/move", access.Manager, s.movePlanEvents)
	staff("GET /staff/layouts/{layout}/versions/{version}", access.Manager, s.staffPlanVersion)
	staff("POST /staff/layouts/{layout}/drafts", access.Manager, s.startDraft)
	staff("GET /staff/layouts/{layout}/draft", access.Manager, s.draftPage)
	staff("POST /staff/layouts/{layout}/draft", access.Manager, s.editDraft)
	staff("GET /staff/layouts/{layout}/form", access.Manager, s.planFormPage)
	staff("POST /staff/layouts/{layout}/form", access.Manager, s.redrawPlan)
	staff("POST /staff/layouts/{layout}/discard", access.Manager, s.discardDraft)
	staff("GET /staff/layouts/{layout}/publish", access.Manager, s.publishPlanPage)
	staff("POST /staff/layouts/{layout}/publish", access.Manager, s.publishPlan)
}

// tillRoutes are the cash-up: tills and business days.
func (s *site) tillRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/shifts", access.Cashier, s.shiftList)
	staff("GET /staff/shifts/new", access.Cashier, s.newShift)
	staff("POST /staff/shifts/new", access.Cashier, s.openShift)
	staff("GET /staff/shifts/{shift}", access.Cashier, s.shiftPage)
	staff("POST /staff/shifts/{shift}/cash", access.Cashier, s.moveCash)
	staff("GET /staff/shifts/{shift}/close", access.Cashier, s.countShift)
	staff("POST /staff/shifts/{shift}/close", access.Cashier, s.closeShift)
	staff("GET /staff/days", access.Manager, s.dayList)
	staff("GET /staff/days/{day}", access.Manager, s.businessDay)
	staff("POST /staff/days/{day}/close", access.Manager, s.closeDay)
}

// paperRoutes are what the counter prints and takes back of a sale.
func (s *site) paperRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/sales/{booking}/tickets", access.Cashier, s.printPage(booking.PrintTickets))
	staff("POST /staff/sales/{booking}/tickets", access.Cashier, s.print(booking.PrintTickets))
	staff("GET /staff/sales/{booking}/receipt", access.Cashier, s.printPage(booking.PrintReceipt))
	staff("POST /staff/sales/{booking}/receipt", access.Cashier, s.print(booking.PrintReceipt))
	staff("GET /staff/sales/{booking}/void", access.Cashier, s.voidPage)
	staff("POST /staff/sales/{booking}/void", access.Cashier, s.voidSale)
}

// houseRoutes are the pages about what events are made of.
func (s *site) houseRoutes(staff func(pattern string, need access.Role, do staffAction)) {
	staff("GET /staff/films", access.Manager, s.filmList)
	staff("GET /staff/films/new", access.Manager, s.newFilm)
	staff("POST /staff/films", access.Manager, s.saveFilm)
	staff("GET /staff/films/{film}", access.Manager, s.filmPage)
	staff("POST /staff/films/{film}", access.Manager, s.saveFilm)
	staff("POST /staff/films/{film}/shelf", access.Manager, s.shelve(schedule.AFilm))
	staff("GET /staff/places", access.Manager, s.placeList)
	staff("GET /staff/places/new", access.Manager, s.newPlace)
	staff("POST /staff/places", access.Manager, s.savePlace)
	staff("GET /staff/places/{place}", access.Manager, s.placePage)
	staff("POST /staff/places/{place}", access.Manager, s.savePlace)
	staff("POST /staff/places/{place}/shelf", access.Manager, s.shelve(schedule.APlace))
	staff("GET /staff/routes", access.Manager, s.routeList)
	staff("GET /staff/routes/new", access.Manager, s.newRoute)
	staff("POST /staff/routes", access.Manager, s.saveRoute)
	staff("GET /staff/routes/{route}", access.Manager, s.routePage)
	staff("POST /staff/routes/{route}", access.Manager, s.saveRoute)
	staff("POST /staff/routes/{route}/return", access.Manager, s.returnRoute)
	staff("POST /staff/routes/{route}/shelf", access.Manager, s.shelve(schedule.ARoute))
	staff("GET /staff/resources", access.Manager, s.resourceList)
	staff("GET /staff/resources/new", access.Manager, s.newResource)
	staff("POST /staff/resources", access.Manager, s.saveResource)
	staff("GET /staff/resources/{resource}", access.Manager, s.resourcePage)
	staff("POST /staff/resources/{resource}", access.Manager, s.saveResource)
	staff("POST /staff/resources/{resource}/shelf", access.Manager, s.shelve(schedule.AResource))
}

// around puts the addresses of machines beside the pages, and what all need around both.
func (s *site) around(shop classed) http.Handler {
	top := http.NewServeMux() // machines: no session
	machine := func(method, path string, h http.Handler) {
		top.Handle(method+" "+path, h)
		top.Handle(path, s.otherMethod(method))
	}
	machine("POST", "/hooks/stripe", limit(webhookBytes, s.behind(moneyClass, s.json(s.stripeHook))))
	machine("GET", "/healthz", s.behind(checkClass, s.json(s.healthz)))
	machine("GET", "/readyz", s.behind(checkClass, s.json(s.readyz)))
	machine("GET", "/version", s.json(s.version))
	machine("GET", "/metrics", s.json(s.metrics))
	machine("GET", static.Prefix, s.Assets.Handler())
	machine("GET", "/robots.txt", http.HandlerFunc(robots))
	top.Handle("/", s.guarded(shop))
	if s.Demo != nil && s.Demo.Stripe != nil {
		top.Handle("/stripesim/", limit(formBytes, s.Demo.Stripe))
	}
	site := s.secure(compressed(top))
	if s.Demo != nil {
		site = s.anyHost(site)
	}
	return s.fast(s.outermost(site))
}

// compressed packs what is drawn for one request, quickly: pages of the crowd are packed
// once, elsewhere. A level that does not exist would be a mistake of ours.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed))
	if err != nil {
		return gzhttp.GzipHandler(next)
	}
	return wrap(next)
}
