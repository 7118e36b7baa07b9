package spin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// CompileC runs the C compiler on a file: $CC, or gcc. It gives assembler text,
// or an object if -c is among the flags. It runs in the file's folder, so that
// its output does not depend on where it was called from. The error is a
// *NoCompilerError where there is no compiler.
func CompileC(ctx context.Context, file string, flags []string) ([]byte, error) {
	name := os.Getenv("CC")
	if name == "" {
		name = "gcc"
	}
	compiler, err := exec.LookPath(name)
	if err != nil {
		return nil, &NoCompilerError{Name: name}
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fileError(file, err)
	}
	dir, err := os.MkdirTemp("", "spinlab")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out")
	args := slices.Clone(flags)
	if !slices.Contains(args, "-c") && !slices.Contains(args, "-S") {
		args = append(args, "-S")
	}
	base := filepath.Base(file)
	if strings.HasPrefix(base, "-") || strings.HasPrefix(base, "@") {
		base = "./" + base // else a flag, or a file of flags
	}
	cmd := exec.CommandContext(ctx, compiler, append(args, "-o", out, base)...)
	cmd.Dir = filepath.Dir(file)
	var notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &notes, &notes
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("%s %s %s: %w\n%s", name, strings.Join(args, " "), file, err, strings.TrimSpace(notes.String()))
	}
	return os.ReadFile(out)
}
