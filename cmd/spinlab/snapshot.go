package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinlab/asm"
	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// snapshotFlags are run's flags for saving a machine and going on with it.
type snapshotFlags struct {
	file    string
	at      uint64
	restore string
}

func (f *snapshotFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.file, "snapshot", "", "with --snapshot-at: the `file` to save the machine to")
	fs.Uint64Var(&f.at, "snapshot-at", 0, "stop when all vCPUs have retired that many `instructions`, the boot's included, and save the machine")
	fs.StringVar(&f.restore, "restore", "", "go on with the machine that is saved in a `file`; there is no TARGET then")
}

// withRestore are the flags that may stand beside --restore: the others are
// the saved machine's.
var withRestore = map[string]bool{"restore": true, "snapshot": true, "snapshot-at": true, "timeline": true, "width": true,
	"trace": true, "stats": true, "output": true, "no-skip": true, "help": true}

// check refuses flags that contradict each other, and a wrong number of
// targets.
func (f *snapshotFlags) check(cmd *cobra.Command, args []string) (err error) {
	changed := cmd.Flags().Changed
	switch {
	case changed("snapshot") != changed("snapshot-at"):
		return errors.New("--snapshot FILE and --snapshot-at N go together")
	case changed("snapshot") && f.file == "":
		return errors.New("--snapshot: a file name is wanted")
	case f.file == "-":
		return errors.New("--snapshot -: a snapshot goes to a file")
	case changed("snapshot") && changed("timeline"):
		return errors.New("--timeline shows a run to its end, --snapshot ends it before: give it with --restore")
	case changed("snapshot") && (changed("zero-stats") || changed("stats-every")):
		return errors.New("--snapshot cannot carry what --zero-stats and --stats-every do during a run")
	case !changed("restore"):
		return oneTarget(cmd, args)
	case len(args) != 0:
		return fmt.Errorf("--restore goes on with what is saved: %q is one TARGET too many", args[0])
	}
	cmd.Flags().Visit(func(g *pflag.Flag) {
		if !withRestore[g.Name] && err == nil {
			err = fmt.Errorf("--%s cannot change a machine that is saved", g.Name)
		}
	})
	return err
}

// job is a machine and the program that was loaded on it.
type job struct {
	p *guestcode.Program
	m *vmm.Machine
}

// origin is a machine's note: what is needed to build its program again, which
// reports take their names from.
type origin struct {
	Variant string           `json:"variant,omitempty"`
	Name    string           `json:"name,omitempty"` // of a target of files
	Files   []asm.Source     `json:"files,omitempty"`
	Config  guestcode.Config `json:"config"`
	Digest  string           `json:"digest"` // of what was built
}

// newJob builds a machine for a program that was built from t and c.
func newJob(t target, c guestcode.Config, p *guestcode.Program, cfg vmm.Config) (*job, error) {
	m, err := vmm.NewMachine(cfg)
	if err != nil {
		return nil, err
	}
	o := origin{Config: c, Digest: digest(p.Object)}
	if t.variant != nil {
		o.Variant = t.variant.Name
	} else {
		o.Name, o.Files = t.name, t.files
	}
	m.Note, err = json.Marshal(o)
	return &job{p, m}, err
}

// digest tells whether a program was built of the same bytes at the same
// places.
func digest(obj *asm.Object) string {
	h := sha256.New()
	for _, s := range obj.Sections {
		fmt.Fprintf(h, "%#x %d\n", s.Addr, len(s.Data))
		h.Write(s.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// restoreJob loads a saved machine and builds its program again.
func restoreJob(name string) (*job, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	m, err := vmm.Load(f)
	if err != nil {
		return nil, fileError(name, err)
	}
	p, err := rebuild(m.Note)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &job{p, m}, nil
}

func rebuild(note []byte) (*guestcode.Program, error) {
	var o origin
	if err := json.Unmarshal(note, &o); err != nil {
		return nil, errors.New("snapshot: it does not say which program it runs")
	}
	t := target{name: o.Name, files: o.Files}
	if o.Variant != "" {
		v, ok := guestcode.Lookup(o.Variant)
		if !ok {
			return nil, fmt.Errorf("snapshot: it runs the variant %q, which this spinlab does not have", o.Variant)
		}
		t = target{name: o.Variant, variant: &v}
	}
	p, err := t.build(o.Config)
	if err != nil {
		return nil, err
	}
	if digest(p.Object) != o.Digest {
		return nil, fmt.Errorf("snapshot: this spinlab builds %s to other code", t.name)
	}
	return p, nil
}

// save runs the machine up to the given instruction and writes it to the file.
func (f *snapshotFlags) save(cmd *cobra.Command, j *job) error {
	if done := j.m.Retired(); done > f.at {
		return fmt.Errorf("--snapshot-at %d: the machine has retired %d instructions already", f.at, done)
	}
	if !j.m.RunTo(f.at) {
		return fmt.Errorf("--snapshot-at %d: the run was over after %d instructions", f.at, j.m.Retired())
	}
	var b bytes.Buffer
	if err := j.m.Save(&b); err != nil {
		return err
	}
	if err := os.WriteFile(f.file, b.Bytes(), 0o666); err != nil {
		return fileError(f.file, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "spinlab: %s stopped after %d instructions; spinlab run --restore %s goes on\n", j.p.Name, j.m.Retired(), f.file)
	return nil
}

// symbolizer names addresses of a program.
func symbolizer(p *guestcode.Program) func(uint64) string {
	return func(a uint64) string { return experiment.Symbol(p.Object, a) }
}
