// Package annotator annotates English dialogues by rules, without a model: sentences,
// names, dependencies, coreference and discourse.
//
// A request passes through the layers, each in one or two files:
//
//   - sentence.go: tokens and lemmas of package english, parts of speech by prose's
//     perceptron with corrections for chat.
//   - entity.go, with value.go and the gazetteer of lexicon.go under it: known names come
//     first, then values by their form, then capitalized words, then lowercase names by
//     their context.
//   - parse.go: noun phrases and dependencies within clauses. It is not a
//     parser: see [recallbench/internal/backend/corenlp] for one.
//   - coref.go, with mention.go and nominal.go: coreference in one pass, from left to
//     right, over the speakers, known entities and those of the session.
//   - discourse.go: relations that a connective signals.
//
// A value, such as 9 am or Friday, is an entity too, and all mentions of the
// same value are one cluster: the coherence metric compares clusters of values.
// Beyond the types of OntoNotes there is CODE, for reference numbers, train
// numbers, postcodes and telephone numbers.
package annotator

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/jdkato/prose/v3/tag"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/timex"
)

// The name and version of the rules, for the record of a run. The version
// changes whenever an annotation may.
const (
	Name    = "rules"
	Version = "2"
)

// An Annotator annotates by rules. It is safe for concurrent use, and the same
// request always gives the same document. The first request loads the
// part-of-speech model.
type Annotator struct {
	tagger func() (*tag.Tagger, error)
}

var _ annotate.Annotator = (*Annotator)(nil)

// New returns an annotator of all layers.
func New() *Annotator {
	return &Annotator{tagger: sync.OnceValues(func() (*tag.Tagger, error) { return tag.New() })}
}

// Annotate implements [annotate.Annotator]. Coreference needs entities, so they
// are found with it too, but only returned if asked for.
func (a *Annotator) Annotate(ctx context.Context, r annotate.Request) (annotate.Document, error) {
	for _, l := range r.Layers {
		if layers := annotate.Layers(); !slices.Contains(layers, l) {
			return annotate.Document{}, fmt.Errorf("annotation rules: unknown layer %q; have %v", l, layers)
		}
	}
	asked := func(l annotate.Layer) bool { return slices.Contains(r.Layers, l) }
	entities, dependencies := asked(annotate.Entities), asked(annotate.Dependencies)
	coreference, discourse := asked(annotate.Coreference), asked(annotate.Discourse)
	tagger, err := a.tagger()
	if err != nil {
		return annotate.Document{}, fmt.Errorf("annotation rules: part-of-speech model: %w", err)
	}
	g := &gazetteer{byFirst: make(map[string][]entry)}
	if entities || coreference {
		g.knows(r)
	}
	var sents []sentence
	var buf []tag.Token
	for i, u := range r.Utterances {
		if err := ctx.Err(); err != nil {
			return annotate.Document{}, err
		}
		part := sentences(i, u.Text)
		var exprs []timex.Expr
		if entities || coreference {
			exprs = timex.Find(u.Text)
		}
		for k := range part {
			s := &part[k]
			buf = s.tag(tagger, buf)
			if entities || coreference {
				s.findEntities(g, exprs)
			}
			if dependencies || coreference {
				s.chunk()
				s.parse()
			}
		}
		sents = append(sents, part...)
	}
	var d annotate.Document
	if coreference {
		d.Clusters = resolve(r, sents)
	}
	if discourse {
		d.Relations = relate(sents)
	}
	for i := range sents {
		s := sents[i].Sentence
		if !entities {
			s.Entities = nil
		}
		if !dependencies {
			s.Dependencies = nil
		}
		d.Sentences = append(d.Sentences, s)
	}
	return d, nil
}
