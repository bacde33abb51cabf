package ticket

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rsc.io/qr"

	"holdfast/internal/domain"
)

// link is as long as they get: seven-digit ids and a long host.
func link() string {
	code := domain.NewSigner(strings.Repeat("s", 32)).TicketCode(1234567, 7654321, 12)
	return "https://tickets.marigold-cinema.example/t/" + code
}

func matrix(t *testing.T, text string) *qr.Code {
	t.Helper()
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// readPath draws the path as a browser would and answers which modules are black.
func readPath(t *testing.T, d string) map[[2]int]bool {
	t.Helper()
	black := map[[2]int]bool{}
	x, y := 0, 0
	step := regexp.MustCompile(`M(\d+),(\d+)\.5|m(\d+),0|h(\d+)`)
	if rest := step.ReplaceAllString(d, ""); rest != "" {
		t.Fatalf("path has %q", rest)
	}
	for _, m := range step.FindAllStringSubmatch(d, -1) {
		switch {
		case m[1] != "":
			x, y = number(m[1]), number(m[2])
		case m[3] != "":
			x += number(m[3])
		default:
			for range number(m[4]) {
				black[[2]int{x, y}] = true
				x++
			}
		}
	}
	return black
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func TestSVGIsTheEncodersMatrix(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"A", "https://book.example/t/abc", link()} {
		svg, err := SVG(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
			t.Errorf("not XML: %v", err)
		}
		code := matrix(t, text)
		side := code.Size + 8
		if want := fmt.Sprintf(`viewBox='0 0 %d %d'`, side, side); !strings.Contains(svg, want) {
			t.Errorf("no %s in %.120s", want, svg)
		}
		if !strings.Contains(svg, `shape-rendering='crispEdges'`) || strings.Count(svg, "<path") != 2 {
			t.Errorf("not a crisp drawing of two paths: %.200s", svg)
		}
		black := readPath(t, regexp.MustCompile(`stroke='#000' d='([^']*)'`).FindStringSubmatch(svg)[1])
		for y := range side {
			for x := range side {
				if black[[2]int{x, y}] != code.Black(x-4, y-4) {
					t.Fatalf("%q: module %d,%d is wrong", text, x, y)
				}
			}
		}
	}
}

func TestSVGIsSmall(t *testing.T) {
	t.Parallel()
	svg, err := SVG(link())
	if err != nil {
		t.Fatal(err)
	}
	if len(svg) > 3072 {
		t.Errorf("%d bytes for %d characters", len(svg), len(link()))
	}
}

func TestDataURI(t *testing.T) {
	t.Parallel()
	uri, err := DataURI(link())
	if err != nil {
		t.Fatal(err)
	}
	body, ok := strings.CutPrefix(uri, "data:image/svg+xml,")
	if !ok || strings.ContainsAny(body, "\"<># &\\") {
		t.Errorf("not safe in an attribute: %.80s", uri)
	}
	svg, _ := SVG(link())
	if got, err := url.PathUnescape(body); err != nil || got != svg {
		t.Errorf("%v: not the SVG", err)
	}
}

func TestPNGIsTheEncodersMatrix(t *testing.T) {
	t.Parallel()
	body, err := PNG(link())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	code := matrix(t, link())
	side := code.Size + 2*quiet
	if img.Bounds().Dx() != side*pngScale {
		t.Fatalf("%v wide, want %d modules of %d", img.Bounds(), side, pngScale)
	}
	for y := range side {
		for x := range side {
			r, _, _, _ := img.At(x*pngScale+pngScale/2, y*pngScale+pngScale/2).RGBA()
			if (r == 0) != code.Black(x-quiet, y-quiet) {
				t.Fatalf("module %d,%d is wrong", x, y)
			}
		}
	}
}

func TestTooLongIsAnError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 4000)
	if _, err := SVG(long); err == nil {
		t.Error("SVG: no error")
	}
	if _, err := DataURI(long); err == nil {
		t.Error("DataURI: no error")
	}
	if _, err := PNG(long); err == nil {
		t.Error("PNG: no error")
	}
}
