package episodes

import (
	"context"

	"recallbench/internal/door/llm"
	"recallbench/methods/internal/building"
)

// Forms of the replies that the authors' prompts ask for, where [Builder.Authors]
// says that these are asked with. Statements have the same form.
const (
	authorsBoundarySchema = `{
	"type": "object",
	"properties": {"should_end": {"type": "boolean"}, "reason": {"type": "string"}, "confidence": {"type": "number"}, "topic_summary": {"type": "string"}},
	"required": ["should_end", "reason", "confidence", "topic_summary"],
	"additionalProperties": false
}`
	authorsEpisodeSchema = `{
	"type": "object",
	"properties": {"title": {"type": "string"}, "content": {"type": "string"}, "timestamp": {"type": "string"}},
	"required": ["title", "content", "timestamp"],
	"additionalProperties": false
}`
)

func (b *Builder) askBoundary(ctx context.Context, c building.Call) (llm.Boundary, bool, error) {
	if !b.Authors {
		c.Schema = boundarySchema
		return building.JSON[llm.Boundary](ctx, b.model, c)
	}
	c.Schema = authorsBoundarySchema
	r, ok, err := building.JSON[struct {
		Ends       bool    `json:"should_end"`
		Reason     string  `json:"reason"`
		Confidence float64 `json:"confidence"`
		Topic      string  `json:"topic_summary"`
	}](ctx, b.model, c)
	return llm.Boundary{Why: r.Reason, NewEpisode: r.Ends, Confidence: r.Confidence}, ok, err
}

func (b *Builder) askEpisode(ctx context.Context, c building.Call) (llm.Episode, bool, error) {
	if !b.Authors {
		c.Schema = episodeSchema
		return building.JSON[llm.Episode](ctx, b.model, c)
	}
	c.Schema = authorsEpisodeSchema
	r, ok, err := building.JSON[struct {
		Title   string `json:"title"`
		Content string `json:"content"`
		Time    string `json:"timestamp"`
	}](ctx, b.model, c)
	return llm.Episode{Title: r.Title, Content: r.Content, Time: r.Time}, ok, err
}
