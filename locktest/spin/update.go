package spin

import "strings"

// Update is the script with what its commands printed as their expected
// blocks. Everything else stays as it is; blocks of commands that did not run
// or went wrong do, too.
func (s *Script) Update(results []Result) []byte {
	got := map[*Item]string{}
	for _, r := range results {
		if r.Item.golden && (r.Status == Pass || r.Status == Fail) {
			got[r.Item] = r.Got
		}
	}
	var b strings.Builder
	b.WriteString(s.mark)
	missing := "" // the line end that the line before lacks: the file ended there
	put := func(line, end string) {
		b.WriteString(missing + line + end)
		if missing = ""; end == "" {
			missing = s.ends[0]
		}
	}
	at := 0
	for _, it := range s.Items {
		text, ok := got[it]
		if !ok {
			continue
		}
		for ; at < it.from; at++ {
			put(s.lines[at], s.ends[at])
		}
		end := s.ends[0]
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for i, line := range lines {
			if i == len(lines)-1 && it.to == len(s.lines) {
				end = "" // as it was
			}
			if text != "" {
				put(line, end)
			}
		}
		at = it.to
	}
	for ; at < len(s.lines); at++ {
		put(s.lines[at], s.ends[at])
	}
	return []byte(b.String())
}
