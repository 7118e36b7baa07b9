package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinlab/guestcode"
	"spinlab/locktest/engine"
	"spinlab/mem"
)

// bindFlags say what a user's files are: which functions play which part, and
// where flat binaries go.
type bindFlags struct {
	lock, unlock, trylock, init string
	entry                       string
	probes                      []string
	load                        string
}

// bindUsage are the flags by what they are for; a verb takes some of them.
const (
	bindLock  = 1 << iota // --lock --unlock --trylock --init
	bindProbe             // --probe
	bindEntry             // --entry
	bindLoad              // --load
)

// add defines the flags of a verb.
func (f *bindFlags) add(fs *pflag.FlagSet, which int) {
	if which&bindLock != 0 {
		fs.StringVar(&f.lock, "lock", "", "the lock function of a file: a `symbol` or an address (default spin_lock)")
		fs.StringVar(&f.unlock, "unlock", "", "its unlock function (default spin_unlock)")
		fs.StringVar(&f.trylock, "trylock", "", "its function that tries once (default spin_trylock)")
		fs.StringVar(&f.init, "init", "", "what runs once before the vCPUs start, with the lock's address (default spin_init)")
	}
	if which&bindProbe != 0 {
		fs.StringArrayVar(&f.probes, "probe", nil, "where a program with an inlined lock is: `acquired=SYMBOL+0x12`; acquire, acquired, release, released")
	}
	if which&bindEntry != 0 {
		fs.StringVar(&f.entry, "entry", "", "where vCPUs start: a `symbol` or an address (default vcpu_main; with --bare the first byte)")
	}
	if which&bindLoad != 0 {
		fs.StringVar(&f.load, "load", "", "the `address` of a flat binary (default 0x100000 for files that end in .bin)")
	}
}

func (f *bindFlags) binding() guestcode.Binding {
	return guestcode.Binding{Lock: f.lock, Unlock: f.unlock, Trylock: f.trylock, Init: f.init, Main: f.entry, Probes: f.probes}
}

// bound sets the flags to what was saved.
func (f *bindFlags) bound(b guestcode.Binding, load string) {
	*f = bindFlags{lock: b.Lock, unlock: b.Unlock, trylock: b.Trylock, init: b.Init, entry: b.Main, probes: b.Probes, load: load}
}

// apply puts the flags into a configuration.
func (f *bindFlags) apply(c *guestcode.Config) error {
	c.Bind = f.binding()
	for _, x := range []struct{ flag, name string }{{"lock", f.lock}, {"unlock", f.unlock}, {"trylock", f.trylock}, {"init", f.init}, {"entry", f.entry}} {
		if _, err := parseNumber(x.name); x.name != "" && err != nil && !engine.IsSymbol(x.name) {
			return fmt.Errorf("--%s %s: a symbol or an address is wanted", x.flag, x.name)
		}
	}
	if f.entry != "" && f.lock+f.unlock != "" {
		return errors.New("--entry is for programs that drive themselves, --lock and --unlock for locks that the harness drives")
	}
	if f.load == "" {
		return nil
	}
	at, err := parseNumber(f.load)
	if err != nil {
		return fmt.Errorf("--load: %w", err)
	}
	if at < mem.PageSize || at > lastBase {
		return fmt.Errorf("--load %s: from %#x to %#x", f.load, uint64(mem.PageSize), uint64(lastBase))
	}
	c.Load = &at
	return nil
}

// forVariant refuses flags that a built-in variant has no use for.
func forVariant(name string, c guestcode.Config) error {
	if !c.Bind.Empty() || c.Load != nil {
		return fmt.Errorf("%s is a variant: --lock, --unlock, --trylock, --init, --entry, --probe and --load are for files", name)
	}
	return nil
}

// neverAcquired is a note on a result that says less than it seems to.
const neverAcquired = "no vCPU came by the probe acquired: exclusion was never put to the test"

// printNotes tells what of the files was left out, and the like.
func printNotes(cmd *cobra.Command, notes []string) { writeNotes(cmd.ErrOrStderr(), notes) }

func writeNotes(w io.Writer, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(w, "spinlab: note:", n)
	}
}
