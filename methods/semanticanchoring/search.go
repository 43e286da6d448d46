package semanticanchoring

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/transcript"
)

// A searcher returns the k best entries by cosine, best first.
type searcher interface {
	Search(query []float32, k int) ([]index.Hit, error)
}

// indexOf indexes vectors as the options say.
func (m *method) indexOf(vectors [][]float32) (searcher, error) {
	if m.Dense.Index == HNSW || m.Dense.Index == Auto && len(vectors) >= index.ExactBelow {
		return index.BuildHNSW(vectors, m.seed)
	}
	return index.NewDense(vectors)
}

// nearby returns the vector of a question, and the cosines of the nearest entries.
func (m *memory) nearby(ctx context.Context, text string) (vector []float32, found map[int]float64, err error) {
	if vector, err = building.Query(ctx, m.history.Space, text); err != nil {
		return nil, nil, err
	}
	defer meter.Stage(ctx, "dense")()
	hits, err := m.dense.Search(vector, nearest)
	found = make(map[int]float64, len(hits))
	for _, h := range hits {
		found[h.Index] = h.Score
	}
	return vector, found, err
}

// A candidate is an entry with the parts of its score, each in [0, 1] except
// for the cosine, which is in [-1, 1].
type candidate struct {
	linguistic.Match
	entry             int
	similarity, score float64
}

// candidates merges what the two indexes found (algorithm 1, step 4).
func candidates(dense map[int]float64, matches map[int]linguistic.Match, cosine func(entry int) float64) []candidate {
	entries := slices.Collect(maps.Keys(matches))
	for i := range dense {
		if _, ok := matches[i]; !ok {
			entries = append(entries, i)
		}
	}
	all := make([]candidate, len(entries))
	for k, i := range entries {
		similarity, ok := dense[i]
		if !ok {
			similarity = cosine(i)
		}
		all[k] = candidate{entry: i, similarity: similarity, Match: matches[i]}
	}
	return all
}

// best scores candidates and returns the k best, best first; of equal ones the
// later entry comes first, because the latest statement is the current one.
func (w Weights) best(all []candidate, k int) []candidate {
	all = slices.Clone(all)
	for i, c := range all {
		all[i].score = w.Similarity*c.similarity + w.Entities*c.Entities + w.Discourse*c.Discourse + w.Dependencies*c.Dependencies
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.entry, a.entry))
	})
	return all[:min(k, len(all))]
}

// Limits on what is shown of an entry in addition to its text.
const (
	mostLines    = 2 // entities, then discourse, then dependencies
	mostEntities = 4
	mostTriples  = 4
)

// serialise writes an entry in the manner of appendix A.7: its annotations, and
// the utterance.
//
//	[ENTITY: Asha Rao | CorefID=E5 | NER=PERSON]
//	[DISCOURSE: Comparison.Contrast]
//	[UTTERANCE @ 14 March 2024 09:10] Ben: "She would rather come on Friday."
//
// Dependencies follow the utterance if there is a line left for them. Entities of
// one entry share a line.
func serialise(e linguistic.Entry) string {
	var before, after []string
	if line := entities(e); line != "" {
		before = append(before, line)
	}
	if len(e.Senses) > 0 {
		before = append(before, "[DISCOURSE: "+strings.Join(e.Senses, ", ")+"]")
	}
	if line := triples(e); line != "" && len(before) < mostLines {
		after = append(after, line)
	}
	return strings.Join(slices.Concat(before, []string{utterance(e)}, after), "\n")
}

func utterance(e linguistic.Entry) string {
	var b strings.Builder
	b.WriteString("[UTTERANCE")
	if !e.Line.Time.IsZero() {
		b.WriteString(" @ " + transcript.Time(e.Line.Time))
	}
	b.WriteString("] ")
	if e.Line.Speaker != "" {
		b.WriteString(e.Line.Speaker + ": ")
	}
	b.WriteString(`"` + e.Line.Text + `"`)
	return b.String()
}

// entities writes the entities that are shown.
func entities(e linguistic.Entry) string {
	var parts []string
	for _, entity := range named(e) {
		part := "ENTITY: " + bracketless.Replace(entity.Name)
		if entity.ID != "" {
			part += " | CorefID=" + entity.ID
		}
		if entity.Type != "" {
			part += " | NER=" + entity.Type
		}
		parts = append(parts, "["+part+"]")
	}
	return strings.Join(parts, " ")
}

// named returns the first entities that have a name. Those that the utterance
// calls otherwise come first, because there the name is new information. The
// speaker stands before the utterance anyway.
func named(e linguistic.Entry) []linguistic.Entity {
	var news, called []linguistic.Entity
	for _, entity := range e.Entities {
		switch {
		case entity.Name == "" || entity.Name == e.Line.Speaker || utf8.RuneCountInString(entity.Name) > maxName:
		case len(entity.Names) == 0:
			news = append(news, entity)
		default:
			called = append(called, entity)
		}
	}
	all := slices.Concat(news, called)
	return all[:min(len(all), mostEntities)]
}

// maxName is the length in characters from which a name is ignored: an
// annotator's mistake is not repeated to the reader.
const maxName = 80

func triples(e linguistic.Entry) string {
	var parts []string
	for _, t := range e.Triples[:min(len(e.Triples), mostTriples)] {
		if utf8.RuneCountInString(t.Key()) <= maxName {
			parts = append(parts, "("+bracketless.Replace(t.Head+"-"+t.Label+"-"+t.Child)+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[DEPS: " + strings.Join(parts, ", ") + "]"
}

// bracketless keeps a text from closing the brackets around it.
var bracketless = strings.NewReplacer("[", "(", "]", ")", "|", "/", "\n", " ")
