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
	for _, pkg := range packages(t) {
		if strings.HasPrefix(pkg, "tests") {
			continue
		}
		allowed, ok := arrows[pkg]
		if !ok {
			t.Errorf("package %s has no place in the house", pkg)
			continue
		}
		for _, dep := range goList(t, "-deps", "spinlab/"+pkg) {
			own, isOurs := strings.CutPrefix(dep, "spinlab/")
			switch {
			case isOurs && own != pkg && !slices.Contains(allowed, own):
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

func packages(t *testing.T) (list []string) {
	for _, p := range goList(t, "spinlab/...") {
		list = append(list, strings.TrimPrefix(p, "spinlab/"))
	}
	return list
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-e"}, args...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}
