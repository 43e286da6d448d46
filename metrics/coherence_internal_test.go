package metrics

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/try"
)

// marked is an annotator that reads clusters from the texts: a word such as
// Ann/1 is a named mention of cluster 1, her/1p a pronoun of it. Words are
// tokens with their marks, so gold places have the marks too.
type marked struct{}

func (marked) Annotate(_ context.Context, r annotate.Request) (annotate.Document, error) {
	var d annotate.Document
	clusters := make(map[string]*annotate.Cluster)
	var order []string
	for k, u := range r.Utterances {
		if u.Text == "fail" {
			return d, errors.New("no annotation")
		}
		s := annotate.Sentence{Utterance: k}
		at := 0
		for word := range strings.FieldsSeq(u.Text) {
			start := at + strings.Index(u.Text[at:], word)
			at = start + len(word)
			if _, id, ok := strings.Cut(word, "/"); ok {
				kind := annotate.Named
				if strings.HasSuffix(id, "p") {
					kind, id = annotate.Pronominal, id[:len(id)-1]
				}
				if clusters[id] == nil {
					clusters[id] = &annotate.Cluster{ID: id}
					order = append(order, id)
				}
				n := len(s.Tokens)
				clusters[id].Mentions = append(clusters[id].Mentions, annotate.Mention{Sentence: k, Span: annotate.Span{Start: n, End: n + 1}, Kind: kind})
			}
			s.Tokens = append(s.Tokens, annotate.Token{Text: word, Start: start, End: at})
		}
		d.Sentences = append(d.Sentences, s)
	}
	for _, id := range order {
		d.Clusters = append(d.Clusters, *clusters[id])
	}
	return d, nil
}

// asked makes an item about Ann and Bob from texts in which the gold mentions
// are the words that begin with A and B.
func asked(answer, question string, history ...string) Item {
	i := Item{Gold: "bob", Question: question, Prediction: answer, Entities: []Entity{{ID: "a", Names: []string{"ann"}}, {ID: "b", Names: []string{"bob"}}}}
	mark := func(turn, text string) {
		for k, letter := range []byte("AB") {
			for at := range len(text) {
				if text[at] == letter && (at == 0 || text[at-1] == ' ') {
					end := at + len(strings.Fields(text[at:])[0])
					i.Entities[k].Mentions = append(i.Entities[k].Mentions, Mention{Turn: turn, Start: at, End: end})
				}
			}
		}
	}
	for k, text := range history {
		id := string(rune('1' + k))
		i.History = append(i.History, Turn{ID: id, Speaker: "Sue", Text: text})
		mark(id, text)
	}
	mark("", question)
	return i
}

