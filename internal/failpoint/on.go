//go:build failpoints

package failpoint

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// plan is what the environment asked for.
type plan struct {
	chance map[string]float64
	mu     sync.Mutex
	dice   *rand.Rand
}

// planned is read once: a process keeps its plan for as long as it lives.
var planned = sync.OnceValue(func() *plan {
	seed, _ := strconv.ParseUint(os.Getenv("HOLDFAST_FAILSEED"), 10, 64) // 0 is a seed too
	return &plan{chance: parse(os.Getenv("HOLDFAST_FAILPOINTS")), dice: rand.New(rand.NewPCG(seed, 1))}
})

// parse reads "name:probability,…". What cannot be read is told and left out: a build
// for torture must not die of its own switches.
func parse(text string) map[string]float64 {
	out := map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, chance, _ := strings.Cut(part, ":")
		p, err := strconv.ParseFloat(chance, 64)
		if err != nil {
			fmt.Fprintf(os.Stderr, "failpoint: cannot read %q\n", part)
			continue
		}
		out[name] = p
	}
	return out
}

// Hit kills this process with SIGKILL, by the chance that its name has.
func Hit(name string) {
	p := planned()
	if !p.strikes(name) {
		return
	}
	fmt.Fprintf(os.Stderr, "failpoint: %s\n", name)
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way: nothing after this point may happen
}

func (p *plan) strikes(name string) bool {
	chance := p.chance[name]
	if chance <= 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dice.Float64() < chance
}
