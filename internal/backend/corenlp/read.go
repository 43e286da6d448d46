package corenlp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/door/annotate"
)

// A reply is what is read of the server's JSON.
type (
	reply struct {
		Sentences []sentence           `json:"sentences"`
		Corefs    map[string][]mention `json:"corefs"`
	}
	sentence struct {
		Tokens       []token       `json:"tokens"`
		Dependencies []dependency  `json:"basicDependencies"`
		Entities     []entityMatch `json:"entitymentions"`
	}
	token struct {
		Lemma string `json:"lemma"`
		POS   string `json:"pos"`
		Begin int    `json:"characterOffsetBegin"`
		End   int    `json:"characterOffsetEnd"`
	}
	dependency struct {
		Label     string `json:"dep"`
		Governor  int    `json:"governor"`
		Dependent int    `json:"dependent"`
	}
	entityMatch struct {
		Begin int    `json:"tokenBegin"` // within the sentence, from 0
		End   int    `json:"tokenEnd"`
		Type  string `json:"ner"`
	}
	mention struct {
		Sentence       int    `json:"sentNum"`
		Begin          int    `json:"startIndex"`
		End            int    `json:"endIndex"`
		Type           string `json:"type"`
		Number         string `json:"number"`
		Gender         string `json:"gender"`
		Representative bool   `json:"isRepresentativeMention"`
	}
)

// types are the server's types of entities that OntoNotes names otherwise.
var types = map[string]string{
	"ORGANIZATION": "ORG", "LOCATION": "LOC", "CITY": "GPE", "COUNTRY": "GPE", "STATE_OR_PROVINCE": "GPE",
	"NUMBER": "CARDINAL", "NATIONALITY": "NORP",
}

// things are types of what can be spoken of again, and is a cluster even where
// it is mentioned once.
var things = []string{"PERSON", "ORG", "GPE", "LOC", "FAC", "MISC"}

// read adds what a reply says of a session to a document.
func (s spoken) read(doc *annotate.Document, r *reply, req annotate.Request) error {
	places := s.places()
	first := len(doc.Sentences)
	for i, s := range r.Sentences {
		read, err := s.read(places, req)
		if err != nil {
			return fmt.Errorf("sentence %d: %w", i+1, err)
		}
		doc.Sentences = append(doc.Sentences, read)
	}
	if !slices.Contains(req.Layers, annotate.Coreference) {
		return nil
	}
	mentioned := make(map[annotate.Mention]bool)
	for _, id := range slices.SortedFunc(maps.Keys(r.Corefs), compareIDs) {
		c, err := cluster(doc, first, r.Corefs[id], req)
		if err != nil {
			return fmt.Errorf("coreference %s: %w", id, err)
		}
		for _, m := range c.Mentions {
			m.Kind = annotate.Named
			mentioned[m] = true
		}
		doc.Clusters = append(doc.Clusters, c)
	}
	for i := first; i < len(doc.Sentences); i++ {
		s := &doc.Sentences[i]
		for _, e := range s.Entities {
			m := annotate.Mention{Sentence: i, Span: e.Span, Kind: annotate.Named}
			if slices.Contains(things, e.Type) && !mentioned[m] {
				doc.Clusters = append(doc.Clusters, annotate.Cluster{Name: doc.Text(req.Utterances, m), Type: e.Type, Mentions: []annotate.Mention{m}})
			}
		}
		if !slices.Contains(req.Layers, annotate.Entities) {
			s.Entities = nil
		}
		if !slices.Contains(req.Layers, annotate.Dependencies) {
			s.Dependencies = nil
		}
	}
	return nil
}

// compareIDs orders ids, which are numbers.
func compareIDs(a, b string) int {
	x, _ := strconv.Atoi(a)
	y, _ := strconv.Atoi(b)
	return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
}

