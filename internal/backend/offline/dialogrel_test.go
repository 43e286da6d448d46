package offline

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/datasets/dialogrel"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/metrics"
)

// kinWrong lists wrong answers to questions about this relation of the dev split,
// for work on the rules: go test -run DialogRE -v ./internal/backend/offline -kin per:boss.
var kinWrong = flag.String("kin", "", "log the wrong answers about this relation of DialogRE-L's dev split; all for all")

// The figures that docs/offline.md quotes come from this test:
// BENCH_LONG=1 go test -run DialogRE -v ./internal/backend/offline -every -unseen. The floors leave room
// for honest change.
func TestDialogRE(t *testing.T) {
	longtest.Skip(t)
	for _, split := range []dialogrel.Split{dialogrel.Dev, dialogrel.Test} {
		if split == dialogrel.Test && !*unseen {
			continue
		}
		r := testGenerator(t)
		all, found := make(map[string]*tally), make(map[string]*tally)
		add := func(scores map[string]*tally, key string, right bool) {
			if scores[key] == nil {
				scores[key] = new(tally)
			}
			scores[key].add(percent(right))
		}
		for _, a := range acquaintances(t, split) {
			reply := ask(t, r, a.question, a.passages)
			right := metrics.FactualRecall(reply.Text, append([]string{a.gold.Answer}, a.gold.Variants...)...)
			relation := a.gold.Labels["relation"]
			for _, key := range []string{"all", a.gold.Category, relation} {
				add(all, key, right)
				if a.complete {
					add(found, key, right)
				}
			}
			if !right && split == dialogrel.Dev && (*kinWrong == "all" || *kinWrong == relation) {
				t.Log(a.tell(reply))
			}
		}
		for _, c := range append([]datasets.Category{{ID: "all", Name: "all"}}, dialogrel.Categories()...) {
			t.Logf("%-4s  %-24s  n %4d  right %.1f  where the evidence is shown: n %3d  right %.1f", split, c.Name, all[c.ID].n, all[c.ID].mean(), found[c.ID].n, found[c.ID].mean())
		}
		if *kinWrong != "" && split == dialogrel.Dev {
			for _, key := range slices.Sorted(maps.Keys(all)) {
				if strings.Contains(key, ":") {
					t.Logf("%-26s n %3d right %.1f", key, all[key].n, all[key].mean())
				}
			}
		}
		for _, c := range []struct {
			what  string
			got   float64
			floor float64
		}{{"all", all["all"].mean(), 24}, {"those whose evidence is shown", found["all"].mean(), 42}} {
			if c.got < c.floor {
				t.Errorf("%s: %.3g %% of %s are right, want at least %v", split, c.got, c.what, c.floor)
			}
		}
	}
}

// An acquaintance is a question of DialogRE-L with the ten lines that vector-rag
// retrieves for it.
type acquaintance struct {
	question string
	gold     datasets.Gold
	passages []llm.Passage
	complete bool // all evidence is shown
}

func (a *acquaintance) tell(reply llm.Reply) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (complete: %v) %s\n    gold: %s %q\n    said: %s\n", a.gold.Labels["relation"], a.complete, a.question, a.gold.Answer, a.gold.Variants, reply.Text)
	for _, note := range reply.Notes {
		b.WriteString("        " + note + "\n")
	}
	for _, p := range a.passages {
		b.WriteString("      " + p.Lines[0].Speaker + ": " + p.Lines[0].Text + "\n")
	}
	return b.String()
}

// acquaintances asks vector-rag the questions of a split: with -every those of all
// conversations, else of each third.
func acquaintances(tb testing.TB, split dialogrel.Split) []acquaintance {
	tb.Helper()
	ctx := tb.Context()
	options := dialogrel.Spec.Options.(dialogrel.Options)
	options.Split = split
	set, err := dialogrel.Spec.Open(ctx, datasets.Env{Dir: realdata.Datasets(tb)}, options)
	if err != nil {
		tb.Fatal(err)
	}
	method, seen := vectorRAG(ctx, tb)
	var all []acquaintance
	samples := datasettest.Samples(tb, set)
	for i := range samples {
		if !*every && i%3 != 0 {
			continue
		}
		s := &samples[i]
		memory, err := method.Build(ctx, *s)
		if err != nil {
			tb.Fatal(err)
		}
		for _, request := range s.Requests {
			resp, err := memory.Answer(ctx, request)
			if err != nil {
				tb.Fatal(err)
			}
			gold, _ := set.Gold(s.ID, request.ID)
			var blocks []metrics.Block
			for _, e := range resp.Evidence {
				blocks = append(blocks, metrics.Block{Sources: e.Sources})
			}
			recall, _ := metrics.EvidenceRecall(gold.Evidence, blocks)
			all = append(all, acquaintance{question: request.Text, gold: gold, passages: slices.Clone(seen.task.Passages), complete: recall == 1})
		}
	}
	return all
}
