package locktest

import (
	"os"
	"testing"

	"spinlab/locktest/spin"
)

// Script runs a script of spinlab test, each of its commands as a subtest.
// Commands marked --long are skipped with -short, and so is C where there is no
// compiler.
func Script(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spin.Parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &spin.Config{Short: testing.Short(), Compile: func(file string, flags []string) ([]byte, error) {
		return spin.CompileC(t.Context(), file, flags)
	}}
	for _, r := range s.Run(cfg) {
		t.Run(r.Item.Name, func(t *testing.T) {
			switch r.Status {
			case spin.Skip:
				t.Skip(r.Message)
			case spin.Fail, spin.Error:
				t.Errorf("%s:%d: %s\n%s%s", path, r.Item.Line, r.Item.Text, r.Message, r.Diff)
			}
		})
	}
}
