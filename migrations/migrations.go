// Package migrations embeds the numbered, forward-only SQL that makes the schema.
// db.Migrate applies it under a session lock; nothing else reads it.
package migrations

import "embed"

// FS holds NNNNN_name.sql at its root, in goose's format.
//
//go:embed *.sql
var FS embed.FS
