package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"recallbench/internal/door/fault"
)

// Limits on the parts of a repair prompt, in bytes: a reply, complete or cut at
// the token limit, and the message about its fault. A model that repeated itself
// continues to do so if it reads much of it.
const (
	maxQuoted  = 16 << 10
	maxCut     = 200
	maxMessage = 600
)

// JSON asks for a reply in the format of r, which must be set, and returns the
// object in the reply. Code fences and prose around the object are tolerated.
// It has to fit the schema and T: a field that T does not know is a fault, and
// so is a duplicate field.
//
// A server without structured output may reply with something else. JSON then
// asks once more, with the reply and its fault, and gives up after that with a
// *fault.Error of kind [fault.Schema]. Each call is metered by itself; the
// reply returned is the last one.
//
// Schemas are written by hand next to the prompt that asks for them; generating
// them from Go types is left to tests.
func JSON[T any](ctx context.Context, g Generator, r Request) (value T, reply Reply, err error) {
	return CheckedJSON(ctx, g, r, func(T) error { return nil })
}

// CheckedJSON is JSON for requirements that a schema cannot express: a reply
// that check rejects does not fit, and the model is shown check's error.
func CheckedJSON[T any](ctx context.Context, g Generator, r Request, check func(T) error) (value T, reply Reply, err error) {
	if r.Format == nil {
		return value, Reply{}, errors.New("llm: a request for JSON has no format")
	}
	schema, err := compile(string(r.Format.Schema))
	if err != nil {
		return value, Reply{}, fmt.Errorf("llm: format %q: %w", r.Format.Name, err)
	}
	for again := false; ; again = true {
		if reply, err = g.Generate(ctx, r); err != nil {
			return value, reply, err
		}
		if value, err = decode[T](reply.Text, schema); err == nil {
			if err = check(value); err == nil {
				return value, reply, nil
			}
		}
		if again {
			return value, reply, fault.New(fault.Schema, "the second reply does not fit the format either: %s", bounded(err.Error(), maxMessage))
		}
		r.Messages = repair(r, reply, err)
	}
}

// repair returns the messages that ask for a reply once more.
func repair(r Request, reply Reply, wrong error) []Message {
	messages := slices.Clone(r.Messages)
	quoted, why := maxQuoted, wrong.Error()
	if reply.Finish == "length" {
		quoted, why = maxCut, "it was cut off because it is too long; be brief, and say nothing twice"
	}
	if text := strings.TrimSpace(reply.Text); text != "" {
		messages = append(messages, Message{Assistant, bounded(text, quoted)})
	}
	return append(messages, Message{User, fmt.Sprintf(
		"That reply cannot be used: %s.\n\nReply again with one JSON object that follows this schema, and with nothing before or behind it:\n%s",
		bounded(why, maxMessage), bytes.TrimSpace(r.Format.Schema))})
}

// bounded cuts a text that is longer than n bytes.
func bounded(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " ..."
}

// asksAgain lists how messages begin that ask for a reply once more: those of [JSON],
// of edits of trees and of queries.
var asksAgain = []string{"That reply cannot be used:", "That reply cannot be carried out:", "That query cannot be run:"}

// AsksAgain reports whether the last message of a call is a repair prompt, because
// the previous reply was unusable.
func AsksAgain(last string) bool {
	return slices.ContainsFunc(asksAgain, func(beginning string) bool { return strings.HasPrefix(last, beginning) })
}

// Check reports why no object in a reply fits the format. Further requirements of
// [CheckedJSON] or a type are not checked.
func (f Format) Check(reply string) error {
	schema, err := compile(string(f.Schema))
	if err != nil {
		return fmt.Errorf("format %q: %w", f.Name, err)
	}
	_, err = decode[any](reply, schema)
	return err
}

// decode returns the last of the objects in text that fits. The error is that
// of the last object when none does.
func decode[T any](text string, schema *jsonschema.Schema) (value T, err error) {
	found, err := objects(text)
	if err != nil {
		return value, err
	}
	for _, raw := range slices.Backward(found) {
		v, misfit := fit[T](raw, schema)
		if misfit == nil {
			return v, nil
		}
		err = cmp.Or(err, misfit)
	}
	return value, err
}

// fit decodes an object into T and checks it against the schema. T comes
// first: it refuses the numbers that are too large to be checked in no time.
func fit[T any](raw []byte, schema *jsonschema.Schema) (value T, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	misfit := dec.Decode(&value)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](misfit); ok && strings.HasPrefix(e.Value, "number ") {
		return value, fmt.Errorf("at /%s: %s does not fit", strings.ReplaceAll(e.Field, ".", "/"), bounded(e.Value, 40))
	}
	// The schema's words are plainer than the decoder's, where both object.
	if err := validate(schema, raw); err != nil {
		return value, err
	}
	if misfit != nil {
		return value, errors.New(strings.TrimPrefix(misfit.Error(), "json: "))
	}
	return value, nil
}

// compiled holds the schemas in use, which are few, by their text.
var compiled sync.Map // of string to func() (*jsonschema.Schema, error)

// compile returns the schema of a text.
func compile(text string) (*jsonschema.Schema, error) {
	once, _ := compiled.LoadOrStore(text, sync.OnceValues(func() (*jsonschema.Schema, error) { return parseSchema(text) }))
	return once.(func() (*jsonschema.Schema, error))()
}
