package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/llm"
)

const (
	noteKeywords  = 5
	noteTags      = 3
	evolvedTags   = 6
	queryKeywords = 12
)

// note takes the words that inform, those with capitals first, as keywords, the
// first three as tags, and the first sentence as context.
func (r *Rules) note(t llm.NoteTask) (llm.Note, error) {
	sentences, err := r.analyser.Sentences(t.Line.Text, t.Line.Time)
	if err != nil {
		return llm.Note{}, err
	}
	words := informing(sentences)
	// The first word of a sentence has its capital from there.
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(capital(b), capital(a)) })
	n := llm.Note{Keywords: lows(words, noteKeywords)}
	n.Tags = n.Keywords[:min(noteTags, len(n.Keywords))]
	if len(sentences) > 0 {
		n.Context = sentences[0].source()
	}
	return n, nil
}

func capital(w Word) int { return when(w.Upper && w.Tag == "NNP", 1) }

// informing returns the words of sentences that inform, of each stem the first.
func informing(sentences []Sentence) (out []Word) {
	seen := make(map[uint64]bool)
	for i := range sentences {
		for _, w := range sentences[i].Words {
			if w.informs() && !seen[w.Stem] {
				seen[w.Stem] = true
				out = append(out, w)
			}
		}
	}
	return out
}

// lows returns the first n words in lower case.
func lows(words []Word, n int) []string {
	out := []string{}
	for _, w := range words[:min(n, len(words))] {
		out = append(out, w.Low)
	}
	return out
}

// evolve links a note with the neighbours that are close, and adds their tags to
// its own. It rewrites no neighbour.
func evolve(t llm.EvolveTask) llm.Evolution {
	e := llm.Evolution{Actions: []string{}, Links: []int{}, Tags: slices.Clone(t.Note.Tags), Contexts: []string{}, NeighbourTags: [][]string{}}
	for _, n := range t.Neighbours {
		if !n.Close {
			continue
		}
		e.Evolves, e.Actions = true, []string{"strengthen"}
		e.Links = append(e.Links, n.Index)
		for _, tag := range n.Tags {
			if len(e.Tags) < evolvedTags && !slices.Contains(e.Tags, tag) {
				e.Tags = append(e.Tags, tag)
			}
		}
	}
	return e
}

// keywords takes the words of a question that inform; where none does, all of it.
func (r *Rules) keywords(t llm.KeywordsTask) (llm.Keywords, error) {
	sentences, err := r.analyser.Sentences(t.Question, time.Time{})
	if err != nil {
		return llm.Keywords{}, err
	}
	words := lows(informing(sentences), queryKeywords)
	if len(words) == 0 {
		return llm.Keywords{Keywords: t.Question}, nil
	}
	return llm.Keywords{Keywords: strings.Join(words, ", ")}, nil
}