// read returns a sentence. One that spreads over utterances is an error.
func (s sentence) read(places []place, req annotate.Request) (annotate.Sentence, error) {
	out := annotate.Sentence{Utterance: -1}
	for i, t := range s.Tokens {
		if t.Begin < 0 || t.End <= t.Begin || t.End >= len(places) {
			return out, fmt.Errorf("token %d is from character %d to %d of %d", i+1, t.Begin, t.End, len(places)-1)
		}
		begin, end := places[t.Begin], places[t.End]
		if begin.utterance < 0 || begin.utterance != end.utterance || i > 0 && begin.utterance != out.Utterance {
			return out, fmt.Errorf("token %d, from character %d to %d, is not within one utterance", i+1, t.Begin, t.End)
		}
		out.Utterance = begin.utterance
		out.Tokens = append(out.Tokens, annotate.Token{
			Text:  req.Utterances[begin.utterance].Text[begin.byte:end.byte],
			Lemma: t.Lemma, POS: t.POS, Start: begin.byte, End: end.byte,
		})
	}
	if len(out.Tokens) == 0 {
		return out, errors.New("it has no tokens")
	}
	for _, d := range s.Dependencies {
		if d.Label == "punct" {
			continue
		}
		label := d.Label
		if d.Governor == 0 {
			label = "root"
		}
		out.Dependencies = append(out.Dependencies, annotate.Dependency{Head: d.Governor - 1, Dependent: d.Dependent - 1, Label: label})
	}
	slices.SortStableFunc(out.Dependencies, func(a, b annotate.Dependency) int { return cmp.Compare(a.Dependent, b.Dependent) })
	out.Unparsed = slices.Contains(req.Layers, annotate.Dependencies) && len(out.Dependencies) == 0
	end := 0
	for _, e := range s.Entities {
		span := annotate.Span{Start: e.Begin, End: e.End}
		if !span.Within(len(out.Tokens)) {
			return out, fmt.Errorf("an entity is from token %d to %d of %d", e.Begin, e.End, len(out.Tokens))
		}
		// Pronouns are listed with the type of what they stand for.
		if span.Start < end || strings.HasPrefix(out.Tokens[span.Start].POS, "PRP") {
			continue
		}
		end = span.End
		out.Entities = append(out.Entities, annotate.Entity{Span: span, Type: cmp.Or(types[e.Type], e.Type)})
	}
	return out, nil
}

// cluster reads a chain of mentions.
func cluster(doc *annotate.Document, first int, mentions []mention, req annotate.Request) (annotate.Cluster, error) {
	var c annotate.Cluster
	for _, m := range mentions {
		at := annotate.Mention{Sentence: first + m.Sentence - 1, Span: annotate.Span{Start: m.Begin - 1, End: m.End - 1}, Kind: annotate.Nominal}
		if m.Sentence < 1 || at.Sentence >= len(doc.Sentences) || !at.Within(len(doc.Sentences[at.Sentence].Tokens)) {
			return c, fmt.Errorf("a mention of tokens %d to %d of sentence %d is not there", m.Begin, m.End, m.Sentence)
		}
		switch m.Type {
		case "PROPER":
			at.Kind = annotate.Named
		case "PRONOMINAL":
			at.Kind = annotate.Pronominal
		}
		if m.Representative {
			c.Name = doc.Text(req.Utterances, at)
		}
		switch m.Gender {
		case "MALE":
			c.Gender = annotate.Masculine
		case "FEMALE":
			c.Gender = annotate.Feminine
		case "NEUTRAL":
			c.Gender = cmp.Or(c.Gender, annotate.Neuter)
		}
		c.Plural = c.Plural || m.Number == "PLURAL"
		for _, e := range doc.Sentences[at.Sentence].Entities {
			if at.Kind == annotate.Named && e.Start >= at.Start && e.End <= at.End && slices.Contains(things, e.Type) {
				c.Type = cmp.Or(c.Type, e.Type)
			}
		}
		c.Mentions = append(c.Mentions, at)
	}
	if len(c.Mentions) == 0 {
		return c, errors.New("it has no mentions")
	}
	return c, nil
}
