package spin

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Script is a file that has been read: every command of it is understood.
type Script struct {
	Path  string
	Items []*Item

	mark  string   // the byte order mark that some editors write
	lines []string // of the file, without line ends
	ends  []string // what ends each of them
}

// Item is one command.
type Item struct {
	Line int    // of the command, from 1
	Name string // for --run: unique in its script
	Text string // the command line, as it was written

	words  []word
	block  []string // the lines that belong to it, from line blockAt on
	golden bool     // it has expected output
	want   []string // the expected lines
	// The expected lines stand in lines[from:to] of the script.
	from, to int
	blockAt  int

	cmd *command
	plan
}

// IsSource says that the item only names code: it is no test.
func (it *Item) IsSource() bool { return it.cmd.kind == kindSource }

// SyntaxError is a mistake in a script.
type SyntaxError struct {
	Path      string
	Line, Col int // Col 0: the line as a whole
	Msg       string
}

func (e *SyntaxError) Error() string {
	if e.Col == 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Col, e.Msg)
}

// SyntaxErrors are all mistakes of a script, in order.
type SyntaxErrors []*SyntaxError

func (l SyntaxErrors) Error() string {
	text := make([]string, len(l))
	for i, e := range l {
		text[i] = e.Error()
	}
	return strings.Join(text, "\n")
}

// Bounds of a script.
const (
	MaxScript = 4 << 20 // bytes
	maxItems  = 10_000
)

// separator stands between a command and what it must print, blockEnd behind
// lines that nothing is printed for.
const (
	separator = "----"
	blockEnd  = "end"
)

// Parse reads a script. The error is a SyntaxErrors.
func Parse(path string, text []byte) (*Script, error) {
	return (&parser{s: &Script{Path: path}, names: map[string]int{}}).parse(text)
}

// ParseBudgets reads lines that are budgets for the code of Config.Source.
func ParseBudgets(name string, lines []string) (*Script, error) {
	p := &parser{s: &Script{Path: name}, names: map[string]int{}, given: true, inBudget: 1}
	text := strings.Join(append(slices.Clone(lines), blockEnd), "\n")
	return p.parse([]byte(text))
}

func (p *parser) parse(text []byte) (*Script, error) {
	if len(text) > MaxScript {
		p.fail(1, 0, "longer than %d MiB", MaxScript>>20)
		return nil, p.errs
	}
	p.split(string(text))
	for p.at < len(p.s.lines) {
		p.command()
	}
	if p.inBudget > 0 {
		p.fail(p.inBudget, 1, "budget without an end")
	}
	if len(p.errs) == 0 && !slices.ContainsFunc(p.s.Items, func(it *Item) bool { return !it.IsSource() }) {
		p.fail(1, 0, "no commands: nothing is tested")
	}
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return p.s, nil
}

// split takes the text apart so that Update can put it together again.
func (p *parser) split(text string) {
	const mark = "\ufeff"
	if rest, ok := strings.CutPrefix(text, mark); ok {
		p.s.mark, text = mark, rest
	}
	for _, line := range strings.SplitAfter(text, "\n") {
		body := strings.TrimSuffix(line, "\n")
		if len(body) < len(line) {
			body = strings.TrimSuffix(body, "\r")
		}
		p.s.lines, p.s.ends = append(p.s.lines, body), append(p.s.ends, line[len(body):])
	}
}

// parser walks through the lines of a script.
type parser struct {
	s        *Script
	at       int // the next line
	errs     SyntaxErrors
	names    map[string]int
	section  string // of the last test command
	inBudget int    // the line of the budget command that is open
	source   *Item
	given    bool // there is code from outside
}

// mostErrors is how many mistakes of one script are told.
const mostErrors = 20

func (p *parser) fail(line, col int, format string, args ...any) {
	if len(p.errs) < mostErrors {
		p.errs = append(p.errs, &SyntaxError{p.s.Path, line, col, fmt.Sprintf(format, args...)})
	}
}

