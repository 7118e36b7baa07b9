package guestcode

import (
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAgainstGNU assembles every program with GNU as and ld too and compares
// the images section by section.
func TestAgainstGNU(t *testing.T) {
	if testing.Short() {
		t.Skip("every variant in many settings")
	}
	for _, tool := range []string{"as", "ld"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: GNU %s is not installed, nothing was compared", tool)
		}
	}
	if out, err := exec.Command("as", "--64", "-o", os.DevNull, os.DevNull).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: as --64 does not work here: %s", out)
	}
	for _, v := range Variants() {
		for _, c := range gnuConfigs(v) {
			t.Run(fmt.Sprintf("%s/u%d/stats=%d", v.Name, c.TicketBits, c.Defines["STATS"]), func(t *testing.T) {
				compareWithGNU(t, v, c)
			})
		}
	}
}

func gnuConfigs(v Variant) []Config {
	if v.TicketBits == 0 && !v.Stats {
		return []Config{{WorkIn: 3, WorkOut: 4}}
	}
	if v.TicketBits == 0 {
		return []Config{{WorkIn: 3, WorkOut: 4}, {Defines: map[string]int64{"STATS": 0}}, {Defines: map[string]int64{"STATS": 2}}, {IRQs: true}}
	}
	configs := []Config{{TicketBits: 8}, {TicketBits: 16, VCPUs: 5, Forever: true}}
	if v.Stats {
		for _, stats := range []int64{0, 2} {
			configs = append(configs, Config{TicketBits: 8, IRQs: stats == 2, Defines: map[string]int64{"STATS": stats}})
		}
	}
	return configs
}

func compareWithGNU(t *testing.T, v Variant, c Config) {
	p, err := Build(v, c)
	require.NoError(t, err)
	defines, err := v.defines(c)
	require.NoError(t, err)
	c.Defines = defines
	own, harness, err := c.splitDefines()
	require.NoError(t, err)
	maps.Copy(own, harness)

	names := append(v.Files(), "harness.s")
	if v.Backend == BackendNone {
		names = append(names, "spin-init-stub.s")
	}
	if c.IRQs {
		names = append(names, "harness-irq.s")
		own["IRQS"] = 1
	}
	image := gnuLink(t, p, names, own)
	for _, s := range p.Object.Sections {
		theirs := image.Section(s.Name)
		require.NotNil(t, theirs, "%s is empty for GNU ld", s.Name)
		if theirs.Type == elf.SHT_NOBITS {
			assert.Equal(t, theirs.Size, uint64(len(s.Data)), s.Name)
			continue
		}
		data, err := theirs.Data()
		require.NoError(t, err)
		assertSameCode(t, p, s.Addr, data, s.Data)
	}
}

// gnuLink assembles each file by itself, so that local names stay apart, and
// links the sections to the addresses that our image has.
func gnuLink(t *testing.T, p *Program, names []string, defines map[string]int64) *elf.File {
	t.Helper()
	dir := t.TempDir()
	run := func(tool string, args ...string) {
		out, err := exec.Command(tool, args...).CombinedOutput()
		require.NoError(t, err, "%s %v: %s", tool, args, out)
	}
	var objects []string
	for _, name := range names {
		src, obj := filepath.Join(dir, name), filepath.Join(dir, name+".o")
		require.NoError(t, os.WriteFile(src, []byte(withDefines(source(t, name), defines)), 0o600))
		run("as", "--64", "-o", obj, src)
		objects = append(objects, obj)
	}
	script := "SECTIONS {\n"
	for _, s := range p.Object.Sections { // our assembler begins each file at a multiple of 16
		script += fmt.Sprintf("%s %#x : SUBALIGN(16) { *(%s) }\n", s.Name, s.Addr, s.Name)
	}
	ld := filepath.Join(dir, "script.ld")
	require.NoError(t, os.WriteFile(ld, []byte(script+"}\n"), 0o600))
	out := filepath.Join(dir, "image")
	run("ld", append([]string{"--no-warn-rwx-segments", "-e", "vcpu_main", "-T", ld, "-o", out}, objects...)...)
	f, err := elf.Open(out)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f
}

// withDefines does to a source what a define does: GNU as has no option that
// wins over .set.
func withDefines(text string, defines map[string]int64) string {
	for _, name := range slices.Sorted(maps.Keys(defines)) {
		re := regexp.MustCompile(`(?m)^\t\.set ` + name + `,[^#\n]*`)
		text = re.ReplaceAllString(text, fmt.Sprintf("\t.set %s, %d ", name, defines[name]))
	}
	return text
}

// equivalents are encodings that mean the same: each pair is what GNU as may
// begin an instruction with and what we may begin it with.
var equivalents = [][2]string{
	{"66 f0 ", "f0 66 "}, // order of LOCK and operand size
}

// assertSameCode compares statement by statement. What lies between is padding
// in front of a file; our NOPs there are those of as, not those of ld.
func assertSameCode(t *testing.T, p *Program, base uint64, want, got []byte) {
	t.Helper()
	require.Equal(t, len(want), len(got), "length of the section at %#x", base)
	for _, l := range p.Object.Lines {
		if l.Addr < base || l.Addr >= base+uint64(len(got)) {
			continue
		}
		w, g := spaced(want[l.Addr-base:][:l.Len]), spaced(got[l.Addr-base:][:l.Len])
		for _, e := range equivalents {
			if rest, ok := strings.CutPrefix(w, e[0]); ok && strings.HasPrefix(g, e[1]) {
				w = e[1] + rest
			}
		}
		assert.Equal(t, w, g, "%s:%d: %s", l.File, l.Line, strings.TrimSpace(l.Text))
	}
}
