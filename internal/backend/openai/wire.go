package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/door/llm"
)

// wireFormat returns how a request from outside asks for JSON, and the schema where
// it has one.
func wireFormat(w *llm.Wire) (kind string, f *llm.Format) {
	var rest struct {
		Format struct {
			Type   string     `json:"type"`
			Schema jsonSchema `json:"json_schema"`
		} `json:"response_format"`
	}
	// What does not decode asks for nothing that is known.
	if len(w.Rest) == 0 || json.Unmarshal(w.Rest, &rest) != nil {
		return "", nil
	}
	if s := rest.Format.Schema; len(s.Schema) > 0 {
		f = &llm.Format{Name: s.Name, Schema: s.Schema}
	} else if rest.Format.Type == formatSchema {
		return "", nil // a schema that is none is for the server to refuse
	}
	return rest.Format.Type, f
}

// rest returns the members that a body from outside has beyond those of every
// request, without those that the quirks leave out or change. What the quirks set has
// precedence.
func (c *Chat) rest(w *llm.Wire, prompted bool) []byte {
	if w == nil {
		return nil
	}
	members := make(map[string]json.RawMessage)
	if len(w.Rest) > 0 && json.Unmarshal(w.Rest, &members) != nil {
		return nil // the gateway made it
	}
	q := c.quirks
	if extra, err := parseExtra(q.Extra); err == nil {
		maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { _, ok := extra[name]; return ok })
	}
	if q.ReasoningEffort != "" {
		members["reasoning_effort"] = quoted(q.ReasoningEffort)
	}
	if kind, _ := wireFormat(w); prompted && (kind == formatSchema || kind == formatObject) {
		delete(members, "response_format")
	}
	for _, name := range q.Omit {
		delete(members, name)
	}
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(name))
		b.WriteByte(':')
		b.Write(members[name])
	}
	return []byte(b.String())
}

// json returns a message that is more than a role and a text.
func (m message) json() json.RawMessage {
	data := append([]byte(`{"role":`), quoted(m.Role)...)
	if inner := m.Content[1:]; inner != "}" {
		data = append(data, ',')
	}
	return append(data, m.Content[1:]...)
}

// quoted returns the JSON of a text.
func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // a text has a form in JSON
	return data
}

// calls reports whether a choice calls a tool or a function, and so needs no text.
func (c *choice) calls() bool {
	return c.Message != nil && (len(c.Message.ToolCalls) > 0 || len(c.Message.FunctionCall) > 0 && string(c.Message.FunctionCall) != "null")
}

// choices returns the choices of a reply as the server sent them.
func (s *server) choices(resp *response) json.RawMessage {
	var reply struct {
		Choices json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(resp.body.Data, &reply) != nil {
		return nil // it was read before
	}
	var clean bytes.Buffer
	if json.Compact(&clean, []byte(s.clean.Text(string(reply.Choices)))) != nil {
		return nil
	}
	return clean.Bytes()
}
