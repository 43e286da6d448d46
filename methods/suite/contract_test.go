package suite_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/sample"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/external"
	"recallbench/methods/flatrag"
	"recallbench/methods/incontext"
	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/lightmem"
	"recallbench/methods/methodtest"
	"recallbench/methods/semanticanchoring"
	"recallbench/methods/semanticxpath"
	"recallbench/methods/suite"
	"recallbench/methods/xmemory"
)

// others are the options with which a method is tested beside its defaults: those of a
// method for trees under "of trees" behind its name.
var others = map[string]func() map[string]any{
	"in-context": func() map[string]any {
		o := incontext.Spec.Options.(incontext.Options)
		o.ContextLimit = 450
		return map[string]any{"cut": o}
	},
	"recent": func() map[string]any {
		o := incontext.RecentSpec.Options.(incontext.RecentOptions)
		o.Tokens = 40
		return map[string]any{"few tokens": o}
	},
	"flat-rag": func() map[string]any {
		turns, fused, small, pruned := flatrag.Defaults(), flatrag.Defaults(), flatrag.Defaults(), flatrag.Defaults()
		turns.Ranking, turns.K, turns.Chunk = flatrag.BM25, 2, flatrag.Chunk{Unit: flatrag.Turns, Size: 1}
		fused.Ranking, fused.K, fused.Chunk = flatrag.RRF, 3, flatrag.Chunk{Unit: flatrag.Turns, Size: 2}
		small.Chunk.Size = 7
		pruned.Prune.Use, pruned.Prune.ForceTokens = pruning.IDF, []string{"."}
		return map[string]any{"bm25": turns, "rrf": fused, "small tokens": small, "pruned": pruned}
	},
	"flat-rag of trees": func() map[string]any {
		fused := flatrag.Defaults()
		fused.Ranking, fused.Tree.K = flatrag.RRF, 3
		return map[string]any{"rrf": fused}
	},
	"xmemory": func() map[string]any {
		paper, plain := xmemory.Defaults(), xmemory.Defaults()
		paper.Profile = xmemory.Paper
		plain.Search.Representatives, plain.Search.Uncertainty = false, false
		return map[string]any{"paper": paper, "memory only": plain}
	},
	"lightmem": func() map[string]any {
		whole := lightmem.Defaults()
		whole.Prune.Use = pruning.None
		return map[string]any{"unshortened": whole}
	},
	"semantic-anchoring": func() map[string]any {
		o := semanticanchoring.Defaults()
		o.EntityWeight, o.Dense.Index = semanticanchoring.Inverse, semanticanchoring.HNSW
		o.Layers, o.Weights.Dependencies = linguistic.Layers{Dependencies: true}, 0.2
		return map[string]any{"dependencies": o}
	},
	"semantic-xpath of trees": func() map[string]any {
		sem, model := semanticxpath.Defaults(), semanticxpath.Defaults()
		sem.Scorer.Kind, model.Scorer.Kind = semanticxpath.Sem, semanticxpath.Model
		return map[string]any{"sem": sem, "llm": model}
	},
}

// A subject is a method with options.
type subject struct {
	*methods.Spec
	options any
}

// each runs a test for each method that ingests something, with its defaults and with the
// options of others.
func each(t *testing.T, ingests methods.Ingests, test func(*testing.T, subject)) {
	t.Helper()
	for _, spec := range suite.All() {
		if spec.Ingests != ingests && spec.Ingests != methods.Anything {
			continue
		}
		cases := map[string]any{"defaults": spec.Options}
		if spec == external.Spec {
			cases["defaults"] = served(t)
		}
		name := spec.Name
		if ingests == methods.Trees {
			name += " of trees"
		}
		if more := others[name]; more != nil {
			maps.Copy(cases, more())
		}
		for name, o := range cases {
			t.Run(spec.Name+"/"+name, func(t *testing.T) {
				if v, ok := o.(interface{ Validate() error }); ok {
					try.Do(t, v.Validate())
				}
				test(t, subject{spec, o})
			})
		}
	}
}

// asAdapter is the variable that makes the test binary a memory outside the program.
const asAdapter = "RECALLBENCH_TEST_ADAPTER"

