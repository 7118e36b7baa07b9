package guestcode

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"spinlab/asm"
	"spinlab/asm/elfobj"
)

// Binding says which functions of a user's program play which part, if they do
// not have the usual names. Each is the name of a global symbol, or an address
// in hex.
type Binding struct {
	Lock    string `json:",omitempty"` // spin_lock
	Unlock  string `json:",omitempty"` // spin_unlock
	Trylock string `json:",omitempty"` // spin_trylock
	Init    string `json:",omitempty"` // spin_init
	Main    string `json:",omitempty"` // vcpu_main
	// Probes mark phases of a program that drives itself: PHASE=PLACE, where a
	// phase is acquire, acquired, release or released, and a place is a symbol, a
	// symbol and an offset, or an address.
	Probes []string `json:",omitempty"`
}

// part is one of the parts that functions play.
type part struct {
	usual, flag, given string
}

func (b Binding) parts() []part {
	return []part{
		{"spin_lock", "lock", b.Lock}, {"spin_unlock", "unlock", b.Unlock}, {"spin_trylock", "trylock", b.Trylock},
		{"spin_init", "init", b.Init}, {"vcpu_main", "entry", b.Main},
	}
}

// name is who plays a part.
func (b Binding) name(usual string) string {
	for _, p := range b.parts() {
		if p.usual == usual && p.given != "" {
			return p.given
		}
	}
	return usual
}

// Empty reports whether nothing is bound.
func (b Binding) Empty() bool {
	return b.Lock+b.Unlock+b.Trylock+b.Init+b.Main == "" && len(b.Probes) == 0
}

// roots are the names that make an archive give its members.
func (b Binding) roots() (names []string) {
	for _, p := range b.parts() {
		names = append(names, b.name(p.usual))
	}
	for _, w := range b.Probes {
		_, place, _ := strings.Cut(w, "=")
		name, _, _ := strings.Cut(place, "+")
		names = append(names, name)
	}
	return names
}

// adapt makes one of our own sources call what is bound. The lines stay where
// they are.
func (b Binding) adapt(src asm.Source) asm.Source {
	for _, p := range b.parts() {
		if p.given != "" && p.given != p.usual {
			src = rename(src, p.usual, p.given)
		}
	}
	return src
}

// rename puts another name into a source wherever one stands.
func rename(src asm.Source, old, now string) asm.Source {
	src.Text = regexp.MustCompile(`\b`+old+`\b`).ReplaceAllLiteral(src.Text, []byte(now))
	return src
}

// harnessLabels are the global labels of harness.s. C programs like some of
// them, too.
var harnessLabels = []string{"vcpu_boot", "acquire", "acquired", "release", "released"}

// harnessLabel is what a label of the harness is called in an image in which its
// name may be taken.
func harnessLabel(img *elfobj.Image, label string) string {
	if _, taken := img.Lookup(label); taken {
		return "harness_" + label
	}
	return label
}

// find is the address of who plays a part, 0 if nobody does.
func (b Binding) find(obj *asm.Object, usual string) uint64 {
	name := b.name(usual)
	if at, err := strconv.ParseUint(name, 0, 64); err == nil {
		return at
	}
	return address(obj, name)
}

// check reports parts that nobody plays.
func (b Binding) check(img *elfobj.Image) error {
	for _, p := range b.parts() {
		if p.given == "" || p.given == p.usual {
			continue
		}
		if at, err := strconv.ParseUint(p.given, 0, 64); err == nil {
			if !inCode(img.Object, at) {
				return fmt.Errorf("--%s %s: no code is there", p.flag, p.given)
			}
			continue
		}
		if !isGlobal(img.Object, p.given) {
			return b.missing(img, p)
		}
	}
	return nil
}

func (b Binding) missing(img *elfobj.Image, p part) error {
	if _, ok := img.Lookup(p.given); ok {
		return fmt.Errorf("--%s %s: defined but not global (static in C, without .globl in assembler); give its address instead", p.flag, p.given)
	}
	have := globals(img.Object)
	text := "there are no global symbols"
	if len(have) > 0 {
		text = "global symbols: " + strings.Join(have[:min(len(have), 20)], ", ")
	}
	return fmt.Errorf("--%s %s: no such symbol; %s", p.flag, p.given, text)
}

// inCode reports whether an address lies in an executable section.
func inCode(obj *asm.Object, at uint64) bool {
	for _, s := range obj.Sections {
		if s.Exec && at >= s.Addr && at < s.Addr+uint64(len(s.Data)) {
			return true
		}
	}
	return false
}

// phases are the names of probes, in the order of Program.Probes.
var phases = [4]string{"acquire", "acquired", "release", "released"}

// probes finds the places of Binding.Probes.
func (b Binding) probes(obj *asm.Object) (list [4][]uint64, err error) {
	for _, w := range b.Probes {
		phase, place, ok := strings.Cut(w, "=")
		k := -1
		for i, name := range phases {
			if name == phase {
				k = i
			}
		}
		if !ok || k < 0 {
			return list, fmt.Errorf("--probe %s: PHASE=PLACE is wanted, a phase from %s", w, strings.Join(phases[:], ", "))
		}
		at, err := findPlace(obj, place)
		if err != nil {
			return list, fmt.Errorf("--probe %s: %w", w, err)
		}
		for i := range list {
			for _, old := range list[i] {
				if old == at {
					return list, fmt.Errorf("--probe %s: %s is there already", w, phases[i])
				}
			}
		}
		list[k] = append(list[k], at)
	}
	if len(b.Probes) > 0 && (len(list[1]) == 0 || len(list[2])+len(list[3]) == 0) {
		return list, fmt.Errorf("--probe: acquired and release (or released) are wanted, so that it is known who holds the lock")
	}
	if len(list[2]) == 0 {
		list[2], list[3] = list[3], nil // the section ends where it was released
	}
	return list, nil
}

// findPlace is the address of SYMBOL, SYMBOL+OFFSET or a number.
func findPlace(obj *asm.Object, place string) (uint64, error) {
	name, offset, _ := strings.Cut(place, "+")
	at, err := strconv.ParseUint(name, 0, 64)
	if err != nil {
		s, ok := obj.Lookup(name)
		if !ok {
			return 0, fmt.Errorf("no such symbol %s", name)
		}
		at = s.Addr
	}
	if offset != "" {
		n, err := strconv.ParseUint(offset, 0, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is no offset", offset)
		}
		at += n
	}
	if !inCode(obj, at) {
		return 0, fmt.Errorf("no code is at %#x", at)
	}
	return at, nil
}
