package metrics

import (
	"context"
	"strings"
	"unicode/utf8"

	"recallbench/internal/door/annotate"
)

// maxUtterance is how many bytes of an utterance are resolved. No turn of the
// datasets and no answer of a model asked to be brief is as long.
const maxUtterance = 1 << 13

// A predicted is a mention as the resolver found it.
type predicted struct {
	place
	kind    annotate.MentionKind
	head    int // where its last word begins
	cluster int
}

// A place is a range of bytes of an utterance.
type place struct{ utterance, start, end int }

// utterances are the history, the question and the answer, as one session.
func utterances(i Item) []annotate.Utterance {
	var out []annotate.Utterance
	add := func(id, speaker, text string) {
		if len(text) > maxUtterance {
			cut := maxUtterance
			for cut > 0 && !utf8.RuneStart(text[cut]) {
				cut--
			}
			text = text[:cut]
		}
		out = append(out, annotate.Utterance{ID: id, Speaker: speaker, Text: text})
	}
	for _, t := range i.History {
		add(t.ID, t.Speaker, t.Text)
	}
	add("question", "", i.Question)
	add("answer", "", i.Prediction)
	return out
}

// names are those of entities: that a text mentions something is given; what is
// measured is which entity it is taken for.
func names(entities []Entity) []annotate.Name {
	var out []annotate.Name
	for _, e := range entities {
		for _, name := range e.Names {
			out = append(out, annotate.Name{Text: name})
		}
	}
	return out
}

// resolve returns the mentions in utterances, some with known names, in the order of
// clusters.
func resolve(annotator annotate.Annotator, said []annotate.Utterance, names []annotate.Name) ([]predicted, error) {
	req := annotate.Request{
		Layers:     []annotate.Layer{annotate.Tokens, annotate.Entities, annotate.Coreference},
		Utterances: said,
		Names:      names,
	}
	doc, err := annotator.Annotate(context.Background(), req)
	if err != nil {
		return nil, err
	}
	if err := doc.Check(req); err != nil {
		return nil, err
	}
	var found []predicted
	for k, c := range doc.Clusters {
		for _, m := range c.Mentions {
			s := doc.Sentences[m.Sentence]
			found = append(found, predicted{
				place:   place{s.Utterance, s.Tokens[m.Start].Start, s.Tokens[m.End-1].End},
				kind:    m.Kind,
				head:    s.Tokens[m.End-1].Start,
				cluster: k,
			})
		}
	}
	return found, nil
}

// align returns the predicted mention that matches a gold mention, and its
// cluster; -1 for none. Of those that share a head with the gold mention, it is
// the one that overlaps it most: the bytes of both over the bytes of either. A
// mention that owns another, as in "Rachel's flat", does not match.
func align(m place, said []annotate.Utterance, found []predicted) (cluster, mention int) {
	cluster, mention = -1, -1
	text := said[m.utterance].Text
	if m.end > len(text) {
		return -1, -1
	}
	head := m.start + strings.LastIndexByte(strings.TrimRight(text[m.start:m.end], " "), ' ') + 1
	best := 0.0
	for i, p := range found {
		start, end := max(p.start, m.start), min(p.end, m.end)
		if p.utterance != m.utterance || start >= end {
			continue
		}
		switch {
		case p.head >= m.start && p.head < m.end && (p.end >= m.end || !owns(text[p.end:m.end])):
		case head >= p.start && head < p.end && (m.end >= p.end || !owns(text[m.end:p.end])):
		default:
			continue
		}
		share := float64(end-start) / float64(max(p.end, m.end)-min(p.start, m.start))
		if share > best {
			best, cluster, mention = share, p.cluster, i
		}
	}
	return cluster, mention
}

// owns reports whether the text after a name shows that the name owns something.
func owns(rest string) bool { return strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "’") }
