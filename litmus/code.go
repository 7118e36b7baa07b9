package litmus

import "strings"

// cell is one field of the table of instructions.
type cell struct {
	text string
	line int
}

// code reads the table: a head P0 | P1 ; and rows of instructions.
func (p *parser) code(text string, line int) {
	rows := p.rows(text, line)
	if len(rows) == 0 {
		p.fail(line, "the processes P0 | P1 … ; are missing")
	}
	for _, c := range rows[0] {
		p.process(c)
	}
	labels := make([][]string, len(rows[0]))
	for _, row := range rows[1:] {
		if len(row) != len(rows[0]) {
			p.fail(row[0].line, "%d columns where there are %d processes", len(row), len(rows[0]))
		}
		for i, c := range row {
			p.instr(&p.t.Threads[i], &labels[i], c)
		}
	}
	for i := range p.t.Threads {
		p.t.Threads[i].End = labels[i]
		p.checkLabels(&p.t.Threads[i])
	}
}

// process reads one field of the table's head.
func (p *parser) process(c cell) {
	n, ok := procNumber(token{kind: tokName, text: c.text})
	if !ok {
		p.fail(c.line, "a process is called P0, P1, …, not %q", c.text)
	}
	if p.t.thread(n) >= 0 {
		p.fail(c.line, "P%d is there twice", n)
	}
	if len(p.t.Threads) == MaxThreads {
		p.fail(c.line, "more than %d processes", MaxThreads)
	}
	p.t.Threads = append(p.t.Threads, Thread{Proc: n, Line: c.line})
}

// rows cuts the table at ; and |. A semicolon behind a lone LOCK belongs to the
// instruction; what follows # on a line is a comment.
func (p *parser) rows(text string, line int) [][]cell {
	var rows [][]cell
	var row []cell
	var now strings.Builder
	at := 0 // the line where the present field begins
	finish := func() {
		if at == 0 {
			at = line
		}
		row = append(row, cell{strings.TrimSpace(now.String()), at})
		now.Reset()
		at = 0
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			line++
			now.WriteByte(' ')
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '|':
			finish()
		case c == ';' && strings.EqualFold(strings.TrimSpace(now.String()), "lock"):
			now.WriteByte(' ')
		case c == ';':
			finish()
			rows, row = append(rows, row), nil
		default:
			if at == 0 && c != ' ' && c != '\t' && c != '\r' {
				at = line
			}
			now.WriteByte(c)
		}
	}
	if finish(); len(row) > 1 || row[0].text != "" {
		p.fail(row[0].line, "a row of the table ends in ;")
	}
	return rows
}

// prefixWords may stand before a mnemonic.
var prefixWords = map[string]bool{"lock": true, "rep": true, "repe": true, "repz": true, "repne": true, "repnz": true}

// instr reads a field: labels, prefixes, a mnemonic and operands. Labels wait
// for the next instruction of their process.
func (p *parser) instr(th *Thread, labels *[]string, c cell) {
	text := c.text
	for {
		n := nameLen(text)
		rest := strings.TrimSpace(text[n:])
		if n == 0 || !strings.HasPrefix(rest, ":") {
			break
		}
		*labels = append(*labels, text[:n])
		text = strings.TrimSpace(rest[1:])
	}
	if text == "" {
		return
	}
	in := Instr{Line: c.line, Labels: *labels}
	*labels = nil
	for in.Mnemonic == "" {
		n := mnemonicLen(text)
		if n == 0 {
			p.fail(c.line, "%q: an instruction is wanted", c.text)
		}
		word := strings.ToLower(text[:n])
		text = strings.TrimSpace(text[n:])
		if prefixWords[word] && text != "" {
			in.Prefixes = append(in.Prefixes, word)
		} else {
			in.Mnemonic = word
		}
	}
	p.operands(&in, text)
	th.Instrs = append(th.Instrs, in)
}

// mnemonicLen measures the mnemonic at the start of s. Directives of the
// assembler do not count: a litmus test has none.
func mnemonicLen(s string) int {
	n := 0
	for n < len(s) && (isAlpha(s[n]) || n > 0 && isDigit(s[n])) {
		n++
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' && s[n] != '$' && s[n] != '%' && s[n] != '[' && s[n] != '(' {
		return 0
	}
	return n
}

// operands cuts at the commas that are in no parentheses.
func (p *parser) operands(in *Instr, text string) {
	depth, from := 0, 0
	if text == "" {
		return
	}
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && depth == 0:
			in.Args = append(in.Args, p.operand(in, strings.TrimSpace(text[from:i])))
			from = i + 1
		case text[i] == '(' || text[i] == '[':
			depth++
		case text[i] == ')' || text[i] == ']':
			depth--
		}
	}
}

// checkLabels asks that labels are there once and that jumps find theirs.
func (p *parser) checkLabels(th *Thread) {
	defined := map[string]bool{}
	define := func(line int, list []string) {
		for _, l := range list {
			if defined[l] {
				p.fail(line, "label %s is there twice in P%d", l, th.Proc)
			}
			defined[l] = true
		}
	}
	for _, in := range th.Instrs {
		define(in.Line, in.Labels)
	}
	define(th.Line, th.End)
	for _, in := range th.Instrs {
		for _, a := range in.Args {
			if a.kind == argLabel && !defined[a.name] {
				p.fail(in.Line, "no label %s in P%d", a.name, th.Proc)
			}
		}
	}
}
