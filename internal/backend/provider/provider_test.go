package provider

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/openai"
	"recallbench/internal/backend/price"
	"recallbench/internal/backend/standin"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// spec is the backend as the suite of backends lists it.
var spec = New(Fallback{Spec: standin.Spec})

// surroundings returns what a backend opens with: a store in a folder of the
// test, in a mode.
func surroundings(t *testing.T, dir string, mode calls.Mode) backend.Env {
	t.Helper()
	env := backend.Env{
		Seed: 7, Base: t.TempDir(), Log: slog.New(slog.DiscardHandler), Getenv: func(string) string { return "" },
		Calls: calls.NewRecorder(nil, calls.Off), Limits: limit.NewRegistry(), Budget: budget.New(0, 0), Prices: price.Builtin(),
	}
	if mode != calls.Off {
		store := try.Get(calls.Open(dir, env.Log))(t)
		t.Cleanup(func() { store.Close() })
		env.Calls = calls.NewRecorder(store, mode)
	}
	return env
}

// options returns an entry with all doors at a test server.
func options(s *modelserver.Server) Options {
	o := Defaults()
	o.Chat.BaseURL, o.Chat.Model, o.Chat.Provider = s.URL, "gpt-4.1-mini", "test"
	o.Embed.Use, o.Embed.BaseURL, o.Embed.Model, o.Embed.Provider = "openai", s.URL, "text-embedding-3-small", "test"
	o.NLI.Use, o.NLI.BaseURL, o.NLI.Provider = "tei", s.Root, "test"
	o.Embed.BatchTexts = 2
	return o
}

func doors(t *testing.T, env backend.Env, o Options) backend.Doors {
	t.Helper()
	d := try.Get(spec.Open(t.Context(), env, o))(t)
	t.Cleanup(func() { d.Close() })
	return d
}

func ask(seed *int64, text string) llm.Request {
	return llm.Request{
		Role: "reader", Messages: []llm.Message{{Role: llm.User, Content: text}},
		Params: llm.Params{Temperature: new(0.0), MaxTokens: 64, Seed: seed},
	}
}

// Every door calls its server, records, and replays without it.
func TestDoors(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir, o := t.TempDir(), options(s)
	texts := []string{"melons at the market", "a red lamp", "melons at the market", "the new router", "a train"}
	pairs := []nli.Pair{{Premise: "a", Hypothesis: "b"}, {Premise: "c", Hypothesis: "d"}, {Premise: "e", Hypothesis: "f"}}
	type result struct {
		reply   llm.Reply
		vectors [][]float32
		tokens  int
		scores  []float64
	}
	use := func(mode calls.Mode) (result, error) {
		d := doors(t, surroundings(t, dir, mode), o)
		var r result
		var faults []error
		var err error
		r.reply, err = d.LLM.Generate(t.Context(), ask(nil, "who was it"))
		faults = append(faults, err)
		e := try.Get(d.Embed.Fit(t.Context(), texts))(t)
		reply, err := e.Embed(t.Context(), embed.Request{Kind: embed.Document, Texts: texts})
		r.vectors, r.tokens = reply.Vectors, reply.Tokens
		faults = append(faults, err)
		r.scores, err = d.NLI.Entail(t.Context(), pairs)
		return r, errors.Join(append(faults, err)...)
	}
	first := try.Get(use(calls.Reuse))(t)
	if want := modelserver.Answer("who was it"); first.reply.Text != want || first.reply.Reused || first.reply.Attempts != 1 {
		t.Errorf("reply %+v, want the text %q", first.reply, want)
	}
	if len(first.vectors) != len(texts) || !slices.Equal(first.vectors[0], first.vectors[2]) || slices.Equal(first.vectors[0], first.vectors[1]) {
		t.Errorf("%d vectors, or not those of their texts", len(first.vectors))
	}
	answered := s.Stats().Answered
	// A chat, four texts in batches of two, of which the second lacks the one
	// that is known by then, and the pairs.
	if want := 1 + 3 + 1; answered != want {
		t.Errorf("%d requests were answered, want %d", answered, want)
	}
	s.Close()
	again := try.Get(use(calls.Replay))(t)
	if !again.reply.Reused || again.reply.Call == "" {
		t.Errorf("replayed %+v", again.reply)
	}
	again.reply.Reused = false
	if first.reply.Took == 0 || again.reply.Took != 0 {
		t.Errorf("took %s and %s", first.reply.Took, again.reply.Took)
	}
	if diff := cmp.Diff(first, again, cmp.AllowUnexported(result{}), cmpopts.IgnoreFields(llm.Reply{}, "Took")); diff != "" {
		t.Errorf("(-recorded +replayed):\n%s", diff)
	}
}

