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
	var out []string
	at := 0
	for _, it := range s.Items {
		text, ok := got[it]
		if !ok {
			continue
		}
		out = append(out, s.lines[at:it.from]...)
		if text != "" {
			out = append(out, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
		}
		at = it.to
	}
	return []byte(strings.Join(append(out, s.lines[at:]...), s.eol))
}
