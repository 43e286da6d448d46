package incontext

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
	"recallbench/methods/methodtest"
)

// TestCut checks, for many limits, that the prompt and the longest answer fit,
// that one turn more would not, and that what is left out is the oldest and is
// in the trace.
func TestCut(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	var size int
	env := methods.Env{Tokens: tokens, Prompts: prompts, LLM: llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		size = r.Params.MaxTokens
		for _, m := range r.Messages {
			size += tokens.Count(m.Content)
		}
		return llm.Reply{Text: "x"}, nil
	})}
	sample := methodtest.Sample()
	all := 0
	for _, s := range sample.Sessions {
		all += len(s.Turns)
	}
	ask := func(limit int) (kept int, resp methods.Response, err error) {
		o := Spec.Options.(Options)
		o.ContextLimit = limit
		m := try.Get(newMethod(env, o))(t)
		memory := try.Get(m.Build(t.Context(), sample))(t)
		resp, err = memory.Answer(t.Context(), datasets.Request{ID: "q", Text: "Who has a boat?"})
		for _, e := range resp.Evidence {
			kept += len(e.Sources)
		}
		return kept, resp, err
	}
	if _, _, err := ask(100); err == nil || !strings.Contains(err.Error(), "context_limit is 100 tokens, but the question") {
		t.Errorf("a limit below the bare prompt: %v", err)
	}
	whole, _, err := ask(0)
	if err != nil || whole != all {
		t.Fatalf("without a limit %d of %d turns are kept, %v", whole, all, err)
	}
	full := size
	last := 0
	for limit := full - 300; limit <= full+1; limit++ {
		kept, resp, err := ask(limit)
		try.Do(t, err)
		if size > limit {
			t.Errorf("limit %d: prompt and answer take %d", limit, size)
		}
		if kept < last {
			t.Errorf("limit %d keeps %d turns, a smaller one %d", limit, kept, last)
		}
		last = kept
		if kept == all {
			if len(resp.Trace) != 0 {
				t.Errorf("limit %d cuts nothing, but the trace has %v", limit, resp.Trace)
			}
			continue
		}
		want := fmt.Sprintf("left out the oldest %d of %d turns to stay within %d tokens", all-kept, all, limit)
		if len(resp.Trace) == 0 || resp.Trace[0].Note != want {
			t.Errorf("limit %d: trace %v, want %q", limit, resp.Trace, want)
		}
	}
	if kept, _, _ := ask(full); kept != all {
		t.Errorf("the limit that fits exactly keeps %d of %d turns", kept, all)
	}
	if kept, _, _ := ask(full - 1); kept != all-1 {
		t.Errorf("a limit of one token less keeps %d of %d turns, want one turn fewer", kept, all)
	}
}

// TestRecent checks for many numbers of tokens that the turns shown are the last, fit,
// and that one turn more would not; a last turn that is longer is shown alone.
func TestRecent(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	sample := methodtest.Sample()
	var ids []string
	for _, s := range sample.Sessions {
		for _, turn := range s.Turns {
			ids = append(ids, turn.ID)
		}
	}
	shown := func(n int) (sources []string, text string) {
		o := recentDefaults()
		o.Tokens = n
		memory := try.Get(methodtest.Method(t, RecentSpec, o, methodtest.Plain).Build(t.Context(), sample))(t)
		resp := try.Get(memory.Answer(t.Context(), datasets.Request{ID: "q", Text: "Who has a boat?"}))(t)
		var texts []string
		for _, e := range resp.Evidence {
			sources, texts = append(sources, e.Sources...), append(texts, e.Text)
		}
		return sources, strings.Join(texts, "\n")
	}
	size := make(map[int]int) // of the last turns, by their number
	for n := 1; n < 400; n++ {
		sources, text := shown(n)
		try.Equal(t, "turns", ids[len(ids)-len(sources):], sources)
		k := len(sources)
		size[k] = tokens.Count(text)
		if k > 1 && size[k] > n {
			t.Errorf("%d tokens are shown, want at most %d", size[k], n)
		}
	}
	for n := 1; n < 400; n++ {
		sources, _ := shown(n)
		if more, ok := size[len(sources)+1]; ok && more+2 <= n {
			t.Errorf("of %d tokens %d turns are shown, and %d tokens would hold another", n, len(sources), more)
		}
	}
	if len(size) != len(ids) {
		t.Errorf("%d numbers of turns are shown, want 1 to %d", len(size), len(ids))
	}
	if err := (RecentOptions{}).Validate(); err == nil || err.Error() != "tokens is 0, want at least 1" {
		t.Errorf("no tokens: %v", err)
	}
}

