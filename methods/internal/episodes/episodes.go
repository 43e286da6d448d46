// Package episodes builds what Nemori and xMemory have in common: a model says
// where an episode of the conversation ends, retells it, and finds the statements
// that a prediction of it lacks. xMemory took this over from Nemori's first
// version.
//
// A [Builder] goes through the messages once. What it made is kept part by part,
// so that a building that was interrupted goes on with the episode it was at.
package episodes

import (
	"context"
	"embed"
	"io/fs"
	"time"

	embeds "recallbench/internal/door/embed"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Prompts returns the templates of the calls.
func Prompts() fs.FS { return prompt.Embedded(files) }

// The roles of the calls, which have the names of their templates, but for
// extract, which has two.
const (
	boundary = "boundary"
	retell   = "episode"
	predict  = "predict"
	extract  = "statements"
)

// The templates of extract.
const (
	facts = "facts" // from an account
	gaps  = "gaps"  // from messages, beside a prediction
)

// Roles lists the roles of the calls.
func Roles() []string { return []string{boundary, retell, predict, extract} }

// Templates lists the names of the templates.
func Templates() []string { return []string{boundary, retell, facts, gaps, predict} }

// Check renders each template, so that a user's own fails before a run.
func Check(m building.Model) error {
	return m.Check(map[string]any{
		boundary: boundaryData{}, retell: episodeData{}, facts: factsData{}, gaps: gapsData{}, predict: predictData{},
	})
}

// An Episode is a stretch of messages, retold.
type Episode struct {
	First, End     int // messages from First to before End
	Title, Content string
	Time           time.Time // zero when unknown
}

// Index is the text by which statements are looked up for an episode.
func (e Episode) Index() string { return e.Title + ". " + e.Content }

// Block returns an episode as the reader sees it: its time and an account of it
// and, where it is expanded, its messages, which are among all messages. Its
// sources are the turns of the episode.
func Block(id string, score float64, e Episode, account string, messages []building.Message, expanded bool) methods.Evidence {
	said := transcript.Line{Time: e.Time, Text: account}
	block := methods.Evidence{ID: id, Score: score, Text: "- " + transcript.Text(said)}
	if expanded {
		block.ID += " with messages"
	}
	for _, m := range messages[e.First:e.End] {
		block.Sources = append(block.Sources, m.ID)
		if expanded {
			block.Text += "\n  " + transcript.Text(m.Line)
		}
	}
	return block
}

// A Statement is a lasting fact.
type Statement struct {
	Text    string
	Episode int // that it was found in
	Vector  []float32
}

// A Builder reads a conversation.
type Builder struct {
	Space    embeds.Embedder
	Messages []building.Message

	Episodes []Episode
	// Vectors holds the vectors of each episode's texts, see [New].
	Vectors    [][][]float32
	Statements []Statement

	model   building.Model
	options Options
	keeper  checkpoint.Keeper
	texts   func(Episode) []string
	close   *index.Close // of the statements
}

// New gathers the messages of a sample, makes the embedding space and takes up
// what an earlier building kept. Texts returns the texts of an episode that are
// embedded, its [Episode.Index] as the last.
func New(ctx context.Context, m building.Model, o Options, space embeds.Model, messages []building.Message, texts func(Episode) []string) (*Builder, error) {
	b := &Builder{model: m, options: o, keeper: checkpoint.From(ctx), texts: texts, Messages: messages}
	var err error
	if b.Space, err = building.Fit(ctx, space, b.Messages); err != nil {
		return nil, err
	}
	b.close = index.NewClose(closest)
	return b, b.takeUp(ctx)
}
