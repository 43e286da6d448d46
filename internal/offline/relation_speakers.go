package offline

import (
	"strconv"
	"strings"

	"recallbench/internal/llm"
)

// speakersOf cuts the name of a line's speaker where several speak at once.
func speakersOf(speaker string) []string { return strings.Split(speaker, ", ") }

// numbered returns the number at the end of a name, and what stands before it.
func numbered(name string) (string, int, bool) {
	head, tail, ok := strings.Cut(name, " ")
	if !ok || strings.Contains(tail, " ") {
		return "", 0, false
	}
	n, err := strconv.Atoi(tail)
	return head, n, err == nil
}

// apart returns how far two numbered speakers are from one another, and -1 where
// they are not numbered. Transcripts number speakers as they appear, so those who
// talk with one another have numbers that are near.
func apart(a, b string) int {
	x, m, ok := numbered(a)
	y, n, too := numbered(b)
	if !ok || !too || x != y {
		return -1
	}
	return max(m-n, n-m)
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
