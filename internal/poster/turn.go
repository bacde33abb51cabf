package poster

import (
	"bytes"
	"encoding/binary"
	"image"
)

// upright turns and mirrors a picture as its EXIF orientation says.
func upright(p *image.RGBA, turn int) *image.RGBA {
	if turn <= 1 || turn > 8 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if turn >= 5 {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			var tx, ty int
			switch turn {
			case 2:
				tx, ty = w-1-x, y
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				tx, ty = x, h-1-y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			copy(to.Pix[to.PixOffset(tx, ty):][:4], p.Pix[p.PixOffset(x, y):][:4])
		}
	}
	return to
}

// jpegTurn finds the orientation in the segments before the picture itself.
func jpegTurn(file []byte) int {
	for at := 2; at+4 <= len(file) && file[at] == 0xff; {
		marker, length := file[at+1], int(binary.BigEndian.Uint16(file[at+2:]))
		if marker == 0xda || length < 2 || at+2+length > len(file) {
			return 1
		}
		if data, ok := bytes.CutPrefix(file[at+4:at+2+length], []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			return exifTurn(data)
		}
		at += 2 + length
	}
	return 1
}

// pngTurn finds the orientation in the chunk eXIf.
func pngTurn(file []byte) int {
	for at := 8; at+12 <= len(file); {
		length := int(binary.BigEndian.Uint32(file[at:]))
		if length > len(file)-at-12 {
			return 1
		}
		if string(file[at+4:at+8]) == "eXIf" {
			return exifTurn(file[at+8 : at+8+length])
		}
		at += 12 + length
	}
	return 1
}

// webpTurn finds the orientation in the chunk EXIF.
func webpTurn(file []byte) int {
	for at := 12; at+8 <= len(file); {
		length := int(binary.LittleEndian.Uint32(file[at+4:]))
		if length > len(file)-at-8 {
			return 1
		}
		if string(file[at:at+4]) == "EXIF" {
			return exifTurn(bytes.TrimPrefix(file[at+8:at+8+length], []byte("Exif\x00\x00")))
		}
		at += 8 + length + length&1
	}
	return 1
}

// exifTurn reads the tag 0x0112 of the first directory; 1, upright, when it is not there.
func exifTurn(tiff []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(tiff, []byte("II*\x00")):
		return 1
	}
	if len(tiff) < 10 {
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == 0x0112 {
			if turn := int(order.Uint16(entries[8:])); turn >= 1 && turn <= 8 {
				return turn
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}
