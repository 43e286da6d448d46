package xmemory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/methods/methodtest"
)

// about is an embedder that gives each text of a topic, a number in front of it,
// a vector near the topic's. Of its dimensions the first are dense, and of the
// others few are not 0, as with the stand-in's embedder; or all are dense, as with
// a neural one.
type about struct {
	dense, sparse int
	topics        [][]float32
}

func newAbout(dense, sparse, topics int) about {
	a := about{dense, sparse, make([][]float32, topics)}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range a.topics {
		a.topics[i] = a.noise(random, 1)
	}
	return a
}

// words is how many of the sparse dimensions a text has.
const words = 20

func (a about) noise(random *rand.Rand, scale float32) []float32 {
	v := make([]float32, a.dense+a.sparse)
	for i := range a.dense {
		v[i] = scale * float32(random.NormFloat64())
	}
	for range min(words, a.sparse) {
		v[a.dense+random.IntN(a.sparse)] = 2 * scale
	}
	return v
}

func (a about) Fit(context.Context, []string) (embed.Embedder, error) { return a, nil }
func (a about) Info() embed.Info                                      { return embed.Info{Dim: a.dense + a.sparse} }

func (a about) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		var topic, at uint64
		_, _ = fmt.Sscan(text, &topic, &at) // a text without numbers is of the first topic
		v := a.noise(rand.New(rand.NewPCG(topic, at)), 0.5)
		for i, x := range a.topics[topic%uint64(len(a.topics))] {
			v[i] += x
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

// quick is a model that takes no time: each episode has eight messages and
// gives seven facts.
func quick(topics int) llm.Generator {
	n := 0
	return llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		switch r.Role {
		case "boundary":
			return llm.Reply{Text: fmt.Sprintf(`{"why": "", "new_episode": %t, "confidence": 1}`, len(methodtest.Lines(r)) > 8)}, nil
		case "episode":
			return llm.Reply{Text: `{"title": "0", "content": "0 0 nothing", "time": ""}`}, nil
		case "statements":
			var facts []string
			for range 7 {
				n++
				facts = append(facts, fmt.Sprintf(`"%d %d"`, n*7919%topics, n))
			}
			return llm.Reply{Text: `{"statements": [` + strings.Join(facts, ", ") + `]}`}, nil
		case probe:
			return llm.Reply{Logprobs: []llm.Logprob{{Logprob: -1}}}, nil
		}
		return llm.Reply{Text: "some text"}, nil
	})
}

// grown returns a memory of about n facts.
func grown(b *testing.B, n, dense, sparse int) *memory {
	b.Helper()
	topics := max(1, n/10)
	m := makeMethod(b, Defaults(), func(llm.Generator) llm.Generator { return quick(topics) })
	m.Embed = newAbout(dense, sparse, topics)
	s := datasets.Sample{ID: "long", Sessions: []datasets.Session{{ID: "1"}}}
	for i := range n * 8 / 7 {
		s.Sessions[0].Turns = append(s.Sessions[0].Turns, datasets.Turn{ID: strconv.Itoa(i), Speaker: "A", Text: "0 0"})
	}
	built, err := m.Build(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	return built.(*memory)
}

// embedders are the shapes of vectors: the stand-in's embedder's and one of a neural
// model.
var embedders = []struct {
	name          string
	dense, sparse int
}{{"offline", 64, 1024}, {"dense", 384, 0}}

// BenchmarkQuery asks a memory of 20,000 facts, with models that take next to
// no time.
func BenchmarkQuery(b *testing.B) {
	for _, e := range embedders {
		m := grown(b, 20_000, e.dense, e.sparse)
		b.Run(e.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := m.Answer(b.Context(), datasets.Request{Text: fmt.Sprintf("%d 1", i%100)}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(m.semantics)), "facts")
		})
	}
}

// BenchmarkBuild builds memories of 1,000 to 20,000 facts, and reports the
// exponent of the growth of time.
func BenchmarkBuild(b *testing.B) {
	for _, e := range embedders {
		b.Run(e.name, func(b *testing.B) {
			var exponent float64
			for b.Loop() {
				took := func(n int) float64 {
					start := time.Now()
					grown(b, n, e.dense, e.sparse)
					return time.Since(start).Seconds()
				}
				exponent = math.Log(took(20_000)/took(1000)) / math.Log(20)
			}
			b.ReportMetric(exponent, "exponent")
		})
	}
}
