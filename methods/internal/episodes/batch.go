package episodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/door/llm"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// Segments is the template of the call that cuts a batch. It is the method's.
const Segments = "segments"

// A Batch says whether a model cuts many messages into episodes by one call.
type Batch struct {
	// Messages is how many messages are cut at once; 0 looks at each by itself.
	Messages int `yaml:"messages"`
	// Preview is how many characters of a message the model is shown; 0 shows all.
	Preview int `yaml:"preview"`
	// Merge is how many of a batch's first episodes a model may merge with an earlier
	// one.
	Merge int `yaml:"merge,omitempty"`
}

// Validate reports values out of range.
func (b Batch) Validate() error {
	var faults []error
	if b.Messages < 0 || b.Messages == 1 {
		faults = append(faults, fmt.Errorf("messages is %d, want 0, or at least 2", b.Messages))
	}
	if b.Preview < 0 {
		faults = append(faults, fmt.Errorf("preview is %d, want at least 0", b.Preview))
	}
	if b.Merge < 0 || b.Merge > b.Messages {
		faults = append(faults, fmt.Errorf("merge is %d, want 0 to messages, which is %d", b.Merge, b.Messages))
	}
	return errors.Join(faults...)
}

// segmentsTemperature is that of the authors' later versions.
const segmentsTemperature = 0.2

const segmentsSchema = `{
	"type": "object",
	"properties": {"episodes": {"type": "array", "items": {
		"type": "object",
		"properties": {"first": {"type": "integer"}, "topic": {"type": "string"}},
		"required": ["first", "topic"],
		"additionalProperties": false
	}}},
	"required": ["episodes"],
	"additionalProperties": false
}`

// SegmentsData is what the template of [Segments] is rendered with: the messages of
// a batch, each with its number.
type SegmentsData struct{ Messages []string }

// readBatches makes episodes and statements of the messages that are left. Batches
// begin at the same messages in a building that goes on with an earlier one.
func (b *Builder) readBatches(ctx context.Context) error {
	n := b.Batch.Messages
	for b.end() < len(b.Messages) {
		from := b.end() / n * n
		end := min(from+n, len(b.Messages))
		cuts, err := b.cut(ctx, from, end)
		if err != nil {
			return err
		}
		for k, c := range cuts {
			next := end
			if k+1 < len(cuts) {
				next = cuts[k+1].First
			}
			if first := max(c.First, b.end()); first < next {
				if err := b.make(ctx, first, next, c.Topic, k < b.Batch.Merge); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cut asks where the episodes of a batch begin. Without a usable reply the batch is
// one. Messages before the first episode that the reply names belong to it.
func (b *Builder) cut(ctx context.Context, from, end int) ([]llm.Segment, error) {
	whole := []llm.Segment{{First: from}}
	lines := building.Lines(b.Messages[from:end])
	if len(lines) == 1 {
		return whole, nil
	}
	for i, l := range lines {
		if text := []rune(l.Text); b.Batch.Preview > 0 && len(text) > b.Batch.Preview {
			lines[i].Text = string(text[:b.Batch.Preview])
		}
	}
	var data SegmentsData
	for i, l := range lines {
		data.Messages = append(data.Messages, fmt.Sprintf("[%d] %s", i+1, transcript.Text(l)))
	}
	reply, ok, err := building.JSON[llm.Segments](ctx, b.model, building.Call{
		Role:     boundary,
		Template: Segments, Data: data,
		Task:   llm.SegmentsTask{Lines: lines},
		Params: building.Params(segmentsTemperature, b.options.MaxTokens),
		Schema: segmentsSchema,
	})
	if err != nil || !ok {
		return whole, err
	}
	var cuts []llm.Segment
	for _, s := range reply.Episodes {
		if s.First >= 1 && s.First <= len(lines) {
			cuts = append(cuts, llm.Segment{First: from + s.First - 1, Topic: building.Clean(s.Topic, building.MaxTitle)})
		}
	}
	slices.SortStableFunc(cuts, func(x, y llm.Segment) int { return cmp.Compare(x.First, y.First) })
	cuts = slices.CompactFunc(cuts, func(x, y llm.Segment) bool { return x.First == y.First })
	if len(cuts) == 0 {
		return whole, nil
	}
	cuts[0].First = from
	return cuts, nil
}