// What goes into a call's key: what replies depend on, and nothing of
// transport.
func TestKeys(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := t.TempDir()
	o := options(s)
	d := doors(t, surroundings(t, dir, calls.Record), o)
	try.Get(d.LLM.Generate(t.Context(), ask(nil, "who")))(t)
	for _, tt := range []struct {
		name   string
		change func(*Options)
		hit    bool
	}{
		{"nothing", func(*Options) {}, true},
		{"limits", func(o *Options) { o.Chat.Limits.Attempt, o.Chat.Limits.Max, o.Chat.Limits.Retries = 1e9, 3, 0 }, true},
		{"address under the provider's name", func(o *Options) { o.Chat.BaseURL = "http://elsewhere.example/v1" }, true},
		{"key", func(o *Options) { o.Chat.Key.Env = "OTHER_KEY" }, true},
		{"price", func(o *Options) { o.Chat.Price = &price.Listing{Input: new(1.0), Output: new(2.0)} }, true},
		{"name of the bound", func(o *Options) { o.Chat.MaxTokensField = "max_completion_tokens" }, false},
		{"model", func(o *Options) { o.Chat.Model = "gpt-4.1" }, false},
		{"provider", func(o *Options) { o.Chat.Provider = "other" }, false},
		{"extra", func(o *Options) { o.Chat.Extra = `{"top_p":0.5}` }, false},
		{"effort", func(o *Options) { o.Chat.ReasoningEffort = "low" }, false},
		{"seed", func(o *Options) { o.Chat.SendSeed = false }, false},
		{"temperature", func(o *Options) { o.Chat.Omit = []openai.Parameter{"temperature"} }, false},
		{"reasoning tokens", func(o *Options) { o.Chat.ReasoningTokens = 100 }, false},
	} {
		changed := o
		tt.change(&changed)
		_, err := doors(t, surroundings(t, dir, calls.Replay), changed).LLM.Generate(t.Context(), ask(nil, "who"))
		if hit := err == nil; hit != tt.hit || err != nil && fault.KindOf(err) != fault.Miss {
			t.Errorf("another %s: hit %v, want %v: %v", tt.name, hit, tt.hit, err)
		}
	}
}

// A request's own seed goes before the run's.
func TestSeed(t *testing.T) {
	var got llm.Request
	p := prepared{
		Generator: llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
			got = r
			return llm.Reply{}, nil
		}),
		effective: func(r llm.Request) llm.Request { return r }, seed: new(int64(7)), extraTokens: 100,
	}
	for _, tt := range []struct {
		own  *int64
		want int64
	}{{nil, 7}, {new(int64(3)), 3}} {
		if _, err := p.Generate(t.Context(), ask(tt.own, "x")); err != nil || *got.Params.Seed != tt.want || got.Params.MaxTokens != 164 {
			t.Errorf("seed %d, %d tokens; want %d and 164", *got.Params.Seed, got.Params.MaxTokens, tt.want)
		}
	}
}

