package engine

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spinlab/cpu"
	"spinlab/explore"
	"spinlab/mem"
	"spinlab/vmm"
)

// ParseNumber reads a 64-bit number in any base that Go knows, with a sign if
// need be.
func ParseNumber(s string) (uint64, error) {
	if v, err := strconv.ParseUint(s, 0, 64); err == nil {
		return v, nil
	}
	i, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a 64-bit number", s)
	}
	return uint64(i), nil
}

var symbolName = regexp.MustCompile(`^[A-Za-z_.$][A-Za-z0-9_.$]*$`)

// IsSymbol says whether a name can be that of a symbol.
func IsSymbol(name string) bool { return symbolName.MatchString(name) }

// ParseDefine reads NAME=VALUE.
func ParseDefine(s string) (name string, value int64, err error) {
	name, text, ok := strings.Cut(s, "=")
	if !ok || !IsSymbol(name) {
		return "", 0, errors.New("NAME=VALUE is wanted")
	}
	v, err := ParseNumber(text)
	return name, int64(v), err
}

// ParseMemory reads ADDRESS=HEX: the bytes as they lie in memory.
func ParseMemory(s string) (r mem.Run, err error) {
	at, value, ok := strings.Cut(s, "=")
	if !ok {
		return r, errors.New("ADDRESS=HEX is wanted")
	}
	if r.Addr, err = ParseNumber(at); err != nil {
		return r, err
	}
	r.Bytes, err = hex.DecodeString(strings.TrimPrefix(value, "0x"))
	return r, err
}

// ParseHex reads machine code: hex digits, blanks between them do not count.
func ParseHex(s string) ([]byte, error) {
	b, err := hex.DecodeString(strings.TrimPrefix(strings.Join(strings.Fields(s), ""), "0x"))
	if err == nil && len(b) == 0 {
		err = errors.New("no bytes")
	}
	return b, err
}

// Register is the number of a 64-bit register, by its name in any case and with
// or without %.
func Register(name string) (int, bool) {
	name = strings.ToUpper(strings.TrimPrefix(name, "%"))
	for i, n := range cpu.RegNames {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// AddInput takes REGISTER=VALUE, rflags=VALUE or ADDRESS=HEX into s.
func (s *Start) AddInput(text string) error {
	name, _, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("REGISTER=VALUE or ADDRESS=HEX is wanted")
	}
	if name[0] >= '0' && name[0] <= '9' {
		r, err := ParseMemory(text)
		s.Mem = append(s.Mem, r)
		return err
	}
	return s.SetRegister(text)
}

// SetRegister takes REGISTER=VALUE or rflags=VALUE into s.
func (s *Start) SetRegister(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("REGISTER=VALUE is wanted")
	}
	v, err := ParseNumber(value)
	if err != nil {
		return err
	}
	if strings.EqualFold(strings.TrimPrefix(name, "%"), "rflags") {
		s.Flags = &v
		return nil
	}
	i, ok := Register(name)
	if !ok {
		return fmt.Errorf("no register %s; there are rax to r15 and rflags", name)
	}
	if s.Regs == nil {
		s.Regs = map[int]uint64{}
	}
	s.Regs[i] = v
	return nil
}

// ParseThreadReg reads P0.rdi=VALUE.
func ParseThreadReg(s string) (r ThreadReg, err error) {
	name, value, ok := strings.Cut(s, "=")
	who, reg, ok2 := strings.Cut(name, ".")
	r.Thread, err = strconv.Atoi(strings.TrimPrefix(who, "P"))
	if !ok || !ok2 || err != nil || r.Thread < 0 || !strings.HasPrefix(who, "P") {
		return r, errors.New("P0.rdi=VALUE is wanted")
	}
	v, err := ParseNumber(value)
	if err != nil {
		return r, err
	}
	i, shift, size, ok := explore.ParseRegister(reg)
	if !ok || i > 15 || shift != 0 || size < 4 {
		return r, fmt.Errorf("no register %s; there are rax to r15", reg)
	}
	r.Reg, r.Value = i, v&(1<<(8*size)-1)
	return r, nil
}

// ParseIRQ reads VCPU, VCPU:VECTOR or VCPU:SEQUENCE, the lock program of the
// handler; an NMI has no vector of its choice.
func ParseIRQ(s string, nmi bool) (x Interrupt, err error) {
	who, rest, given := strings.Cut(s, ":")
	x.Vector = vmm.VectorTimer
	if nmi {
		x.Vector = vmm.VectorNMI
	}
	if x.VCPU, err = strconv.Atoi(who); err != nil || x.VCPU < 0 {
		return x, errors.New("the number of a vCPU is wanted, and behind it what comes")
	}
	switch {
	case !given:
	case IsSequence(rest):
		x.Do = rest
	case nmi:
		return x, errors.New("VCPU or VCPU:SEQUENCE is wanted")
	default:
		vec, err := ParseNumber(rest)
		if err != nil || vec < 32 || vec > 255 {
			return x, errors.New("VCPU, VCPU:VECTOR from 0x20 to 0xff, or VCPU:SEQUENCE as in 0:Bb is wanted")
		}
		x.Vector = uint8(vec)
	}
	return x, nil
}

// IsSequence tells a lock program from a vector: it begins with a letter.
func IsSequence(s string) bool {
	return s != "" && (s[0] >= 'A' && s[0] <= 'Z' || s[0] >= 'a' && s[0] <= 'z' || s[0] == '*')
}

// ParseDo reads lock programs with commas between them, one for each vCPU.
func ParseDo(s string) ([]string, error) {
	list := strings.Split(s, ",")
	for i := range list {
		if list[i] = strings.TrimSpace(list[i]); list[i] == "" {
			return nil, errors.New("a sequence for each vCPU is wanted, as Aa,ABba")
		}
	}
	return list, nil
}

// ParseSize reads a number of bytes, with K, M or G behind it.
func ParseSize(s string) (uint64, error) {
	shift := 0
	for i, unit := range []string{"K", "M", "G"} {
		if len(s) > 1 && s[len(s)-1:] == unit {
			s, shift = s[:len(s)-1], 10*(i+1)
			break
		}
	}
	n, err := ParseNumber(s)
	switch {
	case err != nil:
		return 0, err
	case n<<shift>>shift != n || int64(n) < 0:
		return 0, errors.New("that is too much")
	}
	return n << shift, nil
}

// CommitModes are the names of when buffered stores commit.
var CommitModes = map[string]mem.CommitMode{
	"timed": mem.Timed, "eager": mem.Eager, "late": mem.Late, "random": mem.Random,
}

// KickABIs are the names of the kick hypercall's versions.
var KickABIs = map[string]vmm.KickABI{
	"v8": vmm.KickV8, "v3": vmm.KickV3, "mainline": vmm.KickMainline,
}

// Reductions are the names of what a search leaves out.
var Reductions = map[string]explore.Reduction{
	"all": explore.ReduceAll, "steps": explore.ReduceSteps, "none": explore.ReduceNone,
}

// HostBug is the mistake of that name.
func HostBug(name string) (vmm.HostBug, bool) {
	i := slices.Index(vmm.HostBugs[:], name)
	return vmm.HostBug(max(i, 0)), i >= 0
}
