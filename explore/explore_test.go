package explore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/explore"
	"spinlab/guestcode"
)

// Every reduction finds the same final states, the same states in which
// everybody is stuck, and the same kind of violation as the search without.
func TestReductionsAgree(t *testing.T) {
	type row struct {
		name   string
		target *explore.Target
		large  bool
	}
	var rows []row
	for _, c := range shapes {
		rows = append(rows, row{c.name, threads(t, c.source, c.observe...), c.large})
	}
	for _, v := range guestcode.Variants() {
		large := v.Backend != guestcode.BackendNone
		rows = append(rows, row{v.Name + " 2x1", variant(t, v.Name, 2, 1), large})
	}
	for _, name := range []string{"ticket", "ttas", "mcs", "tas-broken-load-store", "mcs-broken-plain-cmpxchg"} {
		rows = append(rows, row{name + " 2x2", variant(t, name, 2, 2), true})
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if r.large && testing.Short() {
				t.Skip("large")
			}
			whole := search(t, r.target, explore.ReduceNone)
			for _, reduce := range []explore.Reduction{explore.ReduceSteps, explore.ReduceAll} {
				got := search(t, r.target, reduce)
				require.Equal(t, whole.Verdict, got.Verdict, "%s: %s; without: %s", reduce, number(got), number(whole))
				require.Equal(t, whole.Finals, got.Finals, "final states with %s", reduce)
				require.Equal(t, whole.Property, got.Property, "%s: %s; without: %s", reduce, number(got), number(whole))
				if r.target.Complete {
					require.Equal(t, whole.Stuck, got.Stuck, "stuck states with %s", reduce)
				}
				require.LessOrEqual(t, got.States, whole.States)
			}
		})
	}
}