func TestMain(m *testing.M) {
	if os.Getenv(asAdapter) != "" {
		serve()
		return
	}
	os.Exit(m.Run())
}

// serve is a memory that finds turns by their words.
func serve() {
	turns := make(map[string][]wire.Turn)
	answer := func(method string, p wire.SearchParams, s wire.Session) any {
		switch method {
		case wire.Initialize:
			return wire.InitializeResult{Protocol: wire.Protocol, Name: "words", Version: "1", Capabilities: wire.Capabilities{Search: true, Sources: "exact"}}
		case wire.Open:
			delete(turns, p.Memory)
		case wire.Add:
			turns[p.Memory] = append(turns[p.Memory], s.Turns...)
		case wire.Search:
			blocks := []wire.Block{}
			for _, turn := range turns[p.Memory] {
				shared := 0
				for w := range strings.FieldsSeq(turn.Text) {
					shared += strings.Count(p.Request.Text, w)
				}
				if shared > 0 {
					blocks = append(blocks, wire.Block{Text: turn.Text, Score: float64(shared), Sources: []string{turn.ID}})
				}
			}
			slices.SortStableFunc(blocks, func(a, b wire.Block) int { return int(b.Score - a.Score) })
			return wire.SearchResult{Blocks: blocks[:min(p.K, len(blocks))]}
		}
		return struct{}{}
	}
	for in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout); ; {
		var call struct {
			ID     json.RawMessage
			Method string
			Params struct {
				wire.SearchParams
				Session wire.Session
			}
		}
		if in.Decode(&call) != nil {
			return
		}
		if len(call.ID) > 0 {
			_ = out.Encode(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": answer(call.Method, call.Params.SearchParams, call.Params.Session)})
		}
	}
}

// served returns options for the memory of [serve].
func served(t *testing.T) external.Options {
	t.Helper()
	o := external.Defaults()
	o.Command, o.Set = []string{try.Get(os.Executable())(t)}, map[string]string{asAdapter: "1"}
	o.K, o.Canary.Within = 5, 50*time.Millisecond
	return o
}

// build builds a memory, which is closed at the end of the test.
func build(t *testing.T, m methods.Method, s datasets.Sample) methods.Memory {
	t.Helper()
	memory := try.Get(m.Build(t.Context(), s))(t)
	t.Cleanup(func() { try.Do(t, methods.Close(memory)) })
	return memory
}

// TestSpecs checks that each method says what it is, and of the versions that default
// options follow, that its prompts parse, and that it is refused without doors to models,
// not made to fail later.
func TestSpecs(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	switches := make(map[string]string)
	for _, s := range suite.All() {
		if s.Name == "" || s.Doc == "" || s.Source == "" || s.New == nil {
			t.Errorf("method %q lacks its name, doc, source or constructor", s.Name)
		}
		if s.Switches != nil {
			switches[s.Name] = s.Switches(s.Options)
		}
		prompts := try.Get(prompt.Load(s.Name, s.Prompts, nil))(t)
		if s.Prompts != nil && len(s.Prompts) == 0 {
			t.Errorf("the prompts of %s hold no template", s.Name)
		}
		if _, err := s.New(methods.Env{Tokens: tokens, Prompts: prompts, Now: time.Now}, s.Options); err == nil {
			t.Errorf("%s is made without a single door to a model", s.Name)
		}
	}
	try.Equal(t, "switches", map[string]string{"lightmem": "prune idf"}, switches)
}

