// Package episodes builds what Nemori and xMemory have in common: a model decides
// where an episode of the conversation ends, retells it, and finds the statements
// that a prediction of it lacks. xMemory took this over from Nemori's first
// version.
//
// [Read] goes through the messages once.
package episodes

import (
	"cmp"
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

// Parameters of the released code of both methods.
const (
	hideLast = 11   // from this many messages on, the last one of an episode is hidden from the model that looks for its end
	known    = 10   // closest statements for a prediction
	closest  = 0.85 // cosine from which a statement counts as close
)

// maxStatements is the largest number of statements kept from a reply.
const maxStatements = 200

// Defaults are those of the released code of both methods.
func Defaults() building.Replies { return building.Replies{MaxTokens: 8192} }

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

// FactBlock returns a statement as the reader sees it, with the time of its episode. It
// has no turns as sources: only episodes count as evidence of their turns.
func FactBlock(id string, score float64, s Statement, of []Episode) methods.Evidence {
	line := transcript.Line{Time: of[s.Episode].Time, Text: s.Text}
	return methods.Evidence{ID: id, Score: score, Text: "- " + transcript.Text(line)}
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
	// Vectors holds the vectors of each episode's texts, see [Read].
	Vectors    [][][]float32
	Statements []Statement

	texts func(Episode) []string
	index index.Growing // of the statements
}

// Read makes episodes and statements of the messages of a conversation. Texts returns
// the texts of an episode that are embedded, its [Episode.Index] as the last.
func Read(ctx context.Context, m building.Method, messages []building.Message, texts func(Episode) []string) (*Builder, error) {
	b := &Builder{texts: texts, Messages: messages}
	var err error
	if b.Model, b.Space, err = m.Begin(ctx, messages); err != nil {
		return nil, err
	}
	first := 0
	for i := 1; i < len(messages); i++ {
		ends, why, err := b.ends(ctx, first, i)
		if err != nil {
			return nil, err
		}
		if ends {
			if err := b.make(ctx, first, i, why); err != nil {
				return nil, err
			}
			first = i
		}
	}
	if first < len(messages) {
		return b, b.make(ctx, first, len(messages), "")
	}
	return b, nil
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
