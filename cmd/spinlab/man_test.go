package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mainOutput runs a command line and returns what it printed.
func mainOutput(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	require.Zero(t, Main(args, strings.NewReader(""), &out, &errs), "%v: %s", args, &errs)
	return out.String()
}

// Every verb has a page with its flags and examples, and roff understands it.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	mainOutput(t, "man", dir)
	root := rootCmd()
	for _, c := range verbs(root) {
		text, err := os.ReadFile(filepath.Join(dir, "spinlab-"+c.Name()+".1"))
		require.NoError(t, err)
		for _, part := range []string{".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS", ".SH EXAMPLES"} {
			assert.Contains(t, string(text), part, c.Name())
		}
	}
	top, err := os.ReadFile(filepath.Join(dir, "spinlab.1"))
	require.NoError(t, err)
	assert.Contains(t, string(top), `spinlab\-check (1)`)
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("no groff: the pages are not formatted")
		return
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.1"))
	require.NoError(t, err)
	for _, f := range files {
		notes, err := exec.Command(groff, "-man", "-Tutf8", "-Kutf8", "-ww", "-z", f).CombinedOutput()
		require.NoError(t, err, f)
		assert.Empty(t, string(notes), f)
	}
}

func TestRoffEscapes(t *testing.T) {
	assert.Equal(t, `a\-b \ec`, roff(`a-b \c`))
	assert.Equal(t, "\\&.x\n\\&'y", roff(".x\n'y"))
	assert.Equal(t, "a\n.PP\n.nf\n  b\n.fi\nc\n", roffText("a\n\n  b\nc\n"))
}

// Words of flags, variants, profiles and parameters complete; the shells'
// scripts are there.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"run ":                   "ticket-pv-kvm\t",
		"check tick":             "ticket\t",
		"compare ticket ":        "mcs\t",
		"run ticket --profile ":  "x5570\n",
		"run ticket --ple ":      "on\n",
		"check ticket --reduce ": "steps\n",
		"check ticket --define ": "SPIN_THRESHOLD=\t",
		"list ":                  "profiles\n",
		"completion ":            "zsh\n",
		"":                       "check\t",
	} {
		out := mainOutput(t, append([]string{"__complete"}, strings.Split(line, " ")...)...)
		assert.Contains(t, out, want, line)
	}
	for _, shell := range shells {
		assert.Contains(t, mainOutput(t, "completion", shell.name), "spinlab", shell.name)
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		cmd := exec.Command(bash, "-n")
		cmd.Stdin = strings.NewReader(mainOutput(t, "completion", "bash"))
		require.NoError(t, cmd.Run())
	}
}

// A flag whose value is one of some words completes to them, on every verb.
func TestEveryChoiceCompletes(t *testing.T) {
	root := rootCmd()
	n := 0
	for _, c := range verbs(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			words, ok := f.Value.(*choice)
			if !ok {
				return
			}
			n++
			complete, found := c.GetFlagCompletionFunc(f.Name)
			require.True(t, found, "%s --%s", c.Name(), f.Name)
			got, _ := complete(c, nil, "")
			assert.Equal(t, words.words, got)
		})
	}
	assert.NotZero(t, n)
}
