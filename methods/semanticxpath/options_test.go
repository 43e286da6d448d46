package semanticxpath

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/treetask"
	"recallbench/methods"
)

func TestValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	o.Threshold, o.K, o.Attempts, o.Scorer.Template, o.Scorer.Batch = 1.5, -1, 0, "related", 0
	err := o.Validate()
	for _, want := range []string{
		"threshold is 1.5, want 0 to 1", "k is -1, want at least 1, or 0", "attempts is 0, want 1 to 10",
		`scorer.template is "related", which has no {}`, "scorer.batch is 0, want at least 1",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want it to say %q", err, want)
		}
	}
	o = Defaults()
	o.Scorer.Kind = Recorded
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "scorer.file is missing") {
		t.Errorf("Validate() = %v", err)
	}
}

// TestDoors makes the method with only a language model: scorers that need
// another door are refused by name, the others are not.
func TestDoors(t *testing.T) {
	prompts, err := prompt.Load(Spec.Name, Spec.Prompts, nil)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	scores := filepath.Join(t.TempDir(), "scores.jsonl")
	if err := os.WriteFile(scores, []byte(`{"type": "Plant", "name": "Iris", "condition": "wet", "score": 0.9}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		scorer Scorer
		want   string // part of the error; empty for none
	}{
		{Scorer{Kind: Sem}, "no embedder, which the scorer sem needs"},
		{Scorer{Kind: Entail}, "no entailment, which the scorer entail needs"},
		{Scorer{Kind: Model, Batch: 5}, ""},
		{Scorer{Kind: Recorded, File: scores}, ""},
		{Scorer{Kind: Recorded, File: scores + ".absent"}, "scores.jsonl.absent"},
	} {
		o := Defaults()
		o.Scorer = tt.scorer
		m, err := newMethod(methods.Env{LLM: llm.Echo(), Prompts: prompts, Tokens: tokens}, o)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.scorer.Kind, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.scorer.Kind, err, tt.want)
		case tt.scorer.Kind == Recorded && err == nil:
			root := gardenTree(t).Path("p3")
			if text := m.(*method).scoring.text(root); text != "Plant: Iris" {
				t.Errorf("with scores of names the text of a node is %q", text)
			}
		}
	}
}

// TestRecorded runs a query over recorded scores.
func TestRecorded(t *testing.T) {
	scores := filepath.Join(t.TempDir(), "scores.jsonl")
	lines := `{"type": "Plant", "name": "Rosemary", "condition": "wet", "score": 0.1}
{"type": "Plant", "name": "Thyme", "condition": "wet", "score": 0.2}
{"type": "Plant", "name": "Iris", "condition": "wet", "score": 0.9}
`
	if err := os.WriteFile(scores, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	o.Scorer = Scorer{Kind: Recorded, File: scores}
	s, err := o.scoring(methods.Env{})
	if err != nil {
		t.Fatal(err)
	}
	script := newScript(t).request(res(treetask.Read, "x"), `//Plant[node ~= "wet"]`, treetask.Action{Operation: treetask.Read, Nodes: []string{"p3"}, Answer: "Iris."})
	m := open(t, script, false, nil)
	m.scoring = s
	if m.scorer, err = s.scorer(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	got, err := m.Answer(t.Context(), request("x"))
	if err != nil || got.Evidence[0].ID != "p3" || got.Evidence[0].Score != 0.9 {
		t.Errorf("%+v, %v", got.Evidence, err)
	}
}
