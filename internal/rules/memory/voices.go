package memory

import (
	"slices"
	"strings"

	"recallbench/internal/door/llm"
)

// voices are the people who talk.
type voices struct {
	names []string // as they are written, in the order in which they speak
	low   []string // their parts, in lower case
}

// maxVoices bounds how many people are told apart.
const maxVoices = 64

func voicesOf(lines []llm.Line) *voices {
	var names []string
	for _, l := range lines {
		if name := nameOf(l); len(names) < maxVoices && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return voicesNamed(names)
}

func voicesNamed(names []string) *voices {
	names = names[:min(maxVoices, len(names))]
	return &voices{names, strings.Fields(strings.ToLower(strings.Join(names, " ")))}
}

// nameOf returns who says a line.
func nameOf(l llm.Line) string {
	const longest = 80 // bytes
	name := strings.Join(strings.Fields(strings.ToValidUTF8(clip(l.Speaker, longest), "")), " ")
	if name == "" {
		return "Somebody"
	}
	return name
}

// to returns whom a speaker talks to: the other one of two.
func (v *voices) to(speaker string) string {
	if len(v.names) == 2 {
		return v.names[(slices.Index(v.names, speaker)+1)%2]
	}
	return "the others"
}

// vocative reports whether a word is a name of one who talks, or a short form
// of at least two letters.
func (v *voices) vocative(w *Word) bool {
	return w.Upper && w.Kind != Function && slices.ContainsFunc(v.low, func(name string) bool {
		return w.Low == name || len(w.Low) > 1 && strings.HasPrefix(name, w.Low)
	})
}
