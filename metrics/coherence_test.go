package metrics_test

import (
	"strings"
	"testing"

	"recallbench/internal/engine/annotator"
	"recallbench/metrics"
)

// coherence is the metric that runs have.
var coherence = metrics.NewCoherence(annotator.New())

// about is an item about a hotel and when it was booked for.
func about(answer string) metrics.Item {
	const said, question = "The Acorn Lodge is full, but the Birch House has a room on Friday.", "On what day does it have a room?"
	at := func(text, part string) (int, int) {
		i := strings.Index(text, part)
		return i, i + len(part)
	}
	mention := func(turn, text, part string) metrics.Mention {
		start, end := at(text, part)
		return metrics.Mention{Turn: turn, Start: start, End: end}
	}
	return metrics.Item{
		Question: question, Prediction: answer, Gold: "Friday",
		History: []metrics.Turn{{ID: "1", Speaker: "Ann", Text: said}},
		Entities: []metrics.Entity{
			{ID: "h", Names: []string{"the Birch House"}, Mentions: []metrics.Mention{mention("1", said, "the Birch House"), mention("", question, "it")}},
			{ID: "d", Names: []string{"Friday"}, Mentions: []metrics.Mention{mention("1", said, "Friday")}},
		},
	}
}

// TestCoherenceByRules scores answers with the resolver that runs have.
func TestCoherenceByRules(t *testing.T) {
	score := func(answer string) float64 { return coherence.Score(about(answer))[0].X }
	both, day, other := score("The Birch House has a room on Friday."), score("On Friday."), score("On Monday.")
	if other != 0 || day <= 0.5 || both <= 0.5 || both > 1 || day > 1 {
		t.Errorf("the right answer has %v, in short %v, another %v", both, day, other)
	}
}

func FuzzCoherence(f *testing.F) {
	f.Add("The Birch House has a room on Friday.", "Who is she?", 0, 9)
	f.Add("Friday Friday\x00 it \xff", "", -1, 3)
	f.Add(strings.Repeat("it's he ", 2000), "“Acorn” İ", 2, 1)
	f.Fuzz(func(t *testing.T, answer, question string, start, end int) {
		item := about(answer)
		item.Question = question
		item.Entities[0].Mentions = append(item.Entities[0].Mentions, metrics.Mention{Turn: "1", Start: start, End: end}, metrics.Mention{Start: start, End: end})
		v := coherence.Score(item)[0]
		if !v.Defined || !(v.X >= 0 && v.X <= 1+1e-12) {
			t.Errorf("coherence is %v", v)
		}
	})
}
