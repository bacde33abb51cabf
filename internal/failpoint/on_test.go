//go:build failpoints

package failpoint

import (
	"maps"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	got := parse("a.b:0.5, c:1,,broken,d:x")
	if want := map[string]float64{"a.b": 0.5, "c": 1}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
