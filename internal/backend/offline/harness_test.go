package offline

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/backend"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/rules/reader"
	"recallbench/internal/testkit/realdata"
	"recallbench/methods"
	"recallbench/methods/flatrag"
	"recallbench/metrics"
)

// developed are the conversations that rules and weights were made on. Of the
// others only totals were looked at.
var developed = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"}

// A trial is a question of LoCoMo with what flat-rag's defaults retrieve for
// it: 20 chunks of 256 tokens.
type trial struct {
	sample    *datasets.Sample
	developed bool
	question  string
	category  string
	gold      datasets.Gold
	passages  []llm.Passage
	recall    float64 // of the evidence; -1 where the dataset names none
}

// trials retrieves for all questions once, for all tests. It skips the test
// where the data is not found.
func trials(tb testing.TB) []trial {
	tb.Helper()
	dir := realdata.Datasets(tb)
	all, err := retrieveOnce(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

var retrieved struct {
	once   sync.Once
	trials []trial
	err    error
}

func retrieveOnce(dir string) ([]trial, error) {
	retrieved.once.Do(func() {
		retrieved.trials, retrieved.err = retrieve(context.Background(), dir)
	})
	return retrieved.trials, retrieved.err
}

// A capture is a model that keeps the task it was last given.
type capture struct{ task llm.AnswerTask }

func (c *capture) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	c.task = r.Task.(llm.AnswerTask)
	return llm.Reply{Text: reader.NoInformation}, nil
}

func retrieve(ctx context.Context, dir string) ([]trial, error) {
	set, err := locomo.Spec.Open(ctx, datasets.Env{Dir: dir}, locomo.Spec.Options)
	if err != nil {
		return nil, err
	}
	doors, err := Spec.Open(ctx, backend.Env{Seed: 1}, Spec.Options)
	if err != nil {
		return nil, err
	}
	prompts, err := prompt.Load(flatrag.Spec.Name, flatrag.Spec.Prompts, nil)
	if err != nil {
		return nil, err
	}
	seen := new(capture)
	method, err := flatrag.Spec.New(methods.Env{
		LLM: seen, Embed: doors.Embed, Tokens: doors.Tokens, Prompts: prompts, Seed: 1, Log: slog.New(slog.DiscardHandler),
	}, flatrag.Defaults())
	if err != nil {
		return nil, err
	}
	var out []trial
	for s, err := range set.All(ctx) {
		if err != nil {
			return nil, err
		}
		memory, err := method.Build(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, r := range s.Requests {
			resp, err := memory.Answer(ctx, r)
			if err != nil {
				return nil, err
			}
			gold, _ := set.Gold(s.ID, r.ID)
			t := trial{
				sample: &s, developed: slices.Contains(developed, s.ID), question: r.Text, category: gold.Category,
				gold: gold, passages: seen.task.Passages,
			}
			var blocks []metrics.Block
			for _, e := range resp.Evidence {
				blocks = append(blocks, metrics.Block{Sources: e.Sources})
			}
			var ok bool
			if t.recall, ok = metrics.EvidenceRecall(gold.Evidence, blocks); !ok {
				t.recall = -1
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// testGenerator returns a generator with empty caches.
func testGenerator(tb testing.TB) *generator {
	tb.Helper()
	e, err := reader.NewEntailer()
	if err != nil {
		tb.Fatal(err)
	}
	return newGenerator(e)
}

// ask answers a question from passages.
func ask(tb testing.TB, g *generator, question string, passages []llm.Passage) llm.Reply {
	tb.Helper()
	reply, err := g.Generate(tb.Context(), llm.Request{Role: "reader", Task: llm.AnswerTask{Question: question, Passages: passages}})
	if err != nil {
		tb.Fatal(err)
	}
	return reply
}

// percent is 100 for an answer that is right, and 0 for another.
func percent(right bool) float64 {
	if right {
		return 100
	}
	return 0
}
