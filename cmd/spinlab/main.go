// Command spinlab runs real x86-64 spinlock machine code on a simulated
// multi-core machine under a small hypervisor.
//
// One file holds one verb; what several verbs share is in
//
//	main.go     the root command and Main
//	errors.go   exit codes and how errors are printed
//	output.go   -o, tables, JSON and CSV
//	target.go   TARGET: a built-in variant, or files of whatever kind
//	bind.go     --lock, --probe, --load and friends; notes
//	numbers.go  what flags hold: defines, registers, memory
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinlab/guestcode"
)

func main() {
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main runs one command line and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCmd()
	root.SetArgs(goSpelling(args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return report(root.Execute(), stderr)
}

const rootHelp = `Spinlab runs real x86-64 spinlock machine code on a simulated multi-core machine
under a small hypervisor, and counts what it costs. It needs no KVM and no root,
and the same input gives the same output to the byte on every machine.

Exit codes: 0 as expected; 1 a deadlock, a violation, a fault or a difference;
2 usage or bad input; 3 a bound was hit before there was a verdict.`

func rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:   "spinlab",
		Short: "Run x86-64 spinlock code on a simulated machine under a hypervisor",
		Long:  rootHelp,
		Example: `  spinlab run ticket-pv-kvm              a PV ticket lock, 4 vCPUs on 2 pCPUs
  spinlab run ticket --vcpus 8 --ple=on  a native one, with pause-loop exiting
  spinlab compare ticket ticket-pv-kvm   what both cost, side by side
  spinlab list                           everything that has a name`,
		Args:          knownVerb,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return errors.New("a verb is missing; spinlab --help lists them")
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(runCmd(), compareCmd(), checkCmd(), replayCmd(), litmusCmd(), asmCmd(), disCmd(), execCmd(), listCmd(), testCmd(), completionCmd(), manCmd())
	addCompletion(root)
	return root
}

// knownVerb refuses what is no verb and names those that come close.
func knownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 3
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown verb %q: nearest is %s (spinlab --help lists all)", args[0], strings.Join(near, ", "))
	}
	return fmt.Errorf("unknown verb %q; spinlab --help lists all", args[0])
}

// flagError names the flags that come close to one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := guestcode.Closest(unknown.GetSpecifiedName(), names)
	return fmt.Errorf("%w: nearest is --%s (spinlab %s --help lists all)", err, near[0], cmd.Name())
}

// version is what the go command knows of this build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version + " " + info.GoVersion
}
