package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// Fits reports whether a reply is usable for who made the request: where it asks for
// JSON, one that contains an object, of whatever schema; where it has tools, one that
// calls some with objects as arguments, or is a complete text; else any text.
func (w Wire) Fits(r Reply) bool {
	var rest struct {
		Tools  []json.RawMessage `json:"tools"`
		Format struct {
			Type string `json:"type"`
		} `json:"response_format"`
	}
	if len(w.Rest) > 0 && json.Unmarshal(w.Rest, &rest) != nil {
		return true // what it asks for is not known
	}
	calls := r.toolCalls()
	switch {
	case len(rest.Tools) > 0 && len(calls) > 0:
		return !slices.ContainsFunc(calls, func(arguments string) bool { return !holdsObject(arguments) })
	case len(rest.Tools) > 0:
		return r.Text != "" && r.Finish != "length"
	case strings.HasPrefix(rest.Format.Type, "json_"):
		return holdsObject(r.Text)
	default:
		return strings.TrimSpace(r.Text) != "" || len(calls) > 0
	}
}

// toolCalls returns the arguments of the tools that the first choice calls.
func (r Reply) toolCalls() (all []string) {
	var choices []struct {
		Message struct {
			Calls []struct {
				Function struct {
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
	}
	if json.Unmarshal(r.Wire, &choices) != nil || len(choices) == 0 {
		return nil
	}
	for _, c := range choices[0].Message.Calls {
		all = append(all, c.Function.Arguments)
	}
	return all
}

func holdsObject(text string) bool {
	found, err := objects(text)
	return err == nil && len(found) > 0
}
