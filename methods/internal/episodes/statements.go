package episodes

import (
	"context"
	"fmt"

	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// Temperatures of the released code.
const (
	factsTemperature   = 0.2
	predictTemperature = 0.3
)

// maxStatements is how many of a reply are kept; more are no answer to what was
// asked.
const maxStatements = 200

// statementsSchema ends a list in which a small model repeats itself: a server that
// holds a model to the schema stops it there.
const statementsSchema = `{
	"type": "object",
	"properties": {"statements": {"type": "array", "items": {"type": "string"}, "maxItems": 30}},
	"required": ["statements"],
	"additionalProperties": false
}`

type (
	factsData   struct{ Title, Time, Content string }
	gapsData    struct{ Messages, Prediction string }
	predictData struct {
		Title string
		Known []string
	}
)

// statements asks for the lasting facts of an episode. Where nothing is known
// yet they are taken from the episode; after that from its messages, as far as
// a prediction from what is known does not tell them. Where the model has no
// usable reply, the episode's account is the one statement, so that its facts
// are found all the same.
func (b *Builder) statements(ctx context.Context, e Episode, vector []float32) ([]string, error) {
	call := building.Call{Role: extract, Params: building.Params(factsTemperature, b.options.MaxTokens), Schema: statementsSchema}
	if len(b.Statements) == 0 {
		data := factsData{Title: e.Title, Content: e.Content}
		if !e.Time.IsZero() {
			data.Time = transcript.Time(e.Time)
		}
		call.Template, call.Data = facts, data
	} else {
		prediction, err := b.predict(ctx, e, vector)
		if err != nil {
			return nil, err
		}
		lines := building.Lines(b.Messages[e.First:e.End])
		if prediction == "" {
			prediction = fmt.Sprintf("There was a conversation under the title %q. Nothing more can be guessed from what is known.", e.Title)
		}
		call.Template, call.Data = gaps, gapsData{transcript.Texts(lines), prediction}
	}
	reply, ok, err := building.JSON[building.Statements](ctx, b.model, call)
	if err != nil {
		return nil, err
	}
	if !ok {
		return []string{building.Clean(e.Content, building.MaxContent)}, nil
	}
	return building.Distinct(reply.Statements, building.MaxFact, maxStatements), nil
}

// predict asks what an episode probably told, from the closest statements;
// empty where none is close enough.
func (b *Builder) predict(ctx context.Context, e Episode, vector []float32) (string, error) {
	found, err := b.close.Search(vector, known)
	if err != nil || len(found) == 0 {
		return "", err
	}
	var texts []string
	for _, f := range found {
		texts = append(texts, b.Statements[f.Index].Text)
	}
	prediction, _, err := b.model.Text(ctx, building.Call{
		Role:     predict,
		Template: predict, Data: predictData{e.Title, texts},
		Params: building.Params(predictTemperature, b.options.MaxTokens),
	}, building.MaxContent)
	return prediction, err
}
