package semanticxpath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

const garden = `<Garden id="g">
  <owner>Mara</owner>
  <Bed id="b1"><index>1</index><place>by the wall</place>
    <Plant id="p1"><name>Rosemary</name><notes>herb, likes sun</notes></Plant>
    <Plant id="p2"><name>Thyme</name><notes>herb</notes></Plant>
  </Bed>
  <Bed id="b2"><index>2</index><place>at the pond</place>
    <Plant id="p3"><name>Iris</name><notes>wet feet</notes></Plant>
  </Bed>
</Garden>`

func gardenTree(t *testing.T) *tree.Tree {
	t.Helper()
	g := try.Get(tree.ParseXML("garden.xml", strings.NewReader(garden), tree.XMLOptions{}))(t)
	return g
}

// A script answers calls of a role with one text after another.
type script struct {
	t       *testing.T
	replies map[string][]string
	asked   []llm.Request
}

func (s *script) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	s.asked = append(s.asked, r)
	left := s.replies[r.Role]
	if len(left) == 0 {
		return llm.Reply{}, fmt.Errorf("the script has no further reply for %s", r.Role)
	}
	s.replies[r.Role] = left[1:]
	return llm.Reply{Text: left[0], Model: "script"}, nil
}

func (s *script) say(role string, values ...any) *script {
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			b := try.Get(json.Marshal(v))(s.t)
			text = string(b)
		}
		s.replies[role] = append(s.replies[role], text)
	}
	return s
}

// request scripts the three calls of a request.
func (s *script) request(res resolution, query string, a handler.Action) *script {
	if a.Edits == nil {
		a.Edits = []handler.ActionEdit{}
	}
	for i := range a.Edits {
		if a.Edits[i].Fields == nil {
			a.Edits[i].Fields = []handler.ActionSetting{}
		}
	}
	if a.Nodes == nil {
		a.Nodes = []string{}
	}
	return s.say("resolve", res).say("translate", query).say("handle", a)
}

// noNLI stands for a door that tests do not use.
type noNLI struct{}

func (noNLI) Entail(context.Context, []nli.Pair) ([]float64, error) {
	return nil, errors.New("not asked for")
}

// words scores by the share of a condition's words that a text has.
type words struct{}

func (words) Score(_ context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		text, said := strings.ToLower(p.Text), strings.Fields(strings.ToLower(p.Condition))
		for _, w := range said {
			if strings.Contains(text, w) {
				scores[i] += 1 / float64(len(said))
			}
		}
	}
	return scores, nil
}

// open opens a memory of the garden over a script.
func open(t *testing.T, s *script, dialogue bool) *memory {
	t.Helper()
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	tokens := try.Get(token.New("o200k_base"))(t)
	made := try.Get(newMethod(methods.Env{LLM: s, NLI: noNLI{}, Prompts: prompts, Tokens: tokens}, Defaults()))(t)
	made.(*method).scorer = words{}
	m := try.Get(made.Build(t.Context(), datasets.Sample{ID: "garden", Tree: gardenTree(t), Dialogue: dialogue}))(t)
	return m.(*memory)
}

func newScript(t *testing.T) *script {
	t.Helper()
	return &script{t: t, replies: make(map[string][]string)}
}

func request(text string) datasets.Request {
	return datasets.Request{ID: "q", Text: text, Time: time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)}
}
