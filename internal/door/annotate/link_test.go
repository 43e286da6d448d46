package annotate

import (
	"fmt"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// split makes a document of one sentence an utterance, cut at spaces.
func split(utterances []Utterance) Document {
	var d Document
	for i, u := range utterances {
		s := Sentence{Utterance: i}
		at := 0
		for w := range strings.SplitSeq(u.Text, " ") {
			s.Tokens = append(s.Tokens, Token{Text: w, Lemma: strings.ToLower(w), Start: at, End: at + len(w)})
			at += len(w) + 1
		}
		d.Sentences = append(d.Sentences, s)
	}
	return d
}

func at(sentence, start, end int, kind MentionKind) Mention {
	return Mention{Sentence: sentence, Span: Span{start, end}, Kind: kind}
}

func TestLink(t *testing.T) {
	r := Request{
		Utterances: []Utterance{
			{Speaker: "Ann", Text: "I stayed at the Gandhi"},
			{Speaker: "Bob", Text: "Did you like the hotel ?"},
			{Speaker: "Ann", Text: "Bob , it was a restaurant near Leeds"},
			{Speaker: "Bob", Text: "My sister likes Gandhi"},
		},
		Known: []Known{
			{ID: "E1", Name: "Ann", Type: "PERSON", Speaker: true},
			{ID: "E2", Name: "Curry Prince", Heads: []string{"restaurant"}},
			{ID: "E7", Name: "Acorn House", Type: "FAC", Heads: []string{"hotel"}},
			{ID: "E4", Name: "Leeds United", Aliases: []string{"leeds"}, Type: "ORG"},
		},
	}
	d := split(r.Utterances)
	d.Clusters = []Cluster{
		{ID: "x", Mentions: []Mention{at(3, 0, 1, Pronominal), at(0, 0, 1, Pronominal), at(1, 1, 2, Pronominal)}}, // I, you, My: of two speakers
		{Type: "ORG", Mentions: []Mention{at(3, 3, 4, Named)}},
		{Mentions: []Mention{at(1, 3, 5, Nominal)}},
		{Mentions: []Mention{at(2, 4, 6, Nominal), at(2, 2, 3, Pronominal)}},
		{Mentions: []Mention{at(0, 3, 5, Named)}},
		{Type: "GPE", Mentions: []Mention{at(2, 7, 8, Named)}},
		{Mentions: []Mention{at(2, 0, 1, Named)}},
	}
	Link(&d, r)
	try.Do(t, d.Check(r))
	var got []string
	for _, c := range d.Clusters {
		var texts []string
		for _, m := range c.Mentions {
			texts = append(texts, d.Text(r.Utterances, m))
		}
		got = append(got, fmt.Sprintf("%s %s %v: %s", c.ID, c.Name, c.Speaker, strings.Join(texts, " | ")))
	}
	want := []string{
		"E1 Ann true: I | you",
		"E9 the Gandhi false: the Gandhi | Gandhi",
		"E7 the hotel false: the hotel",
		"E8 Bob true: Bob | My",
		"E10 a restaurant false: it | a restaurant", // a new one
		"E11 Leeds false: Leeds",                    // no team
	}
	try.Equal(t, "clusters", want, got)
}
