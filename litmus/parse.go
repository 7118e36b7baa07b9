package litmus

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of a test. They are far above what a search could finish.
const (
	MaxSize    = 1 << 20 // bytes of a file
	MaxThreads = 32
	maxDepth   = 200 // nested parentheses of a condition
)

// parser holds what the parts of one file share. It leaves by a panic with an
// *Error, which Parse turns into its result.
type parser struct {
	t    *Test
	text string
	at   int
}

// Parse reads a test. An error is an *Error: file:line: message.
func Parse(file string, text []byte) (t *Test, err error) {
	p := &parser{t: &Test{File: file, types: map[Loc]Type{}, first: map[string]int{}}, text: string(text)}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			t, err = nil, e
		}
	}()
	if len(text) > MaxSize || !utf8.Valid(text) {
		p.fail(1, "a litmus test is UTF-8 text of at most %d bytes", MaxSize)
	}
	p.file()
	return p.t, nil
}

// fail leaves with a message.
func (p *parser) fail(line int, format string, args ...any) {
	panic(&Error{p.t.File, line, fmt.Sprintf(format, args...)})
}

// line is the line of the place that is read next.
func (p *parser) line() int { return p.lineAt(p.at) }

func (p *parser) lineAt(at int) int { return 1 + strings.Count(p.text[:at], "\n") }

func (p *parser) file() {
	p.head()
	p.text = p.text[:p.at] + p.withoutComments(p.text[p.at:])
	p.info()
	start := p.at
	p.at = start + p.block(p.text[start:])
	p.inits(p.text[start:p.at-1], p.lineAt(start))
	code, line := p.text[p.at:], p.line()
	code, rest := cutCondition(code)
	p.code(code, line)
	p.checkInits()
	p.condition(rest, line+strings.Count(code, "\n"))
}

var headPattern = regexp.MustCompile(`^\s*([A-Za-z0-9_]+)[ \t]+([A-Za-z0-9_/.+\[\]-]+)[ \t\r]*(?:\([^)\n]*\)[ \t\r]*)?(?:\n?[ \t\r]*"([^"]*)"[ \t\r]*)?;?`)

// head reads the first line and the doc string.
func (p *parser) head() {
	m := headPattern.FindStringSubmatchIndex(p.text)
	if m == nil {
		p.fail(1, "a first line X86_64 NAME or X86 NAME is wanted")
	}
	arch := p.text[m[2]:m[3]]
	switch d := Dialect(arch); d {
	case X86, X8664:
		p.t.Dialect = d
	default:
		p.fail(p.lineAt(m[2]), "architecture %s: only X86_64 and X86 are known", arch)
	}
	p.t.Name = p.text[m[4]:m[5]]
	if p.t.Name == "--" {
		base := filepath.Base(p.t.File)
		p.t.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if m[6] >= 0 {
		p.t.Doc = p.text[m[6]:m[7]]
	}
	p.at = m[1]
}

// withoutComments puts blanks where (* comments *) stand. They nest.
func (p *parser) withoutComments(s string) string {
	out, depth, opened := []byte(s), 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "(*"):
			if depth == 0 {
				opened = i
			}
			depth++
			out[i], out[i+1] = ' ', ' '
			i++
		case depth > 0 && strings.HasPrefix(s[i:], "*)"):
			depth--
			out[i], out[i+1] = ' ', ' '
			i++
		case depth > 0 && s[i] != '\n':
			out[i] = ' '
		}
	}
	if depth > 0 {
		p.fail(p.lineAt(p.at+opened), "the comment is not closed")
	}
	return string(out)
}

var infoPattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_/.-]*)[ \t]*=[ \t]*([^\n]*)$`)

// info reads the Key=Value lines and stops behind the brace that follows.
func (p *parser) info() {
	for {
		rest := strings.TrimLeft(p.text[p.at:], " \t\r\n")
		p.at = len(p.text) - len(rest)
		if strings.HasPrefix(rest, "{") {
			p.at++
			return
		}
		line, _, _ := strings.Cut(rest, "\n")
		m := infoPattern.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			p.fail(p.line(), "Key=Value or the { of the init block is wanted")
		}
		p.t.Info = append(p.t.Info, Info{m[1], strings.TrimSpace(m[2])})
		p.at += len(line)
	}
}

// block measures the init block up to and with the brace that closes it.
func (p *parser) block(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
	p.fail(p.line(), "the init block is not closed")
	return 0
}

var condWord = regexp.MustCompile(`~[ \t\r\n]*exists\b|[A-Za-z_.$][A-Za-z0-9_.$/-]*`)

// cutCondition separates the code from what follows: locations, filter or the
// condition.
func cutCondition(s string) (code, rest string) {
	for _, m := range condWord.FindAllStringIndex(s, -1) {
		switch s[m[0]:m[1]] {
		case "exists", "forall", "final", "locations", "filter", "observed", "Observed", "cases":
			return s[:m[0]], s[m[0]:]
		}
		if s[m[0]] == '~' {
			return s[:m[0]], s[m[0]:]
		}
	}
	return s, ""
}

// checkInits checks what can only be checked when the code was read.
func (p *parser) checkInits() {
	for _, i := range p.t.Inits {
		p.checkLoc(i.Loc, i.Line)
	}
}

// checkLoc asks that a register's process exists and that an element belongs
// to an array.
func (p *parser) checkLoc(l Loc, line int) {
	if l.IsReg() && p.t.thread(l.Proc) < 0 {
		p.fail(line, "there is no process P%d", l.Proc)
	}
	if l.Index < 0 {
		return
	}
	if n := p.t.typeOf(l).Len; n == 0 {
		p.fail(line, "%s is not an array", l.Name)
	} else if l.Index >= n {
		p.fail(line, "%s[%d]: the array has %d elements", l.Name, l.Index, n)
	}
}

// thread is the place of a process among the threads, −1 if there is none.
func (t *Test) thread(proc int) int {
	for i := range t.Threads {
		if t.Threads[i].Proc == proc {
			return i
		}
	}
	return -1
}
