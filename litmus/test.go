package litmus

import (
	"fmt"
	"strings"
)

// Dialect is the instruction syntax of a test.
type Dialect string

// The dialects.
const (
	X86   Dialect = "X86"    // destination first, 32-bit registers
	X8664 Dialect = "X86_64" // AT&T
)

// Test is one parsed litmus test.
type Test struct {
	File    string
	Dialect Dialect
	Name    string
	Doc     string
	Info    []Info

	Inits   []Init
	Threads []Thread

	Shown  []Loc // of the locations section
	Filter Prop  // states without it do not count; nil keeps all
	Kind   Kind
	Cond   Prop

	types map[Loc]Type // declared, by whole location
	first map[string]int
	names []string // symbolic locations, in order of appearance
}

// Info is a line Key=Value before the init block.
type Info struct{ Key, Value string }

// Hash is the value of the Hash line, "" without one.
func (t *Test) Hash() string {
	for _, i := range t.Info {
		if i.Key == "Hash" {
			return i.Value
		}
	}
	return ""
}

// Init gives a location its first value or values.
type Init struct {
	Loc    Loc
	Values []Value
	Line   int
}

// Thread is one process.
type Thread struct {
	Proc   int // its number: P0 is 0
	Line   int
	Instrs []Instr
	End    []string // labels behind the last instruction
}

// Instr is one instruction of a process.
type Instr struct {
	Line     int
	Labels   []string
	Prefixes []string
	Mnemonic string
	Args     []operand
}

// Kind is what the condition asks.
type Kind uint8

// The kinds of condition.
const (
	Exists    Kind = iota // some state has it
	NotExists             // no state has it
	Forall                // every state has it
)

// String is how herd7 names the kind in its first line.
func (k Kind) String() string { return [...]string{"Allowed", "Forbidden", "Required"}[k] }

// Keyword is how the kind is written.
func (k Kind) Keyword() string { return [...]string{"exists", "~exists", "forall"}[k] }

// Type is the type of a location or register.
type Type struct {
	Size     int // bytes of one element
	Unsigned bool
	Len      int // elements of an array, 0 for a scalar
}

// defaultType is what a location has that nobody declares: int, as in herd7.
var defaultType = Type{Size: 4}

// count is how many values the type holds.
func (t Type) count() int { return max(t.Len, 1) }

var baseTypes = map[string]Type{
	"char": {Size: 1}, "short": {Size: 2}, "int": {Size: 4}, "long": {Size: 8},
	"int8_t": {Size: 1}, "int16_t": {Size: 2}, "int32_t": {Size: 4}, "int64_t": {Size: 8},
	"uint8_t": {Size: 1, Unsigned: true}, "uint16_t": {Size: 2, Unsigned: true},
	"uint32_t": {Size: 4, Unsigned: true}, "uint64_t": {Size: 8, Unsigned: true},
	"intptr_t": {Size: 8}, "uintptr_t": {Size: 8, Unsigned: true},
}

// pointerType is the type of T *x.
var pointerType = Type{Size: 8, Unsigned: true}

// typeOf is the type of a whole location.
func (t *Test) typeOf(l Loc) Type {
	if ty, ok := t.types[l.whole()]; ok {
		return ty
	}
	if l.IsReg() && l.Reg.Size < defaultType.Size {
		return Type{Size: l.Reg.Size}
	}
	return defaultType
}

// note remembers a symbolic location and where it was first named.
func (t *Test) note(name string, line int) {
	if _, ok := t.first[name]; !ok {
		t.first[name] = line
		t.names = append(t.names, name)
	}
}

// Error is a complaint about one line of a test.
type Error struct {
	File string
	Line int
	Msg  string
}

// Error returns "file:line: message".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Errors are several complaints, in order of line.
type Errors []*Error

// Error joins the messages with newlines.
func (l Errors) Error() string {
	s := make([]string, len(l))
	for i, e := range l {
		s[i] = e.Error()
	}
	return strings.Join(s, "\n")
}
