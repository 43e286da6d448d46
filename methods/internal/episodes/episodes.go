// Package episodes builds what Nemori and xMemory have in common: a model decides
// where an episode of the conversation ends, retells it, and finds the statements
// that a prediction of it lacks. xMemory took this over from Nemori's first
// version.
//
// A [Builder] goes through the messages once.
package episodes

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"time"

	"recallbench/internal/calc/lists"
	embeds "recallbench/internal/door/embed"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Schemas of replies. That of statements ends a list in which a small model repeats
// itself: a server that enforces the schema stops it there.
var (
	//go:embed prompts/episode.json
	episodeSchema string
	//go:embed prompts/statements.json
	statementsSchema string
)

// Prompts returns the templates of the calls.
func Prompts() prompt.Texts { return prompt.Embedded(files) }

// The calls, with the temperatures of the released code. The facts call takes
// statements from an account, the gaps call from messages and a prediction.
var (
	boundary = building.Call{Role: "boundary", Temperature: 0.1, Schema: building.BoundarySchema, Empty: boundaryData{}}
	retell   = building.Call{Role: "episode", Temperature: 0.3, Schema: episodeSchema, Empty: episodeData{}}
	facts    = building.Call{Role: "statements", Template: "facts", Temperature: 0.2, Schema: statementsSchema, Empty: factsData{}}
	gaps     = building.Call{Role: "statements", Template: "gaps", Temperature: 0.2, Schema: statementsSchema, Empty: gapsData{}}
	predict  = building.Call{Role: "predict", Temperature: 0.3, Empty: predictData{}}
)

// Calls lists the calls.
func Calls() []building.Call { return []building.Call{boundary, retell, facts, gaps, predict} }

// The data of the templates.
type (
	boundaryData struct{ History, Next string }
	episodeData  struct{ Messages, Why string }
	factsData    struct{ Title, Time, Content string }
	gapsData     struct{ Messages, Prediction string }
	predictData  struct {
		Title string
		Known []string
	}
)

// Options hold a method's choices for construction. Memories with the same values
// share their episodes and statements, whatever else differs.
type Options struct {
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
}

// Parameters of the released code of both methods.
const (
	hideLast = 11   // from this many messages on, the last one of an episode is hidden from the model that looks for its end
	known    = 10   // closest statements for a prediction
	closest  = 0.85 // cosine from which a statement counts as close
)

// maxStatements is the largest number of statements kept from a reply.
const maxStatements = 200

// Defaults are those of the released code of both methods.
func Defaults() Options { return Options{MaxTokens: 8192} }

// Validate reports values out of range.
func (o Options) Validate() error {
	if o.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d, want at least 1", o.MaxTokens)
	}
	return nil
}

// An Episode is a stretch of messages, retold.
type Episode struct {
	First   int       `json:"first"` // messages from First to before End
	End     int       `json:"end"`
	Title   string    `json:"title"`
	Content string    `json:"content"`
	Time    time.Time `json:"time,omitzero"` // zero if unknown
}

// Index is the text by which statements are looked up for an episode.
func (e Episode) Index() string { return e.Title + ". " + e.Content }

// Block returns an episode as the reader sees it: its time, an account of it
// and, if it is expanded, its messages. Its sources are the turns of the
// episode.
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

// Texts are the contents of episodes and the statements about them.
func Texts(all []Episode, about []Statement) []string {
	return slices.Concat(
		lists.Map(all, func(e Episode) string { return e.Content }),
		lists.Map(about, func(s Statement) string { return s.Text }),
	)
}

// A Builder reads a conversation.
type Builder struct {
	building.Model
	Space    embeds.Embedder
	Messages []building.Message

	Episodes []Episode
	// Vectors holds the vectors of each episode's texts, see [New].
	Vectors    [][][]float32
	Statements []Statement

	texts func(Episode) []string
	index index.Growing // of the statements
}

// New gathers the messages of a conversation and makes the embedding space. Texts
// returns the texts of an episode that are embedded, its [Episode.Index] as the last.
func New(ctx context.Context, m building.Method, messages []building.Message, texts func(Episode) []string) (*Builder, error) {
	b := &Builder{texts: texts, Messages: messages}
	var err error
	if b.Model, err = m.Resume(ctx); err != nil {
		return nil, err
	}
	b.Space, err = building.Fit(ctx, m.Embed, b.Messages)
	return b, err
}
