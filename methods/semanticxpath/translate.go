package semanticxpath

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

// translateData is what the template "translate" is rendered with.
type translateData struct {
	Request   string
	Operation handler.Operation
	Today     string
	Schema    string
}

// translate asks for the query of a task. One that does not parse, or that names
// what the schema does not have, is asked for again with the error. After the last
// attempt it is a *fault.Error of kind fault.Schema.
func (a *answer) translate(ctx context.Context, request string, op handler.Operation, schema *tree.Schema) (*semxpath.Query, error) {
	defer meter.Stage(ctx, "translate")()
	messages, err := a.prompts.Render("translate", translateData{
		Request: request, Operation: op, Today: handler.Date(a.request.Time),
		Schema: strings.TrimSpace(schema.Text()),
	})
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		reply, err := a.model.Generate(ctx, llm.Request{Role: "translate", Messages: messages, Params: a.Ask.Params()})
		if err != nil {
			return nil, fmt.Errorf("translate: %w", err)
		}
		q, text, err := read(reply.Text, schema)
		if err == nil {
			note := q.String()
			if attempt > 1 {
				note += fmt.Sprintf("; at attempt %d", attempt)
			}
			a.trace(methods.Step{Name: "query", Note: note, Data: map[string]any{"query": q.String(), "attempts": attempt}})
			return q, nil
		}
		a.trace(methods.Step{Name: "query", Note: fmt.Sprintf("attempt %d is no query: %v", attempt, err)})
		if attempt >= attempts {
			return nil, fmt.Errorf("translate: %w", fault.New(fault.Schema, "no query in %d attempts: %s", attempt, oneLine(err)))
		}
		messages = append(messages,
			llm.Message{Role: llm.Assistant, Content: text},
			llm.Message{Role: llm.User, Content: fmt.Sprintf("That query cannot be run:\n\n%v\n\nReply with one query that can, and nothing else.", err)})
	}
}

// maxQuery is the longest reply that is searched for a query, in bytes.
const maxQuery = 4 << 10

// read returns the query in a reply: the reply itself, else one in a code
// block, between back quotes or on a line of its own. The error is that of the
// text that looks most like a query, which is returned too.
func read(reply string, schema *tree.Schema) (q *semxpath.Query, text string, err error) {
	reply = strings.TrimSpace(strings.ToValidUTF8(reply, "\ufffd"))
	if len(reply) > maxQuery {
		reply = strings.ToValidUTF8(reply[:maxQuery], "")
	}
	if reply == "" {
		return nil, "", errors.New("the reply is empty; want a query such as /" + schema.Root)
	}
	for i, c := range semxpath.Candidates(reply) {
		q, wrong := semxpath.Parse(c)
		if wrong == nil {
			if wrong = semxpath.Check(q, schema); wrong == nil {
				return q, c, nil
			}
		}
		if i == 0 || strings.HasPrefix(c, "/") && !strings.HasPrefix(text, "/") {
			text, err = c, wrong
		}
	}
	return nil, text, err
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
