package xmemory

import (
	"context"
	"fmt"

	"recallbench/internal/door/llm"
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
func (b *builder) ends(ctx context.Context, first, i int) (ends bool, why string, err error) {
	if n := b.Construction.MaxMessages; n > 0 && i-first >= n {
		return true, fmt.Sprintf("it has %d messages", n), nil
	}
	history := building.Lines(b.messages[first:i])
	if n := b.Construction.HideLast; n > 0 && len(history) >= n {
		history = history[:len(history)-1]
	}
	next := b.messages[i].Line
	reply, ok, err := building.JSON[llm.Boundary](ctx, b.Model, building.Call{
		Role:     boundary,
		Template: boundary, Data: boundaryData{transcript.Texts(history), transcript.Text(next)},
		Task:   llm.BoundaryTask{History: history, Next: next},
		Params: building.Params(boundaryTemperature, b.Construction.MaxTokens),
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

type episodeData struct{ Messages, Why string }

// retell asks for an account of messages. Where there is none to be had, the
// messages themselves stand for it, so that nothing they say is lost.
func (b *builder) retell(ctx context.Context, first, end int, why string) (episode, error) {
	lines := building.Lines(b.messages[first:end])
	reply, ok, err := building.JSON[llm.Episode](ctx, b.Model, building.Call{
		Role:     retell,
		Template: retell, Data: episodeData{transcript.Texts(lines), why},
		Task:   llm.EpisodeTask{Lines: lines, Why: why},
		Params: building.Params(episodeTemperature, b.Construction.MaxTokens),
		Schema: episodeSchema,
	})
	if err != nil {
		return episode{}, err
	}
	e := episode{
		first: first, end: end,
		title: building.Clean(reply.Title, building.MaxTitle), content: building.Clean(reply.Content, building.MaxContent), time: building.ParseTime(reply.Time),
	}
	if !ok || e.content == "" {
		e.content = building.Clean(transcript.Texts(lines), building.MaxContent)
	}
	if e.title == "" {
		e.title = untitled(lines)
	}
	if e.time.IsZero() {
		e.time = lines[0].Time
	}
	return e, nil
}

// untitled is the title of an episode that the model gave none.
func untitled(lines []llm.Line) string {
	title := fmt.Sprintf("Conversation of %d messages", len(lines))
	if t := lines[0].Time; !t.IsZero() {
		title += " on " + t.Format("2 January 2006")
	}
	return title
}
