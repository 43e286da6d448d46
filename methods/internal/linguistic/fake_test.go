package linguistic_test

import (
	"context"
	"strings"
	"unicode"

	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
)

// words is an annotator without language: a capitalised word that is not the
// first names an entity, "it" stands for the entity mentioned last, a sentence is
// an utterance, "but" contrasts, "xyzzy" cannot be parsed, and words depend on the
// word before them.
type words struct{ requests []annotate.Request }

func (w *words) Annotate(_ context.Context, r annotate.Request) (annotate.Document, error) {
	w.requests = append(w.requests, r)
	if strings.Contains(r.Utterances[0].Text, "garbage") {
		return annotate.Document{}, fault.New(fault.BadReply, "garbage")
	}
	var doc annotate.Document
	ids, latest, next := make(map[string]string), "", annotate.Fresh(r.Known)
	for _, k := range r.Known {
		ids[strings.ToLower(k.Name)], latest = k.ID, k.ID
	}
	at := make(map[string]int)
	for i, u := range r.Utterances {
		s := annotate.Sentence{Utterance: i, Unparsed: strings.Contains(u.Text, "xyzzy")}
		start := 0
		for k, word := range strings.Fields(u.Text) {
			start += strings.Index(u.Text[start:], word)
			s.Tokens = append(s.Tokens, annotate.Token{Text: word, Lemma: strings.ToLower(word), POS: "NN", Start: start, End: start + len(word)})
			start += len(word)
			m := annotate.Mention{Sentence: i, Span: annotate.Span{Start: k, End: k + 1}}
			id := ""
			switch {
			case k > 0 && unicode.IsUpper([]rune(word)[0]):
				s.Entities = append(s.Entities, annotate.Entity{Span: m.Span, Type: "PERSON"})
				m.Kind = annotate.Named
				if id = ids[strings.ToLower(word)]; id == "" {
					id = "E" + string(rune('0'+next))
					next++
					ids[strings.ToLower(word)] = id
				}
			case word == "it" && latest != "":
				m.Kind, id = annotate.Pronominal, latest
			}
			if id != "" {
				latest = id
				if _, ok := at[id]; !ok {
					at[id] = len(doc.Clusters)
					doc.Clusters = append(doc.Clusters, annotate.Cluster{ID: id, Type: "PERSON"})
				}
				c := &doc.Clusters[at[id]]
				if m.Kind == annotate.Named {
					c.Name = word
				}
				c.Mentions = append(c.Mentions, m)
			}
			if k > 0 {
				s.Dependencies = append(s.Dependencies, annotate.Dependency{Head: k - 1, Dependent: k, Label: "dep"})
			}
		}
		if strings.HasPrefix(u.Text, "but ") {
			doc.Relations = append(doc.Relations, annotate.Relation{From: i - 1, To: i, Sense: "Comparison.Contrast", Cue: "but"})
		}
		doc.Sentences = append(doc.Sentences, s)
	}
	return doc, nil
}
