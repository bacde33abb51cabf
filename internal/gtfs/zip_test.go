package gtfs

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
)

// entries packs files in an order, with names as they stand.
func entries(t testing.TB, list ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(list); i += 2 {
		w, err := z.Create(list[i])
		if err == nil {
			_, err = w.Write([]byte(list[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func within(files map[string]string, folder string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		out[folder+name] = text
	}
	return out
}

func TestZips(t *testing.T) {
	t.Parallel()
	good := pack(t, files(nil))
	with := func(more map[string]string) []byte {
		f := files(nil)
		for name, text := range more {
			f[name] = text
		}
		return pack(t, f)
	}
	var many []string
	for range maxEntries + 1 {
		many = append(many, "x", "")
	}
	locked := bytes.Clone(good)
	for at := 0; ; { // the flag of every entry in the directory
		i := bytes.Index(locked[at:], []byte("PK\x01\x02"))
		if i < 0 {
			break
		}
		locked[at+i+8] |= 1
		at += i + 4
	}
	lying := bytes.Clone(good)
	if i := bytes.Index(lying, []byte("PK\x01\x02")); i >= 0 {
		binary.LittleEndian.PutUint32(lying[i+24:], 3) // its size unpacked
	}
	for name, test := range map[string]struct {
		zip  []byte
		says string // "" is a good feed
	}{
		"good":             {good, ""},
		"one folder":       {pack(t, within(files(nil), "export 2026/")), ""},
		"Mac":              {with(map[string]string{"__MACOSX/._stops.txt": "\x00", "__MACOSX/stops.txt": "\x00", ".DS_Store": "x"}), ""},
		"backslashes":      {pack(t, within(files(nil), `gtfs\`)), ""},
		"extra zip inside": {with(map[string]string{"old.zip": "PK"}), ""},
		"no zip":           {[]byte("stop_id,stop_name\n"), "not a zip"},
		"nothing":          {nil, "not a zip"},
		"cut off":          {good[:len(good)/2], "not a zip"},
		"damaged":          {damaged(good), "damaged"},
		"empty zip":        {pack(t, nil), "The file is missing"},
		"other files":      {entries(t, "a.txt", "x"), "The file is missing"},
		"zip in zip":       {entries(t, "feed/gtfs.zip", string(good)), "another zip"},
		"two feeds":        {entries(t, "a/stops.txt", "x", "b/stops.txt", "x"), "more than one feed"},
		"a file twice":     {entries(t, "stops.txt", "x", "Stops.txt", "x"), "holds this file twice"},
		"path up":          {with(map[string]string{"../stops.txt": "x"}), "points outside the zip"},
		"path up inside":   {with(map[string]string{"a/../../x": "x"}), "points outside the zip"},
		"path up, Windows": {with(map[string]string{`..\x`: "x"}), "points outside the zip"},
		"absolute":         {with(map[string]string{"/etc/passwd": "x"}), "points outside the zip"},
		"drive":            {with(map[string]string{`C:\x`: "x"}), "points outside the zip"},
		"locked":           {locked, "locked with a password"},
		"many entries":     {entries(t, many...), "more than 1000 entries"},
		"bomb":             {with(map[string]string{"stop_times.txt": strings.Repeat("0", 64<<20)}), "packed so tightly"},
		"lying size":       {lying, "damaged"},
		"endless row":      {with(map[string]string{"trips.txt": "route_id,service_id,trip_id\nR,S,\"" + strings.Repeat("T", 1<<20)}), "longer than 64 KB"},
		"endless header":   {with(map[string]string{"trips.txt": strings.Repeat("T", 1<<20)}), "longer than 64 KB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := read(t, test.zip)
			if f.Report.Stopped() != (test.says != "") || !strings.Contains(told(f), test.says) {
				t.Errorf("says\n%s\nwant %q", told(f), test.says)
			}
		})
	}
}

// damaged turns bytes of the packed content over.
func damaged(zip []byte) []byte {
	out := bytes.Clone(zip)
	for i := 60; i < 300; i++ {
		out[i] ^= 0x5A
	}
	return out
}

// A directory of hundreds of thousands of entries is refused before it fills the memory,
// whatever number of entries the zip says it has.
func TestZipDirectoryIsBounded(t *testing.T) {
	t.Parallel()
	const n = 300_000
	header := make([]byte, 46)
	copy(header, "PK\x01\x02")
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[8:], 5)
	binary.LittleEndian.PutUint16(end[10:], 5)
	binary.LittleEndian.PutUint32(end[12:], n*46)
	f := read(t, append(bytes.Repeat(header, n), end...))
	if !f.Report.Stopped() || !strings.Contains(told(f), "far too many entries") {
		t.Error(told(f))
	}
}

// Trouble of ours is an error, not a report about the zip.
func TestReadTellsOurTrouble(t *testing.T) {
	t.Parallel()
	zip := pack(t, files(nil))
	trouble := errors.New("database unavailable")
	for after := range 40 {
		if f, err := Read(t.Context(), &failing{bytes.NewReader(zip), after, trouble}, int64(len(zip))); err == nil {
			if f.Report.Stopped() {
				t.Fatalf("after %d reads our trouble is told as\n%s", after, told(f))
			}
			if after == 0 {
				t.Error("it never failed")
			}
		} else if !errors.Is(err, trouble) {
			t.Errorf("after %d reads: %v", after, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ended, bytes.NewReader(zip), int64(len(zip))); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

type failing struct {
	io.ReaderAt
	left int
	err  error
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, at)
}

// FuzzRead: whatever the files hold, reading and planning end, and what is sellable has
// times that go forward.
func FuzzRead(f *testing.F) {
	base := files(map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\n", "calendar_dates.txt": "service_id,date,exception_type\n"})
	f.Add("T,,,B,2\n", "S,20261224,2\n", "T,07:30:00,15:30:00,10800,1\n", "D,\"x\"\n")
	f.Add("T,99:59:59,1:0:0,B,2,,\n\"", "S,20270231,1\n", "T,0:00:00,99:00:00,1,1\n", "A,,,,\n")
	f.Add("U,1:00:00,1:00:00,Z,-1\n", ",,\n", "T,7:00:00,8:00:00,-5,1\n", "\x00\n")
	f.Fuzz(func(t *testing.T, times, dates, frequencies, stops string) {
		change := map[string]string{
			"stop_times.txt": base["stop_times.txt"] + times, "calendar_dates.txt": base["calendar_dates.txt"] + dates,
			"frequencies.txt": base["frequencies.txt"] + frequencies, "stops.txt": base["stops.txt"] + stops,
		}
		feed := read(t, pack(t, files(change)))
		if feed.Report.Stopped() {
			return
		}
		for _, d := range feed.Plan(0, day(t, "2026-12-01"), day(t, "2026-12-31"), 50).Departures {
			calls := feed.Calls(d)
			if len(calls) < 2 || !calls[len(calls)-1].Arrives.After(calls[0].Departs) {
				t.Fatalf("a departure of %d calls from %v", len(calls), calls)
			}
			for i, c := range calls {
				if c.Departs.Before(c.Arrives) || i > 0 && c.Arrives.Before(calls[i-1].Departs) {
					t.Fatalf("times run backwards: %v", calls)
				}
			}
		}
	})
}
