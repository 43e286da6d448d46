package amem

import (
	"context"
	"math"
	"strconv"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
)

// BenchmarkBuild builds memories of 1,000 to 20,000 turns, with a model that takes
// no time, and reports the exponent of the growth of time. A-Mem compares each
// note with all before it, which grows with the square.
func BenchmarkBuild(b *testing.B) {
	var exponent, last float64
	for b.Loop() {
		took := func(n int) float64 {
			m := makeMethod(b, Defaults(), func(llm.Generator) llm.Generator { return eager(quick{}) })
			s := datasets.Sample{ID: "long", Sessions: []datasets.Session{{ID: "1"}}}
			for i := range n {
				text := "We spoke about " + topics[i%len(topics)] + " and " + topics[i/7%len(topics)] + " number " + strconv.Itoa(i)
				s.Sessions[0].Turns = append(s.Sessions[0].Turns, datasets.Turn{ID: strconv.Itoa(i), Speaker: "A", Text: text})
			}
			start := time.Now()
			if _, err := m.Build(b.Context(), s); err != nil {
				b.Fatal(err)
			}
			return time.Since(start).Seconds()
		}
		last = took(20_000)
		exponent = math.Log(last/took(1000)) / math.Log(20)
	}
	b.ReportMetric(exponent, "exponent")
	b.ReportMetric(last, "s/20k")
}

var topics = []string{"goats", "bees", "bread", "boats", "music", "gardens", "trains", "painting", "running", "chess", "cooking", "rivers", "teaching"}

// quick describes each note by one word.
type quick struct{}

func (quick) Generate(context.Context, llm.Request) (llm.Reply, error) {
	return llm.Reply{Text: `{"keywords": ["word"], "context": "talk", "tags": ["talk"]}`}, nil
}
