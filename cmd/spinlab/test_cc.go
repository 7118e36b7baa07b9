package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spinlab/locktest/spin"
)

// compilerLimit bounds one run of the compiler; locks take a tenth of a second.
const compilerLimit = time.Minute

// compileC runs the C compiler on a file, in the file's folder, so that its
// output does not depend on where the script was called from.
func compileC(file string, flags []string) ([]byte, error) {
	name := os.Getenv("CC")
	if name == "" {
		name = "gcc"
	}
	compiler, err := exec.LookPath(name)
	if err != nil {
		return nil, &spin.NoCompilerError{Name: name}
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
	args = append(args, "-o", out, filepath.Base(file))
	ctx, cancel := context.WithTimeout(context.Background(), compilerLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, compiler, args...)
	cmd.Dir = filepath.Dir(file)
	var notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &notes, &notes
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = errors.New("not done after " + compilerLimit.String())
		}
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args[:len(args)-3], " "), err, strings.TrimSpace(notes.String()))
	}
	return os.ReadFile(out)
}
