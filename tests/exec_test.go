package tests

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// answer is a line that exec prints.
type answer struct {
	ID    any               `json:"id"`
	Stop  string            `json:"stop"`
	Regs  map[string]string `json:"regs"`
	RIP   string            `json:"rip"`
	Flags string            `json:"rflags"`
	Mem   []run             `json:"mem"`
	XMM   []string          `json:"xmm"`
	Fault *struct {
		Vector int    `json:"vector"`
		Name   string `json:"name"`
		Error  uint32 `json:"error"`
		CR2    string `json:"cr2"`
	} `json:"fault"`
	Error string `json:"error"`
}

type run struct {
	Addr string `json:"addr"`
	Hex  string `json:"hex"`
}

// region is memory that a request maps.
type region struct {
	Addr string `json:"addr"`
	Size int    `json:"size"`
	Perm string `json:"perm"`
	Hex  string `json:"hex,omitempty"`
}

// askExec sends requests through the exec verb and decodes the answers.
func askExec(t *testing.T, requests []any) []answer {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, q := range requests {
		require.NoError(t, enc.Encode(q))
	}
	out, stderr, code := spinlab(t, in.Bytes(), "exec")
	require.Zero(t, code, stderr)
	var list []answer
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var a answer
		err := dec.Decode(&a)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		list = append(list, a)
	}
	require.Len(t, list, len(requests))
	return list
}

func number(t *testing.T, s string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(s, 0, 64)
	require.NoError(t, err)
	return v
}

// nativeCase is a snippet with what a real processor made of it.
type nativeCase struct {
	Asm   string            `json:"asm"`
	Bytes string            `json:"bytes"`
	Regs  map[string]string `json:"regs"`
	Flags string            `json:"flags"`
	XMM   []string          `json:"xmm"`
	Mem   []struct {
		Off int    `json:"off"`
		Hex string `json:"hex"`
	} `json:"mem"`
	Want struct {
		Regs  map[string]string `json:"regs"` // those that changed
		Flags string            `json:"flags"`
		Mask  string            `json:"mask"` // flags that are defined
		RIP   string            `json:"rip"`
		Undef []string          `json:"undef"` // registers that are not
		XMM   []string          `json:"xmm"`
		Mem   []struct {
			Off int    `json:"off"`
			Hex string `json:"hex"`
		} `json:"mem"`
		Fault *struct {
			Vector int    `json:"vector"`
			Error  uint32 `json:"error"`
			CR2    string `json:"cr2"`
		} `json:"fault"`
	} `json:"want"`
}

// The page that native cases work on.
const (
	scratch     = 0x200000
	scratchSize = 0x1000
)

