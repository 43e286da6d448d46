package offline

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/datasets/multiwozlong"
	"recallbench/internal/backend"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/methods"
	"recallbench/methods/flatrag"
	"recallbench/metrics"
)

var (
	// wrong lists answers that are wrong though the evidence is among ten
	// lines, for work on the rules: go test -run MultiWOZ -v ./internal/backend/offline
	// -every -wrong hotel/ref. It lists answers of the dev split only.
	wrong = flag.String("wrong", "", "log the wrong answers to questions for this service and slot, such as taxi/phone; all for all")
	// unseen also tells the totals of the test split.
	unseen = flag.Bool("unseen", false, "measure the test split of MultiWOZ-Long too")
)

// The figures that docs/offline.md quotes come from this test:
// BENCH_LONG=1 go test -run MultiWOZ -v ./internal/backend/offline -every -unseen.
func TestMultiWOZ(t *testing.T) {
	longtest.Skip(t)
	for _, split := range splits() {
		scores := make(map[string]*tally)
		add := func(key string, right bool) {
			if scores[key] == nil {
				scores[key] = new(tally)
			}
			scores[key].add(percent(right))
		}
		r := testGenerator(t)
		for _, e := range enquiries(t, split) {
			alone, ten := e.answered(t, r, e.evidence), e.answered(t, r, e.passages)
			for _, key := range []string{"all", e.gold.Category, "slot " + e.slot()} {
				add("alone "+key, alone.right)
				add("ten "+key, ten.right)
			}
			if !ten.right && split == "dev" && (*wrong == "all" || *wrong == e.slot() || *wrong == "alone "+e.slot() && !alone.right) {
				t.Log(e.tell(alone, ten))
			}
		}
		for _, c := range append([]datasets.Category{{ID: "all", Name: "all"}}, multiwozlong.Categories()...) {
			t.Logf("%-4s  %-22s  n %4d  evidence alone %.1f  among ten lines %.1f", split, c.Name, scores["ten "+c.ID].n, scores["alone "+c.ID].mean(), scores["ten "+c.ID].mean())
		}
		if split == "dev" && *wrong != "" {
			var keys []string
			for key := range scores {
				if name, ok := strings.CutPrefix(key, "ten slot "); ok {
					keys = append(keys, name)
				}
			}
			slices.Sort(keys)
			for _, k := range keys {
				t.Logf("%-24s  n %3d  alone %5.1f  ten %5.1f", k, scores["ten slot "+k].n, scores["alone slot "+k].mean(), scores["ten slot "+k].mean())
			}
		}
		for key, floor := range map[string]float64{"alone all": 90, "ten all": 60} {
			if got := scores[key].mean(); got < floor {
				t.Errorf("%s: %s is %.3g, want at least %v", split, key, got, floor)
			}
		}
	}
}

// splits are those to measure.
func splits() []string {
	if *unseen {
		return []string{"dev", "test"}
	}
	return []string{"dev"}
}

// An enquiry is a question of MultiWOZ-Long with lines that have the answer.
type enquiry struct {
	question string
	gold     datasets.Gold
	// evidence are the turns that the answer rests on, as they came, and passages
	// the ten that vector-rag retrieves; evidence that is not among these is in
	// place of the last.
	evidence, passages []llm.Passage
}

// slot is what is asked for, such as hotel/phone.
func (e *enquiry) slot() string { return e.gold.Labels["service"] + "/" + e.gold.Labels["slot"] }

// A result is an answer of the reader, and whether the right one is in it.
type result struct {
	reply llm.Reply
	right bool
}

func (e *enquiry) answered(tb testing.TB, r *generator, passages []llm.Passage) result {
	tb.Helper()
	reply := ask(tb, r, e.question, passages)
	return result{reply, metrics.FactualRecall(reply.Text, append([]string{e.gold.Answer}, e.gold.Variants...)...)}
}

