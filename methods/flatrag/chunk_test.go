package flatrag

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
)

// conversation has two sessions: three turns and two turns.
func conversation() datasets.Sample {
	day := time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)
	return datasets.Sample{ID: "c", Speakers: []string{"Ada", "Ben"}, Sessions: []datasets.Session{
		{ID: "1", Time: day, Turns: []datasets.Turn{
			{ID: "D1:1", Speaker: "Ada", Text: "I planted seven tomato seedlings on the balcony.", Time: day},
			{ID: "D1:2", Speaker: "Ben", Text: "Do they get enough sun? 🙂", Time: day},
			{ID: "D1:3", Speaker: "Ada", Text: "Yes,\nall morning.", Time: day, Image: &datasets.Image{Caption: "green plants", Query: "tomato seedlings"}},
		}},
		{ID: "2", Time: day.AddDate(0, 0, 7), Turns: []datasets.Turn{
			{ID: "D2:1", Speaker: "Ben", Text: "How are the tomatoes?", Time: day.AddDate(0, 0, 7)},
			{ID: "D2:2", Speaker: "Ada", Text: "Two have flowers.", Time: day.AddDate(0, 0, 7)},
		}},
	}}
}

func chunksOf(t *testing.T, c Chunk) []chunk {
	t.Helper()
	tokens := try.Get(token.New("o200k_base"))(t)
	o := Defaults()
	o.Chunk = c
	try.Do(t, o.Validate())
	return (&method{Options: o, tokens: tokens}).chunks(conversation())
}

func TestChunkSources(t *testing.T) {
	for _, tt := range []struct {
		chunk Chunk
		want  string
	}{
		{Chunk{Unit: Turns, Size: 2}, "D1:1 D1:2|D1:3 D2:1|D2:2"},
		{Chunk{Unit: Turns, Size: 3}, "D1:1 D1:2 D1:3|D2:1 D2:2"},
		{Chunk{Unit: Tokens, Size: 1000}, "D1:1 D1:2 D1:3 D2:1 D2:2"},
	} {
		var parts []string
		for _, c := range chunksOf(t, tt.chunk) {
			parts = append(parts, strings.Join(c.sources, " "))
		}
		if got := strings.Join(parts, "|"); got != tt.want {
			t.Errorf("%+v: sources %s, want %s", tt.chunk, got, tt.want)
		}
	}
}

func TestChunkText(t *testing.T) {
	got := chunksOf(t, Chunk{Unit: Turns, Size: 3})[0].text
	want := `[1 March 2024 09:00] Ada: I planted seven tomato seedlings on the balcony.
[1 March 2024 09:00] Ben: Do they get enough sun? 🙂
[1 March 2024 09:00] Ada: Yes, all morning. [image: green plants] [image search: tomato seedlings]`
	try.Equal(t, "text", want, got)
}

// TestTokenWindows checks, for every size, that the windows join to the
// transcript, that each turn is a source exactly once, and that windows have
// the size they should have.
func TestTokenWindows(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	whole := chunksOf(t, Chunk{Unit: Tokens, Size: 1000})[0].text
	squeeze := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
	for size := 1; size < 90; size++ {
		var text strings.Builder
		owners := make(map[string]int)
		chunks := chunksOf(t, Chunk{Unit: Tokens, Size: size})
		for i, c := range chunks {
			text.WriteString(c.text)
			for _, id := range c.sources {
				owners[id]++
			}
			if n := tokens.Count(c.text); i < len(chunks)-1 && n > size+4 {
				t.Errorf("size %d: %s has %d tokens", size, c.id, n)
			}
		}
		if got := squeeze(text.String()); got != squeeze(whole) {
			t.Errorf("size %d: windows join to %q", size, got)
		}
		want := map[string]int{"D1:1": 1, "D1:2": 1, "D1:3": 1, "D2:1": 1, "D2:2": 1}
		if diff := cmp.Diff(want, owners); diff != "" {
			t.Errorf("size %d: windows that own a turn (-want +got):\n%s", size, diff)
		}
	}
}
