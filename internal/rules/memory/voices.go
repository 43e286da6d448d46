package memory

import (
	"strings"

	"recallbench/internal/door/llm"
)

// voices are the people who talk.
type voices struct {
	names []string // as they are written, in the order in which they speak
	known map[string]bool
	low   []string // their parts, in lower case
}

// maxVoices bounds how many people are told apart.
const maxVoices = 64

func voicesOf(lines []llm.Line) *voices {
	v := &voices{known: make(map[string]bool)}
	for _, l := range lines {
		if name := nameOf(l); !v.known[name] && len(v.names) < maxVoices {
			v.known[name] = true
			v.names = append(v.names, name)
			for part := range strings.FieldsSeq(strings.ToLower(name)) {
				v.low = append(v.low, part)
			}
		}
	}
	return v
}

// nobody is who speaks where the line does not say.
const nobody = "Somebody"

func nameOf(l llm.Line) string {
	const longest = 80 // bytes
	name := strings.Join(strings.Fields(strings.ToValidUTF8(clip(l.Speaker, longest), "")), " ")
	if name == "" {
		return nobody
	}
	return name
}

// to returns whom a speaker talks to: the other one of two.
func (v *voices) to(speaker string) string {
	if len(v.names) == 2 {
		if v.names[0] == speaker {
			return v.names[1]
		}
		return v.names[0]
	}
	return "the others"
}

// vocative reports whether a word is a name of one who talks, or a short form
// of at least two letters.
func (v *voices) vocative(w *Word) bool {
	const shortest = 2
	if !w.Upper || w.Kind == Function {
		return false
	}
	for _, name := range v.low {
		if w.Low == name || len(w.Low) >= shortest && strings.HasPrefix(name, w.Low) {
			return true
		}
	}
	return false
}