// TestConversations checks that a memory answers the same alone and under concurrent
// requests, that two memories of one conversation answer the same, that evidence names
// turns and reaches the reader, that models are called through the doors, so that usage is
// metered, and that the conversation is left as it was.
func TestConversations(t *testing.T) {
	each(t, methods.Conversations, func(t *testing.T, s subject) {
		t.Helper()
		var asked syncedText
		method := methodtest.Method(t, s.Spec, s.options, asked.spy)
		talk, untouched := methodtest.Sample(), methodtest.Sample()
		memory := build(t, method, talk)
		turns := make(map[string]bool)
		for _, session := range talk.Sessions {
			for _, turn := range session.Turns {
				turns[turn.ID] = true
			}
		}
		var want []methods.Response
		for _, r := range talk.Requests {
			ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
			asked.take()
			resp := try.Get(memory.Answer(ctx, r))(t)
			want = append(want, resp)
			checkEvidence(t, resp, func(source string) bool { return turns[source] }, asked.take())
			if len(m.Seen().Usage) == 0 {
				t.Errorf("answer %q: no usage was metered; are models called past the doors?", r.Text)
			}
		}
		checkShown(t, memory, want)
		again := build(t, methodtest.Method(t, s.Spec, s.options, methodtest.Plain), methodtest.Sample())
		sameAnswers(t, want, talk.Requests, memory, again)
		try.Equal(t, "the conversation", untouched, talk)
	})
}

// A syncedText collects what the reader was asked.
type syncedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *syncedText) spy(g llm.Generator) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if r.Role == "reader" {
			s.mu.Lock()
			for _, m := range r.Messages {
				s.text.WriteString(m.Content)
			}
			s.mu.Unlock()
		}
		return g.Generate(ctx, r)
	})
}

// take returns what was collected since it was called last.
func (s *syncedText) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

// checkEvidence checks that blocks have distinct ids and known sources, and that the
// reader, if it was asked, got their text.
func checkEvidence(t *testing.T, r methods.Response, known func(source string) bool, prompt string) {
	t.Helper()
	ids := make(map[string]bool)
	for _, e := range r.Evidence {
		if e.ID == "" || ids[e.ID] {
			t.Errorf("evidence id %q is empty or doubled", e.ID)
		}
		ids[e.ID] = true
		if prompt != "" && !strings.Contains(prompt, e.Text) {
			t.Errorf("evidence %s is not in the reader's prompt: %q", e.ID, e.Text)
		}
		for _, source := range e.Sources {
			if !known(source) {
				t.Errorf("evidence %s names the source %q, which there is none of", e.ID, source)
			}
		}
	}
}

// checkShown checks what a memory shows: links lead to nodes, and evidence is among
// them, itself or by its turns.
func checkShown(t *testing.T, memory methods.Memory, responses []methods.Response) {
	t.Helper()
	m, ok := memory.(methods.Shown)
	if !ok {
		return
	}
	holds := m.Show()
	nodes := make(map[string]bool)
	for _, n := range holds.Nodes {
		if nodes[n.ID] {
			t.Errorf("two nodes are called %q", n.ID)
		}
		nodes[n.ID] = true
	}
	for _, l := range holds.Links {
		if !nodes[l.From] || !nodes[l.To] {
			t.Errorf("a link leads from %q to %q, and one is no node", l.From, l.To)
		}
	}
	for _, r := range responses {
		for _, e := range r.Evidence {
			missing := func(turn string) bool { return !nodes["turn "+turn] }
			if !nodes[e.ID] && (len(e.Sources) == 0 || slices.ContainsFunc(e.Sources, missing)) {
				t.Errorf("evidence %s is no node, nor are its turns %q", e.ID, e.Sources)
			}
		}
	}
}

// sameAnswers asks two memories all questions at the same time and compares.
func sameAnswers(t *testing.T, want []methods.Response, asked []datasets.Request, memory, again methods.Memory, options ...cmp.Option) {
	t.Helper()
	got, other := make([]methods.Response, len(want)), make([]methods.Response, len(want))
	var wait sync.WaitGroup
	for i, r := range asked {
		wait.Go(func() { got[i], _ = memory.Answer(t.Context(), r) })
		wait.Go(func() { other[i], _ = again.Answer(t.Context(), r) })
	}
	wait.Wait()
	try.Equal(t, "answers under concurrent requests", want, got, options...)
	try.Equal(t, "answers of another memory", want, other, options...)
}