func (e *enquiry) tell(alone, ten result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n    gold: %s %q\n    said: %s\n    from the evidence alone: %s\n", e.gold.Category, e.slot(), e.question, e.gold.Answer, e.gold.Variants, ten.reply.Text, alone.reply.Text)
	for _, note := range ten.reply.Notes {
		b.WriteString("        " + note + "\n")
	}
	for _, p := range e.passages {
		mark := " "
		if slices.ContainsFunc(e.evidence, func(o llm.Passage) bool { return o.Lines[0].Text == p.Lines[0].Text }) {
			mark = "*"
		}
		b.WriteString("      " + mark + " " + p.Lines[0].Speaker + ": " + p.Lines[0].Text + "\n")
	}
	return b.String()
}

// enquiries asks vector-rag the questions of a split: with -every those of all
// conversations, else of each tenth.
func enquiries(tb testing.TB, split string) []enquiry {
	tb.Helper()
	ctx := tb.Context()
	set := multiWOZ(tb, split)
	method, seen := vectorRAG(ctx, tb)
	var all []enquiry
	samples := datasettest.Samples(tb, set)
	for i := range samples {
		if !*every && i%10 != 0 {
			continue
		}
		s := &samples[i]
		memory, err := method.Build(ctx, *s)
		if err != nil {
			tb.Fatal(err)
		}
		turns := make(map[string]llm.Passage)
		for _, session := range s.Sessions {
			for _, turn := range session.Turns {
				turns[turn.ID] = llm.Passage{ID: turn.ID, Lines: []llm.Line{flatrag.Defaults().Images.Line(turn)}}
			}
		}
		for _, request := range s.Requests {
			resp, err := memory.Answer(ctx, request)
			if err != nil {
				tb.Fatal(err)
			}
			gold, _ := set.Gold(s.ID, request.ID)
			e := enquiry{question: request.Text, gold: gold, passages: slices.Clone(seen.task.Passages)}
			place := len(e.passages)
			for _, id := range gold.Evidence {
				e.evidence = append(e.evidence, turns[id])
			}
			for _, id := range slices.Backward(gold.Evidence) {
				if slices.ContainsFunc(resp.Evidence, func(v methods.Evidence) bool { return slices.Contains(v.Sources, id) }) {
					continue
				}
				for place--; place >= 0; place-- { // not of the evidence itself
					if !slices.ContainsFunc(resp.Evidence[place].Sources, func(s string) bool { return slices.Contains(gold.Evidence, s) }) {
						e.passages[place] = turns[id]
						break
					}
				}
			}
			all = append(all, e)
		}
	}
	return all
}

// vectorRAG returns the method with its defaults, and the model that sees what
// it retrieves.
func vectorRAG(ctx context.Context, tb testing.TB) (methods.Method, *capture) {
	tb.Helper()
	doors, err := Spec.Open(ctx, backend.Env{Seed: 1}, Spec.Options)
	if err != nil {
		tb.Fatal(err)
	}
	prompts, err := prompt.Load(flatrag.VectorSpec.Name, flatrag.VectorSpec.Prompts, nil)
	if err != nil {
		tb.Fatal(err)
	}
	seen := new(capture)
	method, err := flatrag.VectorSpec.New(methods.Env{
		LLM: seen, Embed: doors.Embed, Tokens: doors.Tokens, Prompts: prompts, Seed: 1, Log: slog.New(slog.DiscardHandler),
	}, flatrag.VectorSpec.Options)
	if err != nil {
		tb.Fatal(err)
	}
	return method, seen
}

// opened keeps the splits, which take long to build.
var opened struct {
	sync.Mutex
	splits map[string]*datasets.Set
}

// multiWOZ opens a split once, for all tests. It skips the test where the data is
// not found.
func multiWOZ(tb testing.TB, split string) *datasets.Set {
	tb.Helper()
	dir := realdata.Datasets(tb)
	opened.Lock()
	defer opened.Unlock()
	if set := opened.splits[split]; set != nil {
		return set
	}
	options := multiwozlong.Spec.Options.(multiwozlong.Options)
	options.Split = multiwozlong.Part(split)
	set, err := multiwozlong.Spec.Open(tb.Context(), datasets.Env{Dir: dir}, options)
	if err != nil {
		tb.Fatal(err)
	}
	if opened.splits == nil {
		opened.splits = make(map[string]*datasets.Set)
	}
	opened.splits[split] = set
	return set
}
