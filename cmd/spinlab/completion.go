package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinlab/guestcode"
	"spinlab/locktest/spin"
	"spinlab/vmm"
)

// shells are those that completion knows, each with what writes its script.
var shells = []struct {
	name  string
	write func(root *cobra.Command) error
}{
	{"bash", func(root *cobra.Command) error { return root.GenBashCompletionV2(root.OutOrStdout(), true) }},
	{"zsh", func(root *cobra.Command) error { return root.GenZshCompletion(root.OutOrStdout()) }},
	{"fish", func(root *cobra.Command) error { return root.GenFishCompletion(root.OutOrStdout(), true) }},
}

func completionCmd() *cobra.Command {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Print a completion script for a shell",
		Long: `Prints a script that completes verbs, flags and their words, names of variants,
profiles and files in that shell.`,
		Example: `  source <(spinlab completion bash)
  spinlab completion zsh > "${fpath[1]}/_spinlab"
  spinlab completion fish > ~/.config/fish/completions/spinlab.fish`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("completion takes one shell: %s", strings.Join(names, ", "))
			}
			return nil
		},
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, s := range shells {
				if s.name == args[0] {
					return s.write(cmd.Root())
				}
			}
			return fmt.Errorf("no completion for %s: %s are known", args[0], strings.Join(names, ", "))
		},
	}
}

// targetVerbs take names of variants, and files.
var targetVerbs = []string{"run", "compare", "check", "asm", "dis"}

// flagWords complete flags that take a name, wherever a verb has one of them.
var flagWords = map[string]func() []string{
	"profile":  vmm.ProfileNames,
	"property": spin.Properties,
	"define":   paramNames,
}

// addCompletion lets every verb complete its words. It looks at what the verbs
// have, so that a new flag of a kind that is known needs nothing here.
func addCompletion(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		for _, name := range targetVerbs {
			if cmd.Name() == name {
				cmd.ValidArgsFunction = completeTarget
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			var words []string
			space := cobra.ShellCompDirectiveNoFileComp
			if c, ok := f.Value.(*choice); ok {
				words = c.words
			} else if list, ok := flagWords[f.Name]; ok {
				words = list()
			}
			if f.Name == "define" {
				space |= cobra.ShellCompDirectiveNoSpace
			}
			if words != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, space)) // it fails for a flag that is not there
			}
		})
	}
}

// completeTarget offers the variants with what they are; files come from the
// shell.
func completeTarget(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, v := range guestcode.Variants() {
		words = append(words, v.Name+"\t"+v.Title)
	}
	return words, cobra.ShellCompDirectiveDefault
}

// paramNames are all parameters of the variants, as --define wants them.
func paramNames() (names []string) {
	seen := map[string]bool{}
	for _, v := range guestcode.Variants() {
		for _, p := range v.Params {
			if !seen[p.Name] {
				seen[p.Name] = true
				names = append(names, p.Name+"=\t"+p.Doc)
			}
		}
	}
	return names
}
