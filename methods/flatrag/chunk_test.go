package flatrag

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/datasets"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/pruning"
)

// conversation has two sessions: three turns and two turns.
func conversation() datasets.Sample {
	day := time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)
	return datasets.Sample{ID: "c", Speakers: []string{"Ada", "Ben"}, Sessions: []datasets.Session{
		{ID: "1", Time: day, Turns: []datasets.Turn{
			{ID: "D1:1", Speaker: "Ada", Text: "I planted seven tomato seedlings on the balcony.", Time: day},
			{ID: "D1:2", Speaker: "Ben", Text: "Do they get enough sun? 🙂", Time: day},
			{ID: "D1:3", Speaker: "Ada", Text: "Yes,\nall morning.", Time: day, Image: &datasets.Image{Caption: "green plants", Query: "tomato seedlings"}},
		}},
		{ID: "2", Time: day.AddDate(0, 0, 7), Turns: []datasets.Turn{
			{ID: "D2:1", Speaker: "Ben", Text: "How are the tomatoes?", Time: day.AddDate(0, 0, 7)},
			{ID: "D2:2", Speaker: "Ada", Text: "Two have flowers.", Time: day.AddDate(0, 0, 7)},
		}},
	}}
}

func chunksOf(t *testing.T, c Chunk) []chunk {
	t.Helper()
	tokens := try.Get(token.New("o200k_base"))(t)
	o := Defaults()
	o.Chunk = c
	try.Do(t, o.Validate())
	return (&method{Options: o, tokens: tokens}).chunks(conversation())
}

func TestChunkSources(t *testing.T) {
	for _, tt := range []struct {
		chunk Chunk
		want  string
	}{
		{Chunk{Unit: Turns, Size: 2}, "D1:1 D1:2|D1:3 D2:1|D2:2"},
		{Chunk{Unit: Turns, Size: 3}, "D1:1 D1:2 D1:3|D2:1 D2:2"},
		{Chunk{Unit: Tokens, Size: 1000}, "D1:1 D1:2 D1:3 D2:1 D2:2"},
	} {
		var parts []string
		for _, c := range chunksOf(t, tt.chunk) {
			parts = append(parts, strings.Join(c.sources, " "))
		}
		if got := strings.Join(parts, "|"); got != tt.want {
			t.Errorf("%+v: sources %s, want %s", tt.chunk, got, tt.want)
		}
	}
}

func TestChunkText(t *testing.T) {
	got := chunksOf(t, Chunk{Unit: Turns, Size: 3})[0].text
	want := `[1 March 2024 09:00] Ada: I planted seven tomato seedlings on the balcony.
[1 March 2024 09:00] Ben: Do they get enough sun? 🙂
[1 March 2024 09:00] Ada: Yes, all morning. [image: green plants] [image search: tomato seedlings]`
	try.Equal(t, "text", want, got)
}

// TestTokenWindows checks, for every size, that the windows join to the
// transcript, that each turn is a source exactly once, and that windows have
// the size they should have.
func TestTokenWindows(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	whole := chunksOf(t, Chunk{Unit: Tokens, Size: 1000})[0].text
	squeeze := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
	for size := 1; size < 90; size++ {
		var text strings.Builder
		owners := make(map[string]int)
		chunks := chunksOf(t, Chunk{Unit: Tokens, Size: size})
		for i, c := range chunks {
			text.WriteString(c.text)
			for _, id := range c.sources {
				owners[id]++
			}
			if n := tokens.Count(c.text); i < len(chunks)-1 && n > size+4 {
				t.Errorf("size %d: %s has %d tokens", size, c.id, n)
			}
		}
		if got := squeeze(text.String()); got != squeeze(whole) {
			t.Errorf("size %d: windows join to %q", size, got)
		}
		want := map[string]int{"D1:1": 1, "D1:2": 1, "D1:3": 1, "D2:1": 1, "D2:2": 1}
		if diff := cmp.Diff(want, owners); diff != "" {
			t.Errorf("size %d: windows that own a turn (-want +got):\n%s", size, diff)
		}
	}
}

// Whatever is said and however it is cut, what is said stands in a chunk's text in order
// and without white space around it.
func TestSaid(t *testing.T) {
	tokens, err := token.New("o200k_base")
	try.Do(t, err)
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.OneOf(
			rapid.StringMatching(`[A-Za-z:\[\]. ]{0,40}`),
			rapid.StringN(0, 12, -1),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
			rapid.SampledFrom([]string{"Ana: ", "Ana", "2", "[1 May 2024 10:00] Ana: 2", "\n", "🙂🙂"}),
		)
		var s datasets.Session
		for range rapid.IntRange(0, 6).Draw(t, "turns") {
			turn := datasets.Turn{ID: "t", Speaker: rapid.SampledFrom([]string{"", "Ana", "2"}).Draw(t, "speaker"), Text: said.Draw(t, "text")}
			if rapid.Bool().Draw(t, "timed") {
				turn.Time = time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
			}
			s.Turns = append(s.Turns, turn)
		}
		o := Defaults()
		o.Chunk.Unit = rapid.SampledFrom([]Unit{Tokens, Turns}).Draw(t, "unit")
		o.Chunk.Size = rapid.IntRange(1, 12).Draw(t, "size")
		for _, c := range (&method{Options: o, tokens: tokens}).chunks(datasets.Sample{Sessions: []datasets.Session{s}}) {
			end := 0
			for _, s := range c.said {
				if s.from < end || s.to < s.from || s.to > len(c.text) {
					t.Fatalf("%s: %v of a text of %d bytes", c.id, c.said, len(c.text))
				}
				if said := c.text[s.from:s.to]; o.Chunk.Unit == Tokens && strings.TrimSpace(said) != said {
					t.Fatalf("%s: %q is said", c.id, said)
				}
				end = s.to
			}
		}
	})
}

