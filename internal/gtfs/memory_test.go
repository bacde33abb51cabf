package gtfs

import (
	"archive/zip"
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// bigFeed writes a feed whose stop_times.txt has at least so many bytes.
func bigFeed(t testing.TB, bytes int) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "feed.zip"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	z := zip.NewWriter(file)
	fill := func(name string, rows func(w *bufio.Writer)) {
		entry, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(entry)
		rows(w)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	small := files(map[string]string{"stops.txt": "-", "trips.txt": "-", "stop_times.txt": "-"})
	for name, text := range small {
		fill(name, func(w *bufio.Writer) { fmt.Fprint(w, text) })
	}
	fill("stops.txt", func(w *bufio.Writer) {
		fmt.Fprintln(w, "stop_id,stop_name")
		for i := range 5000 {
			fmt.Fprintf(w, "stop%d,Stop number %d\n", i, i)
		}
	})
	const calls = 25
	trips, size := 0, 0
	fill("stop_times.txt", func(w *bufio.Writer) {
		fmt.Fprintln(w, "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type")
		for ; size < bytes; trips++ {
			for i := range calls {
				n, _ := fmt.Fprintf(w, "trip%d,%02d:%02d:00,%02d:%02d:00,stop%d,%d,0,0\n", trips, 5+i/2, i%2*30, 5+i/2, i%2*30+1, (trips*7+i)%5000, i)
				size += n
			}
		}
	})
	fill("trips.txt", func(w *bufio.Writer) {
		fmt.Fprintln(w, "route_id,service_id,trip_id,trip_headsign")
		for i := range trips {
			fmt.Fprintf(w, "R,S,trip%d,Somewhere\n", i)
		}
	})
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// A stop_times.txt of 50 MB takes less than 150 MB to read: the heap is watched while it
// is.
func TestFeedMemory(t *testing.T) { // alone: other tests' memory would count
	file := bigFeed(t, 50<<20)
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	peak, done, watched := uint64(0), make(chan struct{}), make(chan struct{})
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapInuse
	go func() {
		defer close(watched)
		for tick := time.Tick(10 * time.Millisecond); ; <-tick {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	f, err := Read(t.Context(), file, info.Size())
	close(done)
	<-watched
	if err != nil || f.Report.Stopped() {
		t.Fatal(err, told(f))
	}
	if len(f.times) < 1_000_000 {
		t.Fatalf("only %d rows: the feed is not big", len(f.times))
	}
	t.Logf("%d rows, zip of %d MB, heap at most %d MB (before %d)", len(f.times), info.Size()>>20, peak>>20, before>>20)
	if peak > 150<<20 {
		t.Errorf("the heap grew to %d MB", peak>>20)
	}
}
