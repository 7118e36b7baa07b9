package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/guestcode"
	"spinlab/vmm"
)

const doUsage = "the lock program of each vCPU, as `Aa,ABba`: A takes lock A, a releases it, TA tries once, WA waits until A is free, * at the end repeats for ever"

// doSequences splits --do, whose number of sequences is the number of vCPUs.
func doSequences(cmd *cobra.Command, text string, vcpus *int) ([]string, error) {
	if text == "" {
		if f := cmd.Flags().Lookup("do"); f != nil && f.Changed {
			return nil, errors.New("--do: a sequence for each vCPU is wanted, as Aa,ABba")
		}
		return nil, nil
	}
	list := strings.Split(text, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	for _, name := range []string{"iters", "work-in", "work-out"} {
		if g := cmd.Flags().Lookup(name); g != nil && g.Changed {
			return nil, fmt.Errorf("--%s means nothing beside --do: the sequences say what is done", name)
		}
	}
	if g := cmd.Flags().Lookup("vcpus"); g != nil && g.Changed && *vcpus != len(list) {
		return nil, fmt.Errorf("--vcpus %d, but --do %s is for %d", *vcpus, text, len(list))
	}
	*vcpus = len(list)
	return list, nil
}

// sourceFlag is a flag that names a source file.
type sourceFlag struct {
	file string
	src  *asm.Source // what is in it, once it was read
}

// read gives the source, nil without the flag.
func (f *sourceFlag) read(cmd *cobra.Command) (*asm.Source, error) {
	if f.file == "" || f.src != nil {
		return f.src, nil
	}
	src, err := readSource(f.file, cmd.InOrStdin())
	if err != nil {
		return nil, fmt.Errorf("--main %w", err)
	}
	f.src = &src
	return f.src, nil
}

// isSequence tells a lock program from a vector: it begins with a letter.
func isSequence(s string) bool {
	return s != "" && (s[0] >= 'A' && s[0] <= 'Z' || s[0] >= 'a' && s[0] <= 'z' || s[0] == '*')
}

// interrupt is one word of check's --irq or --nmi.
type interrupt struct {
	vcpu    int
	vector  uint8
	handler int // index in guestcode.Config.Handlers, −1: the usual one
}

// readInterrupts reads --irq and --nmi for n vCPUs, and gives the handlers that
// lock programs among them ask for.
func (f *checkFlags) readInterrupts(n int) (list []interrupt, handlers []guestcode.Handler, err error) {
	for _, flag := range []struct {
		name  string
		words []string
	}{{"irq", f.irq}, {"nmi", f.nmi}} {
		for _, word := range flag.words {
			who, rest, given := strings.Cut(word, ":")
			x := interrupt{vector: vmm.VectorTimer, handler: -1}
			if x.vcpu, err = strconv.Atoi(who); err != nil || x.vcpu < 0 || x.vcpu >= n {
				return nil, nil, fmt.Errorf("--%s %s: a vCPU from 0 to %d is wanted", flag.name, word, n-1)
			}
			nmi := flag.name == "nmi"
			if nmi {
				x.vector = vmm.VectorNMI
			}
			switch {
			case given && isSequence(rest):
				x.handler = len(handlers)
				handlers = append(handlers, guestcode.Handler{VCPU: x.vcpu, NMI: nmi, Do: rest})
			case given && nmi:
				return nil, nil, fmt.Errorf("--nmi %s: VCPU or VCPU:SEQUENCE is wanted", word)
			case given:
				vec, err := parseNumber(rest)
				if err != nil || vec < 32 || vec > 255 {
					return nil, nil, fmt.Errorf("--irq %s: VCPU, VCPU:VECTOR from 0x20 to 0xff, or VCPU:SEQUENCE as in 0:Bb is wanted", word)
				}
				x.vector = uint8(vec)
			}
			list = append(list, x)
		}
	}
	return list, handlers, nil
}

// setInterrupts gives the target its interrupts; vectors are those of the
// handlers that the program was built with.
func (t *checkTarget) setInterrupts(list []interrupt, vectors []uint8) {
	if list == nil {
		return
	}
	t.Interrupts = make([][]uint8, t.Machine.VMs[0].VCPUs)
	for _, x := range list {
		if x.handler >= 0 {
			x.vector = vectors[x.handler]
		}
		t.Interrupts[x.vcpu] = append(t.Interrupts[x.vcpu], x.vector)
	}
}
