package offline

import (
	"math"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/longtest"
	"recallbench/metrics"
)

// nats is the mean negative log-probability of a probe's words, as a method
// takes it.
func nats(t *testing.T, r *generator, task llm.ProbeTask) float64 {
	t.Helper()
	reply, err := r.Generate(t.Context(), llm.Request{Role: "prober", Task: task})
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Logprobs) == 0 || len(reply.Notes) == 0 {
		t.Fatalf("%d log-probabilities and %d notes, want some of both", len(reply.Logprobs), len(reply.Notes))
	}
	h := 0.0
	for _, l := range reply.Logprobs {
		h -= l.Logprob / float64(len(reply.Logprobs))
	}
	return h
}

// What an episode takes from the uncertainty: one with the evidence more than
// one beside the matter, and one of another conversation next to nothing.
// docs/offline.md quotes what this prints with -every.
func TestProbeOnLoCoMo(t *testing.T) {
	longtest.Skip(t)
	r := testGenerator(t)
	step := 3
	if *every {
		step = 1
	}
	all := probings(t, step)
	type row struct{ h, gain, low, high tally }
	rows := make(map[string]*row)
	right := map[string]*tally{"facts": {}, "facts and episodes": {}}
	for _, p := range all {
		part := "held out"
		if p.developed {
			part = "developed"
		}
		h0 := nats(t, r, p.task())
		add := func(name string, task llm.ProbeTask) {
			h := nats(t, r, task)
			for _, key := range []string{name + ", " + part, name} {
				if rows[key] == nil {
					rows[key] = new(row)
				}
				rows[key].h.add(h)
				rows[key].gain.add(h0 - h)
				rows[key].high.add(percent(h0-h > 0.25) / 100)
				rows[key].low.add(percent(h0-h <= -0.4) / 100)
			}
		}
		for name, task := range map[string]llm.ProbeTask{"facts": p.task(), "facts and episodes": p.task(p.episodes...)} {
			reply, err := r.Generate(t.Context(), llm.Request{Role: "reader", Task: llm.AnswerTask(task)})
			if err != nil {
				t.Fatal(err)
			}
			right[name].add(100 * metrics.F1Mem0(reply.Text, p.gold.Answer))
		}
		add("nothing", llm.ProbeTask{Question: p.question})
		add("20 facts", p.task())
		add("and an episode of another conversation", p.task(p.foreign))
		if len(p.evidence) > 0 {
			add("and the episode with the evidence", p.task(p.evidence[0]))
		}
		for _, e := range p.episodes {
			held := false
			for _, x := range p.evidence {
				held = held || x.Lines[0].Text == e.Lines[0].Text
			}
			if !held {
				add("and a near episode without it", p.task(e))
				break
			}
		}
	}
	for _, name := range []string{
		"nothing", "20 facts", "and the episode with the evidence", "and a near episode without it", "and an episode of another conversation",
	} {
		for _, part := range []string{"", ", developed", ", held out"} {
			x := rows[name+part]
			t.Logf("%-50s n %4d  %.2f nats, gain %.3f, above 0.25 in %.3f, below -0.4 in %.3f", name+part, x.h.n, x.h.mean(), x.gain.mean(), x.high.mean(), x.low.mean())
		}
	}
	t.Logf("f1@mem0 of the reader from %d facts %.2f, with the %d nearest episodes %.2f", probedFacts, right["facts"].mean(), probedEpisodes, right["facts and episodes"].mean())
	if h := rows["nothing"].h.mean(); h < 2 || h > 4 {
		t.Errorf("nothing gives %.2f nats, want 2 to 4", h)
	}
	evidence, near, foreign := rows["and the episode with the evidence, held out"], rows["and a near episode without it, held out"], rows["and an episode of another conversation, held out"]
	if evidence.gain.mean() < near.gain.mean() || near.gain.mean() < foreign.gain.mean() || math.Abs(foreign.gain.mean()) > 0.1 {
		t.Error("evidence does not count more than what is near, and that more than what is foreign")
	}
}
