package flatrag

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
)

// TestGrep finds the turn with the rare word, without an embedder.
func TestGrep(t *testing.T) {
	prompts := try.Get(prompt.Load(GrepSpec.Name, GrepSpec.Prompts, nil))(t)
	tokens := try.Get(token.New("o200k_base"))(t)
	env := methods.Env{Prompts: prompts, Tokens: tokens, LLM: llm.Echo()}
	m := try.Get(GrepSpec.New(env, GrepSpec.Options))(t)
	var turns []datasets.Turn
	for _, text := range []string{"How are you?", "How is the kiln?", "How was it there?", "How do you do?"} {
		turns = append(turns, datasets.Turn{ID: text, Text: text})
	}
	memory := try.Get(m.Build(t.Context(), datasets.Sample{Sessions: []datasets.Session{{Turns: turns}}}))(t)
	resp := try.Get(memory.Answer(t.Context(), datasets.Request{Text: "How did the kiln break?"}))(t)
	if len(resp.Evidence) == 0 || resp.Evidence[0].Text != "How is the kiln?" {
		t.Errorf("evidence %+v, want the turn with the rare word first", resp.Evidence)
	}
}

const pantry = `<Pantry id="p"><Shelf id="s1"><index>1</index><Jar id="j1"><name>Plum jam</name></Jar><Jar id="j2"><name>Honey</name></Jar></Shelf><Shelf id="s2"><index>2</index><Jar id="j3"><name>Pickled plums</name></Jar></Shelf></Pantry>`

// letters embeds a text as its counts of letters, and remembers the texts.
type letters struct{ seen []string }

func (l *letters) Fit(context.Context, []string) (embed.Embedder, error) { return l, nil }

func (*letters) Dim() int { return 26 }

func (l *letters) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		v := make([]float32, 26)
		for _, c := range strings.ToLower(text) {
			if 'a' <= c && c <= 'z' {
				v[c-'a']++
			}
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	if r.Kind == embed.Document {
		l.seen = append(l.seen, r.Texts...)
	}
	return reply, nil
}

// openPantry opens a dialogue about the pantry over a model that gives replies.
func openPantry(t *testing.T, k int, replies *[]string) (*items, *letters, *[]llm.Request) {
	t.Helper()
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	tokens := try.Get(token.New("o200k_base"))(t)
	var asked []llm.Request
	o, e := Defaults(), &letters{}
	o.Tree.K = k
	m, err := newMethod(methods.Env{Embed: e, Prompts: prompts, Tokens: tokens, LLM: llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		asked = append(asked, r)
		if len(*replies) == 0 {
			return llm.Reply{}, errors.New("no further reply")
		}
		text := (*replies)[0]
		*replies = (*replies)[1:]
		return llm.Reply{Text: text}, nil
	})}, o)
	try.Do(t, err)
	first := try.Get(tree.ParseXML("pantry.xml", strings.NewReader(pantry), tree.XMLOptions{}))(t)
	memory := try.Get(m.Build(t.Context(), datasets.Sample{ID: "pantry", Tree: first, Dialogue: true}))(t)
	return memory.(*items), e, &asked
}

// TestItems checks that the prompt has items and no structure, and that after an
// edit only what is new is embedded.
func TestItems(t *testing.T) {
	replies := []string{
		`{"operation": "update", "nodes": ["j1"], "answer": "Done.", "edits": [{"op": "update", "node": "j1", "parent": "", "position": 0, "type": "", "fields": [{"name": "name", "value": "Plum jelly"}]}]}`,
		`{"operation": "read", "nodes": ["j1"], "answer": "Plum jelly.", "edits": []}`,
	}
	m, e, asked := openPantry(t, 2, &replies)
	built := len(e.seen)
	got, err := m.Answer(t.Context(), datasets.Request{ID: "q", Text: "jar: plum jam"})
	if err != nil || got.Tree == nil || got.Evidence[0].ID != "j1" || len(got.Evidence) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	text := (*asked)[0].Messages[1].Content
	if !strings.Contains(text, "[1] Jar j1: name = Plum jam\n") || strings.Contains(text, "Shelf 1") || strings.Contains(text, "<") {
		t.Errorf("the prompt is not one of items:\n%s", text)
	}
	got, err = m.Answer(t.Context(), datasets.Request{ID: "q", Text: "jar: plum jelly"})
	if err != nil || got.Evidence[0].Text != "Jar j1: name = Plum jelly" {
		t.Fatalf("after the edit: %+v, %v", got.Evidence, err)
	}
	if fresh := e.seen[built:]; len(fresh) != 1 || fresh[0] != "Jar j1: name = Plum jelly" {
		t.Errorf("after the edit %q are embedded, want the changed item alone", fresh)
	}
}

// TestBatches checks that a long history is embedded in batches, each text once, and
// found as if it had been embedded at once.
func TestBatches(t *testing.T) {
	e, o := new(letters), Defaults()
	o.Chunk = Chunk{Unit: Turns, Size: 1}
	m := &method{Options: o, embed: e}
	var turns []datasets.Turn
	for i := range 2*batchTexts + 5 {
		text := fmt.Sprintf("%b", i)
		if i%700 == 3 {
			text = "again"
		}
		turns = append(turns, datasets.Turn{ID: fmt.Sprint("t", i), Text: text})
	}
	built := try.Get(m.Build(t.Context(), datasets.Sample{Sessions: []datasets.Session{{Turns: turns}}}))(t)
	if unique := slices.Compact(slices.Sorted(slices.Values(e.seen))); len(unique) != len(e.seen) || len(unique) < 2*batchTexts {
		t.Errorf("%d texts are embedded, %d different ones", len(e.seen), len(unique))
	}
	hits, err := built.(*memory).index.search(t.Context(), "gain a", 3)
	if err != nil || len(hits) != 3 || hits[0].Index != 3 || hits[1].Index != 703 || hits[2].Index != 1403 {
		t.Errorf("%v, %v, want the texts 3, 703 and 1403", hits, err)
	}
}
