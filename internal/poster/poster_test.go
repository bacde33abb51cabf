package poster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"holdfast/internal/domain"
)

// noise is the picture that packs worst.
func noise(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range p.Pix {
		p.Pix[i] = byte(r.Uint32())
	}
	return p
}

// halves is red above blue.
func halves(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p, image.Rect(0, 0, w, h/2), image.NewUniform(color.RGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
	draw.Draw(p, image.Rect(0, h/2, w, h), image.NewUniform(color.RGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	return p
}

func asJPEG(t testing.TB, p image.Image, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asGIF(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.Encode(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// aWebP is a lossless WebP of one red dot.
var aWebP = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

// bomb is a PNG of a few bytes that claims to be huge.
func bomb(w, h uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	head = append(head, 8, 6, 0, 0, 0)
	b = append(binary.BigEndian.AppendUint32(b, 13), head...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
}

// withExif puts an orientation and a text that must not stay into a JPEG.
func withExif(file []byte, turn uint16, order binary.AppendByteOrder) []byte {
	tiff := []byte("II*\x00")
	if order.String() == "BigEndian" {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint16(order.AppendUint32(tiff, 8), 1)
	tiff = order.AppendUint32(order.AppendUint16(order.AppendUint16(tiff, 0x0112), 3), 1)
	tiff = order.AppendUint16(order.AppendUint16(tiff, turn), 0)
	data := append([]byte("Exif\x00\x00"), append(tiff, "SECRET PLACE 45.65 13.77"...)...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(data)+2))
	return bytes.Join([][]byte{file[:2], segment, data, file[2:]}, nil)
}

func TestPosters(t *testing.T) {
	photo := asJPEG(t, noise(3400, 4200), 82)
	if len(photo) < 10_000_000 || len(photo) > 12<<20 {
		t.Fatalf("the photo has %d bytes, 10 MB are wanted", len(photo))
	}
	see := image.NewNRGBA(image.Rect(0, 0, 40, 40)) // all of it transparent
	gray := image.NewGray16(image.Rect(0, 0, 900, 300))
	pal := image.NewPaletted(image.Rect(0, 0, 800, 1600), palette.Plan9)
	for name, c := range map[string]struct {
		file []byte
		w, h int
	}{
		"10 MB photo":     {photo, 600, 800},
		"noise":           {asPNG(t, noise(1200, 1800)), 600, 900},
		"small stays":     {asPNG(t, halves(20, 30)), 20, 30},
		"wide":            {asPNG(t, gray), 600, 200},
		"tall":            {asGIF(t, pal), 450, 900},
		"one line":        {asPNG(t, noise(5000, 1)), 600, 1},
		"transparent":     {asPNG(t, see), 40, 40},
		"webp":            {aWebP, 1, 1},
		"turned photo":    {withExif(asJPEG(t, halves(1200, 800), 80), 6, binary.LittleEndian), 600, 900},
		"turned, another": {withExif(asJPEG(t, halves(1200, 800), 80), 8, binary.BigEndian), 600, 900},
	} {
		out, err := new(Maker).Make(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, kind, err := image.Decode(bytes.NewReader(out))
		if err != nil || kind != "jpeg" {
			t.Errorf("%s: the poster is a %s, %v", name, kind, err)
			continue
		}
		if len(out) > MaxBytes || p.Bounds().Dx() > Width || p.Bounds().Dy() > Height {
			t.Errorf("%s: %d bytes, %v", name, len(out), p.Bounds())
		}
		if len(out) < MaxBytes/2 && (p.Bounds().Dx() != c.w || p.Bounds().Dy() != c.h) {
			t.Errorf("%s: %v, want %d × %d", name, p.Bounds().Size(), c.w, c.h)
		}
		if bytes.Contains(out, []byte("SECRET")) || bytes.Contains(out, []byte("Exif")) {
			t.Errorf("%s: what the camera wrote is still there", name)
		}
	}
	out, err := new(Maker).Make(asPNG(t, see))
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := jpeg.Decode(bytes.NewReader(out)); p == nil || !whitish(p.At(20, 20)) {
		t.Error("what is transparent is not white")
	}
}

func whitish(c color.Color) bool {
	r, g, b, _ := c.RGBA()
	return r > 0xf000 && g > 0xf000 && b > 0xf000
}

func TestPostersRefused(t *testing.T) {
	whole := asJPEG(t, noise(300, 300), 90)
	wholePNG := asPNG(t, noise(300, 300))
	for name, c := range map[string]struct {
		file []byte
		code string
	}{
		"nothing":           {nil, "poster_empty"},
		"text":              {[]byte("my poster"), "poster_kind"},
		"an SVG":            {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "poster_kind"},
		"a PDF":             {[]byte("%PDF-1.7 …"), "poster_kind"},
		"HTML":              {[]byte("<html><img src=x onerror=alert(1)>"), "poster_kind"},
		"a HEIC":            {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"), "poster_kind"},
		"a RIFF":            {[]byte("RIFF\x00\x00\x00\x00WAVEfmt "), "poster_kind"},
		"PNG bomb":          {bomb(60_000, 60_000), "poster_large"},
		"PNG over the edge": {bomb(1<<31-1, 1<<31-1), "poster_damaged"}, // more than a picture can have
		"PNG line":          {bomb(20_000, 1), "poster_large"},
		"PNG of no width":   {bomb(0, 5), "poster_damaged"},
		"24 million and 1":  {bomb(4001, 6000), "poster_large"},
		"cut JPEG":          {whole[:len(whole)/2], "poster_damaged"},
		"cut JPEG head":     {whole[:20], "poster_damaged"},
		"cut PNG":           {wholePNG[:len(wholePNG)-200], "poster_damaged"},
		"only a head":       {bomb(300, 300), "poster_damaged"},
		"GIF head":          {[]byte("GIF89a\x05\x00\x05\x00\x00\x00\x00"), "poster_damaged"},
		"cut WebP":          {aWebP[:24], "poster_damaged"},
	} {
		out, err := new(Maker).Make(c.file)
		var rule *domain.RuleError
		if !errors.As(err, &rule) || rule.Code != c.code || out != nil {
			t.Errorf("%s: %v with %d bytes, want %s", name, err, len(out), c.code)
		}
	}
}

// Each of the eight ways to hold a camera gives the same picture.
func TestPosterIsUpright(t *testing.T) {
	want := image.NewRGBA(image.Rect(0, 0, 2, 3)) // six dots, each another
	for i := range 6 {
		want.Set(i%2, i/2, color.RGBA{byte(40 * i), byte(250 - 40*i), 7, 255})
	}
	// back[turn] is where the dot (x, y) of the upright picture is in the stored one.
	w, h := 2, 3
	back := map[int]func(x, y int) (int, int){
		1: func(x, y int) (int, int) { return x, y },
		2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, w - 1 - x },
		7: func(x, y int) (int, int) { return h - 1 - y, w - 1 - x },
		8: func(x, y int) (int, int) { return h - 1 - y, x },
	}
	for turn, at := range back {
		sw, sh := w, h
		if turn >= 5 {
			sw, sh = h, w
		}
		stored := image.NewRGBA(image.Rect(0, 0, sw, sh))
		for y := range h {
			for x := range w {
				sx, sy := at(x, y)
				stored.Set(sx, sy, want.At(x, y))
			}
		}
		if got := upright(stored, turn); got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("orientation %d is not upright: %v", turn, got.Pix)
		}
	}
	for turn := uint16(0); turn < 10; turn++ {
		file := withExif(asJPEG(t, halves(8, 8), 80), turn, binary.BigEndian)
		want := int(turn)
		if turn < 1 || turn > 8 {
			want = 1
		}
		if got := jpegTurn(file); got != want {
			t.Errorf("orientation %d is read as %d", turn, got)
		}
	}
	tiff := []byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00")
	chunk := binary.BigEndian.AppendUint32(bomb(3, 3), uint32(len(tiff)))
	chunk = append(append(chunk, "eXIf"...), append(tiff, 0, 0, 0, 0)...)
	if got := pngTurn(chunk); got != 6 {
		t.Errorf("a PNG's orientation is read as %d", got)
	}
	riff := append([]byte("RIFF\x00\x00\x00\x00WEBPEXIF"), binary.LittleEndian.AppendUint32(nil, uint32(len(tiff)))...)
	if got := webpTurn(append(riff, tiff...)); got != 6 {
		t.Errorf("a WebP's orientation is read as %d", got)
	}
}

// Whatever comes is a small JPEG or a refusal in words.
func FuzzMake(f *testing.F) {
	f.Add([]byte("GIF89a"))
	f.Add(aWebP)
	f.Add(bomb(30, 30))
	f.Add(asPNG(f, halves(6, 6)))
	f.Add(withExif(asJPEG(f, halves(6, 6), 50), 6, binary.LittleEndian))
	f.Fuzz(func(t *testing.T, file []byte) {
		out, err := new(Maker).Make(file)
		var rule *domain.RuleError
		if err != nil && !errors.As(err, &rule) {
			t.Fatalf("no words: %v", err)
		}
		if err == nil && (len(out) > MaxBytes || !bytes.HasPrefix(out, []byte("\xff\xd8"))) {
			t.Fatalf("%d bytes", len(out))
		}
	})
}
