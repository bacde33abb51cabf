package db

import (
	"context"
)

// With the events locked first, a sale in progress is waited for and none begins.
const lockDemoEventsSQL = `SELECT 1 FROM events WHERE id IN ` + demoEvents + ` ORDER BY id FOR UPDATE`

const allowDemoClearSQL = `SELECT set_config('holdfast.demo_clear', 'on', true)`

const (
	demoBookings = `(SELECT id FROM bookings WHERE event_id IN ` + demoEvents + `)`
	demoPayments = `(SELECT id FROM payments WHERE event_id IN ` + demoEvents + `)`
	demoRefunds  = `(SELECT id FROM refunds WHERE event_id IN ` + demoEvents + `)`
)

const clearMailsSQL = `
DELETE FROM mails WHERE booking_id IN ` + demoBookings + ` OR payment_id IN ` + demoPayments + ` OR refund_id IN ` + demoRefunds

const clearTasksSQL = `
DELETE FROM staff_tasks WHERE event_id IN ` + demoEvents + ` OR booking_id IN ` + demoBookings + ` OR payment_id IN ` + demoPayments

const clearStripeEventsSQL = `
DELETE FROM stripe_events
 WHERE object_id IN (SELECT unnest(ARRAY[stripe_session_id, stripe_payment_intent_id]) FROM payments WHERE event_id IN ` + demoEvents + `)
    OR object_id IN (SELECT stripe_refund_id FROM refunds WHERE event_id IN ` + demoEvents + `)`

const clearLedgerSQL = `DELETE FROM ledger_entries WHERE event_id IN ` + demoEvents

const clearDisputesSQL = `DELETE FROM disputes WHERE event_id IN ` + demoEvents

const clearRefundsSQL = `DELETE FROM refunds WHERE event_id IN ` + demoEvents

const clearTicketLegsSQL = `DELETE FROM ticket_legs WHERE event_id IN ` + demoEvents

const clearCheckinsSQL = `DELETE FROM checkins WHERE event_id IN ` + demoEvents

const clearTicketsSQL = `DELETE FROM tickets WHERE event_id IN ` + demoEvents

const clearPrintsSQL = `DELETE FROM prints WHERE booking_id IN ` + demoBookings

const clearBookingsSQL = `DELETE FROM bookings WHERE event_id IN ` + demoEvents

const clearPaymentsSQL = `DELETE FROM payments WHERE event_id IN ` + demoEvents

const clearHoldSeatsSQL = `DELETE FROM hold_seats WHERE event_id IN ` + demoEvents

const clearHoldsSQL = `DELETE FROM holds WHERE event_id IN ` + demoEvents

const clearEventSeatsSQL = `DELETE FROM event_seats WHERE event_id IN ` + demoEvents

const clearEventStopsSQL = `DELETE FROM event_stops WHERE event_id IN ` + demoEvents

const clearEventsSQL = `DELETE FROM events WHERE id IN ` + demoEvents

// Of the rest, what an event, a plan or a price of the house has come to use stays
// and is the house's own from now on.
const clearFilmsSQL = `
DELETE FROM films f
 WHERE f.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'films')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.film_id = f.id)`

const clearTariffsSQL = `
DELETE FROM tariffs t
 WHERE t.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'tariffs')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.tariff_id = t.id)`

const clearResourcesSQL = `
DELETE FROM resources r
 WHERE r.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'resources')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.resource_id = r.id)`

const clearLayoutVersionsSQL = `
DELETE FROM layout_versions v
 WHERE v.layout_id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'layouts')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.layout_version_id = v.id)
   AND NOT EXISTS (SELECT 1 FROM resources r WHERE r.layout_version_id = v.id)`

const clearLayoutsSQL = `
DELETE FROM layouts l
 WHERE l.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'layouts')
   AND NOT EXISTS (SELECT 1 FROM layout_versions v WHERE v.layout_id = l.id)`

const clearRoutesSQL = `
DELETE FROM routes r
 WHERE r.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'routes')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.route_id = r.id)`

const clearPlacesSQL = `
DELETE FROM places p
 WHERE p.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'places')
   AND NOT EXISTS (SELECT 1 FROM route_stops s WHERE s.place_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM event_stops s WHERE s.place_id = p.id)`

