package semxpath

import "strings"

// Candidates returns the parts of a model's reply that may be a query, the likelier
// ones first: the reply itself, or what stands in a code block, between back quotes
// or in a line of its own.
func Candidates(reply string) []string {
	found := []string{reply}
	add := func(s string) {
		s = strings.TrimSpace(s)
		if s != "" {
			found = append(found, s)
		}
	}
	for i, part := range strings.Split(reply, "```") {
		if i%2 == 1 {
			if first, rest, ok := strings.Cut(part, "\n"); ok && !strings.ContainsAny(first, "/[") {
				part = rest // less the language
			}
			add(part)
		}
	}
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		for i, part := range strings.Split(line, "`") {
			if i%2 == 1 {
				add(part)
			}
		}
		add(line)
		if i := strings.IndexAny(line, "(/"); i > 0 {
			add(line[i:])
		}
		if i := strings.IndexByte(line, '/'); i > 0 {
			add(line[i:])
		}
	}
	return found
}
