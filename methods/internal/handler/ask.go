package handler

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// maxQuoted is the largest part of a reply that a repair prompt quotes, in bytes.
const maxQuoted = 16 << 10

// Ask is [llm.JSON] for replies that are checked by more than a schema. A reply
// that check rejects is asked for once more, with check's error; a second
// failure is a *fault.Error of kind fault.Schema.
func Ask[T any](ctx context.Context, g llm.Generator, r llm.Request, check func(T) error) (T, error) {
	for again := false; ; again = true {
		value, reply, err := llm.JSON[T](ctx, g, r)
		if err != nil {
			return value, err
		}
		wrong := check(value)
		if wrong == nil {
			return value, nil
		}
		problem := strings.Join(strings.FieldsFunc(wrong.Error(), func(r rune) bool { return r == '\n' }), "; ")
		if again {
			return value, fault.New(fault.Schema, "the second reply cannot be carried out either: %s", bounded(problem, 1000))
		}
		r.Messages = append(slices.Clone(r.Messages),
			llm.Message{Role: llm.Assistant, Content: bounded(strings.TrimSpace(reply.Text), maxQuoted)},
			llm.Message{Role: llm.User, Content: fmt.Sprintf("That reply cannot be carried out: %s.\n\nReply again in the same form.", bounded(problem, 2000))},
		)
	}
}

// bounded cuts a text that is longer than n bytes.
func bounded(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " ..."
}
