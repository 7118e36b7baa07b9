package elfobj

import (
	"fmt"
	"strings"
	"unicode"
)

// Error is one complaint. Place is a file, or a file with a section and an
// offset in it: "ticket.o:.text+0x1c".
type Error struct {
	Place string
	Msg   string
}

// Error returns "place: message".
func (e Error) Error() string { return e.Place + ": " + e.Msg }

// ErrorList is everything that is wrong, in order of file and offset.
type ErrorList []Error

// Error joins the messages with newlines.
func (l ErrorList) Error() string {
	s := make([]string, len(l))
	for i, e := range l {
		s[i] = e.Error()
	}
	return strings.Join(s, "\n")
}

// maxErrors bounds what a hostile file can pile up.
const maxErrors = 200

// add notes a complaint, once.
func (l *ErrorList) add(place, format string, args ...any) {
	e := Error{readable(place), readable(fmt.Sprintf(format, args...))}
	if len(*l) >= maxErrors {
		return
	}
	for _, old := range *l {
		if old == e {
			return
		}
	}
	*l = append(*l, e)
}

// maxMessage is how much of a message is shown, in bytes: a symbol's name may be
// of any length.
const maxMessage = 400

// readable cuts a message and makes it printable.
func readable(msg string) string {
	if len(msg) > maxMessage {
		msg = strings.ToValidUTF8(msg[:maxMessage], "") + "…"
	}
	return printable(msg)
}

// printable replaces what a terminal should not be sent.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s)
}