const clearTypesSQL = `
DELETE FROM ticket_types y
 WHERE y.code IN (SELECT row_key FROM demo_rows WHERE table_name = 'ticket_types')
   AND NOT EXISTS (SELECT 1 FROM fares f WHERE f.ticket_type = y.code)
   AND NOT EXISTS (SELECT 1 FROM band_fares f WHERE f.ticket_type = y.code)
   AND NOT EXISTS (SELECT 1 FROM hold_seats s WHERE s.ticket_type = y.code)
   AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.ticket_type = y.code)`

const demoStaff = `(SELECT row_key::bigint FROM demo_rows WHERE table_name = 'staff')`

// Tills of the demo's staff go with what was sold in them; one that took money of the
// house's own events stays.
const demoShifts = `
(SELECT s.id FROM shifts s WHERE s.staff_id IN ` + demoStaff + ` AND NOT EXISTS (SELECT 1 FROM ledger_entries l WHERE l.shift_id = s.id))`

const clearMovesSQL = `DELETE FROM shift_moves WHERE shift_id IN ` + demoShifts

const clearShiftsSQL = `DELETE FROM shifts WHERE id IN ` + demoShifts

const clearActsSQL = `DELETE FROM staff_acts WHERE staff_id IN ` + demoStaff

// Whom a row of the house names stays too, switched off.
const staffInUse = `
(SELECT 1 FROM shifts x WHERE s.id IN (x.staff_id, x.closed_by) UNION ALL SELECT 1 FROM shift_moves x WHERE x.staff_id = s.id
 UNION ALL SELECT 1 FROM business_days x WHERE x.closed_by = s.id UNION ALL SELECT 1 FROM payments x WHERE x.staff_id = s.id
 UNION ALL SELECT 1 FROM bookings x WHERE x.sold_by = s.id UNION ALL SELECT 1 FROM refunds x WHERE x.staff_id = s.id
 UNION ALL SELECT 1 FROM ledger_entries x WHERE x.staff_id = s.id UNION ALL SELECT 1 FROM checkins x WHERE x.staff_id = s.id
 UNION ALL SELECT 1 FROM prints x WHERE x.staff_id = s.id UNION ALL SELECT 1 FROM door_conflicts x WHERE x.staff_id = s.id)`

const retireStaffSQL = `
UPDATE staff s SET disabled_at = coalesce(disabled_at, now()) WHERE s.id IN ` + demoStaff + ` AND EXISTS ` + staffInUse

const clearStaffSQL = `
DELETE FROM staff s WHERE s.id IN ` + demoStaff + ` AND NOT EXISTS ` + staffInUse

const dropSettingsSQL = `
DELETE FROM settings s USING demo_rows d
 WHERE d.table_name = 'settings' AND d.was IS NULL AND d.row_key = s.key || '=' || s.value`

const restoreSettingsSQL = `
UPDATE settings s SET value = d.was, updated_at = now() FROM demo_rows d
 WHERE d.table_name = 'settings' AND d.was IS NOT NULL AND d.row_key = s.key || '=' || s.value`

const clearDemoRowsSQL = `DELETE FROM demo_rows`

// ClearDemo deletes what the demo made and what was sold on its events, one
// statement per table, and puts settings back that still are as the demo set them.
func (t *Tx) ClearDemo(ctx context.Context) error {
	for _, sql := range []string{
		lockDemoEventsSQL, allowDemoClearSQL,
		clearMailsSQL, clearTasksSQL, clearStripeEventsSQL, clearLedgerSQL, clearDisputesSQL, clearRefundsSQL, clearTicketLegsSQL,
		clearCheckinsSQL, clearTicketsSQL,
		clearPrintsSQL, clearBookingsSQL, clearPaymentsSQL, clearHoldSeatsSQL, clearHoldsSQL, clearEventSeatsSQL, clearEventStopsSQL, clearEventsSQL,
		clearFilmsSQL, clearTariffsSQL, clearResourcesSQL, clearLayoutVersionsSQL, clearLayoutsSQL, clearRoutesSQL, clearPlacesSQL,
		clearTypesSQL, clearMovesSQL, clearShiftsSQL, clearActsSQL, retireStaffSQL, clearStaffSQL, dropSettingsSQL, restoreSettingsSQL, clearDemoRowsSQL,
	} {
		if _, err := exec(ctx, t.q, sql, nil); err != nil {
			return err
		}
	}
	return nil
}
