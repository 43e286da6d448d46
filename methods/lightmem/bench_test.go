package lightmem

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
)

// noise is an embedder that gives each text a vector of its own, of a length that
// neural models have.
type noise struct{}

func (noise) Info() embed.Info                                        { return embed.Info{Dim: 384} }
func (n noise) Fit(context.Context, []string) (embed.Embedder, error) { return n, nil }

func (noise) Embed(_ context.Context, r embed.Request) (reply embed.Reply, err error) {
	for _, text := range r.Texts {
		var at uint64
		_, _ = fmt.Sscan(text, &at) // a question is the first
		random := rand.New(rand.NewPCG(at, 1))
		v := make([]float32, 384)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

// numbered is a message of the prompt.
var numbered = regexp.MustCompile(`(?m)^(\d+)\. \[`)

// quick is a model that takes no time: each message tells a fact.
func quick() llm.Generator {
	n := 0
	return llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		if r.Role != extract {
			return llm.Reply{Text: `{"action": "ignore", "new_memory": ""}`}, nil
		}
		var facts []string
		for _, number := range numbered.FindAllStringSubmatch(r.Messages[1].Content, -1) {
			n++
			facts = append(facts, fmt.Sprintf(`{"source_id": %s, "fact": "%d is a fact."}`, number[1], n))
		}
		return llm.Reply{Text: `{"data": [` + strings.Join(facts, ", ") + `]}`}, nil
	})
}

// grown returns the memory of a conversation of so many turns, a fact each.
func grown(tb testing.TB, turns int) *memory {
	tb.Helper()
	m := makeMethod(tb, Defaults(), func(llm.Generator) llm.Generator { return quick() })
	m.Embed = noise{}
	s := datasets.Sample{ID: "long"}
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range turns {
		if i%30 == 0 {
			s.Sessions = append(s.Sessions, datasets.Session{ID: strconv.Itoa(i)})
		}
		session := &s.Sessions[len(s.Sessions)-1]
		session.Turns = append(session.Turns, datasets.Turn{
			ID: strconv.Itoa(i), Speaker: "A", Time: start.AddDate(0, 0, len(s.Sessions)),
			Text: fmt.Sprintf("%d is what somebody said, with %d words more or less behind it.", i, i*7919%1000),
		})
	}
	built, err := m.Build(tb.Context(), s)
	if err != nil {
		tb.Fatal(err)
	}
	return built.(*memory)
}

// BenchmarkBuild builds memories of 1,000 to 20,000 turns, and reports the
// exponent of the growth of time. The queue of the offline update compares each
// fact with all that are not later, as the authors' does: it is quadratic by its
// nature.
func BenchmarkBuild(b *testing.B) {
	var exponent, last float64
	for b.Loop() {
		took := func(n int) float64 {
			start := time.Now()
			grown(b, n)
			return time.Since(start).Seconds()
		}
		first := took(1000)
		last = took(20_000)
		exponent = math.Log(last/first) / math.Log(20)
	}
	b.ReportMetric(exponent, "exponent")
	b.ReportMetric(last, "s/20000-turns")
}

// BenchmarkQuery asks a memory of 20,000 facts.
func BenchmarkQuery(b *testing.B) {
	m := grown(b, 20_000)
	for b.Loop() {
		if _, err := m.nearest(b.Context(), "3"); err != nil {
			b.Fatal(err)
		}
	}
}
