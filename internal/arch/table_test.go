package arch

import "slices"

const module = "holdfast"

// rule says what a package's own code may import of ours.
type rule struct {
	may       []string
	all       bool // may import everything, but for what is testOnly or nobody's
	nobodys   bool // nobody but main and the test helpers may import it
	testsOnly bool // only test files, and other testsOnly packages, may import it
}

var (
	services = []string{"internal/schedule", "internal/booking", "internal/counter", "internal/access", "internal/waitroom"}
	shapes   = []string{"internal/domain", "internal/format", "internal/wire"}
	stored   = []string{"internal/domain", "db"}
	// stripepay is among them for the tests of services whose Stripe is a look-alike
	// behind real HTTP.
	testTools = []string{"db/dbtest", "internal/apptest", "internal/stripesim", "internal/stripepay", "internal/privpg"}
)

// table is the import table of the house, by path inside the module. Services
// never import each other: where one needs another's act it declares a small
// interface that main fills.
func table() map[string]rule {
	t := map[string]rule{
		"":                   {all: true, nobodys: true},
		"handlers":           {may: slices.Concat(services, shapes, []string{"internal/ticket", "internal/seatmap", "internal/seatplan", "internal/failpoint", "views", "static"}), nobodys: true},
		"views":              {},
		"static":             {},
		"migrations":         {},
		"db":                 {may: []string{"internal/domain", "internal/failpoint", "migrations"}},
		"db/dbtest":          {may: []string{"internal/domain", "db", "migrations", "internal/privpg"}, testsOnly: true},
		"internal/domain":    {},
		"internal/seatplan":  {may: []string{"internal/domain"}},
		"internal/stripepay": {may: shapes},
		"internal/ticket":    {may: shapes},
		"internal/partner":   {may: shapes},
		"internal/poster":    {may: []string{"internal/domain"}},
		"internal/mail":      {may: slices.Concat(shapes, []string{"views", "db"})},
		"internal/jobs":      {may: stored},
		"internal/metrics":   {may: stored},
		"internal/seatmap":   {may: stored},
		"internal/demo":      {may: stored},
		"internal/config":    {may: []string{"internal/domain"}},
		"internal/format":    {may: []string{"internal/domain"}},
		"internal/wire":      {may: []string{"internal/domain"}},
		"internal/stripesim": {},
		"internal/csvfile":   {},
		"internal/gtfs":      {may: []string{"internal/csvfile"}},
		"internal/privpg":    {},
		"internal/arch":      {},
		"internal/apptest":   {all: true, testsOnly: true},
		"internal/bench":     {all: true, testsOnly: true},
		"internal/mutants":   {testsOnly: true},
		"internal/rush":      {all: true, testsOnly: true},
		"internal/scale":     {all: true, testsOnly: true},
		"internal/torture":   {all: true, testsOnly: true},
		"internal/failpoint": {},
	}
	for _, service := range services {
		t[service] = rule{may: stored}
	}
	t["internal/schedule"] = rule{may: slices.Concat(stored, []string{"internal/poster", "internal/seatplan", "internal/csvfile", "internal/gtfs"})}
	t["internal/counter"] = rule{may: slices.Concat(stored, []string{"internal/csvfile"})}
	t["internal/booking"] = rule{may: slices.Concat(stored, []string{"internal/csvfile", "internal/failpoint"})}
	return t
}
