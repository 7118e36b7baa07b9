package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// irqFlags are what run injects.
type irqFlags struct {
	irq, irqEvery, nmi []string
}

func (f *irqFlags) add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.irq, "irq", nil, "an interrupt for a vCPU: `VCPU@COUNT` of retired instructions or VCPU@cCYCLE, :VECTOR behind it (default 0x20), or the handler's lock program as in 0@500:Bb")
	fs.StringArrayVar(&f.irqEvery, "irq-every", nil, "a periodic interrupt: `VCPU@CYCLES`, :VECTOR behind it; VCPU may be all")
	fs.StringArrayVar(&f.nmi, "nmi", nil, "an NMI: `VCPU@COUNT` or VCPU@cCYCLE, its handler behind it as above")
}

func (f *irqFlags) any() bool { return len(f.irq)+len(f.irqEvery)+len(f.nmi) > 0 }

// planned is an injection whose vector, if its handler is a lock program, is
// known when the guest is built.
type planned struct {
	vmm.Injection
	handler int // index in guestcode.Config.Handlers, or −1
}

// inject fills the vectors in.
func inject(list []planned, vectors []uint8) (js []vmm.Injection) {
	for _, x := range list {
		if x.handler >= 0 {
			x.Vector = vectors[x.handler]
		}
		js = append(js, x.Injection)
	}
	return js
}

// injections are those of every VM: the flags name vCPUs only, and the VMs are
// equal.
func (f *irqFlags) injections(vms, vcpus int) (list []planned, handlers []guestcode.Handler, err error) {
	for _, flag := range []struct {
		name  string
		words []string
	}{{"irq", f.irq}, {"irq-every", f.irqEvery}, {"nmi", f.nmi}} {
		for _, w := range flag.words {
			js, do, err := parseInjection(flag.name, w, vcpus)
			if err != nil {
				return nil, nil, fmt.Errorf("--%s %s: %w", flag.name, w, err)
			}
			for _, j := range js {
				handler := -1
				if do != "" {
					handler = len(handlers)
					handlers = append(handlers, guestcode.Handler{VCPU: j.VCPU, NMI: flag.name == "nmi", Do: do})
				}
				for j.VM = range vms {
					list = append(list, planned{j, handler})
				}
			}
		}
	}
	return list, handlers, nil
}

// parseInjection reads VCPU@[c]N, and behind it :VECTOR or :SEQUENCE, which it
// gives.
func parseInjection(flag, w string, vcpus int) (list []vmm.Injection, do string, err error) {
	who, rest, ok := strings.Cut(w, "@")
	if !ok {
		return nil, "", errors.New("VCPU@COUNT is wanted, as in 0@5000 or 0@c12000")
	}
	when, vector, named := strings.Cut(rest, ":")
	j := vmm.Injection{Vector: vmm.VectorTimer}
	count, timed := strings.CutPrefix(when, "c")
	n, err := strconv.ParseUint(count, 0, 64)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("%q is not a number of instructions, nor c and a cycle", when)
	case flag == "irq-every" && timed:
		return nil, "", fmt.Errorf("%q: a period is in cycles, without c", when)
	case flag == "irq-every" && n == 0:
		return nil, "", errors.New("a period of 0 cycles")
	case flag == "irq-every":
		j.Timed, j.Cycle, j.Every = true, n, n
	case timed:
		j.Timed, j.Cycle = true, n
	default:
		j.Retired = n
	}
	switch {
	case named && isSequence(vector):
		do = vector
	case flag == "nmi" && named:
		return nil, "", errors.New("an NMI has no vector of its choice")
	case flag == "nmi":
		j.Vector = vmm.VectorNMI
	case named:
		x, err := strconv.ParseUint(vector, 0, 8)
		if err != nil || x < 32 {
			return nil, "", fmt.Errorf("vector %q: 0x20 to 0xff are the guest's", vector)
		}
		j.Vector = uint8(x)
	}
	list, err = forVCPUs(j, who, vcpus)
	return list, do, err
}

// forVCPUs is j for the vCPU of that number, or for all.
func forVCPUs(j vmm.Injection, who string, vcpus int) (list []vmm.Injection, err error) {
	first, last := 0, vcpus-1
	if who != "all" {
		if first, err = strconv.Atoi(who); err != nil || first < 0 || first >= vcpus {
			return nil, fmt.Errorf("no vCPU %q: 0 to %d, or all", who, vcpus-1)
		}
		last = first
	}
	for i := first; i <= last; i++ {
		j.VCPU = i
		list = append(list, j)
	}
	return list, nil
}

// backends are the choices of --backend; auto is what the program was written
// for.
var backends = map[string]guestcode.Backend{"kvm": guestcode.BackendKVM, "xen": guestcode.BackendXen}

// everyCycles is a periodic task.
func everyCycles(n mem.Cycles, do func(*vmm.Machine, mem.Cycles)) vmm.Task {
	return vmm.Task{At: n, Every: n, Do: do}
}