// command reads one command with all that belongs to it.
func (p *parser) command() {
	first := p.at + 1
	line := p.s.lines[p.at]
	p.at++
	for strings.HasSuffix(line, `\`) && p.at < len(p.s.lines) {
		line = strings.TrimSuffix(line, `\`) + " " + p.s.lines[p.at]
		p.at++
	}
	words, open := split(line)
	if open > 0 {
		p.fail(first, open, "the quote is not closed")
		return
	}
	if len(words) == 0 {
		return
	}
	if words[0].text == separator {
		p.fail(first, words[0].col, "%s without a command above it: a blank line ended the one before", separator)
		p.skipExpected()
		return
	}
	switch words[0].text {
	case "budget":
		p.openBudget(first, words)
		return
	case blockEnd:
		if p.inBudget == 0 {
			p.fail(first, words[0].col, "end without a block")
		}
		p.inBudget = 0
		return
	case "test":
		p.openSection(first, words)
		return
	}
	p.item(first, strings.Join(strings.Fields(line), " "), words)
}

func (p *parser) openBudget(line int, words []word) {
	switch {
	case len(words) > 1:
		p.fail(line, words[1].col, "budget stands alone; the lines up to end are budgets, as lock instructions <= 9")
	case p.inBudget > 0:
		p.fail(line, words[0].col, "a budget within the one of line %d", p.inBudget)
	}
	p.inBudget = line
}

func (p *parser) openSection(line int, words []word) {
	if len(words) != 2 {
		p.fail(line, words[0].col, "test NAME is wanted: the commands below it are NAME/…")
		return
	}
	p.section = words[1].text
}

// item makes an Item of a command line and of the lines below it.
func (p *parser) item(line int, text string, words []word) {
	it := &Item{Line: line, Text: text, words: words}
	cmd, ok := findCommand(words[0].text)
	if !ok {
		p.fail(line, words[0].col, "unknown command %s: %s", words[0].text, nearCommands(words[0].text))
		p.skipExpected()
		return
	}
	it.cmd = cmd
	if cmd.hasBlock(len(words) > 1) && !p.readBlock(it) {
		return
	}
	p.readExpected(it)
	if err := it.makePlan(); err != nil {
		err.Path = p.s.Path
		if err.Line == 0 {
			err.Line = line
		}
		p.errs = append(p.errs, err)
		return
	}
	p.check(it)
	it.Name = p.name(it)
	if p.s.Items = append(p.s.Items, it); len(p.s.Items) == maxItems {
		p.fail(line, 0, "more than %d commands", maxItems)
		p.at = len(p.s.lines)
	}
}

// readBlock takes the lines up to ---- or end.
func (p *parser) readBlock(it *Item) bool {
	it.blockAt = p.at + 1
	for i := p.at; i < len(p.s.lines); i++ {
		switch strings.TrimSpace(p.s.lines[i]) {
		case separator:
			it.block, p.at = p.s.lines[p.at:i], i
			return true
		case blockEnd:
			it.block, p.at = p.s.lines[p.at:i], i+1
			return true
		}
	}
	p.fail(it.Line, 1, "%s: its lines have no %s", it.cmd.name, blockEnd)
	p.at = len(p.s.lines)
	return false
}

// readExpected takes ---- and the lines up to a blank one.
func (p *parser) readExpected(it *Item) {
	it.from, it.to = p.at, p.at
	if p.at == len(p.s.lines) || strings.TrimRight(p.s.lines[p.at], " \t") != separator {
		return
	}
	p.at++
	it.golden, it.from = true, p.at
	for p.at < len(p.s.lines) && strings.TrimSpace(p.s.lines[p.at]) != "" {
		it.want = append(it.want, strings.TrimRight(p.s.lines[p.at], " \t"))
		p.at++
	}
	it.to = p.at
}

// skipExpected passes over the expected block of a command that makes no sense.
func (p *parser) skipExpected() {
	if p.at == len(p.s.lines) || p.s.lines[p.at-1] != separator && p.s.lines[p.at] != separator {
		return
	}
	for p.at < len(p.s.lines) && strings.TrimSpace(p.s.lines[p.at]) != "" {
		p.at++
	}
}

// check holds the shape of a script: what prints has an expected block, what
// does not has none, and code comes first.
func (p *parser) check(it *Item) {
	prints := it.cmd.kind == kindTest && !it.isBudget
	switch {
	case p.inBudget > 0 && !it.isBudget:
		p.fail(it.Line, 1, "%s in a budget: a line as lock instructions <= 9, check holds 2x2 or run done 4x1000 is wanted", it.cmd.name)
	case it.golden && !prints:
		p.fail(it.from, 1, "%s prints nothing: it needs no %s", it.Text, separator)
	case prints && !it.golden:
		p.fail(it.Line, 1, "no expected output: add a line %s below, and spinlab test -update %s fills it in", separator, filepath.ToSlash(p.s.Path))
	case it.cmd.kind == kindSource:
		p.source = it
	case p.source == nil && !p.given && it.cmd.needsSource:
		p.fail(it.Line, 1, "no code yet: source, asm, hex or cc comes first")
	}
}

// name is the command without its flags, made unique.
func (p *parser) name(it *Item) string {
	name := strings.Join(it.nameWords(), "_")
	if p.section != "" {
		name = p.section + "/" + name
	}
	p.names[name]++
	if n := p.names[name]; n > 1 {
		name = fmt.Sprintf("%s#%02d", name, n)
	}
	return name
}
