package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/asm/elfobj"
	"spinlab/guestcode"
)

// Exit codes.
const (
	exitOK    = 0
	exitBad   = 1 // deadlock, violation, fault, failed test, difference
	exitUsage = 2 // usage, or input that makes no sense
	exitLimit = 3 // a bound was hit before there was a verdict
)

// codeError ends a verb that has printed its result with an exit code of its
// own.
type codeError int

func (c codeError) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// exitWith returns nil for code 0, else an error that carries the code.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return codeError(code)
}

// report prints err, unless the verb has said all there is, and returns the
// exit code. Whatever goes wrong before a run has begun is the caller's input.
func report(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	var code codeError
	if errors.As(err, &code) {
		return int(code)
	}
	fmt.Fprintln(stderr, "spinlab: "+message(err))
	return exitUsage
}

// message is the text of an error. What an assembler finds goes on lines of its
// own, so that an editor can jump to each.
func message(err error) string {
	var list asm.ErrorList
	if errors.As(err, &list) {
		return "the source does not assemble:\n" + list.Error()
	}
	var objects elfobj.ErrorList
	if errors.As(err, &objects) {
		return "the files do not link:\n" + objects.Error()
	}
	text := parseBool.ReplaceAllString(err.Error(), "true or false is wanted")
	return parseNoise.ReplaceAllString(text, "not a whole number in range")
}

// parseNoise is what strconv says about a bad number: the flag's message has
// the number already. parseBool is the same about a switch.
var (
	parseNoise = regexp.MustCompile(`strconv\.\w+: parsing .*`)
	parseBool  = regexp.MustCompile(`strconv\.ParseBool: parsing .*`)
)

// oneTarget is the argument rule of verbs that take one TARGET.
func oneTarget(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	if len(args) > 1 && !slices.ContainsFunc(args, func(a string) bool { return !looksLikeFile(a) }) {
		return fmt.Errorf("%s takes one TARGET, not %d; the files of one have commas between them: %s", cmd.Name(), len(args), strings.Join(args, ","))
	}
	return fmt.Errorf("%s takes one TARGET, not %d; spinlab %s --help shows examples", cmd.Name(), len(args), cmd.Name())
}

// unknownVariant names what comes close.
func unknownVariant(name string) error {
	near := guestcode.Nearest(name)
	return fmt.Errorf("unknown variant %q: nearest are %s (spinlab list variants shows all; a source ends in .s, an object in .o)",
		name, strings.Join(near, ", "))
}