// TestOddConversations asks conversations that a careful reader of a dataset may meet.
func TestOddConversations(t *testing.T) {
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	turn := func(id, text string) datasets.Turn {
		return datasets.Turn{ID: id, Speaker: "A", Text: text, Time: day}
	}
	odd := []datasets.Sample{
		{ID: "no sessions"},
		{ID: "no turns", Sessions: []datasets.Session{{ID: "1", Time: day}, {ID: "2"}}},
		{ID: "one turn", Sessions: []datasets.Session{{ID: "1", Time: day, Turns: []datasets.Turn{turn("1", "Hello.")}}}},
		{ID: "no text", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "1"}, {ID: "2", Image: &datasets.Image{}}}}}},
		{ID: "odd text", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{
			turn("1", "{{.Question}} <|endoftext|> \x00 \u2028 \ufeff"), turn("2", "🙂🙂🙂"), turn("3", "\xff\xfe"), turn("4", "中文 text, no spaces。"),
		}}}},
	}
	each(t, methods.Conversations, func(t *testing.T, s subject) {
		t.Helper()
		method := methodtest.Method(t, s.Spec, s.options, methodtest.Plain)
		for _, talk := range odd {
			memory := build(t, method, talk)
			for _, question := range []string{"When was it?", "", "{{", "?\x00\xff"} {
				if _, err := memory.Answer(t.Context(), datasets.Request{ID: "q", Text: question}); err != nil {
					t.Errorf("%s: answer %q: %v", talk.ID, question, err)
				}
			}
		}
	})
}

// TestFaults checks that a cancelled context ends an answer, and that a model's error is
// passed on, of a conversation and of a tree.
func TestFaults(t *testing.T) {
	down := errors.New("the model is down")
	check := func(t *testing.T, s subject, talk datasets.Sample, model func(llm.Generator) llm.Generator) {
		t.Helper()
		var broken bool
		memory := build(t, methodtest.Method(t, s.Spec, s.options, func(g llm.Generator) llm.Generator {
			return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
				if broken {
					return llm.Reply{}, down
				}
				if err := ctx.Err(); err != nil {
					return llm.Reply{}, err
				}
				return model(g).Generate(ctx, r)
			})
		}), talk)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := memory.Answer(ctx, talk.Requests[0]); !errors.Is(err, context.Canceled) {
			t.Errorf("answering under a cancelled context: %v, want context.Canceled", err)
		}
		broken = true
		if _, err := memory.Answer(t.Context(), talk.Requests[0]); !errors.Is(err, down) {
			t.Errorf("answering while the model fails: %v, want the model's error", err)
		}
	}
	each(t, methods.Conversations, func(t *testing.T, s subject) {
		t.Helper()
		check(t, s, methodtest.Sample(), methodtest.Plain)
	})
	each(t, methods.Trees, func(t *testing.T, s subject) {
		t.Helper()
		check(t, s, cellar(), methodtest.TreeModel)
	})
}

// someTurns are enough of a conversation for all kinds of parts of a building.
func someTurns(t *testing.T) datasets.Sample {
	t.Helper()
	set := try.Get(sample.Spec.Open(t.Context(), datasets.Env{}, sample.Spec.Options))(t)
	talk := try.Get(set.Load(t.Context(), 0))(t)
	talk.Sessions, talk.Requests = talk.Sessions[:2], talk.Requests[:3]
	for i := range talk.Sessions {
		talk.Sessions[i].Turns = talk.Sessions[i].Turns[:10]
	}
	return talk
}

// eachKept runs a test for each method whose building is kept part by part.
func eachKept(t *testing.T, test func(*testing.T, subject, *methods.Kept)) {
	t.Helper()
	each(t, methods.Conversations, func(t *testing.T, s subject) {
		t.Helper()
		if s.Kept != nil && s.Spec != external.Spec && cmp.Equal(s.options, s.Options) {
			test(t, s, s.Kept(methods.Env{}, s.options))
		}
	})
}

