package guestcode

import (
	"fmt"
	"strings"
)

// MissingSymbolError says that a source lacks a function that the harness calls.
type MissingSymbolError struct {
	Missing []string // functions that no source defines
	Local   []string // functions that are defined but not .globl
	Have    []string // the global labels that there are
}

// Error names what is missing and what there is.
func (e *MissingSymbolError) Error() string {
	var parts []string
	if len(e.Missing) > 0 {
		parts = append(parts, "no "+strings.Join(e.Missing, " and no ")+
			" (nor vcpu_main, which would make it a program of its own)")
	}
	if len(e.Local) > 0 {
		parts = append(parts, strings.Join(e.Local, " and ")+": defined but not .globl")
	}
	have := "none"
	if len(e.Have) > 0 {
		have = strings.Join(e.Have, ", ")
	}
	return strings.Join(parts, "; ") + "; global symbols: " + have + " (--lock and --unlock give functions of other names)"
}

// TooManyCPUsError says that the tickets are too narrow for that many vCPUs.
type TooManyCPUsError struct {
	Variant           string
	Bits, Batch       int64
	Max, VCPUs, Wider int // Wider: what 16-bit tickets would serve
}

// Error names the limit and the way out, if there is one.
func (e *TooManyCPUsError) Error() string {
	what := fmt.Sprintf("u%d tickets", e.Bits)
	if e.Batch > 0 {
		what += fmt.Sprintf(" in batches of %d", e.Batch)
	}
	msg := fmt.Sprintf("%s: %s serve at most %d vCPUs, not %d", e.Variant, what, e.Max, e.VCPUs)
	if e.Bits < 16 && e.VCPUs <= e.Wider {
		msg += "; use --define TICKET_BITS=16"
	}
	return msg
}