// vowels keeps words that begin with a vowel, and counts the texts it is asked
// about.
type vowels struct{ asked *[]string }

func (v vowels) Classify(_ context.Context, texts []string) ([][]compress.Word, error) {
	*v.asked = append(*v.asked, texts...)
	all := make([][]compress.Word, len(texts))
	for i, text := range texts {
		for _, w := range compress.Words(text) {
			token := compress.Word{Start: w[0], End: w[1], Keep: 0.1}
			if strings.ContainsAny(strings.ToLower(text[w[0]:w[0]+1]), "aeiou") {
				token.Keep = 0.9
			}
			all[i] = append(all[i], token)
		}
	}
	return all, nil
}

// open builds a memory of the conversation, whose reader repeats what it is
// shown.
func open(t *testing.T, o Options, classifier compress.Classifier) (methods.Memory, *[]llm.Request) {
	t.Helper()
	prompts, err := prompt.Load(Spec.Name, Spec.Prompts, nil)
	try.Do(t, err)
	tokens, err := token.New("o200k_base")
	try.Do(t, err)
	var asked []llm.Request
	m, err := newMethod(methods.Env{
		Embed: &letters{}, Prompts: prompts, Tokens: tokens, Prune: classifier,
		LLM: llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
			asked = append(asked, r)
			return llm.Reply{Text: "x"}, nil
		}),
	}, o)
	try.Do(t, err)
	memory, err := m.Build(t.Context(), conversation())
	try.Do(t, err)
	return memory, &asked
}

// Evidence, passages and the prompt are what the reader sees: lines that lost
// words, with their times and speakers. A chunk is shortened once.
func TestPruned(t *testing.T) {
	o := Defaults()
	o.Chunk = Chunk{Unit: Turns, Size: 2}
	o.Prune.Use, o.Prune.Rate = pruning.LLMLingua2, 0.4
	var classified []string
	memory, asked := open(t, o, vowels{&classified})
	r := datasets.Request{ID: "q", Text: "What grows on the balcony?"}
	resp, err := memory.Answer(t.Context(), r)
	try.Do(t, err)
	var shown, spelled []string
	for _, e := range resp.Evidence {
		shown = append(shown, e.Text)
	}
	for block := range strings.SplitSeq((*asked)[0].Messages[1].Content, "\n\n") {
		if strings.HasPrefix(block, "[") {
			spelled = append(spelled, block)
		}
	}
	want := []string{
		// Where few words begin with a vowel the first of the others fill the rate.
		"[1 March 2024 09:00] Ada: I planted seven on\n[1 March 2024 09:00] Ben: Do enough",
		"[1 March 2024 09:00] Ada: Yes, all morning. image image\n[8 March 2024 09:00] Ben: How are",
		"[8 March 2024 09:00] Ada: Two",
	}
	try.Equal(t, "passages", want, spelled)
	prompted := (*asked)[0].Messages
	for _, text := range want {
		if !strings.Contains(prompted[len(prompted)-1].Content, text) {
			t.Errorf("the prompt lacks %q", text)
		}
		if !strings.Contains(strings.Join(shown, "|"), text) {
			t.Errorf("the evidence %q lacks %q", shown, text)
		}
	}
	if step := resp.Trace[0]; step.Name != "prune" || !strings.HasPrefix(step.Note, "llmlingua2 left ") {
		t.Errorf("trace %+v", resp.Trace)
	}
	n := len(classified)
	if _, err := memory.Answer(t.Context(), r); err != nil || len(classified) != n || n != 5 {
		t.Errorf("%d lines were classified, %d after a second question, %v; want 5", n, len(classified), err)
	}
}

// The stand-in is never called by the name of what it stands in for.
func TestIDFName(t *testing.T) {
	o := Defaults()
	o.Prune.Use = pruning.IDF
	memory, _ := open(t, o, nil)
	resp, err := memory.Answer(t.Context(), datasets.Request{ID: "q", Text: "What grows?"})
	if err != nil || !strings.HasPrefix(resp.Trace[0].Note, "idf-prune left ") {
		t.Errorf("trace %+v, %v", resp.Trace, err)
	}
}

type broken struct{}

func (broken) Classify(context.Context, []string) ([][]compress.Word, error) {
	return nil, errors.New("no classifier")
}

func TestPruneFaults(t *testing.T) {
	o := Defaults()
	o.Prune.Use = pruning.LLMLingua2
	if _, err := newMethod(methods.Env{Embed: &letters{}, Tokens: words{}}, o); err == nil {
		t.Error("a tokenizer that cannot cut is accepted")
	}
	tokens, err := token.New("o200k_base")
	try.Do(t, err)
	_, err = newMethod(methods.Env{Embed: &letters{}, Tokens: tokens}, o)
	const want = "the model entry has no token classifier"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without a classifier: %v", err)
	}
	memory, asked := open(t, o, broken{})
	if _, err := memory.Answer(t.Context(), datasets.Request{Text: "x"}); err == nil || !strings.Contains(err.Error(), "prune 1 chunks: no classifier") || len(*asked) != 0 {
		t.Errorf("a classifier that fails: %v", err)
	}
	o.Prune.Rate = 1.5
	if err := o.Prune.Validate(); err == nil || err.Error() != "rate is 1.5, want above 0 and at most 1" {
		t.Errorf("a rate above 1: %v", err)
	}
}

// words counts words and cuts nothing.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) }
