package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMainReturnsExitCodes(t *testing.T) {
	for _, c := range []struct {
		line   string
		code   int
		stdout string
		stderr string
	}{
		{"run --bare hex:90", exitOK, "hex: end at 0x100001", ""},
		{"run --bare hex:0f0b", exitBad, "#UD", ""},
		{"run tiket", exitUsage, "", `spinlab: unknown variant "tiket"`},
		{"run --bare hex:ebfe --max-instructions 9", exitLimit, "hex: limit", ""},
	} {
		var out, errs bytes.Buffer
		code := Main(strings.Fields(c.line), strings.NewReader(""), &out, &errs)
		assert.Equal(t, c.code, code, c.line)
		assert.Contains(t, out.String(), c.stdout, c.line)
		assert.Contains(t, errs.String(), c.stderr, c.line)
		assert.Equal(t, c.stderr == "", errs.Len() == 0, c.line)
	}
}

func TestParseDefines(t *testing.T) {
	got, err := parseDefines([]string{"A=1", "B_2=-0x10", ".x=0xffffffffffffffff", "A=1"})
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{"A": 1, "B_2": -16, ".x": -1}, got)
	for _, bad := range []string{"", "A", "=1", "1A=2", "A=", "A=x", "A B=1", "A=99999999999999999999"} {
		_, err := parseDefines([]string{bad})
		assert.Error(t, err, bad)
	}
	_, err = parseDefines([]string{"A=1", "A=2"})
	assert.ErrorContains(t, err, "it was 1 before")
}

func TestParseStart(t *testing.T) {
	s, err := parseStart([]string{"rdi=0x10", "%R15=-1", "rflags=0x246"}, []string{"0x200000=0201", "7=0xff"})
	require.NoError(t, err)
	assert.Equal(t, map[int]uint64{7: 0x10, 15: ^uint64(0)}, s.Regs)
	assert.Equal(t, uint64(0x246), *s.Flags)
	assert.Equal(t, []byte{2, 1}, s.Mem[0].Bytes)
	assert.Equal(t, uint64(7), s.Mem[1].Addr)
	for _, bad := range []string{"rax", "eax=1", "rax=y"} {
		_, err := parseStart([]string{bad}, nil)
		assert.Error(t, err, bad)
	}
	for _, bad := range []string{"0x200000", "x=00", "0=0", "0=zz"} {
		_, err := parseStart(nil, []string{bad})
		assert.Error(t, err, bad)
	}
}

func TestTable(t *testing.T) {
	tab := table{head: []string{"name", "n", "mean"}}
	tab.add("a", uint64(1234567), 1.25)
	tab.add("long name", 7, 12345.0)
	var text, csv bytes.Buffer
	tab.text(&text)
	require.NoError(t, tab.csv(&csv))
	assert.Equal(t, "name               n      mean\na          1,234,567       1.2\nlong name          7  12,345.0\n", text.String())
	assert.Equal(t, "name,n,mean\na,1234567,1.25\nlong name,7,12345\n", csv.String())
}
