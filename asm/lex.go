package asm

import "strings"

// place is where a statement stands, for messages and the line table.
type place struct {
	source int // index in the argument list of Assemble
	file   string
	line   int
}

// stmt is one statement: what stands between ';' or line ends.
type stmt struct {
	place
	text string
}

// splitStatements removes comments and cuts the text at ';' and line ends.
// A block comment counts its lines, so that messages name the right one.
func (a *assembler) splitStatements(source int, src Source) []stmt {
	s := scanner{text: string(src.Text), at: place{source, src.Name, 1}}
	for s.pos < len(s.text) {
		s.step()
	}
	s.flush()
	if s.openComment > 0 {
		a.errorAt(place{source, src.Name, s.openComment}, "unterminated comment")
	}
	if s.openString > 0 {
		a.errorAt(place{source, src.Name, s.openString}, "unterminated string")
	}
	return s.out
}

type scanner struct {
	text                    string
	pos                     int
	at                      place
	buf                     strings.Builder
	out                     []stmt
	openComment, openString int // line of an unterminated one, else 0
}

func (s *scanner) step() {
	c, rest := s.text[s.pos], s.text[s.pos:]
	switch {
	case c == '\n':
		s.flush()
		s.at.line++
		s.pos++
	case c == ';':
		s.flush()
		s.pos++
	case c == '"':
		s.str()
	case c == '\'':
		n := charLen(rest)
		s.buf.WriteString(rest[:n])
		s.pos += n
	case strings.HasPrefix(rest, "/*"):
		s.comment()
	case c == '#', strings.HasPrefix(rest, "//"), c == '/' && s.blank():
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			s.pos += n
		} else {
			s.pos = len(s.text)
		}
	case c == '\r':
		s.pos++
	default:
		s.buf.WriteByte(c)
		s.pos++
	}
}

func (s *scanner) blank() bool { return strings.TrimSpace(s.buf.String()) == "" }

// flush ends a statement; empty ones are dropped.
func (s *scanner) flush() {
	if t := strings.TrimSpace(s.buf.String()); t != "" {
		s.out = append(s.out, stmt{s.at, t})
	}
	s.buf.Reset()
}

func (s *scanner) comment() {
	n := strings.Index(s.text[s.pos+2:], "*/")
	if n < 0 {
		s.openComment = s.at.line
		s.pos = len(s.text)
		return
	}
	body := s.text[s.pos : s.pos+2+n]
	s.at.line += strings.Count(body, "\n")
	s.buf.WriteByte(' ')
	s.pos += n + 4
}

func (s *scanner) str() {
	n := stringLen(s.text[s.pos:])
	if n < 0 {
		s.openString = s.at.line
		n = strings.IndexByte(s.text[s.pos:], '\n')
		if n < 0 {
			n = len(s.text) - s.pos
		}
	}
	s.buf.WriteString(s.text[s.pos : s.pos+n])
	s.pos += n
}

// stringLen is the length of the quoted string that t starts with, quotes
// included, or -1 when the line ends first.
func stringLen(t string) int {
	for i := 1; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return -1
		}
	}
	return -1
}

// charLen is the length of a character constant: 'a, 'a', '\n or '\n'.
func charLen(t string) int {
	n := 2
	if len(t) > 1 && t[1] == '\\' {
		n = 3
	}
	if n < len(t) && t[n] == '\'' {
		n++
	}
	for i := 1; i < n && i < len(t); i++ {
		if t[i] == '\n' {
			return i
		}
	}
	return min(n, len(t))
}

// splitArgs cuts at commas that stand outside quotes and parentheses.
func splitArgs(t string) []string {
	t = strings.TrimSpace(t)
	if t == "" {
		return nil
	}
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case c == '"':
			n := stringLen(t[i:])
			if n < 0 {
				n = len(t) - i
			}
			i += n
			continue
		case c == '\'':
			i += charLen(t[i:])
			continue
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, strings.TrimSpace(t[start:i]))
			start = i + 1
		}
		i++
	}
	return append(out, strings.TrimSpace(t[start:]))
}

func isIdentStart(c byte) bool {
	return c == '_' || c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isIdent(c byte) bool { return isIdentStart(c) || c == '$' || isDigit(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// word returns the identifier that t starts with, and what follows it.
func word(t string) (string, string) {
	if t == "" || !isIdentStart(t[0]) {
		return "", t
	}
	i := 1
	for i < len(t) && isIdent(t[i]) {
		i++
	}
	return t[:i], t[i:]
}
