package litmus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/explore"
)

const packDir = "testdata/x86"

// packSize is how many tests the pack has.
const packSize = 505

// severalExecutions is the one test of the pack in which different executions
// end in the same state, so that herd7's witnesses are not its states.
const severalExecutions = "WRW+WR+poss"

func packFiles(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join(packDir, "*.litmus"))
	require.NoError(t, err)
	require.Len(t, files, packSize)
	return files
}

func readFile(t testing.TB, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// TestPack runs every test of the pack: states, verdict, and all the rest of
// herd7's text.
func TestPack(t *testing.T) {
	for i, file := range packFiles(t) {
		if testing.Short() && i%10 != 0 {
			continue
		}
		test, err := Parse(file, []byte(readFile(t, file)))
		require.NoError(t, err)
		want := readFile(t, strings.TrimSuffix(file, ".litmus")+".expected")
		o, err := test.Run(explore.Config{})
		require.NoError(t, err)
		assert.Empty(t, o.Note, file)
		e, err := ParseExpected(want)
		require.NoError(t, err, file)
		assert.Empty(t, o.Differences(e), file)
		if test.Name != severalExecutions {
			assert.Equal(t, want, o.Body(), file)
		}
	}
}

// TestReductionsAgree runs some tests of the pack in every reduction.
func TestReductionsAgree(t *testing.T) {
	for i, file := range packFiles(t) {
		if i%25 != 0 {
			continue
		}
		test, err := Parse(file, []byte(readFile(t, file)))
		require.NoError(t, err)
		var bodies []string
		for _, r := range []explore.Reduction{explore.ReduceAll, explore.ReduceSteps, explore.ReduceNone} {
			o, err := test.Run(explore.Config{Reduce: r})
			require.NoError(t, err)
			bodies = append(bodies, o.Body())
		}
		assert.Equal(t, bodies[0], bodies[1], file)
		assert.Equal(t, bodies[0], bodies[2], file)
	}
}

func BenchmarkPack(b *testing.B) {
	var tests []*Test
	for _, file := range packFiles(b) {
		test, err := Parse(file, []byte(readFile(b, file)))
		require.NoError(b, err)
		tests = append(tests, test)
	}
	for b.Loop() {
		var states uint64
		for _, test := range tests {
			o, err := test.Run(explore.Config{})
			require.NoError(b, err)
			states += o.Explored
		}
		b.ReportMetric(float64(states), "states/op")
	}
}
