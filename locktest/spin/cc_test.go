package spin

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The name of a C file is a file, whatever it looks like: neither a flag nor a
// file of flags.
func TestCompileCFileNames(t *testing.T) {
	dir := t.TempDir()
	flags := "-DOTHER -Dspin_lock=renamed"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "flags"), []byte(flags), 0o644))
	for _, name := range []string{"lock.c", "@flags", "-Dspin_lock=renamed.c"} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte("void spin_lock(int *l) { *l = 1; }\n"), 0o644))
		out, err := CompileC(t.Context(), file, []string{"-O2", "-xc"})
		if errors.As(err, new(*NoCompilerError)) {
			t.Skip(err)
		}
		require.NoError(t, err, name)
		assert.Contains(t, string(out), "spin_lock:")
	}
}
