package spin

import "strings"

// word is a word of a line and the column of its first byte, from 1.
type word struct {
	text string
	col  int
}

// split takes a line apart at blanks. Single and double quotes keep blanks
// together; there are no escapes. It says at which column a quote is left open,
// 0 if none is.
func split(line string) (words []word, open int) {
	for i := 0; i < len(line); {
		if isBlank(line[i]) {
			i++
			continue
		}
		if line[i] == '#' {
			return words, 0 // the rest is a comment
		}
		w := word{col: i + 1}
		var b strings.Builder
		for i < len(line) && !isBlank(line[i]) {
			q := line[i]
			if q != '\'' && q != '"' {
				b.WriteByte(q)
				i++
				continue
			}
			n := strings.IndexByte(line[i+1:], q)
			if n < 0 {
				return words, i + 1
			}
			b.WriteString(line[i+1 : i+1+n])
			i += n + 2
		}
		w.text = b.String()
		words = append(words, w)
	}
	return words, 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// texts are the words without their places.
func texts(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.text
	}
	return list
}
