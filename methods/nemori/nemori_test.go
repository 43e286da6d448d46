package nemori

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

// made returns the method over a model and an embedder.
func made(tb testing.TB, g llm.GeneratorFunc, e embed.Model) *method {
	tb.Helper()
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(tb)
	m := try.Get(Spec.New(methods.Env{LLM: g, Embed: e, Prompts: prompts}, Spec.Options))(tb)
	return m.(*method)
}

// long returns a conversation of so many turns.
func long(turns int) datasets.Sample {
	s := datasets.Sample{ID: "long", Sessions: []datasets.Session{{ID: "1"}}}
	for i := range turns {
		at := time.Date(2024, 1, 1, 0, i, 0, 0, time.UTC)
		s.Sessions[0].Turns = append(s.Sessions[0].Turns, datasets.Turn{ID: strconv.Itoa(i), Speaker: "A", Text: "turn " + strconv.Itoa(i), Time: at})
	}
	return s
}

// TestHistory looks at what the model sees of an episode that goes on: up to ten
// messages all of them, and then all but the last. Nothing ends it.
func TestHistory(t *testing.T) {
	var shown []int
	m := made(t, func(_ context.Context, r llm.Request) (llm.Reply, error) {
		switch r.Role {
		case "boundary":
			shown = append(shown, len(methodtest.Lines(r))-1)
			return llm.Reply{Text: `{"why": "", "new_episode": false, "confidence": 0}`}, nil
		case "episode":
			return llm.Reply{Text: `{"title": "a", "content": "b", "time": ""}`}, nil
		}
		return llm.Reply{Text: `{"statements": []}`}, nil
	}, topics(1))
	built := try.Get(m.Build(t.Context(), long(30)))(t)
	var want []int
	for n := 1; n < 30; n++ {
		if n > 10 {
			want = append(want, n-1)
		} else {
			want = append(want, n)
		}
	}
	try.Equal(t, "messages of the history", want, shown)
	if got := built.(*memory).Structure(); got["episodes"] != 1 || got["episode-max"] != 30 {
		t.Errorf("structure %v, want one episode of 30 messages", got)
	}
}

// topics is an embedder that gives a text the direction of its first number, by as
// many dimensions.
type topics int

func (n topics) Fit(context.Context, []string) (embed.Embedder, error) { return n, nil }
func (n topics) Dim() int                                              { return 384 }

func (n topics) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		v := make([]float32, 384)
		var topic, at int
		_, _ = fmt.Sscan(text, &topic, &at) // a text without numbers is of the first topic
		for i := range v {
			v[i] = float32(math.Sin(float64((topic%int(n)+1)*(i+1)))) + float32(math.Sin(float64((at+1)*(i+2))))/4
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}
