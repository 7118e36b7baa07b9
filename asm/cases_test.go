package asm

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCases assembles the input of every recorded case. The bytes were taken
// from GNU as and run on hardware; each row names the bug report it guards
// against.
func TestCases(t *testing.T) {
	f, err := os.Open("testdata/cases.jsonl")
	require.NoError(t, err)
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var c struct {
			ID, Title string
			Input     string `json:"input_att"`
			Bytes     string `json:"bytes_hex"`
		}
		require.NoError(t, json.Unmarshal(sc.Bytes(), &c))
		t.Run(c.ID, func(t *testing.T) {
			obj, err := Assemble(Options{}, Source{Name: c.ID + ".s", Text: []byte(c.Input)})
			require.NoError(t, err, c.Title)
			require.Equal(t, c.Bytes, hex.EncodeToString(obj.Sections[0].Data), c.Title)
		})
	}
}
