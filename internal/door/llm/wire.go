package llm

import (
	"cmp"
	"encoding/json"
	"strings"
)

// A Form is the form of reply that a request from outside asks for.
type Form struct {
	// Name is that of a JSON Schema, or "json", "tools" or "text".
	Name string
	// By says how it is asked for: json_schema, json_object, tools, or empty for
	// text.
	By string
}

// Form returns the form of reply that is asked for.
func (w Wire) Form() (Form, error) {
	var rest struct {
		Tools  []json.RawMessage `json:"tools"`
		Format struct {
			Type   string `json:"type"`
			Schema struct {
				Name string `json:"name"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if len(w.Rest) > 0 {
		if err := json.Unmarshal(w.Rest, &rest); err != nil {
			return Form{Name: "text"}, err
		}
	}
	switch {
	case len(rest.Tools) > 0:
		return Form{"tools", "tools"}, nil
	case strings.HasPrefix(rest.Format.Type, "json_"):
		return Form{cmp.Or(rest.Format.Schema.Name, "json"), rest.Format.Type}, nil
	default:
		return Form{Name: "text"}, nil
	}
}

// Fits reports whether a reply is usable: as JSON, if it contains an object, of
// whatever schema; with tools, if it calls some with objects as arguments, or is a
// complete text. Any text fits.
func (f Form) Fits(r Reply) bool {
	switch f.By {
	case "":
		return strings.TrimSpace(r.Text) != "" || len(r.toolCalls()) > 0
	case "tools":
		calls := r.toolCalls()
		for _, arguments := range calls {
			if !holdsObject(arguments) {
				return false
			}
		}
		return len(calls) > 0 || r.Text != "" && r.Finish != "length"
	default:
		return holdsObject(r.Text)
	}
}

// toolCalls returns the arguments of the tools that the first choice calls.
func (r Reply) toolCalls() []string {
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
	var all []string
	for _, c := range choices[0].Message.Calls {
		all = append(all, c.Function.Arguments)
	}
	return all
}

func holdsObject(text string) bool {
	found, err := objects(text)
	return err == nil && len(found) > 0
}