// shapes are small programs whose final and stuck states are compared.
var shapes = []struct {
	name, source string
	observe      []string
	large        bool
}{
	{"SB", "P0: movl $1,(%rdi)\nmovl (%rsi),%eax\nhlt\nP1: movl $1,(%rsi)\nmovl (%rdi),%eax\nhlt", []string{"P0.eax", "P1.eax"}, false},
	{"SB+mfence", "P0: movl $1,(%rdi)\nmfence\nmovl (%rsi),%eax\nhlt\nP1: movl $1,(%rsi)\nmfence\nmovl (%rdi),%eax\nhlt", []string{"P0.eax", "P1.eax"}, false},
	{"own store forwarded", "P0: movl $1,(%rdi)\nmovl (%rdi),%eax\nmovl (%rsi),%ebx\nhlt\nP1: movl $2,(%rsi)\nmovl (%rsi),%eax\nmovl (%rdi),%ebx\nhlt",
		[]string{"P0.eax", "P0.ebx", "P1.eax", "P1.ebx"}, false},
	{"forwarded, then overwritten", "P0: movl $1,(%rdi)\nmovl (%rdi),%eax\nmovl (%rdi),%ebx\nhlt\nP1: movl $2,(%rdi)\nmovl (%rdi),%eax\nhlt",
		[]string{"P0.eax", "P0.ebx", "P1.eax", "mem:0x200000:4"}, false},
	{"byte over word", "P0: movb $1,(%rdi)\nmovl (%rdi),%eax\nhlt\nP1: movl $0x200,%eax\nlock xaddl %eax,(%rdi)\nhlt", []string{"P0.eax", "P1.eax"}, false},
	{"IRIW", "P0: movl $1,(%rdi)\nhlt\nP1: movl $1,(%rsi)\nhlt\nP2: movl (%rdi),%eax\nmovl (%rsi),%ebx\nhlt\nP3: movl (%rsi),%eax\nmovl (%rdi),%ebx\nhlt",
		[]string{"P2.eax", "P2.ebx", "P3.eax", "P3.ebx"}, true},
	{"split load and store", "P0: movq $-1,60(%rdi)\nhlt\nP1: movq 60(%rdi),%rax\nhlt", []string{"P1.rax"}, false},
	{"cmps reads twice", "P0: cmpsb\nsete %al\nhlt\nP1: movb $1,(%rdi)\nmovb $1,(%rsi)\nhlt", []string{"P0.al", "P0.rdi"}, false},
	{"push of shared memory", "P0: push (%rdi)\npush (%rsi)\npop %rax\npop %rbx\nhlt\nP1: movl $1,(%rdi)\nmovl $2,(%rsi)\nhlt", []string{"P0.rax", "P0.rbx"}, false},
	{"rep movs", "P0: mov $2,%ecx\nrep movsb\nhlt\nP1: movw $0x201,(%rsi)\nhlt", []string{"mem:0x200000:2", "P0.rsi"}, false},
	{"call and return", "P0: call f\nhlt\nf: movl (%rdi),%eax\nret\nhlt\nP1: movl $1,(%rdi)\nhlt", []string{"P0.eax"}, false},
	{"halt and no kick", "P0: movl $1,(%rdi)\nhlt\nmovl $2,(%rdi)\nhlt\nP1: movl (%rdi),%eax\nhlt", []string{"P1.eax", "mem:0x200000:4"}, false},
	{"kick and halt", kickAndHalt, []string{"P0.rip", "P0.ebx", "P0.ecx", "P1.rip", "P1.ebx", "mem:0x200040:4"}, true},
	{"red zone", "P0: mov %rdi,-8(%rsp)\nmovl (%rdi),%eax\nmovl (%rsi),%ecx\nmov -8(%rsp),%rbx\nhlt\nP1: movl $1,(%rdi)\nmovl $1,(%rsi)\nhlt",
		[]string{"P0.eax", "P0.ecx", "P0.rbx"}, false},
	{"far below the stack pointer", "P0: mov %rdi,-256(%rsp)\nmovl (%rdi),%eax\nmovl (%rsi),%ecx\nmov -256(%rsp),%rbx\nhlt\nP1: movl $1,(%rdi)\nmovl $1,(%rsi)\nhlt",
		[]string{"P0.eax", "P0.ecx", "P0.rbx"}, false},
	{"stack of another", "P0: movl $1,-16(%rsp)\nmov %rsp,(%rdi)\nsub $64,%rsp\nmfence\nmovl 48(%rsp),%eax\nhlt\nP1: mov (%rdi),%rax\ntest %rax,%rax\nje 1f\nmovl -16(%rax),%ebx\nmovl $2,-16(%rax)\n1: hlt",
		[]string{"P0.eax", "P1.ebx"}, false},
	{"endless", "P0: 1: movl (%rdi),%eax\ntest %eax,%eax\nje 1b\nhlt\nP1: movl (%rsi),%eax\nmovl %eax,(%rdi)\nhlt\nP2: movl $1,(%rsi)\nhlt",
		[]string{"P0.eax", "P1.eax"}, false},
	{"private loop", "P0: mov $9000,%ecx\n1: dec %ecx\njne 1b\nmovl (%rdi),%eax\nhlt\nP1: movl $1,(%rdi)\nhlt", []string{"P0.eax", "P0.ecx"}, true},
	{"self-modifying", "P0: movb $2,1f+1(%rip)\nmfence\n1: mov $1,%eax\nhlt\nP1: movl (%rdi),%eax\nhlt", []string{"P0.eax"}, false},
}

// kickAndHalt is a thread that kicks twice and one that halts twice: kicks come
// before, between and after the two parts of a halt, and two of them may count
// as one. Then the second halt lasts for ever.
const kickAndHalt = `
	.macro kick apicid
	mov $5, %eax
	mov $\apicid, %ebx
	vmcall
	.endm
P0:	movl $1, (%rdi)
	kick 3
	movl (%rsi), %ecx
	kick 3
	movl (%rsi), %ebx
	hlt
P1:	movl $1, (%rsi)
	nop
	hlt
	nop
	movl $2, (%rsi)
	movl (%rdi), %ebx
	hlt
	nop
	movl $3, (%rsi)
	hlt
`

