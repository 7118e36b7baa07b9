package tests

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrows says which packages of this module a package may depend on, directly
// or not. A folder that is not listed may not exist.
var arrows = map[string][]string{
	"mem":             {},
	"cpu":             {"mem"},
	"vmm":             {"cpu", "mem"},
	"asm":             {},
	"asm/elfobj":      {"asm"},
	"guestcode":       {"asm", "asm/elfobj"},
	"explore":         {"vmm", "cpu", "mem"},
	"litmus":          {"explore", "vmm", "cpu", "mem", "asm"},
	"experiment":      {"vmm", "cpu", "mem", "guestcode", "asm", "asm/elfobj"},
	"locktest/engine": {"experiment", "explore", "vmm", "cpu", "mem", "guestcode", "asm", "asm/elfobj"},
	"locktest/spin":   {"locktest/engine", "experiment", "litmus", "explore", "vmm", "cpu", "mem", "guestcode", "asm", "asm/elfobj"},
	"locktest":        {"locktest/spin", "locktest/engine", "experiment", "litmus", "explore", "vmm", "cpu", "mem", "guestcode", "asm", "asm/elfobj"},
	"cmd/spinlab":     {"locktest/spin", "locktest/engine", "experiment", "litmus", "explore", "vmm", "cpu", "mem", "guestcode", "asm", "asm/elfobj"},
}

// onlyAbove are modules for the command line; nothing below cmd may need them.
var onlyAbove = []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}

func TestArrows(t *testing.T) {
	for pkg, deps := range packages(t) {
		if strings.HasPrefix(pkg, "tests") {
			continue
		}
		allowed, ok := arrows[pkg]
		if !ok {
			t.Errorf("package %s has no place in the house", pkg)
			continue
		}
		for _, dep := range deps {
			own, isOurs := strings.CutPrefix(dep, "spinlab/")
			switch {
			case isOurs && !slices.Contains(allowed, own):
				t.Errorf("%s depends on %s", pkg, own)
			case slices.Contains(onlyAbove, dep) && pkg != "cmd/spinlab":
				t.Errorf("%s depends on %s", pkg, dep)
			case pkg != "cmd/spinlab" && (dep == "testing" || strings.HasPrefix(dep, "github.com/stretchr")):
				if pkg != "locktest" {
					t.Errorf("%s depends on %s", pkg, dep)
				}
			}
		}
	}
}

// packages lists this module's packages with all that each depends on.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "spinlab/...").Output()
	require.NoError(t, err)
	list := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		list[strings.TrimPrefix(f[0], "spinlab/")] = f[1:]
	}
	return list
}
