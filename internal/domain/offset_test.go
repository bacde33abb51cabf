package domain

import "testing"

func TestParseOffset(t *testing.T) {
	for typed, want := range map[string]int{
		"0": 0, "0:00": 0, "150": 150, "+150": 150, "2:30": 150, "+2:30": 150, " + 2 : 30 ": 150, "02:30": 150, "2h30": 150, "2h": 120, "2 h": 120,
		"2 h 30 min": 150, "2H 5min": 125, "150 min": 150, "90min": 90, "26:15": 1575, "168:00": 10080, "10080": 10080,
	} {
		if got, err := ParseOffset(typed); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", typed, got, err, want)
		}
	}
	for _, typed := range []string{"", " ", "+", "-5", "-1:00", "2:3", "2:60", "2:300", "2:", ":30", "h", "h30", "min", "2.5", "1,5", "1e3", "0x10", "168:01", "10081", "999999", "99999999999999999999", "2:30:00", "2h30m", "noon", "٣", "2:3٠", "++2", "2:-3", "2:+3", "1 2:30x"} {
		if got, err := ParseOffset(typed); err == nil {
			t.Errorf("%q is taken as %d", typed, got)
		}
	}
}

// Whatever is typed, the answer is a refusal or minutes within a week that read back as
// themselves.
func FuzzParseOffset(f *testing.F) {
	for _, s := range []string{"2:30", "+150", "2 h 30 min", "26:15", "x", "", "::", "hh", "\x00", "९"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		n, err := ParseOffset(typed)
		if err != nil {
			return
		}
		if n < 0 || n > MaxOffset {
			t.Fatalf("%q is %d minutes", typed, n)
		}
		if again, err := ParseOffset(ShowOffset(n)); err != nil || again != n {
			t.Fatalf("%q is %d, shown as %q, read as %d (%v)", typed, n, ShowOffset(n), again, err)
		}
	})
}
