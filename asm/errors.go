package asm

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

// Error is one complaint about one line. File is "" and Line 0 for a
// complaint about Options.
type Error struct {
	File string
	Line int
	Msg  string
}

// Error returns "file:line: message".
func (e Error) Error() string {
	if e.File == "" && e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// ErrorList is everything that is wrong, in order of source and line.
type ErrorList []Error

// Error joins the messages with newlines.
func (l ErrorList) Error() string {
	s := make([]string, len(l))
	for i, e := range l {
		s[i] = e.Error()
	}
	return strings.Join(s, "\n")
}

// placedError keeps the source's index, since two sources may share a name.
type placedError struct {
	source int
	Error
}

// maxErrors bounds what a broken macro in a long loop can pile up.
const maxErrors = 1000

func (a *assembler) errorAt(p place, format string, args ...any) {
	if len(a.errs) >= maxErrors {
		return
	}
	e := placedError{p.source, Error{p.file, p.line, readable(fmt.Sprintf(format, args...))}}
	for _, old := range a.errs {
		if old == e {
			return // each operand of a statement may find the same fault
		}
	}
	a.errs = append(a.errs, e)
}

func (a *assembler) errorList() ErrorList {
	sort.SliceStable(a.errs, func(i, j int) bool {
		x, y := a.errs[i], a.errs[j]
		if x.source != y.source {
			return x.source < y.source
		}
		return x.Line < y.Line
	})
	list := make(ErrorList, len(a.errs))
	for i, e := range a.errs {
		list[i] = e.Error
	}
	return list
}

// maxMessage is how much of a message is shown, in characters: it may quote a
// line of any length, or what is no text at all.
const maxMessage = 240

// readable cuts a message and replaces what a terminal should not be sent.
func readable(msg string) string {
	n := 0
	for i := range msg {
		if n++; n > maxMessage {
			msg = msg[:i] + "…"
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, msg)
}
