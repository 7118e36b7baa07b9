package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spinlab/cpu"
	"spinlab/mem"
	"spinlab/vmm"
)

// execRequest is one line of input of the exec verb.
type execRequest struct {
	ID       json.RawMessage   `json:"id"`
	Load     number            `json:"load"`
	Bytes    *string           `json:"bytes"`
	Entry    *number           `json:"entry"`
	Regs     map[string]number `json:"regs"`
	RFlags   *number           `json:"rflags"`
	Map      []execRegion      `json:"map"`
	CodePerm string            `json:"code_perm"`
	CPL      *int              `json:"cpl"`
	FSBase   number            `json:"fs_base"`
	GSBase   number            `json:"gs_base"`
	XMM      []string          `json:"xmm"`
	Max      *number           `json:"max"`
	HLT      string            `json:"hlt"`
	Commit   string            `json:"commit"`
}

type execRegion struct {
	Addr number `json:"addr"`
	Size number `json:"size"`
	Perm string `json:"perm"`
	Hex  string `json:"hex"`
}

// number is an unsigned 64-bit value, as a JSON number or as a string in any
// base that strconv knows: "0x1f", "31", "-1".
type number uint64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		i, err2 := strconv.ParseInt(s, 0, 64)
		if err2 != nil {
			return fmt.Errorf("%s is not a 64-bit number", b)
		}
		v = uint64(i)
	}
	*n = number(v)
	return nil
}

var regNumber = func() map[string]int {
	m := make(map[string]int, 16)
	for i, name := range cpu.RegNames {
		m[name] = i
	}
	return m
}()

// execMaxCap is the most instructions that one request may ask for.
const execMaxCap = 2_000_000_000

// snippet checks a request and turns it into what vmm runs.
func (q *execRequest) snippet() (*vmm.Snippet, error) {
	if q.Bytes == nil {
		return nil, errors.New(`"bytes" is missing: give the code in hex`)
	}
	code, err := hex.DecodeString(*q.Bytes)
	if err != nil {
		return nil, fmt.Errorf("bytes: %w", err)
	}
	s := &vmm.Snippet{Load: uint64(q.Load), Code: code, CPL: 3, Flags: 0x202, Max: 100_000,
		FSBase: uint64(q.FSBase), GSBase: uint64(q.GSBase), CodePerm: mem.Read | mem.Exec}
	if q.Load == 0 {
		s.Load = 0x100000
	}
	s.Entry = s.Load
	if q.Entry != nil {
		s.Entry = uint64(*q.Entry)
	}
	if q.RFlags != nil {
		s.Flags = uint64(*q.RFlags)
	}
	if err := q.limits(s); err != nil {
		return nil, err
	}
	for name, v := range q.Regs {
		i, ok := regNumber[strings.ToUpper(name)]
		if !ok {
			return nil, fmt.Errorf("regs: no register %q; the names are RAX to R15", name)
		}
		s.Regs[i] = uint64(v)
	}
	if err := q.memory(s); err != nil {
		return nil, err
	}
	return s, q.vectors(s)
}

// limits checks the scalar options.
func (q *execRequest) limits(s *vmm.Snippet) error {
	if q.CPL != nil {
		if *q.CPL != 0 && *q.CPL != 3 {
			return fmt.Errorf("cpl %d: 0 and 3 are modelled", *q.CPL)
		}
		s.CPL = uint8(*q.CPL)
	}
	if q.Max != nil {
		s.Max = uint64(*q.Max)
		if s.Max == 0 || s.Max > execMaxCap {
			return fmt.Errorf("max %d: 1 to %d instructions", s.Max, uint64(execMaxCap))
		}
	}
	switch q.HLT {
	case "", "stop":
	case "arch":
		s.HLTArch = true
	default:
		return fmt.Errorf(`hlt %q: "stop" or "arch"`, q.HLT)
	}
	switch q.Commit {
	case "", "eager":
	case "late":
		s.Buffered = true
	default:
		return fmt.Errorf(`commit %q: "eager" or "late"`, q.Commit)
	}
	return nil
}

// memory parses the regions and permissions.
func (q *execRequest) memory(s *vmm.Snippet) (err error) {
	if q.CodePerm != "" {
		if s.CodePerm, err = parsePerm(q.CodePerm); err != nil {
			return fmt.Errorf("code_perm: %w", err)
		}
	}
	for _, r := range q.Map {
		perm := mem.Read | mem.Write
		if r.Perm != "" {
			if perm, err = parsePerm(r.Perm); err != nil {
				return fmt.Errorf("map %#x: %w", uint64(r.Addr), err)
			}
		}
		b, err := hex.DecodeString(r.Hex)
		if err != nil {
			return fmt.Errorf("map %#x: hex: %w", uint64(r.Addr), err)
		}
		size := max(uint64(r.Size), uint64(len(b)))
		s.Map = append(s.Map, vmm.Region{Addr: uint64(r.Addr), Size: size, Perm: perm, Bytes: b})
	}
	return nil
}

func parsePerm(s string) (p mem.Perm, err error) {
	for _, r := range s {
		switch r {
		case 'r':
			p |= mem.Read
		case 'w':
			p |= mem.Write
		case 'x':
			p |= mem.Exec
		case '-':
		default:
			return 0, fmt.Errorf("permission %q: letters of rwx", s)
		}
	}
	return p, nil
}

// vectors parses XMM registers, hex in memory order.
func (q *execRequest) vectors(s *vmm.Snippet) error {
	if q.XMM == nil {
		return nil
	}
	if len(q.XMM) > 16 {
		return fmt.Errorf("xmm: %d registers, there are 16", len(q.XMM))
	}
	s.XMM = new([16][2]uint64)
	for i, h := range q.XMM {
		b, err := hex.DecodeString(h)
		if err != nil || len(b) != 16 {
			return fmt.Errorf("xmm %d: 32 hex digits in memory order are wanted", i)
		}
		for k := 15; k >= 0; k-- {
			s.XMM[i][k/8] = s.XMM[i][k/8]<<8 | uint64(b[k])
		}
	}
	return nil
}
