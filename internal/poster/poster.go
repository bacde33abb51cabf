// Package poster turns a picture that somebody uploads into a small JPEG: at most
// 600 × 900 dots and 200 KB, upright, without anything that cameras write into files.
// What is not a picture, is too large or is damaged is refused in words.
package poster

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"sync"

	scale "golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"holdfast/internal/domain"
)

const (
	// Width and Height bound the poster.
	Width, Height = 600, 900
	// MaxBytes is the most a poster takes, as the database has it.
	MaxBytes = 200 << 10
	// maxDots and maxSide bound what is unpacked: a small file may claim to be huge.
	maxDots = 24_000_000
	maxSide = 16_000
)

// Maker makes posters, one at a time: unpacked pictures are large.
type Maker struct{ one sync.Mutex }

// Make answers the poster of an uploaded file, or *domain.RuleError with what is wrong.
func (m *Maker) Make(file []byte) ([]byte, error) {
	m.one.Lock()
	defer m.one.Unlock()
	if len(file) == 0 {
		return nil, refuse("poster_empty", "This file is empty. Please choose another.")
	}
	f, known := formatOf(file)
	if !known {
		return nil, refuse("poster_kind", "This file is not a picture that we can read. Please choose a JPEG, PNG, WebP or GIF.")
	}
	size, err := f.size(bytes.NewReader(file))
	if err != nil || size.Width < 1 || size.Height < 1 {
		return nil, damaged()
	}
	if size.Width > maxSide || size.Height > maxSide || size.Width*size.Height > maxDots {
		return nil, refuse("poster_large", "This picture has too many dots. Please make it smaller, at most 6000 × 4000; 600 × 900 is all that is shown.")
	}
	picture, err := f.unpack(bytes.NewReader(file))
	if err != nil {
		return nil, damaged()
	}
	turn := f.turn(file)
	return pack(upright(shrink(picture, turn), turn))
}

func refuse(code, words string) error { return &domain.RuleError{Code: code, Words: words} }

func damaged() error {
	return refuse("poster_damaged", "This picture is damaged: a part of the file is missing or wrong. Please save it again or choose another.")
}

// format is one kind of picture.
type format struct {
	size   func(*bytes.Reader) (image.Config, error)
	unpack func(*bytes.Reader) (image.Image, error)
	turn   func(file []byte) int // EXIF orientation, 1 to 8
}

// formatOf goes by the file's first bytes; its name and the browser's word count for nothing.
func formatOf(file []byte) (format, bool) {
	begins := func(at int, s string) bool { return len(file) >= at+len(s) && string(file[at:at+len(s)]) == s }
	switch {
	case begins(0, "\xff\xd8\xff"):
		return format{
			func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) }, jpegTurn}, true
	case begins(0, "\x89PNG\r\n\x1a\n"):
		return format{
			func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) }, pngTurn}, true
	case begins(0, "GIF87a"), begins(0, "GIF89a"):
		return format{
			func(r *bytes.Reader) (image.Config, error) { return gif.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return gif.Decode(r) }, func([]byte) int { return 1 }}, true
	case begins(0, "RIFF") && begins(8, "WEBP"):
		return format{
			func(r *bytes.Reader) (image.Config, error) { return webp.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) }, webpTurn}, true
	}
	return format{}, false
}

// shrink fits a picture into the bounds that it will have once it is turned, on white;
// small ones stay as they are.
func shrink(from image.Image, turn int) *image.RGBA {
	wide, high := Width, Height
	if turn >= 5 {
		wide, high = high, wide
	}
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	if w > wide {
		w, h = wide, max(1, (h*wide+w/2)/w)
	}
	if h > high {
		w, h = max(1, (w*high+h/2)/h), high
	}
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(to, to.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	scale.CatmullRom.Scale(to, to.Bounds(), from, b, draw.Over, nil)
	return to
}

// pack lowers the quality, then the size, until the file is small enough.
func pack(p *image.RGBA) ([]byte, error) {
	for {
		for quality := 86; quality >= 46; quality -= 10 {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: quality}); err != nil {
				return nil, err
			}
			if b.Len() <= MaxBytes {
				return b.Bytes(), nil
			}
		}
		smaller := image.NewRGBA(image.Rect(0, 0, p.Rect.Dx()*4/5, p.Rect.Dy()*4/5))
		scale.CatmullRom.Scale(smaller, smaller.Bounds(), p, p.Bounds(), draw.Src, nil)
		p = smaller
	}
}
