package reader

import (
	"strconv"
	"strings"

	"recallbench/internal/door/llm"
)

// speakersOf cuts the name of a line's speaker where several speak at once.
func speakersOf(speaker string) []string { return strings.Split(speaker, ", ") }

// numbered reports whether a name is a word with a number, as transcripts have
// them.
func numbered(name string) bool {
	head, tail, ok := strings.Cut(name, " ")
	_, err := strconv.Atoi(tail)
	return ok && head != "" && err == nil
}

// writing maps the lower-case names of those who speak to how they are written.
func writing(passages []llm.Passage) map[string]string {
	names := make(map[string]string)
	for _, p := range passages {
		for _, l := range p.Lines {
			for _, one := range speakersOf(l.Speaker) {
				if low := strings.ToLower(one); names[low] == "" {
					names[low] = one
				}
			}
		}
	}
	return names
}
