package guestcode

import (
	"errors"
	"fmt"
	"strings"
)

// maxSequence bounds a sequence, in letters.
const maxSequence = 4096

// sequence is a parsed lock program of one vCPU or handler.
type sequence struct {
	text    string // without the star
	ops     []doOp
	forever bool
	takes   [NamedLocks]uint64 // of each lock, tries left out
	locks   uint               // a bit for each lock that it names
}

// doOp is one step of a sequence.
type doOp struct {
	kind doKind
	lock int
	end  int // of a try: the index behind its release
}

type doKind uint8

const (
	doTake doKind = iota
	doGive
	doTry
	doAwait
)

// parseSequence reads the lock program of one vCPU: an upper-case letter takes
// that lock, the lower-case one releases it, T before a letter tries once and
// leaves everything up to the release out if that fails, W before a letter waits
// until the lock is free. A star at the end repeats for ever.
func parseSequence(text string) (*sequence, error) {
	s := &sequence{}
	s.text, s.forever = strings.CutSuffix(text, "*")
	if s.text == "" {
		return nil, errors.New("an empty sequence: Aa takes and releases lock A")
	}
	if len(s.text) > maxSequence {
		return nil, fmt.Errorf("more than %d letters", maxSequence)
	}
	held := map[int]int{} // lock -> index of its take
	kind := doTake
	for i, c := range s.text {
		switch k, lock := int(c-'A'), int(c-'a'); {
		case kind == doTake && (c == 'T' || c == 'W'):
			kind = map[rune]doKind{'T': doTry, 'W': doAwait}[c]
			continue
		case k >= 0 && k < NamedLocks:
			if _, twice := held[k]; twice && kind != doAwait {
				return nil, fmt.Errorf("letter %d: lock %c is taken, and held already", i+1, c)
			}
			if kind != doAwait {
				held[k] = len(s.ops)
			}
			s.ops = append(s.ops, doOp{kind: kind, lock: k})
			s.locks |= 1 << k
			if kind == doTake {
				s.takes[k]++
			}
		case kind == doTake && lock >= 0 && lock < NamedLocks:
			at, ok := held[lock]
			if !ok {
				return nil, fmt.Errorf("letter %d: %c releases a lock that is not held", i+1, c)
			}
			delete(held, lock)
			s.ops = append(s.ops, doOp{kind: doGive, lock: lock})
			s.ops[at].end = len(s.ops)
		default:
			return nil, fmt.Errorf("letter %d: %q: A to H takes a lock, a to h releases it, T and W stand before a taken one", i+1, string(c))
		}
		kind = doTake
	}
	if kind != doTake {
		return nil, errors.New("a T or W without a lock behind it")
	}
	for k := range NamedLocks {
		if _, ok := held[k]; ok {
			return nil, fmt.Errorf("lock %c is never released", 'A'+k)
		}
	}
	return s, s.tries()
}

// tries refuses a try whose span cuts through that of another lock: what is
// left out must be whole. Takes inside a span may not happen, so they are not
// known beforehand.
func (s *sequence) tries() error {
	for at, o := range s.ops {
		if o.kind != doTry {
			continue
		}
		for i, x := range s.ops {
			inside := i > at && i < o.end
			if x.kind != doGive && x.end != 0 && (inside && x.end > o.end || i < at && x.end > at && x.end < o.end) {
				return fmt.Errorf("the try of %c and the span of %c overlap: what a failed try leaves out must be whole", 'A'+o.lock, 'A'+x.lock)
			}
			if inside && x.kind == doTake {
				return fmt.Errorf("a take inside the try of %c: give tries only (T%c)", 'A'+o.lock, 'A'+x.lock)
			}
		}
	}
	return nil
}

// write appends the sequence as lines of the macros of harness-do.s.
func (s *sequence) write(b *strings.Builder, label string) {
	names := [...]string{doTake: "take", doGive: "give", doTry: "try", doAwait: "await"}
	for i, o := range s.ops {
		for at, x := range s.ops[:i] {
			if x.kind == doTry && x.end == i {
				fmt.Fprintf(b, "%s_%d:\n", label, at)
			}
		}
		fmt.Fprintf(b, "\t%s %d", names[o.kind], o.lock)
		if o.kind == doTry {
			fmt.Fprintf(b, ", %s_%d", label, i)
		}
		b.WriteByte('\n')
	}
	for at, x := range s.ops {
		if x.kind == doTry && x.end == len(s.ops) {
			fmt.Fprintf(b, "%s_%d:\n", label, at)
		}
	}
}