func TestKey(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		try.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("good", "sk-file\n")
	write("empty", " \n")
	write("two", "sk-secret1 sk-secret2")
	write("large", strings.Repeat("sk-secret", 5000))
	env := backend.Env{Base: dir, Getenv: func(name string) string { return map[string]string{"GOOD": "sk-env\n", "BAD": "sk-secret\x00"}[name] }}
	for _, tt := range []struct {
		key         backend.Key
		want, fault string
	}{
		{backend.Key{}, "", ""},
		{backend.Key{Env: "GOOD"}, "sk-env", ""},
		{backend.Key{File: "good"}, "sk-file", ""},
		{backend.Key{Env: "UNSET"}, "", "key.env: the environment variable UNSET is not set; set it to the key"},
		{backend.Key{Env: "BAD"}, "", "key.env: the value of BAD contains white space or characters that no key has"},
		{backend.Key{File: "empty"}, "", "key.file: empty is empty; want only the key"},
		{backend.Key{File: "two"}, "", "key.file: two contains white space or characters that no key has"},
		{backend.Key{File: "large"}, "", "key.file: large is not a file with only a key"},
		{backend.Key{File: "."}, "", "key.file: . is not a file with only a key"},
	} {
		got, err := tt.key.Read(env)
		if tt.fault == "" {
			if err != nil || got != tt.want {
				t.Errorf("%+v: %q, %v; want %q", tt.key, got, err, tt.want)
			}
			continue
		}
		if err == nil || err.Error() != tt.fault || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: error %v, want %q", tt.key, err, tt.fault)
		}
	}
}

func TestOpenFaults(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	alone := func(change func(*Options)) func(*Options) { // the stand-in
		return func(o *Options) {
			*o = Defaults()
			o.Chat.Use, o.Embed.Use = standIn, standIn
			change(o)
		}
	}
	for _, tt := range []struct {
		change func(*Options)
		env    func(*backend.Env)
		want   []string
	}{
		{func(o *Options) { *o = Defaults() }, nil, []string{"chat.base_url is empty", "chat.model is empty"}},
		{func(o *Options) { o.Chat.BaseURL = "ftp://x" }, nil, []string{`chat.base_url is not an http or https address, want one such as`}},
		{func(o *Options) { o.Chat.BaseURL = "https://user:pass@host/v1" }, nil, []string{"chat.base_url contains a user"}},
		{func(o *Options) { o.Tokenizer = "none.json" }, nil, []string{"tokenizer: "}},
		{
			func(o *Options) { o.Chat.Key.Env, o.Embed.Key.Env, o.NLI.Key.Env = "A", "B", "C" }, nil,
			[]string{"chat: key.env: the environment variable A", "embed: key.env: the environment variable B", "nli: key.env: the environment variable C"},
		},
		{func(o *Options) { o.Embed.Use, o.Embed.Dir = "onnx", "no-model" }, nil, []string{"embed: ", "no-model"}},
		{
			func(o *Options) { o.Chat.Model = "m" }, func(e *backend.Env) { e.BudgetUSD = true },
			[]string{"chat: a budget in dollars needs the price of m, which is unknown"},
		},
		{alone(func(o *Options) { o.Chat.Model = "m" }), nil, []string{"chat has options of a server, and chat.use is stand-in, which asks none; leave one of them out"}},
		{alone(func(o *Options) { o.Roles = Roles{probe: Defaults().Chat} }), nil, []string{"roles has models for some calls, "}},
		{alone(func(o *Options) { o.Embed.Use, o.Embed.BaseURL, o.Embed.Model = "openai", "http://h/v1", "m" }), nil, []string{"embed.use is openai, "}},
		{alone(func(o *Options) { o.Annotate.LLM = []annotators.ChatLayer{"discourse"} }), nil, []string{"annotate.llm names layers, "}},
		{func(o *Options) { o.Roles = Roles{probe: Chat{Use: standIn}} }, nil, []string{"roles.probe.use is stand-in, and only that of chat can be"}},
	} {
		o, env := options(s), surroundings(t, "", calls.Off)
		tt.change(&o)
		if tt.env != nil {
			tt.env(&env)
		}
		_, err := spec.Open(t.Context(), env, o)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want it to say %q", err, want)
			}
		}
		if err != nil && strings.Contains(err.Error(), "pass@") {
			t.Errorf("the error holds a password: %v", err)
		}
	}
}

