package main

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spinlab/mem"
	"spinlab/vmm"
)

// parseNumber reads a 64-bit number in any base that Go knows, with a sign if
// need be.
func parseNumber(s string) (uint64, error) {
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

// parseDefines reads the NAME=VALUE words of --define.
func parseDefines(words []string) (map[string]int64, error) {
	defines := map[string]int64{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || !symbolName.MatchString(name) {
			return nil, fmt.Errorf("--define %s: NAME=VALUE is wanted", w)
		}
		v, err := parseNumber(value)
		if err != nil {
			return nil, fmt.Errorf("--define %s: %w", w, err)
		}
		if old, ok := defines[name]; ok && old != int64(v) {
			return nil, fmt.Errorf("--define %s: it was %d before", w, old)
		}
		defines[name] = int64(v)
	}
	return defines, nil
}

// start is what --set, --mem and friends give a bare core.
type start struct {
	regs  map[int]uint64
	flags *uint64
	mem   []mem.Run
}

// parseStart reads the REGISTER=VALUE words of --set and the ADDRESS=HEX words
// of --mem.
func parseStart(set, memory []string) (s start, err error) {
	s.regs = map[int]uint64{}
	for _, w := range set {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return s, fmt.Errorf("--set %s: REGISTER=VALUE is wanted", w)
		}
		v, err := parseNumber(value)
		if err != nil {
			return s, fmt.Errorf("--set %s: %w", w, err)
		}
		name = strings.ToUpper(strings.TrimPrefix(name, "%"))
		if name == "RFLAGS" {
			s.flags = &v
			continue
		}
		i, ok := regNumber[name]
		if !ok {
			return s, fmt.Errorf("--set %s: no register %s; there are rax to r15 and rflags", w, name)
		}
		s.regs[i] = v
	}
	for _, w := range memory {
		run, err := parseMemory(w)
		if err != nil {
			return s, err
		}
		s.mem = append(s.mem, run)
	}
	return s, nil
}

func parseMemory(w string) (r mem.Run, err error) {
	at, value, ok := strings.Cut(w, "=")
	if !ok {
		return r, fmt.Errorf("--mem %s: ADDRESS=HEX is wanted", w)
	}
	if r.Addr, err = parseNumber(at); err != nil {
		return r, fmt.Errorf("--mem %s: %w", w, err)
	}
	if r.Bytes, err = hex.DecodeString(strings.TrimPrefix(value, "0x")); err != nil {
		return r, fmt.Errorf("--mem %s: %w", w, err)
	}
	return r, nil
}

var commitModes = map[string]mem.CommitMode{
	"timed": mem.Timed, "eager": mem.Eager, "late": mem.Late, "random": mem.Random,
}

var kickABIs = map[string]vmm.KickABI{
	"v8": vmm.KickV8, "v3": vmm.KickV3, "mainline": vmm.KickMainline,
}

// hostBug is the host mistake of that name; the flag has checked it.
func hostBug(name string) vmm.HostBug {
	return vmm.HostBug(max(slices.Index(vmm.HostBugs[:], name), 0))
}
