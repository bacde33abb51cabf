// Package ticket makes what a ticket is shown and kept with: its QR code as an image
// for pages and mails, and the calendar file of a booking.
package ticket

import (
	"fmt"
	"strconv"
	"strings"

	"rsc.io/qr"
)

// quiet is the white margin that ISO 18004 asks for, in modules.
const quiet = 4

// pngScale is how many image pixels a module gets in a PNG: a code of 41 modules is
// 392 pixels wide and stays sharp on a phone that shows it at 200.
const pngScale = 8

// encode makes the code at level M: it survives a thumb's width of dirt and stays
// coarse enough for a cheap scanner. It fails for texts of more than about 2,300 bytes.
func encode(text string) (*qr.Code, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("QR code: %w", err)
	}
	return code, nil
}

// SVG is the QR code of text as an image, black on white with its quiet zone, one unit
// per module. It has no size of its own: the page gives it one.
func SVG(text string) (string, error) {
	code, err := encode(text)
	if err != nil {
		return "", err
	}
	side := strconv.Itoa(code.Size + 2*quiet)
	return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ` + side + ` ` + side + `' shape-rendering='crispEdges'>` +
		`<path fill='#fff' d='M0,0h` + side + `v` + side + `H0z'/><path stroke='#000' d='` + runs(code) + `'/></svg>`, nil
}

// runs draws every horizontal stretch of black modules as one stroke through the middle
// of its row; steps within a row are relative, which keeps the path short.
func runs(code *qr.Code) string {
	var path strings.Builder
	for y := range code.Size {
		at := 0 // where the pen is in this row; 0: not in the row yet
		for x := 0; x < code.Size; x++ {
			if !code.Black(x, y) {
				continue
			}
			start := x
			for x+1 < code.Size && code.Black(x+1, y) {
				x++
			}
			if at == 0 {
				fmt.Fprintf(&path, "M%d,%d.5", start+quiet, y+quiet)
			} else {
				fmt.Fprintf(&path, "m%d,0", start+quiet-at)
			}
			at = x + 1 + quiet
			fmt.Fprintf(&path, "h%d", x+1-start)
		}
	}
	return path.String()
}

// DataURI is SVG as an address for <img src>: no request, and within a policy of
// "img-src 'self' data:".
func DataURI(text string) (string, error) {
	svg, err := SVG(text)
	if err != nil {
		return "", err
	}
	// All else that SVG writes may stand in an address as it is.
	escape := strings.NewReplacer("<", "%3C", ">", "%3E", "#", "%23", " ", "%20")
	return "data:image/svg+xml," + escape.Replace(svg), nil
}

// PNG is the same image for mails, whose readers do not show SVG.
func PNG(text string) ([]byte, error) {
	code, err := encode(text)
	if err != nil {
		return nil, err
	}
	code.Scale = pngScale
	return code.PNG(), nil
}
