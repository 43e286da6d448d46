package relevance

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// plane embeds a text of the space that it is fitted on: "x" along the first
// axis, "-x" against it, others along the second.
type plane struct {
	mu    sync.Mutex
	fits  [][]string
	asked []embed.Request
	reply func(embed.Request) (embed.Reply, error)
}

func (p *plane) Fit(_ context.Context, texts []string) (embed.Embedder, error) {
	p.fits = append(p.fits, texts)
	return p, nil
}

func (*plane) Dim() int { return 2 }

func (p *plane) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	p.mu.Lock()
	p.asked = append(p.asked, r)
	p.mu.Unlock()
	if p.reply != nil {
		return p.reply(r)
	}
	var out embed.Reply
	for _, t := range r.Texts {
		switch t {
		case "x":
			out.Vectors = append(out.Vectors, []float32{2, 0})
		case "-x":
			out.Vectors = append(out.Vectors, []float32{-1, 0})
		default:
			out.Vectors = append(out.Vectors, []float32{0, 1})
		}
	}
	return out, nil
}

func TestSimilarity(t *testing.T) {
	pairs := []semxpath.Pair{{Text: "x", Condition: "x"}, {Text: "-x", Condition: "x"}, {Text: "y", Condition: "x"}, {Text: "x", Condition: "x"}}
	want, p := []float64{1, 0, 0, 1}, &plane{}
	s := try.Get(NewSimilarity(t.Context(), p, []string{"x", "-x", "y", "unasked"}))(t)
	for range 2 {
		got := try.Get(s.Score(t.Context(), pairs))(t)
		try.Equal(t, "", want, got)
	}
	asked := []embed.Request{{Kind: embed.Document, Texts: []string{"x", "-x", "y"}}, {Kind: embed.Query, Texts: []string{"x"}}}
	try.Equal(t, "each text is embedded once", asked, p.asked)
	try.Equal(t, "the space is the memory's", [][]string{{"x", "-x", "y", "unasked"}}, p.fits)
}

// scorerFunc is a door to entailment.
type scorerFunc func(pairs []nli.Pair) ([]float64, error)

func (f scorerFunc) Entail(_ context.Context, pairs []nli.Pair) ([]float64, error) { return f(pairs) }

func TestEntailment(t *testing.T) {
	var asked []nli.Pair
	batches := 0
	door := scorerFunc(func(pairs []nli.Pair) ([]float64, error) {
		batches++
		asked = append(asked, pairs...)
		scores := make([]float64, len(pairs))
		for i, p := range pairs {
			scores[i] = float64(len(p.Premise)%100) / 100
		}
		return scores, nil
	})
	pairs := []semxpath.Pair{{Text: "aa", Condition: "c"}, {Text: "a", Condition: "c"}, {Text: "aa", Condition: "d"}}
	got, err := Entailment(door).Score(t.Context(), pairs)
	try.Do(t, err)
	try.Equal(t, "scores", []float64{0.02, 0.01, 0.02}, got)
	want := []nli.Pair{
		{Premise: "aa", Hypothesis: "This is related to c."}, {Premise: "a", Hypothesis: "This is related to c."}, {Premise: "aa", Hypothesis: "This is related to d."},
	}
	try.Equal(t, "pairs", want, asked)
	batches = 0
	many := make([]semxpath.Pair, 1200)
	for i := range many {
		many[i] = semxpath.Pair{Text: strings.Repeat("a", i), Condition: "c"}
	}
	if got, err = Entailment(door).Score(t.Context(), many); err != nil || len(got) != 1200 || batches != 3 {
		t.Errorf("%d scores in %d batches, %v", len(got), batches, err)
	}
	if got[1199] != 0.99 {
		t.Errorf("the last score is %v", got[1199])
	}
}

func loadPrompts(t *testing.T) *prompt.Set {
	t.Helper()
	return try.Get(prompt.Load("relevance", Prompts(), nil))(t)
}