// The prompt of a baseline is that of in-context.
func TestBaselinePrompt(t *testing.T) {
	sample := datasets.Sample{ID: "s", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "1", Speaker: "Ada", Text: "I have a boat.", Time: time.Date(2024, 1, 2, 3, 4, 0, 0, time.UTC)}}}}}
	var want methods.Response
	for _, spec := range []*methods.Spec{Spec, OracleSpec, RecentSpec, PlaceboSpec} {
		memory := try.Get(methodtest.Method(t, spec, spec.Options, methodtest.Plain).Build(t.Context(), sample))(t)
		got := try.Get(memory.Answer(t.Context(), datasets.Request{ID: "q", Text: "Who has a boat?"}))(t)
		if spec == Spec {
			want = got
		}
		try.Equal(t, spec.Name, want, got)
	}
}

const shelf = `<Shelf id="s"><Board id="b1"><index>1</index><Book id="k1"><name>Ulysses</name></Book><Book id="k2"><name>Emma</name></Book></Board><Board id="b2"><index>2</index></Board></Shelf>`

// A scripted model answers with one text after another.
type scripted struct {
	replies []any
	asked   []llm.Request
}

func (s *scripted) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	s.asked = append(s.asked, r)
	if len(s.replies) == 0 {
		return llm.Reply{}, errors.New("the script is at its end")
	}
	next := s.replies[0]
	s.replies = s.replies[1:]
	if text, ok := next.(string); ok {
		return llm.Reply{Text: text}, nil
	}
	text, err := json.Marshal(next)
	return llm.Reply{Text: string(text)}, err
}

func openShelf(t *testing.T, s *scripted, change func(*Options)) *whole {
	t.Helper()
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	tokens := try.Get(token.New("o200k_base"))(t)
	o := Spec.Options.(Options)
	if change != nil {
		change(&o)
	}
	m := try.Get(newMethod(methods.Env{LLM: s, Prompts: prompts, Tokens: tokens}, o))(t)
	first := try.Get(tree.ParseXML("shelf.xml", strings.NewReader(shelf), tree.XMLOptions{}))(t)
	memory := try.Get(m.Build(t.Context(), datasets.Sample{ID: "shelf", Tree: first, Dialogue: true}))(t)
	return memory.(*whole)
}

func outline(t *tree.Tree) string {
	var ids []string
	for n := range t.All() {
		ids = append(ids, n.ID)
	}
	return strings.Join(ids, " ")
}

func rewrite(op handler.Operation, version int, content string, nodes ...string) reply {
	return reply{Operation: op, Version: version, Nodes: append([]string{}, nodes...), Answer: "ok", Content: content}
}

const (
	noEmma  = `<Shelf id="s"><Board id="b1"><index>1</index><Book id="k1"><name>Ulysses</name></Book></Board><Board id="b2"><index>2</index></Board></Shelf>`
	newBook = `<Shelf id="s"><Board id="b1"><index>1</index><Book id="k1"><name>Ulysses</name></Book></Board><Board id="b2"><index>2</index><Book><name>Dune</name></Book></Board></Shelf>`
)

// TestTreeDialogue scripts a conversation: what is deleted comes back under its
// old id while what was made since stays, and prompts show all versions and what
// was said.
func TestTreeDialogue(t *testing.T) {
	s := &scripted{}
	w := openShelf(t, s, nil)
	for i, step := range []struct {
		reply   reply
		nodes   string
		outline string // empty for a read
	}{
		{rewrite(handler.Delete, 1, noEmma), "k2", "s b1 k1 b2"},
		{rewrite(handler.Create, 2, "```xml\n"+newBook+"\n```"), "b2", "s b1 k1 b2 n1"},
		{rewrite(handler.Read, 1, "", "k2", "k2"), "k2", ""},
		{
			rewrite(handler.Create, 1, strings.Replace(strings.Replace(newBook, "</Board><Board", `<Book id="k2"><name>Emma</name></Book></Board><Board`, 1), "<Book><name>Dune", `<Book id="n1"><name>Dune`, 1)),
			"k2", "s b1 k1 k2 b2 n1",
		},
	} {
		s.replies = []any{step.reply}
		got := try.Get(w.Answer(t.Context(), datasets.Request{ID: "q", Text: fmt.Sprintf("request %d", i)}))(t)
		if nodes := strings.Join(got.Nodes, " "); nodes != step.nodes {
			t.Errorf("request %d: nodes %s, want %s", i, nodes, step.nodes)
		}
		switch {
		case step.outline == "" && got.Tree != nil:
			t.Errorf("request %d: a read made a version", i)
		case step.outline != "" && outline(got.Tree.Tree) != step.outline:
			t.Errorf("request %d: %s, want %s", i, outline(got.Tree.Tree), step.outline)
		}
	}
	if n := len(w.state.Versions()); n != 4 {
		t.Errorf("%d versions, want 4", n)
	}
	last := s.asked[len(s.asked)-1]
	for _, want := range []string{"<!-- version 1 -->", `version 3, made from version 2 by "request 1"`, "User: request 2\nYou: ok"} {
		if !strings.Contains(last.Messages[1].Content, want) {
			t.Errorf("the last prompt lacks %q", want)
		}
	}
	if prompt := last.Messages[1].Content; strings.Count(prompt, "\nUser: ") != 3 || strings.Count(prompt, "<!-- version ") != 3 {
		t.Errorf("the last prompt has not 3 exchanges and 3 versions:\n%s", prompt)
	}
}