// TestResumes kills the building of a memory at each part that it keeps and goes on with
// what was kept. The memory is one that was built in one go, its parts are the same bytes,
// and nothing that was kept is asked for again.
func TestResumes(t *testing.T) {
	eachKept(t, func(t *testing.T, s subject, _ *methods.Kept) {
		t.Helper()
		var calls atomic.Int64
		m := methodtest.Method(t, s.Spec, s.options, func(g llm.Generator) llm.Generator {
			return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
				calls.Add(1)
				return g.Generate(ctx, r)
			})
		})
		talk := someTurns(t)
		type outcome struct {
			Structure map[string]float64
			Answers   []methods.Response
			Parts     []json.RawMessage
		}
		whole := func(k *methodtest.Shelf) (o outcome, asked int64) {
			t.Helper()
			calls.Store(0)
			memory := try.Get(m.Build(checkpoint.With(t.Context(), k), talk))(t)
			asked = calls.Load()
			o = outcome{Structure: memory.(methods.Structured).Structure(), Parts: k.Data}
			for _, r := range talk.Requests {
				o.Answers = append(o.Answers, try.Get(memory.Answer(t.Context(), r))(t))
			}
			return o, asked
		}
		want, once := whole(new(methodtest.Shelf))
		if len(want.Parts) == 0 {
			t.Fatal("the building keeps nothing")
		}
		for n := 1; n <= len(want.Parts)+1; n++ {
			k := &methodtest.Shelf{FailAt: n}
			calls.Store(0)
			_, err := m.Build(checkpoint.With(t.Context(), k), talk)
			if n <= len(want.Parts) && !errors.Is(err, methodtest.ErrKilled) {
				t.Fatalf("killed at part %d: error %v", n, err)
			}
			k.FailAt = 0
			got, asked := whole(k)
			if n > 1 && asked >= once || n > len(want.Parts) && asked > 0 {
				t.Errorf("killed at part %d: %d calls to go on, %d in one go", n, asked, once)
			}
			if k.Used != n-1 {
				t.Errorf("killed at part %d: %d parts used", n, k.Used)
			}
			try.Equal(t, "what was killed and goes on", want, got)
		}
		broken := &methodtest.Shelf{Data: []json.RawMessage{json.RawMessage("{")}}
		if _, err := m.Build(checkpoint.With(t.Context(), broken), talk); err == nil || !strings.Contains(err.Error(), "part 1 of the kept memory") {
			t.Errorf("a part that is none: error %v", err)
		}
	})
}

// TestUnusable gives all calls of each role replies that cannot be used: a memory is built
// all the same and answers, and each stage without a reply is counted. A server that is not
// there ends the building.
func TestUnusable(t *testing.T) {
	long := strings.Repeat("word ", 30_000)
	replies := map[string]string{
		"prose": "Sure, here is what you asked for!", "broken": `{"title": "it`, "empty": "", "null": "null", "list": "[[1]]", "long": long,
		"another language": "这是另一集。", "number": `{"suggested_connections": [1e400], "data": [{"source_id": 1e30}]}`,
		"another shape": `{"new_episode": "maybe", "statements": "none", "title": 3, "keywords": 3, "themes": "none", "action": 3, "data": "none"}`,
	}
	eachKept(t, func(t *testing.T, s subject, kept *methods.Kept) {
		t.Helper()
		talk := someTurns(t)
		for _, role := range kept.Roles {
			for name, reply := range replies {
				ctx, used := meter.With(t.Context(), time.Now, meter.Limits{})
				var asked atomic.Bool
				m := methodtest.Method(t, s.Spec, s.options, func(g llm.Generator) llm.Generator {
					says := methodtest.Says(role, reply)(g)
					return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
						if r.Role == role && r.Format != nil {
							asked.Store(true)
						}
						return says.Generate(ctx, r)
					})
				})
				memory := try.Get(m.Build(ctx, talk))(t)
				if asked.Load() && used.Seen().Degraded[role] == 0 {
					t.Errorf("%s, %s: no stage is counted: %v", role, name, used.Seen().Degraded)
				}
				if _, err := memory.Answer(ctx, talk.Requests[0]); err != nil {
					t.Errorf("%s, %s: %v", role, name, err)
				}
			}
		}
		gone := errors.New("gone")
		m := methodtest.Method(t, s.Spec, s.options, func(llm.Generator) llm.Generator {
			return llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, gone })
		})
		if _, err := m.Build(t.Context(), talk); !errors.Is(err, gone) {
			t.Errorf("error %v, want the model's", err)
		}
	})
}
