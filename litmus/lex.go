package litmus

import (
	"fmt"
	"strings"
)

// token is a word, a number or a punctuation mark.
type token struct {
	kind tokenKind
	text string
	line int
}

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokName
	tokNumber
	tokMark
)

func (t token) String() string {
	if t.kind == tokEOF {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// marks are the punctuation of init blocks and conditions, long ones first.
var marks = []string{`/\`, `\/`, "=>", "==", "!=", "<>",
	"=", ";", ":", ",", "(", ")", "[", "]", "{", "}", "~", "*", "&", "%"}

// tokens cuts a part of a file that begins on the given line.
func (p *parser) tokens(s string, line int) []token {
	var list []token
	for {
		rest := strings.TrimLeft(s, " \t\r\n")
		line += strings.Count(s[:len(s)-len(rest)], "\n")
		s = rest
		if s == "" {
			return append(list, token{tokEOF, "", line})
		}
		kind, n := scan(s)
		if n == 0 {
			p.fail(line, "unexpected character %q", firstRune(s))
		}
		list = append(list, token{kind, s[:n], line})
		s = s[n:]
	}
}

// scan measures the token at the start of s, 0 for none.
func scan(s string) (tokenKind, int) {
	if n := numberLen(s); n > 0 {
		return tokNumber, n
	}
	if n := nameLen(s); n > 0 {
		return tokName, n
	}
	for _, m := range marks {
		if strings.HasPrefix(s, m) {
			return tokMark, len(m)
		}
	}
	return tokEOF, 0
}

func numberLen(s string) int {
	n := 0
	if s[0] == '-' {
		n = 1
	}
	if len(s) > n+2 && s[n] == '0' && s[n+1]|0x20 == 'x' {
		k := n + 2
		for k < len(s) && isHex(s[k]) {
			k++
		}
		if k > n+2 {
			return k
		}
	}
	k := n
	for k < len(s) && isDigit(s[k]) {
		k++
	}
	if k == n {
		return 0
	}
	return k
}

// nameLen is the length of the name at the start of s. Names may have - . and
// / inside, but /\ is an operator.
func nameLen(s string) int {
	if s == "" || !isAlpha(s[0]) && s[0] != '_' && s[0] != '.' && s[0] != '$' {
		return 0
	}
	n := 1
	for n < len(s) {
		c := s[n]
		switch {
		case isAlpha(c) || isDigit(c) || c == '_' || c == '.' || c == '-' || c == '$':
		case c == '/' && !strings.HasPrefix(s[n:], `/\`):
		default:
			return n
		}
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isHex(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

// stream reads tokens one after the other.
type stream struct {
	p    *parser
	list []token
	at   int
}

func (s *stream) peek() token { return s.list[s.at] }

// after is the token k places on; the last one is the end.
func (s *stream) after(k int) token { return s.list[min(s.at+k, len(s.list)-1)] }

func (s *stream) next() token {
	t := s.list[s.at]
	if t.kind != tokEOF {
		s.at++
	}
	return t
}

// take skips the given mark or word if it is next.
func (s *stream) take(text string) bool {
	if t := s.peek(); t.text == text && t.kind != tokEOF {
		s.at++
		return true
	}
	return false
}

func (s *stream) want(text string) {
	if !s.take(text) {
		s.p.fail(s.peek().line, "%q is wanted, not %s", text, s.peek())
	}
}

func (s *stream) name(what string) string {
	t := s.next()
	if t.kind != tokName {
		s.p.fail(t.line, "%s is wanted, not %s", what, t)
	}
	return t.text
}

func (s *stream) number() int64 {
	t := s.next()
	if t.kind != tokNumber {
		s.p.fail(t.line, "a number is wanted, not %s", t)
	}
	n, ok := parseNumber(t.text)
	if !ok {
		s.p.fail(t.line, "%s does not fit in 64 bits", t.text)
	}
	return n
}
