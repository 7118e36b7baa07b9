package guestcode

import (
	"slices"
	"sort"
)

// Backend is the hypervisor interface that a variant's slow path talks to.
type Backend string

// The backends.
const (
	BackendNone Backend = "none"
	BackendKVM  Backend = "kvm" // HLT and the KICK_CPU hypercall
	BackendXen  Backend = "xen" // event channels
)

// The verdicts that a table row can ask of an exhaustive check.
const (
	VerdictHolds     = "holds"
	VerdictExclusion = "exclusion"
	VerdictDeadlock  = "deadlock"
	VerdictLivelock  = "livelock"
)

// Param is a symbol of a variant's source that a define may override.
type Param struct {
	Name     string
	Default  int64
	Doc      string
	Mutation bool // it breaks the lock; for twins and experiments
}

// Variant is one row of the table.
type Variant struct {
	Name  string
	File  string // the embedded source with spin_lock and spin_unlock
	Title string // one line for listings
	Seed  string // the patch or paper that the code is written after

	Backend Backend
	// TicketBits is the default width of a ticket, 0 if the lock has none.
	TicketBits int
	// TicketStep is what one locker adds to tail: 1 native, 2 where bit 0 is
	// the slowpath flag, 0 if the lock has no tickets.
	TicketStep int

	Params  []Param
	Defines map[string]int64 // what this row fixes; a twin is made by these

	BrokenOf string // for a twin: the name of the sound parent
	Verdict  string // what an exhaustive check must say
	Check    string // flags of the smallest check that says so
	Stats    bool   // the program can count in spinlock_stats
	// Alike says that CPUs cannot tell who they are: the lock reads neither an
	// index nor an APIC id, keeps nothing per CPU and scans nothing in order.
	// Unchecked leaves out the check that the tickets serve that many vCPUs.
	Unchecked bool
	Alike     bool
}

// Variants returns the table, sound variants first. The caller owns the result.
func Variants() []Variant {
	return append(soundVariants(), brokenVariants()...)
}

// Lookup returns the variant of that name.
func Lookup(name string) (Variant, bool) {
	all := Variants()
	i := slices.IndexFunc(all, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		return Variant{}, false
	}
	return all[i], true
}

// Nearest returns up to three names that are closest to name by edit distance,
// for the message about an unknown variant.
func Nearest(name string) []string {
	all := Variants()
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.Name
	}
	return Closest(name, names)
}

// Closest returns up to three of names that are nearest to name by edit
// distance, the nearest first. It sorts names.
func Closest(name string, names []string) []string {
	sort.SliceStable(names, func(i, j int) bool {
		return editDistance(name, names[i]) < editDistance(name, names[j])
	})
	return names[:min(3, len(names))]
}

// editDistance is Levenshtein's, by bytes, one row at a time.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diag
			if a[i] != b[j] {
				change++
			}
			diag = row[j+1]
			row[j+1] = min(change, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}

// Files returns the embedded sources of the variant: its own, then the
// backend's and what that needs.
func (v Variant) Files() []string {
	files := []string{v.File}
	switch {
	case v.Backend == BackendKVM:
		files = append(files, "backend-kvm.s")
	case v.Backend == BackendXen && v.TicketStep != 0:
		files = append(files, "backend-xen.s", "xen-events.s")
	case v.Backend == BackendXen: // the byte lock is a backend of its own
		files = append(files, "xen-events.s")
	}
	if v.Stats {
		files = append(files, "spin-stats.s")
	}
	return files
}

// Param returns the parameter of that name.
func (v Variant) Param(name string) (Param, bool) {
	i := slices.IndexFunc(v.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return v.Params[i], true
}

// Value returns what a parameter is worth under the given defines: the define,
// else what the row fixes, else the default; 0 if the variant lacks it.
func (v Variant) Value(name string, defines map[string]int64) int64 {
	p, ok := v.Param(name)
	if !ok {
		return 0
	}
	if x, ok := defines[name]; ok {
		return x
	}
	if x, ok := v.Defines[name]; ok {
		return x
	}
	return p.Default
}

// MaxCPUs returns how many vCPUs the lock serves under the given defines, 0 if
// nothing but the address map limits it.
//
// Tickets of n bits drawn in steps of s tell (1<<n)/s waiters apart, and head
// equal to tail must mean "free": the kernel's NR_CPUS < (1<<n)/s. A batched
// lock must also not let the tickets reach round to the current batch, of which
// all but one may have been served already (see ticket-batch.s).
func (v Variant) MaxCPUs(defines map[string]int64) int {
	bits := v.Value(paramTicketBits, defines)
	if v.Unchecked || v.TicketStep == 0 || bits < 1 || bits > 32 {
		return 0
	}
	step := v.TicketStep
	if inc := int(v.Value(paramTicketInc, defines)); inc > step {
		step = inc
	}
	tickets := (1 << bits) / step
	limit := tickets - 1
	if batch := int(v.Value(paramTicketBatch, defines)); batch > 0 {
		limit = min(limit, tickets-batch+1)
	}
	return limit
}
