package linguistic

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
)

// Features are the annotations of an utterance. None is listed twice.
type Features struct {
	Entities []Entity // in the order of mention
	Triples  []Triple
	// Senses are the discourse relations to what was said before, such as
	// Comparison.Contrast.
	Senses []string
	// Unparsed is the number of sentences that the parser gave up on.
	Unparsed int
}

// An Entity is one that an utterance mentions.
type Entity struct {
	ID   string // the coreference cluster's; empty without coreference
	Name string // canonical
	Type string // such as PERSON; empty if unknown
	// Names are the names by which the utterance itself calls it, in the form
	// for comparison: see [fold]. Empty if it is only mentioned by a pronoun or
	// a description.
	Names []string
}

// A Triple is an edge of a dependency parse, by lemmas.
type Triple struct{ Head, Label, Child string }

// Key is its key in the index: "confirm:nsubj:john".
func (t Triple) Key() string { return t.Head + ":" + t.Label + ":" + t.Child }

// bare are labels of function words: nearly every sentence has them, so they
// distinguish nothing.
var bare = map[string]bool{"punct": true, "det": true, "case": true, "aux": true, "cop": true, "mark": true, "cc": true, "root": true, "expl": true}

// triples returns the edges of a sentence between content words.
func triples(s annotate.Sentence) []Triple {
	var found []Triple
	for _, d := range s.Dependencies {
		if d.Head < 0 || bare[d.Label] {
			continue
		}
		t := Triple{strings.ToLower(s.Tokens[d.Head].Lemma), d.Label, strings.ToLower(s.Tokens[d.Dependent].Lemma)}
		if t.Head != "" && t.Child != "" {
			found = lists.AddNew(found, t)
		}
	}
	return found
}

// articles stand before names and are not part of them.
var articles = []string{"the ", "a ", "an "}

// fold returns a name in the form for comparison: lowercase, white space folded,
// without an article.
func fold(name string) string {
	name = strings.ToLower(strings.Join(strings.Fields(name), " "))
	for _, a := range articles {
		if rest, ok := strings.CutPrefix(name, a); ok && rest != "" {
			return rest
		}
	}
	return name
}

// features splits a document by utterance.
func (a *Annotator) features(doc annotate.Document, utterances []annotate.Utterance) []Features {
	all := make([]Features, len(utterances))
	for _, s := range doc.Sentences {
		f := &all[s.Utterance]
		if s.Unparsed {
			f.Unparsed++
		}
		if a.Dependencies {
			f.Triples = lists.AddNew(f.Triples, triples(s)...)
		}
	}
	if a.Coreference {
		clusters(doc, utterances, all)
	} else {
		names(doc, utterances, all)
	}
	for _, r := range doc.Relations {
		f := &all[doc.Sentences[r.To].Utterance]
		within := r.From >= 0 && doc.Sentences[r.From].Utterance == doc.Sentences[r.To].Utterance
		if !within {
			f.Senses = lists.AddNew(f.Senses, r.Sense)
		}
	}
	return all
}

// clusters adds the entities of coreference clusters.
func clusters(doc annotate.Document, utterances []annotate.Utterance, all []Features) {
	type at struct{ utterance, sentence, token, entity int }
	var order []at
	entities := make([]Entity, 0, len(doc.Clusters))
	for _, c := range doc.Clusters {
		places := make(map[int]int) // of the entity by utterance
		for _, m := range c.Mentions {
			u := doc.Sentences[m.Sentence].Utterance
			i, ok := places[u]
			if !ok {
				i = len(entities)
				places[u] = i
				entities = append(entities, Entity{ID: c.ID, Name: c.Name, Type: c.Type})
				order = append(order, at{u, m.Sentence, m.Start, i})
			}
			if m.Kind == annotate.Named {
				entities[i].call(doc.Text(utterances, m))
			}
		}
	}
	slices.SortStableFunc(order, func(a, b at) int { return cmp.Or(a.sentence-b.sentence, a.token-b.token) })
	for _, o := range order {
		all[o.utterance].Entities = append(all[o.utterance].Entities, entities[o.entity])
	}
}

// names adds named entities, each by its name in the text.
func names(doc annotate.Document, utterances []annotate.Utterance, all []Features) {
	for i, s := range doc.Sentences {
		f := &all[s.Utterance]
		for _, e := range s.Entities {
			name := doc.Text(utterances, annotate.Mention{Sentence: i, Span: e.Span})
			if slices.ContainsFunc(f.Entities, func(other Entity) bool { return slices.Contains(other.Names, fold(name)) }) {
				continue
			}
			entity := Entity{Name: name, Type: e.Type}
			entity.call(name)
			f.Entities = append(f.Entities, entity)
		}
	}
}

func (e *Entity) call(name string) {
	if name = fold(name); name != "" {
		e.Names = lists.AddNew(e.Names, name)
	}
}

var markup = regexp.MustCompile(`</?[A-Za-z][^<>]{0,200}>`)

// Normalise removes markup from a text and folds its white space, as in the
// paper's appendix A.1; invalid UTF-8 becomes a replacement character.
func Normalise(text string) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), " ")), " ")
}
