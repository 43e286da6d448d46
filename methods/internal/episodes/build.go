package episodes

import (
	"cmp"
	"context"
	"fmt"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// Read makes episodes and statements of the messages.
func (b *Builder) Read(ctx context.Context) error {
	first := 0
	for i := 1; i < len(b.Messages); i++ {
		ends, why, err := b.ends(ctx, first, i)
		if err != nil {
			return err
		}
		if ends {
			if err := b.make(ctx, first, i, why); err != nil {
				return err
			}
			first = i
		}
	}
	if first < len(b.Messages) {
		return b.make(ctx, first, len(b.Messages), "")
	}
	return nil
}

// make makes an episode of messages, and statements of it, and puts both into the memory.
func (b *Builder) make(ctx context.Context, first, end int, why string) error {
	e, err := b.retell(ctx, first, end, why)
	if err != nil {
		return err
	}
	vectors, err := building.Vectors(ctx, b.Space, b.texts(e)...)
	if err != nil {
		return err
	}
	statements, err := b.statements(ctx, e, vectors[len(vectors)-1])
	if err != nil {
		return err
	}
	known, err := building.Vectors(ctx, b.Space, statements...)
	if err != nil {
		return err
	}
	for i, text := range statements {
		b.Statements = append(b.Statements, Statement{Text: text, Episode: len(b.Episodes), Vector: known[i]})
		if err := b.index.Add(known[i]); err != nil {
			return err
		}
	}
	b.Episodes, b.Vectors = append(b.Episodes, e), append(b.Vectors, vectors)
	return nil
}

// ends asks whether message i begins a new episode after the one that began
// with message first.
func (b *Builder) ends(ctx context.Context, first, i int) (ends bool, why string, err error) {
	history := building.Lines(b.Messages[first:i])
	if len(history) >= hideLast {
		history = history[:len(history)-1]
	}
	data := boundaryData{transcript.Texts(history), transcript.Text(b.Messages[i].Line)}
	reply, ok, err := building.JSON[building.Boundary](ctx, b.Model, boundary, data)
	return ok && reply.NewEpisode, building.Clean(reply.Why, building.MaxTitle), err
}

// An account is a retold episode.
type account struct {
	Title   string `json:"title"`
	Content string `json:"content"` // in the third person, with who, what, when and where
	// Time is when it took place, as in 2006-01-02T15:04:05; empty if the
	// messages do not say.
	Time string `json:"time"`
}

// retell asks for an account of messages. If the model gives none, the messages
// themselves are the account, so that nothing is lost.
func (b *Builder) retell(ctx context.Context, first, end int, why string) (Episode, error) {
	lines := building.Lines(b.Messages[first:end])
	reply, ok, err := building.JSON[account](ctx, b.Model, retell, episodeData{transcript.Texts(lines), why})
	if err != nil {
		return Episode{}, err
	}
	e := Episode{
		First: first, End: end, Time: building.ParseTime(reply.Time),
		Title: building.Clean(reply.Title, building.MaxTitle), Content: building.Clean(reply.Content, building.MaxContent),
	}
	if !ok || e.Content == "" {
		e.Content = building.Clean(transcript.Texts(lines), building.MaxContent)
	}
	if e.Time.IsZero() {
		e.Time = lines[0].Time
	}
	if e.Title == "" {
		e.Title = fmt.Sprintf("Conversation of %d messages", len(lines))
		if t := lines[0].Time; !t.IsZero() {
			e.Title += " on " + t.Format("2 January 2006")
		}
	}
	return e, nil
}

// statements asks for the lasting facts of an episode. If nothing is known yet
// they are taken from the episode; after that from those messages that a
// prediction from known facts misses. Without a usable reply, the episode's
// account is the only statement, so that its facts can still be found.
func (b *Builder) statements(ctx context.Context, e Episode, vector []float32) ([]string, error) {
	var call building.Call
	var data any
	if len(b.Statements) == 0 {
		of := factsData{Title: e.Title, Content: e.Content}
		if !e.Time.IsZero() {
			of.Time = transcript.Time(e.Time)
		}
		call, data = facts, of
	} else {
		prediction, err := b.predict(ctx, e, vector)
		if err != nil {
			return nil, err
		}
		prediction = cmp.Or(prediction, fmt.Sprintf("There was a conversation under the title %q. Nothing more can be guessed from what is known.", e.Title))
		call, data = gaps, gapsData{transcript.Texts(building.Lines(b.Messages[e.First:e.End])), prediction}
	}
	reply, ok, err := building.JSON[building.Statements](ctx, b.Model, call, data)
	if err != nil {
		return nil, err
	}
	if !ok {
		return []string{building.Clean(e.Content, building.MaxContent)}, nil
	}
	return building.Distinct(reply.Statements, building.MaxFact, maxStatements), nil
}

// predict asks for the probable content of an episode, given the closest
// statements; empty if none is close enough.
func (b *Builder) predict(ctx context.Context, e Episode, vector []float32) (string, error) {
	found, err := b.index.Search(vector, known)
	if found = index.Above(found, closest); err != nil || len(found) == 0 {
		return "", err
	}
	texts := lists.Map(found, func(f index.Hit) string { return b.Statements[f.Index].Text })
	return b.Text(ctx, predict, predictData{e.Title, texts}, building.MaxContent)
}
