package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// lineRow is one row of the line table that .loc asks for: what follows comes
// from there.
type lineRow struct {
	frag          *frag
	off           int
	file, line    int64
	col, disc     int64
	stmt          bool
	prologueEnd   bool
	epilogueBegin bool
	view          *node // its number among the rows of one address
}

// lineFile is an entry of the table of files.
type lineFile struct {
	dir, name string
	md5       string
}

// maxFileNumber bounds what .file may number.
const maxFileNumber = 1 << 16

// fileDirective is `.file "name"`, which names the translation unit, or
// `.file N ["dir"] "name" [md5 VALUE]`, which numbers a source file.
func (u *unit) fileDirective(name, args string) {
	words := quotedFields(args)
	if len(words) == 0 {
		u.errorf("%s: missing name", name)
		return
	}
	if strings.HasPrefix(words[0], "\"") {
		u.fileName = unquote(words[0])
		return
	}
	n, err := strconv.ParseUint(words[0], 0, 32)
	if err != nil || n > maxFileNumber {
		u.errorf("%s: number %s is not 0 to %d", name, words[0], maxFileNumber)
		return
	}
	var f lineFile
	for i, w := range words[1:] {
		switch {
		case w == "md5" && i+2 < len(words):
			f.md5 = words[i+2]
		case strings.HasPrefix(w, "\"") && f.name == "":
			f.name = unquote(w)
		case strings.HasPrefix(w, "\""):
			f.dir, f.name = f.name, unquote(w)
		}
	}
	if u.files == nil {
		u.files = map[int64]lineFile{}
	}
	u.files[int64(n)] = f
}

// quotedFields cuts at blanks outside quotes.
func quotedFields(t string) []string {
	var out []string
	for t = strings.TrimSpace(t); t != ""; t = strings.TrimSpace(t) {
		n := strings.IndexAny(t, " \t")
		if t[0] == '"' {
			n = stringLen(t)
		}
		if n < 0 {
			n = len(t)
		}
		out = append(out, t[:n])
		t = t[n:]
	}
	return out
}

// loc is `.loc FILE LINE [COLUMN] [options]`. It says where what follows comes
// from; `view NAME` makes NAME the row's number at its
// address.
func (u *unit) loc(name, args string) {
	w := quotedFields(args)
	r := lineRow{stmt: u.locStmt}
	for i, p := range []*int64{&r.file, &r.line, &r.col} {
		if i >= len(w) || !isDigit(w[i][0]) {
			if i < 2 {
				u.errorf("%s takes a file and a line", name)
				return
			}
			break
		}
		v, err := strconv.ParseInt(w[i], 0, 32)
		if err != nil {
			u.errorf("%s: bad number %s", name, w[i])
			return
		}
		*p = v
	}
	for len(w) > 0 && isDigit(w[0][0]) {
		w = w[1:]
	}
	viewName, ok := u.locOptions(name, w, &r)
	if !ok {
		return
	}
	r.view = &node{op: "view"}
	if viewName != "" && !isDigit(viewName[0]) {
		u.defineView(viewName, r.view)
	}
	u.addRow(r)
}

// locOptions reads what stands behind the numbers, and returns the name that
// the view is given.
func (u *unit) locOptions(name string, w []string, r *lineRow) (view string, ok bool) {
	for len(w) > 0 {
		n := 2
		switch {
		case w[0] == "basic_block":
			n = 1
		case w[0] == "prologue_end":
			r.prologueEnd, n = true, 1
		case w[0] == "epilogue_begin":
			r.epilogueBegin, n = true, 1
		case len(w) < 2:
			u.errorf("%s: unknown option %s", name, w[0])
			return "", false
		case w[0] == "is_stmt":
			r.stmt = w[1] != "0"
			u.locStmt = r.stmt
		case w[0] == "discriminator":
			r.disc, _ = strconv.ParseInt(w[1], 0, 64)
		case w[0] == "view":
			view = strings.TrimPrefix(w[1], "-")
		case w[0] == "isa":
		default:
			u.errorf("%s: unknown option %s", name, w[0])
			return "", false
		}
		w = w[n:]
	}
	return view, true
}

// defineView makes a symbol of a row's number.
func (u *unit) defineView(name string, n *node) {
	s := u.lookup(name)
	if s.defined() {
		u.errorf("symbol %s is already defined%s", name, s.definedAt())
		return
	}
	s.at, s.expr = u.now, n
}

// addRow gives a row its address: here, whatever comes next.
func (u *unit) addRow(r lineRow) {
	r.frag, r.off = u.sec.end()
	r.view.x = &node{op: "sym", sym: &symbol{name: ".", at: u.now, frag: r.frag, off: r.off, hidden: true}}
	if n := len(u.rows); n > 0 {
		r.view.y = u.rows[n-1].view
	}
	u.rows = append(u.rows, r)
}

// maxViews bounds the rows at one address.
const maxViews = 1000

// view counts the rows before this one that have its address.
func (n *node) view(steps *int) (int64, error) {
	count := int64(0)
	for ; n.x != nil && n.y != nil && n.y.x != nil; n = n.y {
		if *steps++; *steps > maxEvalSteps || count == maxViews {
			return 0, fmt.Errorf("more than %d .loc at one address", maxViews)
		}
		a, b := n.x.sym, n.y.x.sym
		if a.frag.sec != b.frag.sec || a.frag.addr+uint64(a.off) != b.frag.addr+uint64(b.off) {
			break
		}
		count++
	}
	return count, nil
}
