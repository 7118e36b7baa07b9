package main

import (
	"fmt"

	"spinlab/locktest/engine"
	"spinlab/mem"
	"spinlab/vmm"
)

// parseNumber reads a 64-bit number in any base that Go knows.
func parseNumber(s string) (uint64, error) { return engine.ParseNumber(s) }

// parseDefines reads the NAME=VALUE words of --define.
func parseDefines(words []string) (map[string]int64, error) {
	defines := map[string]int64{}
	for _, w := range words {
		name, v, err := engine.ParseDefine(w)
		if err != nil {
			return nil, fmt.Errorf("--define %s: %w", w, err)
		}
		if old, ok := defines[name]; ok && old != v {
			return nil, fmt.Errorf("--define %s: it was %d before", w, old)
		}
		defines[name] = v
	}
	return defines, nil
}

// parseStart reads the REGISTER=VALUE words of --set and the ADDRESS=HEX words
// of --mem.
func parseStart(set, memory []string) (s engine.Start, err error) {
	for _, w := range set {
		if err := s.SetRegister(w); err != nil {
			return s, fmt.Errorf("--set %s: %w", w, err)
		}
	}
	for _, w := range memory {
		run, err := parseMemory(w)
		if err != nil {
			return s, err
		}
		s.Mem = append(s.Mem, run)
	}
	return s, nil
}

func parseMemory(w string) (mem.Run, error) {
	r, err := engine.ParseMemory(w)
	if err != nil {
		return r, fmt.Errorf("--mem %s: %w", w, err)
	}
	return r, nil
}

// hostBug is the host mistake of that name; the flag has checked it.
func hostBug(name string) vmm.HostBug {
	bug, _ := engine.HostBug(name)
	return bug
}
