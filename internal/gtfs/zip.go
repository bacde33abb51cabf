package gtfs

import (
	"archive/zip"
	"errors"
	"fmt"
	"holdfast/internal/csvfile"
	"io"
	"path"
	"slices"
	"strings"
)

// source is the feed's files by their plain name.
type source struct {
	files map[string]*zip.File
	in    *counted
}

// openZip finds the feed's files. What is wrong with the zip goes into the report.
func openZip(in *counted, size int64, r *csvfile.Report) *source {
	in.left = maxDirectory
	z, err := zip.NewReader(in, size)
	in.left = -1
	if err != nil {
		words := "The file is not a zip, or it is damaged. A GTFS feed is a zip with stops.txt, trips.txt and others inside."
		if errors.Is(err, errDirectory) {
			words = "The zip holds far too many entries for a timetable."
		}
		r.Add(csvfile.Stops, "", 0, words, "")
		return nil
	}
	if len(z.File) > maxEntries {
		r.Add(csvfile.Stops, "", 0, fmt.Sprintf("The zip holds more than %d entries: that is no timetable.", maxEntries), "")
		return nil
	}
	s := &source{files: map[string]*zip.File{}, in: in}
	folders := map[string][]*zip.File{}
	var inner []string
	for _, f := range z.File {
		name, ok := entryName(f, r)
		switch {
		case !ok:
			return nil
		case name == "":
		case strings.EqualFold(path.Ext(name), ".zip"):
			inner = append(inner, name)
		case known(path.Base(name)):
			dir := path.Dir(name)
			folders[dir] = append(folders[dir], f)
		}
	}
	dir, ok := folderOf(folders, r)
	if !ok {
		return nil
	}
	if len(folders) == 0 && len(inner) > 0 {
		r.Add(csvfile.Stops, "", 0, "The zip holds another zip. Unpack it once and send the inner one.", inner[0])
		return nil
	}
	for _, f := range folders[dir] {
		if !s.take(f, r) {
			return nil
		}
	}
	return s
}

// entryName is the cleaned name of a file, "" for what is none of a feed; false where
// the name is a trick.
func entryName(f *zip.File, r *csvfile.Report) (string, bool) {
	name := strings.ReplaceAll(f.Name, `\`, "/")
	parts := strings.Split(name, "/")
	if path.IsAbs(name) || strings.ContainsAny(name, "\x00:") || slices.Contains(parts, "..") {
		r.Add(csvfile.Stops, "", 0, "The zip has an entry whose name points outside the zip. Nobody packs a timetable like that.", fmt.Sprintf("%.80q", f.Name))
		return "", false
	}
	if strings.HasSuffix(name, "/") || parts[0] == "__MACOSX" || strings.HasPrefix(parts[len(parts)-1], ".") || !f.Mode().IsRegular() {
		return "", true
	}
	return path.Clean(name), true
}

// folderOf is the folder with the feed: the top, or the only one.
func folderOf(folders map[string][]*zip.File, r *csvfile.Report) (string, bool) {
	if _, top := folders["."]; top || len(folders) == 0 {
		return ".", true
	}
	var names []string
	for dir := range folders {
		names = append(names, dir)
	}
	slices.Sort(names)
	if len(names) > 1 {
		r.Add(csvfile.Stops, "", 0, "The zip holds more than one feed. Send one at a time.", fmt.Sprintf("%.60q and %.60q", names[0], names[1]))
		return "", false
	}
	return names[0], true
}

func (s *source) take(f *zip.File, r *csvfile.Report) bool {
	name := strings.ToLower(path.Base(strings.ReplaceAll(f.Name, `\`, "/")))
	packed, open := f.CompressedSize64, f.UncompressedSize64
	switch {
	case s.files[name] != nil:
		r.Add(csvfile.Stops, name, 0, "The zip holds this file twice.", "")
	case f.Flags&1 != 0:
		r.Add(csvfile.Stops, name, 0, "The zip is locked with a password.", "")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		r.Add(csvfile.Stops, name, 0, "The zip is packed in a way that only few programs can read. Pack it again as an ordinary zip.", "")
	case open > maxFile:
		r.Add(csvfile.Stops, name, 0, fmt.Sprintf("Unpacked the file is larger than %d MB.", maxFile>>20), "")
	case open > ratioFrom && open/max(packed, 1) > maxRatio:
		r.Add(csvfile.Stops, name, 0, "The file is packed so tightly that it is no timetable.", "")
	default:
		s.files[name] = f
		return true
	}
	return false
}

// open unpacks a file while it is read.
func (s *source) open(name string) (io.ReadCloser, error) { return s.files[name].Open() }

func known(name string) bool {
	return slices.Contains([]string{
		"agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt", "calendar.txt", "calendar_dates.txt", "frequencies.txt",
	}, strings.ToLower(name))
}

var errDirectory = errors.New("directory too long")

// counted reads the zip. It bounds what opening may read, because the list of entries
// is kept in memory, and remembers the first error of the reader below, which is ours
// and not the zip's.
type counted struct {
	r    io.ReaderAt
	left int64 // < 0: no bound
	err  error
}

// ReadAt reads below, within the bound.
func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	if c.left >= 0 {
		if c.left -= int64(len(p)); c.left < 0 {
			return 0, errDirectory
		}
	}
	n, err := c.r.ReadAt(p, at)
	if err != nil && err != io.EOF && c.err == nil {
		c.err = err
	}
	return n, err
}
