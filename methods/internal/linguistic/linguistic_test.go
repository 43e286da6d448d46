package linguistic_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/linguistic"
)

// sample has a conversation of sessions, each a text with a turn a line.
func sample(sessions ...string) datasets.Sample {
	s := datasets.Sample{ID: "s", Speakers: []string{"Ann", "Bo"}}
	for i, text := range sessions {
		session := datasets.Session{ID: string(rune('1' + i))}
		for k, line := range strings.Split(text, "\n") {
			session.Turns = append(session.Turns, datasets.Turn{ID: session.ID + ":" + string(rune('1'+k)), Speaker: s.Speakers[k%2], Text: line})
		}
		s.Sessions = append(s.Sessions, session)
	}
	return s
}

func history(t *testing.T, o linguistic.Layers, s datasets.Sample) (*linguistic.History, *words) {
	t.Helper()
	w := &words{}
	a := try.Get(linguistic.New(methods.Env{Annotate: w}, o))(t)
	h := try.Get(a.History(t.Context(), s))(t)
	return h, w
}

var everything = linguistic.Layers{Coreference: true, Dependencies: true, Discourse: true}

// An entity keeps its id over sessions, and a pronoun of a later session finds
// it; what is known grows and is passed on.
func TestHistory(t *testing.T) {
	h, w := history(t, everything, sample("we ate at Parkview\nbut it was loud", "is it open"))
	var got [][]string
	for _, e := range h.Entries {
		var ids []string
		for _, entity := range e.Entities {
			ids = append(ids, entity.ID+" "+entity.Name+" "+strings.Join(entity.Names, "/"))
		}
		got = append(got, append(ids, e.Senses...))
	}
	want := [][]string{{"E1 Parkview parkview"}, {"E1 Parkview ", "Comparison.Contrast"}, {"E1  "}}
	try.Equal(t, "entities and senses", want, got)
	if n := h.Known[0].Mentions; len(h.Known) != 1 || n != 3 || h.Known[0].Name != "Parkview" {
		t.Errorf("known %+v, want Parkview with 3 mentions", h.Known)
	}
	if len(w.requests) != 2 || len(w.requests[1].Known) != 1 || len(w.requests[0].Names) != 2 {
		t.Errorf("%d requests; the second knows %d entities", len(w.requests), len(w.requests[1].Known))
	}
	q, err := h.Question(t.Context(), "was  <b>it</b> loud")
	if err != nil || len(q.Entities) != 1 || q.Entities[0].ID != "E1" {
		t.Errorf("question: %+v, %v", q, err)
	}
	if got := w.requests[2].Utterances[0].Text; got != "was it loud" {
		t.Errorf("the question is annotated as %q", got)
	}
}

// Without coreference an entity is its name, and layers that are not used are
// not asked for.
func TestNames(t *testing.T) {
	h, w := history(t, linguistic.Layers{}, sample("we ate at Parkview\nit was loud\nso The Parkview it is"))
	q := try.Get(h.Question(t.Context(), "how was parkview Parkview"))(t)
	if got := h.With(q.Entities[0]); !cmp.Equal(got, []int{0, 2}) {
		t.Errorf("entries with %+v: %v", q.Entities[0], got)
	}
	if h.Known != nil || len(w.requests[0].Layers) != 2 {
		t.Errorf("known %v, layers %v", h.Known, w.requests[0].Layers)
	}
}

// The numbers are worked by hand from section 3.4: Parkview has 3 mentions, Rex
// has 1, so that an entry with Parkview alone has 3/4 of the question's.
func TestMatch(t *testing.T) {
	h, _ := history(t, everything, sample("we ate at Parkview\nbut it barked\nhe is Rex\nat Parkview"))
	q := linguistic.Features{
		Entities: []linguistic.Entity{{ID: "E1"}, {Names: []string{"rex"}}},
		Triples:  []linguistic.Triple{{Head: "at", Label: "dep", Child: "parkview"}, {Head: "no", Label: "dep", Child: "such"}},
		Senses:   []string{"Comparison.Contrast", "Temporal"},
	}
	bySize := func(size int) float64 { return float64(size) }
	want := map[int]linguistic.Match{
		0: {Entities: 0.75, Dependencies: 0.5}, 1: {Entities: 0.75, Discourse: 0.5}, 2: {Entities: 0.25}, 3: {Entities: 0.75, Dependencies: 0.5},
	}
	try.Equal(t, "matches", want, h.Match(q, bySize))
}

// What the parser gave up in a question or in what is shown is noted.
func TestUnparsed(t *testing.T) {
	h, _ := history(t, everything, sample("we xyzzy\nfine"))
	for _, tt := range []struct {
		question string
		shown    []int
		want     map[string]int
	}{
		{"fine", []int{1}, nil},
		{"fine", []int{0, 1}, map[string]int{linguistic.Parse: 1}},
		{"xyzzy", nil, map[string]int{linguistic.Parse: 1}},
	} {
		ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
		q := try.Get(h.Question(ctx, tt.question))(t)
		h.Shown(ctx, q, tt.shown)
		if got := m.Seen().Degraded; len(got) != len(tt.want) || got[linguistic.Parse] != tt.want[linguistic.Parse] {
			t.Errorf("%q with %v: degraded %v, want %v", tt.question, tt.shown, got, tt.want)
		}
	}
}

// A reply that cannot be used costs the features of its session and no more.
func TestDegraded(t *testing.T) {
	a := try.Get(linguistic.New(methods.Env{Annotate: &words{}}, everything))(t)
	ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
	h, err := a.History(ctx, sample("we ate at Parkview", "garbage at Parkview", "it was loud"))
	if err != nil || len(h.Entries) != 3 || h.Entries[1].Entities != nil || len(h.Entries[2].Entities) != 1 {
		t.Fatalf("history %+v, %v", h, err)
	}
	if got := m.Seen().Degraded[linguistic.Annotate]; got != 1 {
		t.Errorf("%d degraded, want 1", got)
	}
}

func TestNormalise(t *testing.T) {
	for text, want := range map[string]string{
		"  Two\n\twords ": "Two words", "The <b class=x>BBC</b>": "The BBC", "a < b and c > d": "a < b and c > d", "bad \xff byte": "bad \uFFFD byte", "": "",
	} {
		if got := linguistic.Normalise(text); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", text, got, want)
		}
	}
}

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
