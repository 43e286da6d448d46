package memoryos

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
)

// topics is an embedder that gives each text of a topic, a number at its beginning,
// a vector near the topic's.
type topics struct{}

const topicDim = 384

func (x topics) Fit(context.Context, []string) (embed.Embedder, error) { return x, nil }
func (topics) Info() embed.Info                                        { return embed.Info{Dim: topicDim} }

func (topics) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for i, text := range r.Texts {
		var topic uint64
		_, _ = fmt.Sscan(text, &topic) // a text without a number is of the first topic
		base, noise := rand.New(rand.NewPCG(topic, 1)), rand.New(rand.NewPCG(topic, uint64(i)))
		v := make([]float32, topicDim)
		for k := range v {
			v[k] = float32(base.NormFloat64() + 0.5*noise.NormFloat64())
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

// quick is a model that takes no time.
func quick(n int) llm.Generator {
	page := 0
	return llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		switch r.Role {
		case roleContinues:
			return llm.Reply{Text: fmt.Sprintf(`{"why": "", "new_episode": %t, "confidence": 1}`, page%10 == 0)}, nil
		case roleThemes:
			page++
			return llm.Reply{Text: fmt.Sprintf(`{"themes": [{"theme": "a", "keywords": [], "content": "%d things"}]}`, page*7919%(n/20+1))}, nil
		case roleProfile:
			data, err := json.Marshal(Portrait{Profile: "a profile that is long enough to be kept", Facts: []string{strconv.Itoa(page) + " fact"}})
			return llm.Reply{Text: string(data)}, err
		case roleFacts:
			return llm.Reply{Text: `{"statements": ["0 fact"]}`}, nil
		case roleKeywords:
			return llm.Reply{Text: `{"keywords": "k1, k2"}`}, nil
		}
		return llm.Reply{Text: "some text"}, nil
	})
}

// grown returns a memory of n turns.
func grown(b *testing.B, n int) *memory {
	b.Helper()
	m := makeMethod(b, func(llm.Generator) llm.Generator { return quick(n) })
	m.Embed = topics{}
	s := datasets.Sample{ID: "long", Speakers: []string{"A", "B"}}
	for i := range n {
		if i%40 == 0 {
			s.Sessions = append(s.Sessions, datasets.Session{ID: strconv.Itoa(i)})
		}
		session := &s.Sessions[len(s.Sessions)-1]
		session.Turns = append(session.Turns, datasets.Turn{ID: strconv.Itoa(i), Speaker: s.Speakers[i%2], Text: "0 0", Time: time.Unix(int64(60*i), 0).UTC()})
	}
	return buildMemory(b.Context(), b, m, s)
}

// BenchmarkBuild builds memories of 1,000 to 20,000 turns, and reports the exponent
// of the growth of time, which is worth most on an idle machine. A page is compared with each segment, so that time grows
// with the square of the turns until mid-term memory is full.
func BenchmarkBuild(b *testing.B) {
	var exponent float64
	var segments int
	for b.Loop() {
		took := func(n int) float64 {
			start := time.Now()
			segments = len(grown(b, n).mid.segments)
			return time.Since(start).Seconds()
		}
		small := took(1000)
		exponent = math.Log(took(20_000)/small) / math.Log(20)
	}
	b.ReportMetric(exponent, "exponent")
	b.ReportMetric(float64(segments), "segments")
}
