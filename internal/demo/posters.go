package demo

import "embed"

// posters are our own drawings, 120 × 180, a title as text.
//
//go:embed posters/*.svg
var posters embed.FS
