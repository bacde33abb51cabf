package arch

import (
	"os"
	"strings"
	"testing"
)

// direct answers the modules that a go.mod requires for our own code.
func direct(goMod string) []string {
	var mods []string
	block := false
	for line := range strings.Lines(goMod) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || strings.HasPrefix(f[0], "//") || strings.Contains(line, "// indirect"):
		case f[0] == "require" && f[1] == "(":
			block = true
		case f[0] == ")":
			block = false
		case f[0] == "require":
			mods = append(mods, f[1])
		case block:
			mods = append(mods, f[0])
		}
	}
	return mods
}

func TestEachDependencyHasItsLine(t *testing.T) {
	t.Parallel()
	goMod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("DEPENDENCIES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, mod := range direct(string(goMod)) {
		if !strings.Contains(string(list), "| `"+mod+"` |") {
			t.Errorf("%s is new: say in DEPENDENCIES.md what it replaces", mod)
		}
	}
	for line := range strings.Lines(string(list)) {
		if mod, ok := strings.CutPrefix(line, "| `"); ok {
			mod, _, _ = strings.Cut(mod, "`")
			if !strings.Contains(string(goMod), mod+" v") {
				t.Errorf("DEPENDENCIES.md names %s, which go.mod does not have", mod)
			}
		}
	}
}

func TestDirect(t *testing.T) {
	t.Parallel()
	got := direct("module x\n\nrequire a.org/one v1.0.0\nrequire b.org/no v1.0.0 // indirect\nrequire (\n\tc.org/two v1.2.3\n\td.org/no v1.0.0 // indirect\n)\n\ntool a.org/one/cmd\n")
	if strings.Join(got, " ") != "a.org/one c.org/two" {
		t.Error(got)
	}
}