// TestTreeRefused scripts replies that cannot be used: each is asked for once
// more and then an error, and the memory stays as it was.
func TestTreeRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		reply any
		want  string
	}{
		"prose":        {"I took Emma out.", "no JSON object"},
		"malformed":    {rewrite(handler.Delete, 1, "<Shelf><Board>"), "content"},
		"unknown type": {rewrite(handler.Create, 1, `<Shelf id="s"><Lamp/></Shelf>`), "Lamp"},
		"another root": {rewrite(handler.Delete, 1, `<Board id="b1"><index>1</index></Board>`), "root"},
		"no content":   {rewrite(handler.Delete, 1, ""), "content is empty"},
		"no version":   {rewrite(handler.Read, 2, ""), "there is no version 2"},
		"no node":      {rewrite(handler.Read, 1, "", "k9"), `no version has a node "k9"`},
		"entities":     {rewrite(handler.Update, 1, `<!DOCTYPE x [<!ENTITY a "b">]><Shelf id="s">&a;</Shelf>`), "content"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{replies: []any{tt.reply, tt.reply}}
			w := openShelf(t, s, nil)
			got, err := w.Answer(t.Context(), datasets.Request{ID: "q", Text: "x"})
			if fault.KindOf(err) != fault.Schema || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if len(w.state.Versions()) != 1 || got.Tree != nil || len(w.said) != 0 || len(s.asked) != 2 {
				t.Errorf("the memory has changed, or it was not asked twice but %d times", len(s.asked))
			}
		})
	}
}

// TestTreeUnchanged checks that a memory written as it is makes no version.
func TestTreeUnchanged(t *testing.T) {
	s := &scripted{replies: []any{rewrite(handler.Update, 1, shelf, "k1")}}
	w := openShelf(t, s, nil)
	got, err := w.Answer(t.Context(), datasets.Request{ID: "q", Text: "x"})
	if err != nil || got.Tree != nil || len(w.state.Versions()) != 1 || !slices.Equal(got.Nodes, []string{"k1"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTreeLimit checks that the oldest versions make room.
func TestTreeLimit(t *testing.T) {
	s := &scripted{replies: []any{rewrite(handler.Delete, 1, noEmma)}}
	w := openShelf(t, s, func(o *Options) { o.ContextLimit = 900 })
	try.Get(w.Answer(t.Context(), datasets.Request{ID: "q", Text: "Emma goes."}))(t)
	size := 0
	for _, m := range s.asked[0].Messages {
		size += w.tokens.Count(m.Content)
	}
	w.ContextLimit = size + 60 // room for what was said and not for both versions
	s.replies = []any{rewrite(handler.Read, 2, "", "k1")}
	got, err := w.Answer(t.Context(), datasets.Request{ID: "q", Text: "What is left?"})
	if err != nil || len(got.Trace) == 0 || got.Trace[0].Note != fmt.Sprintf("left out the oldest 1 of 2 versions to stay within %d tokens", w.ContextLimit) {
		t.Errorf("trace %v, %v", got.Trace, err)
	}
	if !slices.ContainsFunc(got.Evidence, func(e methods.Evidence) bool { return e.ID == "version 2" }) || len(got.Evidence) != 1 {
		t.Errorf("evidence %v", got.Evidence)
	}
	w.ContextLimit = 150
	if _, err := w.Answer(t.Context(), datasets.Request{ID: "q", Text: "x"}); err == nil || !strings.Contains(err.Error(), "context_limit is 150 tokens") {
		t.Errorf("a limit below the newest version: %v", err)
	}
}