func TestCoherence(t *testing.T) {
	spec := NewCoherence(marked{})
	b3 := func(p, r float64) Value { return Def(2 * p * r / (p + r)) }
	for _, c := range []struct {
		name string
		item Item
		want Value
	}{
		{"as it should be", asked("It is Bob/2", "Who is Ann/1 with?", "Ann/1 likes B/2"), Def(1)},
		// Ann: history, question. Bob: history and answer apart.
		{"another Bob", asked("It is Bob/3", "Who is Ann/1 with?", "Ann/1 likes B/2"), b3(1, (2+2*0.5)/4)},
		{"taken for Ann", asked("It is Bob/1", "Who is Ann/1 with?", "Ann/1 likes B/2"), b3((3*1./3*0+2*2./3+1./3+1)/4, (2+2*0.5)/4)},
		{"not seen", asked("It is Bob", "Who is Ann/1 with?", "Ann/1 likes B/2"), b3(1, (2+2*0.5)/4)},
		// Cid in Bob's cluster costs precision, Cid alone does not count.
		{"another name in the cluster", asked("Bob/2 Cid/2", "Who is Ann/1 with?", "Ann/1 likes B/2"), b3((2+2*2./3+1./3)/5, 1)},
		{"another name apart", asked("Bob/2 Cid/3", "Who is Ann/1 with?", "Ann/1 likes B/2"), Def(1)},
		{"a pronoun in the cluster", asked("Bob/2 he/2p", "Who is Ann/1 with?", "Ann/1 likes B/2"), Def(1)},
		{"no entity", asked("It is Cid/3", "Who is Ann/1 with?", "Ann/1 likes B/2"), Def(0)},
		{"no answer", asked("", "Who is Ann/1 with?", "Ann/1 likes B/2"), Def(0)},
		{"part of a word", asked("bobcat/2", "Who?", "B/2"), Def(0)},
		{"no entities", Item{Prediction: "Bob", Gold: "Bob"}, Value{}},
		{"an abstention", Item{Abstain: true, Entities: []Entity{{ID: "a"}}}, Value{}},
		{"no annotation", asked("Bob", "fail"), Value{}},
	} {
		got := spec.Score(c.item)[0]
		if got.Defined != c.want.Defined || math.Abs(got.X-c.want.X) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	failed := asked("Bob/2", "Who is Ann/1 with?", "Ann/1 likes B/2")
	failed.Failed = true
	if got := spec.Score(failed)[0]; got != Def(0) {
		t.Errorf("a failed request has %v", got)
	}
}

// TestPlaces gives mentions that are in no text.
func TestPlaces(t *testing.T) {
	i := asked("Bob/2", "Who is Ann/1 with?", "Ann/1 likes B/2")
	i.Entities[0].Mentions = append(i.Entities[0].Mentions,
		Mention{"1", -1, 2}, Mention{"1", 3, 3}, Mention{"1", 0, 99}, Mention{"9", 0, 1}, Mention{"", 5, 2})
	if got := NewCoherence(marked{}).Score(i)[0]; got != Def(1) {
		t.Errorf("with mentions in no text: %v, want them left out", got)
	}
}

func TestAlign(t *testing.T) {
	const text = "Rachel's flat and the old Gandhi restaurant, Rachel"
	said := []annotate.Utterance{{Text: text}}
	at := func(mention, head string, cluster int) predicted {
		start := strings.Index(text, mention)
		return predicted{place: place{0, start, start + len(mention)}, head: start + strings.LastIndex(mention, head), cluster: cluster}
	}
	flat, rachel, gandhi := at("Rachel's flat", "flat", 1), at("Rachel", "Rachel", 2), at("the old Gandhi restaurant", "restaurant", 3)
	for _, c := range []struct {
		gold  string
		found []predicted
		want  int
	}{
		{"Rachel", []predicted{flat, rachel}, 2},
		{"Rachel", []predicted{flat}, -1},
		{"Rachel's flat", []predicted{rachel, flat}, 1},
		{"Rachel's flat", []predicted{rachel}, -1},
		{"old Gandhi", []predicted{gandhi}, 3},
		{"Gandhi restaurant, Rachel", []predicted{gandhi}, 3},
		{"and", []predicted{gandhi, rachel, flat}, -1},
	} {
		start := strings.Index(text, c.gold)
		if got, _ := align(place{0, start, start + len(c.gold)}, said, c.found); got != c.want {
			t.Errorf("%q is in cluster %d, want %d", c.gold, got, c.want)
		}
	}
}

func TestFailures(t *testing.T) {
	spec := FailuresSpec
	two := []string{"1", "2"}
	for _, c := range []struct {
		answer        string
		failed        bool
		gold, sources []string
		columns       string // that have 1
	}{
		{"Bob/2", false, nil, nil, ""},
		{"Cid/3", true, two, nil, "wrong failed"},
		{"Cid/3", false, nil, nil, "wrong unknown-evidence"},
		{"Cid/3", false, two, nil, "wrong not-retrieved"},
		{"Cid/3", false, two, []string{"2"}, "wrong partly-retrieved"},
		{"Cid/3", false, two, []string{"2", "1"}, "wrong not-used"},
	} {
		i := asked(c.answer, "Who is Ann/1 with?", "Ann/1 likes B/2")
		i.Failed, i.GoldEvidence, i.Blocks = c.failed, c.gold, []Block{{Sources: c.sources}}
		var got []string
		for k, v := range spec.Score(i) {
			if v == Def(1) {
				got = append(got, spec.Columns[k].Name)
			} else if v != Def(0) {
				t.Errorf("%+v: %s is %v", c, spec.Columns[k].Name, v)
			}
		}
		try.Equal(t, c.columns, c.columns, strings.Join(got, " "))
	}
	if v := spec.Score(Item{Abstain: true})[0]; v.Defined {
		t.Error("an abstention is counted")
	}
}

func TestUCS(t *testing.T) {
	if v := UCSSpec.Score(Item{Prediction: "blue", Gold: "blue"}); len(v) != 1 || v[0].Defined {
		t.Errorf("nobody rated the answer, and it has %v", v)
	}
	if v := UCSSpec.Score(Item{Failed: true, Rating: new(1.5)}); len(v) != 1 || v[0] != Def(1.5) {
		t.Errorf("a failed request was rated 1.5, and it has %v", v)
	}
}
