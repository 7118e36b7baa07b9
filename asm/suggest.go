package asm

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// nearest suggests the mnemonic with the smallest edit distance.
func nearest(name string) string { return nearestOf(name, mnemonics()) }

// nearestDirective does the same for a directive.
func nearestDirective(name string) string {
	list := make([]string, 0, len(directives))
	for d := range directives {
		list = append(list, d)
	}
	sort.Strings(list)
	return nearestOf(name, list)
}

func nearestOf(name string, list []string) string {
	best, bestD := "", 3
	if len(strings.TrimPrefix(name, ".")) <= 4 {
		bestD = 2 // two edits turn any short word into some mnemonic
	}
	for _, n := range list {
		if d := editDistance(name, n, bestD); d < bestD {
			best, bestD = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

var mnemonics = sync.OnceValue(allMnemonics)

func allMnemonics() []string {
	seen := map[string]bool{}
	add := func(n string) { seen[n] = true }
	for n, fs := range formsByName() {
		add(n)
		for _, f := range fs {
			for i := range len(f.sizes) {
				if !f.bare {
					add(n + f.sizes[i:i+1])
				}
			}
		}
	}
	for n := range aliases {
		add(n)
	}
	for n := range branches {
		add(n)
	}
	for n := range prefixBytes {
		add(n)
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// editDistance is Levenshtein's distance with swapped neighbours as one edit.
// It gives up at limit.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
