package spin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"spinlab/guestcode"
	"spinlab/locktest/engine"
)

// plan is what an item is to do: its words, understood.
type plan struct {
	args  []word // what is neither flag nor input nor size
	opts  options
	Long  bool // not with --short
	sized bool

	isBudget bool
	budget   budget
	parts    []engine.Part // of hex
}

var (
	sizeWord  = regexp.MustCompile(`^([0-9]+)x([0-9]+|forever)$`)
	nameInput = regexp.MustCompile(`^[A-Za-z_.$%0-9]+=`)
)

// makePlan takes the words of an item apart: flags, sizes, inputs, and the rest
// for the command.
func (it *Item) makePlan() *SyntaxError {
	words := it.words[1:]
	if it.cmd.name == "cc" {
		it.args = words // its flags are the compiler's
		return it.cmd.plan(it)
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		var err *SyntaxError
		switch {
		case strings.HasPrefix(w.text, "--"):
			var used int
			used, err = it.flag(words[i:])
			i += used
		case it.cmd.sized && sizeWord.MatchString(w.text):
			err = it.size(w)
		case it.cmd.inputs != inputsNone && nameInput.MatchString(w.text):
			err = it.input(w)
		default:
			it.args = append(it.args, w)
		}
		if err != nil {
			return err
		}
	}
	o := &it.opts
	o.run.Defines, o.check.Defines = o.defines, o.defines
	return it.cmd.plan(it)
}

// flag takes --name, --name=value or --name value, and says how many words more
// than one that were.
func (it *Item) flag(words []word) (used int, bad *SyntaxError) {
	name, value, glued := strings.Cut(strings.TrimPrefix(words[0].text, "--"), "=")
	if name == "long" && !glued {
		it.Long = true
		return 0, nil
	}
	if !slices.Contains(it.cmd.flags, name) {
		return 0, it.bad(words[0], "%s has no flag --%s: %s", it.cmd.name, name, it.knownFlags(name))
	}
	table := optionTable()
	opt := table[slices.IndexFunc(table, func(o option) bool { return o.name == name })]
	switch {
	case opt.arg == "" && glued:
		return 0, it.bad(words[0], "--%s takes no value", name)
	case opt.arg != "" && !glued && len(words) < 2:
		return 0, it.bad(words[0], "--%s: %s is wanted behind it", name, opt.arg)
	case opt.arg != "" && !glued:
		value, used = words[1].text, 1
	}
	if err := opt.set(&it.opts, value); err != nil {
		return used, it.bad(words[0], "--%s %s: %v", name, value, err)
	}
	return used, nil
}

func (it *Item) knownFlags(name string) string {
	near := guestcode.Closest(name, append([]string{"long"}, it.cmd.flags...))
	return "nearest are --" + strings.Join(near, ", --")
}

// size takes 2x1000 or 2xforever.
func (it *Item) size(w word) *SyntaxError {
	m := sizeWord.FindStringSubmatch(w.text)
	var vcpus, iters uint64
	var err error
	if vcpus, err = positive(m[1]); err == nil && m[2] != "forever" {
		iters, err = positive(m[2])
	}
	const most = 1 << 31
	if err != nil || vcpus >= most || iters >= most {
		return it.bad(w, "%s: VCPUSxITERS is wanted, as 2x1000", w.text)
	}
	if m[2] == "forever" && it.cmd.name != "check" {
		return it.bad(w, "%s: only a check can be endless", w.text)
	}
	it.sized = true
	o := &it.opts
	o.run.VCPUs, o.check.VCPUs = int(vcpus), int(vcpus)
	o.run.Iters, o.check.Iters, o.check.Forever = int64(iters), int64(iters), m[2] == "forever"
	return nil
}

// input takes NAME=VALUE as the command understands it.
func (it *Item) input(w word) *SyntaxError {
	var err error
	o := &it.opts
	switch {
	case it.cmd.inputs == inputsDefines:
		err = setDefine(o, w.text)
	case it.cmd.inputs == inputsBare:
		err = o.bare.AddInput(w.text)
	case w.text[0] >= '0' && w.text[0] <= '9':
		r, bad := engine.ParseMemory(w.text)
		o.check.Mem, err = append(o.check.Mem, r), bad
	default:
		r, bad := engine.ParseThreadReg(w.text)
		o.check.Regs, err = append(o.check.Regs, r), bad
	}
	if err != nil {
		return it.bad(w, "%s: %v", w.text, err)
	}
	return nil
}

func (it *Item) bad(w word, format string, args ...any) *SyntaxError {
	return &SyntaxError{Line: it.Line, Col: w.col, Msg: fmt.Sprintf(format, args...)}
}

// nameWords are the parts of the item's name: what it does, without flags,
// inputs and numbers of budgets.
func (it *Item) nameWords() []string {
	parts := []string{it.cmd.name}
	for _, w := range it.words[1:] {
		switch {
		case strings.HasPrefix(w.text, "--"), nameInput.MatchString(w.text), isOperator(w.text):
			return append(parts, it.sizeName(parts)...)
		}
		parts = append(parts, w.text)
	}
	return parts
}

// sizeName is the size of a run or check that stands behind what a name ends
// at.
func (it *Item) sizeName(have []string) []string {
	for _, w := range it.words {
		if it.cmd.sized && sizeWord.MatchString(w.text) && !slices.Contains(have, w.text) {
			return []string{w.text}
		}
	}
	return nil
}

func planNothing(*Item) *SyntaxError { return nil }

// oneArg says that exactly one word is wanted.
func (it *Item) oneArg(what string) *SyntaxError {
	if len(it.args) == 1 {
		return nil
	}
	w := it.words[0]
	if len(it.args) > 1 {
		w = it.args[1]
	}
	return it.bad(w, "%s takes one %s, not %d", it.cmd.name, what, len(it.args))
}
