package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spinlab/guestcode"
	"spinlab/vmm"
)

func listCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [variants|profiles|parameters]",
		Short: "List what has a name: variants, profiles, parameters",
		Long: `Variants are the built-in locks, sound ones first, then the broken twins, each
with the verdict that an exhaustive check must give. Profiles are the machines
whose costs are known. Parameters are what --define may set, by variant.`,
		Example: `  spinlab list
  spinlab list variants -o json
  spinlab list parameters`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"variants", "profiles", "parameters"},
	}
	format := outputFlag(cmd, "text", "json", "csv")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		what := ""
		if len(args) > 0 {
			what = args[0]
		}
		return buffered(cmd, func(w *bufio.Writer) error {
			return printList(w, what, format.value)
		})
	}
	return cmd
}

// The JSON of a list.
type (
	paramJSON struct {
		Name     string `json:"name"`
		Default  int64  `json:"default"`
		Doc      string `json:"doc"`
		Mutation bool   `json:"mutation"`
	}
	variantJSON struct {
		Name       string           `json:"name"`
		Title      string           `json:"title"`
		Seed       string           `json:"seed"`
		TicketBits int              `json:"ticket_bits"`
		Backend    string           `json:"backend"`
		Parameters []paramJSON      `json:"parameters"`
		Defines    map[string]int64 `json:"defines"`
		BrokenOf   string           `json:"broken_of"`
		Verdict    string           `json:"verdict"`
		Check      string           `json:"check"`
	}
	profileJSON struct {
		Name   string `json:"name"`
		MHz    uint64 `json:"mhz"`
		Slice  uint64 `json:"slice"` // cycles; 0 under CFS
		Policy string `json:"policy"`
		HZ     uint64 `json:"hz"`     // ticks a second, under CFS
		PCPUs  int    `json:"pcpus"`  // 0: as asked for
		Socket int    `json:"socket"` // pCPUs on a socket, 0: all
		PLE    string `json:"ple"`
	}
	listJSON struct {
		Variants []variantJSON `json:"variants,omitempty"`
		Profiles []profileJSON `json:"profiles,omitempty"`
	}
)

func printList(w *bufio.Writer, what, format string) error {
	if format == "json" {
		var j listJSON
		if what != "profiles" {
			j.Variants = variantList()
		}
		if what == "" || what == "profiles" {
			j.Profiles = profileList()
		}
		return writeJSON(w, j)
	}
	tables := map[string]func() table{
		"variants": variantTable, "profiles": profileTable, "parameters": parameterTable,
	}
	order := []string{"variants", "profiles"}
	if what != "" {
		order = []string{what}
	}
	for i, name := range order {
		if i > 0 {
			fmt.Fprintln(w)
		}
		t := tables[name]()
		if format == "csv" {
			if err := t.csv(w); err != nil {
				return err
			}
			continue
		}
		t.text(w)
	}
	return nil
}

func variantList() []variantJSON {
	var list []variantJSON
	for _, v := range guestcode.Variants() {
		j := variantJSON{v.Name, v.Title, v.Seed, v.TicketBits, string(v.Backend),
			[]paramJSON{}, v.Defines, v.BrokenOf, v.Verdict, v.Check}
		for _, p := range v.Params {
			j.Parameters = append(j.Parameters, paramJSON{p.Name, v.Value(p.Name, nil), p.Doc, p.Mutation})
		}
		list = append(list, j)
	}
	return list
}

func profileList() []profileJSON {
	var list []profileJSON
	for _, name := range vmm.ProfileNames() {
		p, _ := vmm.FindProfile(name)
		list = append(list, profileJSON{p.Name, p.MHz, uint64(p.Slice), p.Policy.String(), p.Fair.HZ, p.PCPUs, p.SocketCores, p.PLEKind.String()})
	}
	return list
}

func variantTable() table {
	t := table{head: []string{"variant", "ticket", "backend", "verdict", "title"}}
	for _, v := range guestcode.Variants() {
		width := "-"
		if v.TicketBits > 0 {
			width = fmt.Sprintf("u%d", v.TicketBits)
		}
		t.add(v.Name, width, v.Backend, v.Verdict, v.Title)
	}
	return t
}

func profileTable() table {
	t := table{head: []string{"profile", "MHz", "slice [cycles]", "PLE gap", "PLE window", "PLE", "policy", "pCPUs", "on a socket"}}
	for _, name := range vmm.ProfileNames() {
		p, _ := vmm.FindProfile(name)
		window := uint64(p.PLEWindow)
		if p.PLEKind == vmm.PLESVM {
			window = uint64(p.PLECount)
		}
		t.add(p.Name, p.MHz, p.Slice, p.PLEGap, window, p.PLEKind, p.Policy, orDash(p.PCPUs), orDash(p.SocketCores))
	}
	return t
}

// orDash is n as a cell, "-" for 0.
func orDash(n int) any {
	if n == 0 {
		return "-"
	}
	return n
}

// parameterTable has a line for every parameter, with the variants that know it.
func parameterTable() table {
	t := table{head: []string{"parameter", "default", "meaning", "variants"}}
	users := map[string][]string{}
	row := map[string]guestcode.Param{}
	var order []string
	for _, v := range guestcode.Variants() {
		if v.BrokenOf != "" {
			continue
		}
		for _, p := range v.Params {
			if _, ok := row[p.Name]; !ok {
				order = append(order, p.Name)
				row[p.Name] = p
			}
			users[p.Name] = append(users[p.Name], v.Name)
		}
	}
	for _, name := range order {
		p := row[name]
		doc := p.Doc
		if p.Mutation {
			doc = "breaks the lock: " + doc
		}
		t.add(name, p.Default, doc, strings.Join(users[name], " "))
	}
	return t
}
