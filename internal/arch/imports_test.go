package arch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// violations answers one line for each import, or package, that the table forbids.
func violations(table map[string]rule, files []source) []string {
	var bad []string
	for _, f := range files {
		r, known := table[f.pkg]
		if !known {
			bad = append(bad, fmt.Sprintf("%s: package %q is not in the table: add it to the table", f.path, f.pkg))
			continue
		}
		for _, target := range f.imports {
			if why := forbidden(table, r, f, target); why != "" {
				bad = append(bad, fmt.Sprintf("%s: imports %s, %s", f.path, target, why))
			}
		}
	}
	return bad
}

// forbidden answers why f may not import target, or "".
func forbidden(table map[string]rule, r rule, f source, target string) string {
	to, known := table[target]
	switch {
	case !known:
		return "which is not in the table: add it to the table"
	case target == f.pkg && f.test: // package x_test
		return ""
	case f.test && slices.Contains(testTools, target):
		return ""
	case to.testsOnly && !f.test && !r.testsOnly:
		return "which is for test files only"
	case to.nobodys && f.pkg != "" && !r.testsOnly:
		return "which only main may"
	case r.all || slices.Contains(r.may, target):
		return ""
	}
	return fmt.Sprintf("which the table does not allow to %q", f.pkg)
}

func TestImports(t *testing.T) {
	files := sources(t, "../..")
	if len(files) < 20 {
		t.Fatalf("read only %d files: the test looks in the wrong place", len(files))
	}
	for _, line := range violations(table(), files) {
		t.Error(line)
	}
}

// The checker must be able to fail: each bad example is found, each good one is not.
func TestViolationsFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file source
		want string // part of the line; "" is allowed
	}{
		"service to db":           {source{pkg: "internal/booking", imports: []string{"db", "internal/domain"}}, ""},
		"service to service":      {source{pkg: "internal/booking", imports: []string{"internal/counter"}}, "does not allow"},
		"service to service test": {source{pkg: "internal/booking", test: true, imports: []string{"internal/counter"}}, "does not allow"},
		"service to handlers":     {source{pkg: "internal/access", imports: []string{"handlers"}}, "only main may"},
		"handlers to db":          {source{pkg: "handlers", imports: []string{"db"}}, "does not allow"},
		"views to domain":         {source{pkg: "views", imports: []string{"internal/domain"}}, "does not allow"},
		"mail to views":           {source{pkg: "internal/mail", imports: []string{"views", "db"}}, ""},
		"ticket to views":         {source{pkg: "internal/ticket", imports: []string{"views"}}, "does not allow"},
		"main to handlers":        {source{pkg: "", imports: []string{"handlers", "internal/privpg"}}, ""},
		"main to apptest":         {source{pkg: "", imports: []string{"internal/apptest"}}, "test files only"},
		"main test to apptest":    {source{pkg: "", test: true, imports: []string{"internal/apptest"}}, ""},
		"apptest to handlers":     {source{pkg: "internal/apptest", imports: []string{"handlers", "db/dbtest"}}, ""},
		"code to dbtest":          {source{pkg: "internal/demo", imports: []string{"db/dbtest"}}, "test files only"},
		"test to dbtest":          {source{pkg: "internal/demo", test: true, imports: []string{"db/dbtest", "internal/demo"}}, ""},
		"unknown package":         {source{pkg: "internal/settle"}, "add it to the table"},
		"unknown target":          {source{pkg: "db", imports: []string{"internal/util"}}, "add it to the table"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(violations(table(), []source{test.file}), "\n")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The table itself must not allow what the house forbids.
func TestTableKeepsServicesApart(t *testing.T) {
	t.Parallel()
	for _, from := range services {
		for _, to := range services {
			if slices.Contains(table()[from].may, to) {
				t.Errorf("%s may import %s", from, to)
			}
		}
	}
	for pkg, r := range table() {
		for _, to := range r.may {
			if _, ok := table()[to]; !ok {
				t.Errorf("%s may import %s, which is no package", pkg, to)
			}
		}
	}
}