// The verdicts that the table of variants promises, at the smallest size.
func TestVariants(t *testing.T) {
	for _, v := range guestcode.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			if strings.Contains(v.Check, "--do") {
				t.Skip("a lock program: tests/zoo_test.go runs the row as it stands")
			}
			vcpus := 2
			if strings.Contains(v.Check, "--vcpus 5") {
				vcpus = 5
			}
			iters := 1
			if strings.Contains(v.Check, "--iters 2") {
				iters = 2
			}
			r := search(t, variant(t, v.Name, vcpus, iters), explore.ReduceAll)
			if v.Verdict == "holds" {
				require.Equal(t, explore.Holds, r.Verdict, r.Message)
				return
			}
			require.Equal(t, v.Verdict, string(r.Property), r.Message)
		})
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name         string
		vcpus, iters int
		large        bool
	}{
		{"ticket", 2, 2, false}, {"ticket", 3, 1, false}, {"mcs", 3, 1, false}, {"ttas", 3, 2, false},
		{"ticket-pv-kvm", 2, 2, true},
	} {
		if c.large && testing.Short() {
			continue
		}
		r := search(t, variant(t, c.name, c.vcpus, c.iters), explore.ReduceAll)
		require.Equal(t, explore.Holds, r.Verdict, "%s %dx%d: %s", c.name, c.vcpus, c.iters, r.Message)
		t.Logf("%s %dx%d: %d states, %d transitions, %d bytes", c.name, c.vcpus, c.iters, r.States, r.Transitions, r.Bytes)
	}
}

// Two searches give the same in every number.
func TestDeterministic(t *testing.T) {
	x := variant(t, "ticket-pv-kvm-unlocked-add", 2, 1)
	a, b := search(t, x, explore.ReduceAll), search(t, x, explore.ReduceAll)
	require.Equal(t, a, b)
}

func TestBounds(t *testing.T) {
	x := variant(t, "ticket", 2, 2)
	for name, c := range map[string]explore.Config{
		"states": {MaxStates: 10},
		"memory": {MaxMemory: 1},
		"time":   {Expired: func() bool { return true }},
	} {
		r, err := explore.Explore(x, c)
		require.NoError(t, err)
		require.Equal(t, explore.Bounded, r.Verdict, name)
	}
	r, err := explore.Explore(threads(t, "P0: 1: movl $1,(%rdi)\njmp 1b\nhlt"), explore.Config{})
	require.NoError(t, err)
	require.Equal(t, explore.Livelock, r.Property, "a full buffer does not hide what was found")
}

// What cannot be searched is refused, and says where.
func TestRefused(t *testing.T) {
	for source, why := range map[string]string{
		"P0: rdtsc\nhlt":              "there is no time between states",
		"P0: rdrand %eax\nhlt":        "random numbers",
		"P0: movnti %eax,(%rdi)\nhlt": "not ordered",
	} {
		_, err := explore.Explore(threads(t, source), explore.Config{})
		require.ErrorContains(t, err, why, source)
	}
}

func TestFaults(t *testing.T) {
	for source, want := range map[string]explore.Property{
		"P0: ud2\nhlt":                          explore.Fault,
		"P0: movl (%rdi),%eax\nud2\nhlt":        explore.Fault,
		"P0: mov $7,%al\nout %al,$0xf4":         explore.Assertion,
		"P0: movl 0x900000,%eax\nhlt":           explore.Fault,
		"P0: movl (%rdi),%eax\n1: jmp 1b\nhlt":  explore.Livelock,
		"P0: hlt\nmovl $1,(%rdi)\nhlt\nP1: hlt": explore.Deadlock,
	} {
		require.Equal(t, want, search(t, threads(t, source), explore.ReduceAll).Property, source)
	}
}

func TestFinal(t *testing.T) {
	x := threads(t, "P0: lock incl (%rdi)\nhlt\nP1: lock incl (%rdi)\nmov $3,%ah\nhlt", "mem:0x200000:4", "P1.ah")
	for text, want := range map[string]explore.Verdict{
		"mem:0x200000:4==2": explore.Holds, "P1.ah != 3": explore.Violated,
		"!(P1.ah==3 && mem:0x200000:4 > 2) || P0.eax": explore.Holds,
	} {
		p, err := explore.ParsePredicate(text)
		require.NoError(t, err)
		x.Final = p
		r := search(t, x, explore.ReduceAll)
		require.Equal(t, want, r.Verdict, text)
		require.Equal(t, [][]uint64{{2, 3}}, r.Finals)
	}
	for _, text := range []string{"", "P0.eax ==", "(P0.eax", "P0.qax==1", "mem:4:9", "1 = 1", "P0.eax == 1 2"} {
		_, err := explore.ParsePredicate(text)
		require.Error(t, err, text)
	}
}
