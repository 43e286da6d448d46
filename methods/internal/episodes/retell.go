package episodes

import (
	"context"
	"fmt"

	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// Temperatures of the released code.
const (
	boundaryTemperature = 0.1
	episodeTemperature  = 0.3
)

const boundarySchema = `{
	"type": "object",
	"properties": {"why": {"type": "string"}, "new_episode": {"type": "boolean"}, "confidence": {"type": "number"}},
	"required": ["why", "new_episode", "confidence"],
	"additionalProperties": false
}`

type boundaryData struct{ History, Next string }

// ends asks whether message i begins another episode than the one that began
// with message first.
func (b *Builder) ends(ctx context.Context, first, i int) (ends bool, why string, err error) {
	history := building.Lines(b.Messages[first:i])
	if len(history) >= hideLast {
		history = history[:len(history)-1]
	}
	next := b.Messages[i].Line
	reply, ok, err := building.JSON[building.Boundary](ctx, b.model, building.Call{
		Role:     boundary,
		Template: boundary, Data: boundaryData{transcript.Texts(history), transcript.Text(next)},
		Params: building.Params(boundaryTemperature, b.options.MaxTokens),
		Schema: boundarySchema,
	})
	return ok && reply.NewEpisode, building.Clean(reply.Why, building.MaxTitle), err
}

const episodeSchema = `{
	"type": "object",
	"properties": {"title": {"type": "string"}, "content": {"type": "string"}, "time": {"type": "string"}},
	"required": ["title", "content", "time"],
	"additionalProperties": false
}`

// An account is a retold episode.
type account struct {
	Title   string `json:"title"`
	Content string `json:"content"` // in the third person, with who, what, when and where
	// Time is when it took place, as in 2006-01-02T15:04:05; empty when the
	// messages do not say.
	Time string `json:"time"`
}

type episodeData struct{ Messages, Why string }

// retell asks for an account of messages. Where there is none to be had, the
// messages themselves stand for it, so that nothing they say is lost.
func (b *Builder) retell(ctx context.Context, first, end int, why string) (Episode, error) {
	lines := building.Lines(b.Messages[first:end])
	reply, ok, err := building.JSON[account](ctx, b.model, building.Call{
		Role:     retell,
		Template: retell, Data: episodeData{transcript.Texts(lines), why},
		Params: building.Params(episodeTemperature, b.options.MaxTokens),
		Schema: episodeSchema,
	})
	if err != nil {
		return Episode{}, err
	}
	e := Episode{
		First: first, End: end,
		Title: building.Clean(reply.Title, building.MaxTitle), Content: building.Clean(reply.Content, building.MaxContent), Time: building.ParseTime(reply.Time),
	}
	if !ok || e.Content == "" {
		e.Content = building.Clean(transcript.Texts(lines), building.MaxContent)
	}
	if e.Title == "" {
		e.Title = untitled(lines)
	}
	if e.Time.IsZero() {
		e.Time = lines[0].Time
	}
	return e, nil
}

// untitled is the title of an episode that the model gave none.
func untitled(lines []transcript.Line) string {
	title := fmt.Sprintf("Conversation of %d messages", len(lines))
	if t := lines[0].Time; !t.IsZero() {
		title += " on " + t.Format("2 January 2006")
	}
	return title
}
