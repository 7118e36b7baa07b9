package spin

import (
	"slices"
	"strings"

	"spinlab/guestcode"
)

// kind is what a command is for.
type kind uint8

const (
	kindSource kind = iota // names the code of the commands below it
	kindTest               // prints something, or holds a budget
)

// command is a row of the table of commands.
type command struct {
	name        string
	usage       string
	doc         string
	kind        kind
	block       blockRule
	needsSource bool
	flags       []string // what it takes of the table of options
	inputs      inputRule
	sized       bool // it takes 2x1000: vCPUs and acquisitions

	plan func(it *Item) *SyntaxError
	load func(r *runner, it *Item) (loaded, error) // of a source
	run  func(r *runner, it *Item) (string, error) // of a test
}

// blockRule says whether lines up to ---- or end belong to a command.
type blockRule uint8

const (
	blockNever  blockRule = iota
	blockAlways           // asm
	blockAlone            // only if nothing else stands on its line
)

// inputRule says what NAME=VALUE words mean.
type inputRule uint8

const (
	inputsNone    inputRule = iota
	inputsBare              // rdi=1, rflags=0x2, 0x200000=0201
	inputsThreads           // P0.rdi=1, 0x200000=0201
	inputsDefines           // TICKET_BITS=16
)

func (c *command) hasBlock(words bool) bool {
	return c.block == blockAlways || c.block == blockAlone && !words
}

var (
	searchFlags = []string{"reduce", "max-states", "max-memory", "timeout"}
	hostFlags   = []string{"kick-abi", "host-bug", "pv-unhalt-bit"}
	bareFlags   = []string{"define", "cpl", "commit", "max-instructions"}
)

// commands is the table. It is a function because its rows call what reads it.
func commands() []*command {
	return []*command{
		{name: "source", usage: "source VARIANT|FILE [NAME=VALUE…]", kind: kindSource, inputs: inputsDefines,
			doc: "a built-in lock, or a .s or .o beside the script", plan: planSource, load: loadSource},
		{name: "asm", usage: "asm [NAME=VALUE…]", kind: kindSource, block: blockAlways, inputs: inputsDefines,
			doc: "GNU as source, the lines up to end", plan: planNothing, load: loadAsm},
		{name: "hex", usage: "hex [SYMBOL:]BYTES…", kind: kindSource, block: blockAlone,
			doc: "machine code, in one part or with a symbol for each; or the lines up to end", plan: planHex, load: loadHex},
		{name: "cc", usage: "cc FLAGS… FILE", kind: kindSource,
			doc: "C beside the script, through the C compiler where there is one", plan: planCC, load: loadCC},

		{name: "count", usage: "count [FUNCTION…] [INPUT…]", kind: kindTest, needsSource: true, inputs: inputsBare, flags: bareFlags,
			doc: "what lock, unlock, spin and slowpath of a lock cost, or a function called with the inputs", plan: planCount, run: runCount},
		{name: "regs", usage: "regs [FUNCTION] [INPUT…]", kind: kindTest, needsSource: true, inputs: inputsBare, flags: bareFlags,
			doc: "runs a function alone; prints what changed in registers, flags and memory", plan: planRegs, run: runRegs},
		{name: "dis", usage: "dis [FUNCTION…]", kind: kindTest, needsSource: true, flags: []string{"define"},
			doc: "disassembles functions, or all the code", plan: planNothing, run: runDis},
		{name: "run", usage: "run [VCPUSxITERS]", kind: kindTest, needsSource: true, sized: true,
			flags: slices.Concat(hostFlags, []string{"define", "do", "pcpus", "work-in", "work-out", "profile", "ple", "slice", "seed", "commit", "max-instructions", "max-cycles", "timeout", "counters"}),
			doc:   "runs a lock or a program in one schedule", plan: planRun, run: runRun},
		{name: "check", usage: "check [VCPUSxITERS] [INPUT…]", kind: kindTest, needsSource: true, sized: true, inputs: inputsThreads,
			flags: slices.Concat(searchFlags, hostFlags, []string{"define", "do", "observe", "final", "irq", "nmi", "irqs-off", "free-last", "buffer", "max-overtaking", "unfair", "all", "drain-on-halt", "trace", "full", "states"}),
			doc:   "searches every interleaving of a lock, a program or threads", plan: planCheck, run: runCheck},
		{name: "litmus", usage: "litmus [FILE]", kind: kindTest, block: blockAlone, flags: searchFlags,
			doc: "runs a litmus test: a file, or the lines up to ----", plan: planLitmus, run: runLitmus},

		{name: "lock", usage: "lock METRIC OP NUMBER", kind: kindTest, needsSource: true, flags: []string{"define"},
			doc: "a budget for spin_lock of a free lock", plan: planLockBudget},
		{name: "unlock", usage: "unlock METRIC OP NUMBER", kind: kindTest, needsSource: true, flags: []string{"define"},
			doc: "a budget for spin_unlock", plan: planLockBudget},
		{name: "spin", usage: "spin instructions OP NUMBER", kind: kindTest, needsSource: true, flags: []string{"define"},
			doc: "a budget for one turn of the spin loop", plan: planLockBudget},
		{name: "slowpath", usage: "slowpath bytes OP NUMBER", kind: kindTest, needsSource: true, flags: []string{"define"},
			doc: "a budget for the code of all other functions", plan: planLockBudget},
	}
}

// Command is a command as documentation shows it.
type Command struct{ Usage, Doc string }

// Commands lists the commands in the order of the table.
func Commands() (list []Command) {
	for _, c := range commands() {
		list = append(list, Command{c.usage, c.doc})
	}
	return list
}

func findCommand(name string) (*command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return nil, false
}

// nearCommands names the commands that come close.
func nearCommands(name string) string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return "nearest are " + strings.Join(guestcode.Closest(name, append(names, "test", "budget")), ", ")
}

// Flags lists the flags that commands take, as --long.
func Flags() []string {
	list := []string{"--long"}
	for _, o := range optionTable() {
		list = append(list, "--"+o.name)
	}
	return list
}
