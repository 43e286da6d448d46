package flatrag

import (
	"context"
	"errors"
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
