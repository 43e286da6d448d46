package xmemory

import (
	"context"
	"fmt"

	"recallbench/internal/door/llm"
	"recallbench/methods/internal/transcript"
)

// Temperatures of the released code.
const (
	factsTemperature   = 0.2
	predictTemperature = 0.3
)

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
func (b *builder) statements(ctx context.Context, e episode, vector []float32) ([]string, error) {
	request := llm.Request{Role: extract, Params: b.params(factsTemperature, b.Construction.MaxTokens)}
	var err error
	if b.Construction.Semantics == Direct || len(b.semantics) == 0 {
		request.Task = llm.StatementsTask{Title: e.title, Content: e.content, Time: e.time}
		data := factsData{Title: e.title, Content: e.content}
		if !e.time.IsZero() {
			data.Time = transcript.Time(e.time)
		}
		request.Messages, err = b.prompts.Render(facts, data)
	} else {
		prediction, perr := b.predict(ctx, e, vector)
		if perr != nil {
			return nil, perr
		}
		lines := b.lines(e.first, e.end)
		request.Task = llm.StatementsTask{Time: e.time, Lines: lines, Prediction: prediction}
		if prediction == "" {
			prediction = fmt.Sprintf("There was a conversation under the title %q. Nothing more can be guessed from what is known.", e.title)
		}
		request.Messages, err = b.prompts.Render(gaps, gapsData{text(lines), prediction})
	}
	if err != nil {
		return nil, err
	}
	reply, ok, err := ask[llm.Statements](ctx, b.method, request, statementsSchema)
	if err != nil {
		return nil, err
	}
	if !ok {
		return []string{clean(e.content, maxContent)}, nil
	}
	return distinct(reply.Statements), nil
}

// distinct cleans statements and leaves out empty and repeated ones.
func distinct(statements []string) []string {
	var kept []string
	seen := make(map[string]bool)
	for _, s := range statements {
		if s = clean(s, maxStatement); s == "" || seen[s] {
			continue
		}
		seen[s] = true
		if kept = append(kept, s); len(kept) == maxStatements {
			break
		}
	}
	return kept
}

// predict asks what an episode probably told, from the closest statements;
// empty where none is close enough.
func (b *builder) predict(ctx context.Context, e episode, vector []float32) (string, error) {
	found, err := b.close.Search(vector, b.Construction.Known)
	if err != nil || len(found) == 0 {
		return "", err
	}
	var known []string
	for _, f := range found {
		known = append(known, b.semantics[f.Index].text)
	}
	messages, err := b.prompts.Render(predict, predictData{e.title, known})
	if err != nil {
		return "", err
	}
	prediction, _, err := b.write(ctx, llm.Request{
		Role:     predict,
		Messages: messages,
		Task:     llm.PredictTask{Title: e.title, Known: known},
		Params:   b.params(predictTemperature, b.Construction.MaxTokens),
	})
	return prediction, err
}