func TestModel(t *testing.T) {
	var mu sync.Mutex
	var prompts []string
	g := llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		_, listed, _ := strings.Cut(r.Messages[1].Content, "Entries:\n")
		listed, _, _ = strings.Cut(listed, "\nGive each")
		var texts []string
		for line := range strings.Lines(listed) {
			if _, text, ok := strings.Cut(strings.TrimSpace(line), ". "); ok {
				texts = append(texts, text)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(r.Messages[1].Content, "Condition: long\n") {
			prompts = append(prompts, string(r.Messages[0].Role)+"\n"+r.Messages[0].Content, string(r.Messages[1].Role)+"\n"+r.Messages[1].Content, string(r.Format.Schema))
		}
		scores := make([]string, len(texts))
		for i, text := range texts {
			scores[i] = "0." + string(rune('0'+len(text)))
		}
		return llm.Reply{Text: `{"scores": [` + strings.Join(scores, ", ") + `]}`}, nil
	})
	m := try.Get(Model(g, loadPrompts(t), 2))(t)
	pairs := []semxpath.Pair{
		{Text: "a", Condition: "long"},
		{Text: "bbb", Condition: "long"},
		{Text: "a", Condition: "other"},
		{Text: "bbb", Condition: "other"},
		{Text: "cc", Condition: "other"},
	}
	got := try.Get(m.Score(t.Context(), pairs))(t)
	try.Equal(t, "scores", []float64{0.1, 0.3, 0.1, 0.3, 0.2}, got)
	golden.Check(t, "score_prompt.md", strings.Join(prompts, "\n\n---\n\n")+"\n")
}

// TestModelAsksAgain gives one score too few, and then the right number.
func TestModelAsksAgain(t *testing.T) {
	var calls atomic.Int32
	g := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		if calls.Add(1) == 1 {
			return llm.Reply{Text: `{"scores": [0.5]}`}, nil
		}
		return llm.Reply{Text: `{"scores": [0.5, 0.25]}`}, nil
	})
	m := try.Get(Model(g, loadPrompts(t), 20))(t)
	got, err := m.Score(t.Context(), []semxpath.Pair{{Text: "a", Condition: "c"}, {Text: "b", Condition: "c"}})
	if diff := cmp.Diff([]float64{0.5, 0.25}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestMessages prints the faults of all scorers.
func TestMessages(t *testing.T) {
	var b strings.Builder
	say := func(title string, err error) {
		if err == nil {
			t.Errorf("%s: no error", title)
			return
		}
		b.WriteString("# " + title + "\n" + err.Error() + "\n\n")
	}
	pair := []semxpath.Pair{{Text: "POI: Park", Condition: "outdoors"}, {Text: "POI: Museum", Condition: "outdoors"}}
	score := func(s semxpath.Scorer) error {
		_, err := s.Score(t.Context(), pair)
		return err
	}
	gives := func(scores ...float64) nli.Scorer {
		return scorerFunc(func([]nli.Pair) ([]float64, error) { return scores, nil })
	}
	say("too few scores", score(Entailment(gives(1))))
	say("entailment fails", score(Entailment(scorerFunc(func([]nli.Pair) ([]float64, error) { return nil, errors.New("no server") }))))

	embeds := func(vectors ...[]float32) semxpath.Scorer {
		s, err := NewSimilarity(t.Context(), &plane{reply: func(r embed.Request) (embed.Reply, error) {
			return embed.Reply{Vectors: vectors[:min(len(vectors), len(r.Texts))]}, nil
		}}, nil)
		try.Do(t, err)
		return s
	}
	say("too few vectors", score(embeds([]float32{1, 0})))
	say("short vector", score(embeds([]float32{1, 0}, []float32{1})))

	replies := func(text string) semxpath.Scorer {
		m := try.Get(Model(llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{Text: text}, nil }), loadPrompts(t), 20))(t)
		return m
	}
	_, err := Model(nil, loadPrompts(t), 20)
	say("no model", err)
	say("prose", score(replies("Both fit very well.")))
	say("too many scores", score(replies(`{"scores": [1, 1, 1]}`)))
	say("score of a model above 1", score(replies(`{"scores": [1, 7]}`)))

	golden.Check(t, "messages.md", b.String())
}

// TestConcurrent has scorers that keep something asked from several goroutines.
func TestConcurrent(t *testing.T) {
	s := try.Get(NewSimilarity(t.Context(), &plane{}, nil))(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			text := strings.Repeat("x", i%3)
			got, err := s.Score(t.Context(), []semxpath.Pair{{Text: text, Condition: "x"}, {Text: "y", Condition: "x"}})
			if err != nil || got[1] != 0 {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	group.Wait()
}
