package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages, one for each verb, to a folder",
		Long: `Writes spinlab.1 and spinlab-VERB.1 for every verb. They are made from what --help
prints; the folder is made if need be. cobra's own generator would read the help
texts as Markdown, which they are not.`,
		Example: `  spinlab man man1; man -l man1/spinlab-check.1
  sudo spinlab man /usr/local/share/man/man1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("man takes one folder, not %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fileError(args[0], err)
			}
			pages := append([]*cobra.Command{cmd.Root()}, verbs(cmd.Root())...)
			for _, c := range pages {
				name := filepath.Join(args[0], manName(c)+".1")
				if err := os.WriteFile(name, []byte(manPage(c)), 0o644); err != nil {
					return fileError(name, err)
				}
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "spinlab: %d pages in %s\n", len(pages), args[0])
			return nil
		},
	}
}

// verbs are the commands that a user sees.
func verbs(root *cobra.Command) (list []*cobra.Command) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			list = append(list, c)
		}
	}
	return list
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is the page of a command in the man macros. There is no date in it:
// equal versions have equal pages.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s \"Spinlab\"\n", roffWord(strings.ToUpper(manName(c))), roffWord("spinlab "+c.Root().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	use := c.UseLine()
	if !c.HasParent() {
		use = "spinlab VERB [TARGET…] [flags]"
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n%s", roff(use), roffText(c.Long))
	manFlags(&b, c)
	if !c.HasParent() {
		b.WriteString(".SH VERBS\n")
		for _, v := range verbs(c) {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(manName(v)), roff(v.Short))
		}
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	b.WriteString(".SH SEE ALSO\n")
	if c.HasParent() {
		fmt.Fprintf(&b, ".BR %s (1)\n", roff(manName(c.Parent())))
	} else {
		fmt.Fprint(&b, "docs/ in the sources\n")
	}
	return b.String()
}

// manFlags lists the flags with their values, meanings and defaults.
func manFlags(b *strings.Builder, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	b.WriteString(".SH OPTIONS\n")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		if noDefault.MatchString(f.DefValue) {
			usage = strings.TrimSuffix(usage, ":")
		} else {
			usage = fmt.Sprintf("%s (default %s)", strings.TrimSuffix(usage, ":"), f.DefValue)
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\\fI%s\\fR\n%s\n", roff(name), roff(value), roff(usage))
	})
}

// noDefault are default values that help does not print either.
var noDefault = regexp.MustCompile(`^(|0|0s|false|\[\])$`)

// roffText is prose with its paragraphs; an indented line keeps its shape.
func roffText(text string) string {
	var b strings.Builder
	shape := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, "  "); line != "" && indented != shape {
			shape = indented
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[shape])
		}
		if line == "" {
			line = ".PP"
			if shape {
				line = ".sp"
			}
			b.WriteString(line + "\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if shape {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// roff escapes text: backslashes, hyphens that are to be copied, and dots and
// quotes at the beginning of a line, where roff would see a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\[u2026]`, "·", `\[u00B7]`, "⁹", "^9", "⁷", "^7").Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

// roffWord is text as one argument of a request.
func roffWord(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