// TestNativeCases is the floor: random cases with the results of a Zen 5 host.
func TestNativeCases(t *testing.T) {
	t.Parallel()
	cases := readNativeCases(t, "testdata/oracle.jsonl.gz")
	require.Greater(t, len(cases), 2900)
	if testing.Short() {
		cases = cases[:len(cases)/3]
	}
	requests := make([]any, len(cases))
	for i, c := range cases {
		requests[i] = c.request(t)
	}
	bad := 0
	for i, a := range askExec(t, requests) {
		if why := cases[i].differs(t, a); why != "" {
			bad++
			if bad <= 20 {
				t.Errorf("case %d, %s (%s): %s", i, cases[i].Asm, cases[i].Bytes, why)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d cases differ from the processor", bad, len(cases))
	}
}

func readNativeCases(t *testing.T, name string) (cases []nativeCase) {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	scan := bufio.NewScanner(z)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var c nativeCase
		require.NoError(t, json.Unmarshal(scan.Bytes(), &c))
		cases = append(cases, c)
	}
	require.NoError(t, scan.Err())
	return cases
}

// request is the case as exec wants it: the scratch page and nothing beside it.
func (c *nativeCase) request(t *testing.T) any {
	page := make([]byte, scratchSize)
	for _, m := range c.Mem {
		b, err := hex.DecodeString(m.Hex)
		require.NoError(t, err)
		copy(page[m.Off:], b)
	}
	q := map[string]any{
		"bytes": c.Bytes, "regs": c.Regs, "rflags": c.Flags, "max": 100000,
		"map":     []region{{fmt.Sprintf("%#x", scratch), scratchSize, "rw", hex.EncodeToString(page)}},
		"gs_base": fmt.Sprintf("%#x", scratch),
	}
	if c.XMM != nil {
		q["xmm"] = c.XMM
	}
	return q
}

// differs says in which way an answer is not what the processor did.
func (c *nativeCase) differs(t *testing.T, a answer) string {
	w := &c.Want
	if a.Error != "" {
		return a.Error
	}
	if (a.Fault != nil) != (w.Fault != nil) {
		return fmt.Sprintf("stop %s, fault %+v, want %+v", a.Stop, a.Fault, w.Fault)
	}
	if w.Fault != nil && (a.Fault.Vector != w.Fault.Vector || a.Fault.Error != w.Fault.Error) {
		return fmt.Sprintf("fault %+v, want %+v", a.Fault, w.Fault)
	}
	for name, got := range a.Regs {
		want, changed := w.Regs[name]
		if !changed {
			if want = c.Regs[name]; want == "" {
				want = "0x0"
			}
		}
		if !slices.Contains(w.Undef, name) && number(t, got) != number(t, want) {
			return fmt.Sprintf("%s %s, want %s", name, got, want)
		}
	}
	mask := number(t, w.Mask)
	if got, want := number(t, a.Flags)&mask, number(t, w.Flags)&mask; got != want {
		return fmt.Sprintf("flags %#x, want %#x of %#x", got, want, mask)
	}
	if number(t, a.RIP) != number(t, w.RIP) {
		return fmt.Sprintf("rip %s, want %s", a.RIP, w.RIP)
	}
	for i := range w.XMM {
		if a.XMM[i] != w.XMM[i] {
			return fmt.Sprintf("xmm%d %s, want %s", i, a.XMM[i], w.XMM[i])
		}
	}
	return c.memoryDiffers(t, a)
}

func (c *nativeCase) memoryDiffers(t *testing.T, a answer) string {
	got, want := map[uint64]byte{}, map[uint64]byte{}
	for _, r := range a.Mem {
		spread(t, got, number(t, r.Addr), r.Hex)
	}
	for _, m := range c.Want.Mem {
		spread(t, want, scratch+uint64(m.Off), m.Hex)
	}
	for addr, b := range want {
		if g, ok := got[addr]; !ok || g != b {
			return fmt.Sprintf("[%#x] %#x (changed: %v), want %#x", addr, g, ok, b)
		}
	}
	for addr, b := range got {
		if _, ok := want[addr]; !ok {
			return fmt.Sprintf("[%#x] became %#x, want it untouched", addr, b)
		}
	}
	return ""
}

func spread(t *testing.T, into map[uint64]byte, addr uint64, digits string) {
	b, err := hex.DecodeString(digits)
	require.NoError(t, err)
	for i, x := range b {
		into[addr+uint64(i)] = x
	}
}

// bugCase is a row of cases.jsonl: an input on which some emulator, decoder or
// assembler once went wrong.
type bugCase struct {
	ID     string                     `json:"id"`
	Source string                     `json:"source"`
	Title  string                     `json:"title"`
	Bytes  string                     `json:"bytes_hex"`
	Setup  map[string]json.RawMessage `json:"setup"`
	Expect map[string]json.RawMessage `json:"expect"`
}

// TestBugCases runs the rows of cases.jsonl that a processor has confirmed.
func TestBugCases(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.jsonl")
	require.NoError(t, err)
	var cases []bugCase
	var requests []any
	for line := range strings.Lines(string(text)) {
		var c bugCase
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		cases = append(cases, c)
		requests = append(requests, c.request(t))
	}
	require.GreaterOrEqual(t, len(cases), 65)
	for i, a := range askExec(t, requests) {
		t.Run(cases[i].ID, func(t *testing.T) { cases[i].compare(t, a) })
	}
}

func text(t *testing.T, raw json.RawMessage) string {
	var s string
	require.NoError(t, json.Unmarshal(raw, &s))
	return s
}

func memory(t *testing.T, raw json.RawMessage) map[string]string {
	m := map[string]string{}
	if raw != nil {
		require.NoError(t, json.Unmarshal(raw, &m))
	}
	return m
}

// request maps what the cases take for granted: data at 0x200000, a page at
// 0x210000 that can only be read, and a stack below 0x308000 with room above.
func (c *bugCase) request(t *testing.T) any {
	regions := []region{
		{"0x200000", 0x2000, "rw", ""}, {"0x210000", 0x1000, "rw", ""}, {"0x300000", 0x9000, "rw", ""},
	}
	for addr, digits := range memory(t, c.Setup["mem"]) {
		perm := "rw"
		if at := number(t, addr); at >= 0x210000 && at < 0x211000 {
			perm = "r"
		}
		regions = append(regions, region{addr, len(digits) / 2, perm, digits})
	}
	regs := map[string]string{"RSP": "0x308000"}
	q := map[string]any{"id": c.ID, "bytes": c.Bytes, "map": regions, "regs": regs}
	if strings.HasPrefix(c.ID, "smc-") {
		q["code_perm"] = "rwx" // it patches itself
	}
	for name, raw := range c.Setup {
		switch name {
		case "mem":
		case "rflags":
			q["rflags"] = text(t, raw)
		default:
			regs[strings.ToUpper(name)] = text(t, raw)
		}
	}
	return q
}

func (c *bugCase) compare(t *testing.T, a answer) {
	require.Empty(t, a.Error)
	what := fmt.Sprintf("%s (%s): %s", c.Title, c.Source, c.Bytes)
	fault := "none"
	if a.Fault != nil {
		fault = a.Fault.Name
	}
	want := "none"
	if raw, ok := c.Expect["fault"]; ok {
		want = text(t, raw)
	}
	require.Equal(t, want, fault, "%s: stop %s", what, a.Stop)
	for name, raw := range c.Expect {
		switch name {
		case "fault", "rflags_mask":
		case "rflags":
			mask := number(t, text(t, c.Expect["rflags_mask"]))
			require.Equal(t, number(t, text(t, raw))&mask, number(t, a.Flags)&mask, "%s: flags %s", what, a.Flags)
		case "mem":
			c.compareMemory(t, a, memory(t, raw), what)
		default:
			require.Equal(t, number(t, text(t, raw)), number(t, a.Regs[strings.ToUpper(name)]), "%s: %s", what, name)
		}
	}
}

// compareMemory takes bytes that did not change from the setup.
func (c *bugCase) compareMemory(t *testing.T, a answer, want map[string]string, what string) {
	got := map[uint64]byte{}
	for addr, digits := range memory(t, c.Setup["mem"]) {
		spread(t, got, number(t, addr), digits)
	}
	for _, r := range a.Mem {
		spread(t, got, number(t, r.Addr), r.Hex)
	}
	for addr, digits := range want {
		expect := map[uint64]byte{}
		spread(t, expect, number(t, addr), digits)
		for at, b := range expect {
			require.Equal(t, b, got[at], "%s: [%#x]", what, at)
		}
	}
}
