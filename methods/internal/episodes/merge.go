package episodes

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// The templates of the calls that merge episodes. They are the method's.
const (
	Same   = "same"   // is a new episode the continuation of one before
	Merged = "merged" // both as one account
)

// Parameters of the authors' later versions.
const (
	candidates        = 5
	candidatePreview  = 200 // characters of a candidate's account
	sameTemperature   = 0.3
	mergedTemperature = 0.7
)

const sameSchema = `{
	"type": "object",
	"properties": {"why": {"type": "string"}, "number": {"type": "integer"}},
	"required": ["why", "number"],
	"additionalProperties": false
}`

type (
	// SameData is what the template of [Same] is rendered with.
	SameData struct {
		New    string
		Before []string // each with its number, from 1
	}
	// MergedData is what the template of [Merged] is rendered with.
	MergedData struct{ Before, New string }
)

// merge returns the episode that a new one and the earlier one that it continues
// make, or the new one as it is.
func (b *Builder) merge(ctx context.Context, e Episode, vector []float32) (Episode, error) {
	near, err := b.nearest(vector)
	if err != nil || len(near) == 0 {
		return e, err
	}
	data := SameData{New: account(e)}
	for i, n := range near {
		old := b.Episodes[n]
		if text := []rune(old.Content); len(text) > candidatePreview {
			old.Content = string(text[:candidatePreview])
		}
		data.Before = append(data.Before, fmt.Sprintf("[%d] %s", i+1, account(old)))
	}
	reply, ok, err := building.JSON[struct {
		Why    string `json:"why"`
		Number int    `json:"number"`
	}](ctx, b.model, building.Call{
		Role: boundary, Template: Same, Data: data, Schema: sameSchema, Params: building.Params(sameTemperature, b.options.MaxTokens),
	})
	if err != nil || !ok || reply.Number < 1 || reply.Number > len(near) {
		return e, err
	}
	old := near[reply.Number-1]
	both := b.Episodes[old]
	told, ok, err := building.JSON[llm.Episode](ctx, b.model, building.Call{
		Role: retell, Template: Merged, Data: MergedData{account(both), account(e)}, Schema: episodeSchema,
		Params: building.Params(mergedTemperature, b.options.MaxTokens),
	})
	content := building.Clean(told.Content, building.MaxContent)
	if err != nil || !ok || content == "" {
		return e, err
	}
	e.Merges, e.Earlier = &old, both.stretches()
	e.Title, e.Content = cmp.Or(building.Clean(told.Title, building.MaxTitle), e.Title), content
	e.Time = cmp.Or(building.ParseTime(told.Time), both.Time, e.Time)
	return e, nil
}

// nearest returns the episodes most similar to a vector, among those that are in
// no other.
func (b *Builder) nearest(vector []float32) ([]int, error) {
	live := Live(b.Episodes)
	var vectors [][]float32
	for _, i := range live {
		vectors = append(vectors, b.Vectors[i][len(b.Vectors[i])-1])
	}
	dense, err := index.NewDense(vectors)
	if err != nil {
		return nil, err
	}
	hits, err := dense.Search(vector, candidates)
	if err != nil {
		return nil, err
	}
	var near []int
	for _, h := range hits {
		near = append(near, live[h.Index])
	}
	return near, nil
}

// stretches are those of an episode's messages, in the order in which they joined it.
func (e Episode) stretches() [][2]int {
	return append(slices.Clone(e.Earlier), [2]int{e.First, e.End})
}

// Said returns an episode's messages, which are among all messages.
func (e Episode) Said(all []building.Message) []building.Message {
	var said []building.Message
	for _, s := range e.stretches() {
		said = append(said, all[s[0]:s[1]]...)
	}
	return said
}

// account is an episode as the model reads it.
func account(e Episode) string {
	return transcript.Text(llm.Line{Time: e.Time, Text: e.Index()})
}

// Live returns the indices of the episodes that were not merged into another.
func Live(episodes []Episode) []int {
	gone := make([]bool, len(episodes))
	for _, e := range episodes {
		if e.Merges != nil {
			gone[*e.Merges] = true
		}
	}
	var live []int
	for i := range episodes {
		if !gone[i] {
			live = append(live, i)
		}
	}
	return live
}