// An estimate calls nothing, and uses what is recorded.
func TestEstimate(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir, o := t.TempDir(), options(s)
	try.Get(doors(t, surroundings(t, dir, calls.Record), o).LLM.Generate(t.Context(), ask(nil, "known")))(t)
	before := s.Stats().Arrived
	env := surroundings(t, dir, calls.Replay)
	env.Estimate = true
	d := doors(t, env, o)
	for text, known := range map[string]bool{"known": true, "not known": false} {
		reply, err := d.LLM.Generate(t.Context(), ask(nil, text))
		if err != nil || reply.Reused != known || !known && reply.Usage.Calls != 0 {
			t.Errorf("%s: %+v, %v", text, reply, err)
		}
	}
	e := try.Get(d.Embed.Fit(t.Context(), []string{"a cat", "a dog"}))(t)
	if r, err := e.Embed(t.Context(), embed.Request{Kind: embed.Query, Texts: []string{"cat"}}); err != nil || len(r.Vectors) != 1 {
		t.Errorf("embedded %+v, %v", r, err)
	}
	if scores, err := d.NLI.Entail(t.Context(), make([]nli.Pair, 3)); err != nil || len(scores) != 3 {
		t.Errorf("scores %v, %v", scores, err)
	}
	if got := s.Stats().Arrived; got != before {
		t.Errorf("%d requests reached the server", got-before)
	}
}

// One account has one limit, whatever door it is used through.
func TestOneAccount(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	o := options(s)
	o.Chat.Limits.Max = 3
	env := surroundings(t, "", calls.Off)
	doors(t, env, o)
	o.Embed.Limits.Max = 5
	if _, err := spec.Open(t.Context(), env, o); err == nil || !strings.Contains(err.Error(), "embed: account") {
		t.Errorf("two limits for one account: %v", err)
	}
}

// Texts are sent together as far as their number and their tokens allow, each behind the
// prefix of its kind.
func TestBatches(t *testing.T) {
	third := func(s string) int { return batchTokens / 3 * len(strings.Fields(s)) }
	one := func(string) int { return 1 }
	for _, tt := range []struct {
		options Embed
		count   func(string) int
		texts   string // cut at commas
		want    string
	}{
		{Embed{BatchTexts: 100}, one, "a,b,c", "a,b,c"},
		{Embed{BatchTexts: 2, QueryPrefix: "q "}, one, "a,b,c", "a,b|c"},
		{Embed{BatchTexts: 2}, one, "a,b,c,d", "a,b|c,d"},
		{Embed{BatchTexts: 100}, third, "a a,b,c c,d,e", "a a,b|c c,d|e"},
		{Embed{BatchTexts: 100}, third, "a,b b b b b,c", "a|b b b b b|c"},
		{Embed{BatchTexts: 100, DocumentPrefix: "p "}, third, "a,b,c", "p a|p b|p c"},
	} {
		var sent []string
		p := pretrained{prefixed{lister{sent: &sent}, tt.options}, tt.options, tt.count}
		texts := strings.Split(tt.texts, ",")
		reply, err := p.Embed(t.Context(), embed.Request{Kind: embed.Document, Texts: texts})
		if got := strings.Join(sent, "|"); err != nil || got != tt.want || len(reply.Vectors) != len(texts) {
			t.Errorf("%q: sent %q, want %q; %d vectors, %v", tt.texts, got, tt.want, len(reply.Vectors), err)
		}
	}
}

// A lister lists what it is asked to embed.
type lister struct {
	embed.Embedder
	sent *[]string
}

func (l lister) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	*l.sent = append(*l.sent, strings.Join(r.Texts, ","))
	return embed.Reply{Vectors: make([][]float32, len(r.Texts))}, nil
}
