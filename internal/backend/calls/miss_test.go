package calls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// TestMiss compares what the first miss of a recorder says.
func TestMiss(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	s.now = func() time.Time { return time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC) }
	rec := NewRecorder(s, Record)
	g := rec.Generator(testModel, &model{})
	questions := []string{"When did Ann move?", "Where does Raj work?", "Who fixed the router?"}
	for _, q := range questions {
		try.Get(g.Generate(t.Context(), ask(history(60)+"\nQuestion: "+q)))(t)
	}
	judge := ask("Is it right?\x1b[2J")
	judge.Role = "judge"
	judge.Format = &llm.Format{Name: "verdict", Schema: json.RawMessage(`{"type":"object"}`)}
	try.Get(g.Generate(t.Context(), judge))(t)
	try.Get(rec.Embedder(testModel, 0, lengths{}).Embed(t.Context(), embed.Request{Kind: embed.Document, Texts: []string{"Ann moved.", "Raj works."}}))(t)
	var b strings.Builder
	show := func(what string, err error) {
		t.Helper()
		if fault.KindOf(err) != fault.Miss {
			t.Fatalf("%s: error %v, want a miss", what, err)
		}
		fmt.Fprintf(&b, "# %s\n%s\n\n", what, strings.ReplaceAll(err.Error(), dir, "DIR"))
	}
	miss := func(what string, id Identity, change func(*llm.Request)) {
		t.Helper()
		r := ask(history(60) + "\nQuestion: " + questions[1])
		change(&r)
		_, err := NewRecorder(s, Replay).Generator(id, nil).Generate(t.Context(), r)
		show(what, err)
	}
	other := testModel
	other.Model, other.Fixed = "m-2", nil
	miss("another model", other, func(*llm.Request) {})
	miss("another seed and temperature", testModel, func(r *llm.Request) {
		r.Params.Seed, r.Params.Temperature = new(int64(8)), nil
	})
	miss("another question", testModel, func(r *llm.Request) {
		r.Messages[1].Content = history(60) + "\nQuestion: Where does Raj live?"
	})
	miss("another turn and system prompt", testModel, func(r *llm.Request) {
		r.Messages[0].Content = strings.Repeat("A long line, ", 30) + "and its end."
		r.Messages[1].Content = strings.Replace(r.Messages[1].Content, "in turn 30 of", "in turn 30 or so of", 1)
	})
	miss("more lines", testModel, func(r *llm.Request) { r.Messages[1].Content += strings.Repeat("\nand more", 10) })
	miss("another role", testModel, func(r *llm.Request) { r.Role = "judge" })
	miss("a role that is not recorded", testModel, func(r *llm.Request) { r.Role = "writer" })

	replay := NewRecorder(s, Replay)
	_, err := replay.Embedder(testModel, 0, nil).Embed(t.Context(), embed.Request{Kind: embed.Query, Texts: []string{"Ann moved.", "Raj left."}})
	show("an embedding as a query", err)
	_, err = replay.Generator(testModel, nil).Generate(t.Context(), ask("later misses are short"))
	show("a second miss", err)
	_, err = NewRecorder(s, Replay).Scorer(testModel, nil).Entail(t.Context(), []nli.Pair{{Premise: "It\nrains.", Hypothesis: strings.Repeat("wet ", 40)}})
	show("an entailment in a store without any", err)
	golden.Check(t, "misses.txt", b.String())
}
