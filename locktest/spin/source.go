package spin

import (
	"fmt"
	"path/filepath"
	"strings"

	"spinlab/guestcode"
	"spinlab/locktest/engine"
)

// loaded is a source, or why there is none on this machine.
type loaded struct {
	engine.Source
	skip string
}

// NoCompilerError is what Config.Compile returns where there is no compiler.
type NoCompilerError struct{ Name string }

func (e *NoCompilerError) Error() string { return "no " + e.Name + " here" }

func planSource(it *Item) *SyntaxError { return it.oneArg("VARIANT or FILE") }

// planHex reads machine code: BYTES, or SYMBOL:BYTES for each function.
func planHex(it *Item) *SyntaxError {
	words := it.args
	if len(words) == 0 {
		for _, line := range it.block {
			w, _ := split(line)
			words = append(words, w...)
		}
	}
	for _, w := range words {
		symbol, digits, named := strings.Cut(w.text, ":")
		if !named {
			symbol, digits = "", w.text
		}
		code, err := engine.ParseHex(digits)
		if err == nil && named && !engine.IsSymbol(symbol) {
			err = fmt.Errorf("%q is no symbol", symbol)
		}
		if err != nil {
			return it.bad(it.words[0], "%s: %v", w.text, err)
		}
		if last := len(it.parts) - 1; symbol == "" && last >= 0 {
			it.parts[last].Code = append(it.parts[last].Code, code...)
			continue
		}
		it.parts = append(it.parts, engine.Part{Symbol: symbol, Code: code})
	}
	if len(it.parts) == 0 {
		return it.bad(it.words[0], "hex: bytes are wanted, as hex f0 0f c1 07")
	}
	return nil
}

// compilerFlags are the beginnings of flags that a script may give: those that
// choose code. None names a program to run or a file to write.
var compilerFlags = []string{"-O", "-m", "-f", "-std=", "-D", "-U", "-W", "-g", "-c", "-S"}

// refusedFlags are exceptions to them, of gcc, then of clang.
var refusedFlags = []string{"-fplugin", "-fdump", "-fprofile", "-Wp,", "-Wa,", "-Wl,", "-fmodule", "-fcallgraph-info", "-fopt-info", "-fsave-optimization-record", "-fcompare-debug", "-fdiagnostics-add-output", "-fdiagnostics-set-output",
	"-fpass-plugin", "-mllvm", "-fcs-profile", "-foptimization-record", "-fproc-stat-report", "-fthin-link-bitcode", "-ftime-trace", "-fcrash-diagnostics"}

func planCC(it *Item) *SyntaxError {
	files := 0
	for _, w := range it.args {
		switch {
		case !strings.HasPrefix(w.text, "-"):
			files++
		case !hasAnyPrefix(w.text, compilerFlags) || hasAnyPrefix(w.text, refusedFlags):
			return it.bad(w, "cc %s: flags that begin with %s are taken", w.text, strings.Join(compilerFlags, " "))
		}
	}
	last := len(it.args) - 1
	if files != 1 || strings.HasPrefix(it.args[last].text, "-") {
		return it.bad(it.words[0], "cc FLAGS… FILE is wanted, as cc -O2 lock.c")
	}
	return nil
}

func hasAnyPrefix(s string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func loadSource(r *runner, it *Item) (loaded, error) {
	name := it.args[0].text
	if _, ok := guestcode.Lookup(name); ok {
		s, err := engine.Variant(name)
		s.Defines = it.opts.defines
		return loaded{Source: s}, err
	}
	if !strings.ContainsAny(name, `./\`) {
		_, err := engine.Variant(name)
		return loaded{}, fmt.Errorf("%w; a file ends in .s or .o", err)
	}
	text, err := r.cfg.read(r.path(name))
	if err != nil {
		return loaded{}, err
	}
	s := engine.Text(name, text)
	s.Defines = it.opts.defines
	return loaded{Source: s}, nil
}

// path is a file's place beside the script.
func (r *runner) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.script.Path), filepath.FromSlash(name))
}

// loadAsm puts the block where it stands in the script, so that line numbers in
// messages are the script's.
func loadAsm(r *runner, it *Item) (loaded, error) {
	name := filepath.Base(r.script.Path)
	text := strings.Repeat("\n", it.blockAt-1) + strings.Join(it.block, "\n") + "\n"
	s := engine.Text(name, []byte(text))
	s.Defines = it.opts.defines
	return loaded{Source: s}, nil
}

func loadHex(_ *runner, it *Item) (loaded, error) {
	s, err := engine.Bytes("hex", it.parts...)
	return loaded{Source: s}, err
}

// loadCC compiles to assembler text, which keeps the compiler's lines in traces;
// with -c among the flags to an object.
func loadCC(r *runner, it *Item) (loaded, error) {
	flags := texts(it.args)
	file := flags[len(flags)-1]
	out, err := r.cfg.compile(r.path(file), flags[:len(flags)-1])
	if missing, ok := err.(*NoCompilerError); ok {
		return loaded{skip: missing.Error()}, nil
	}
	if err != nil {
		return loaded{}, err
	}
	return loaded{Source: engine.Text(strings.Join(flags, " "), out)}, nil
}
