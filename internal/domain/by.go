package domain

// By is who did something and from where, as the audit log keeps it.
type By struct {
	Actor   string // staff:7, system, web
	Address string // of the browser, "" when there was none
}
