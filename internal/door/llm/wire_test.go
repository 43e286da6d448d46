package llm_test

import (
	"testing"

	"recallbench/internal/door/llm"
)

func TestFits(t *testing.T) {
	const (
		object = `{"response_format":{"type":"json_object"}}`
		schema = `{"response_format":{"json_schema":{"name":"Facts"},"type":"json_schema"}}`
		tools  = `{"tools":[{"type":"function"}]}`
	)
	call := func(arguments string) llm.Reply {
		return llm.Reply{Wire: []byte(`[{"message":{"tool_calls":[{"function":{"arguments":` + arguments + `}}]}}]`)}
	}
	for _, tt := range []struct {
		rest  string
		reply llm.Reply
		fits  bool
	}{
		{``, llm.Reply{Text: "{"}, true},
		{`{"response_format":{"type":"text"}}`, llm.Reply{Text: "yes"}, true},
		{``, llm.Reply{Text: "\n"}, false},
		{``, call(`"{}"`), true},
		{object, llm.Reply{Text: "```json\n{\"facts\":[]}\n```"}, true},
		{object, llm.Reply{Text: `{"facts":["Ana`}, false},
		{object, llm.Reply{Text: "null"}, false},
		{schema, llm.Reply{Text: `["Ana"]`}, false},
		{tools, call(`"{\"a\":1}"`), true},
		{tools, call(`"{\"a\":"`), false},
		{tools, llm.Reply{Text: "Nothing to note."}, true},
		{tools, llm.Reply{Text: "Nothing to", Finish: "length"}, false},
		{tools, llm.Reply{}, false},
	} {
		if fits := (llm.Wire{Rest: []byte(tt.rest)}).Fits(tt.reply); fits != tt.fits {
			t.Errorf("%s: %q %s fits: %t", tt.rest, tt.reply.Text, tt.reply.Wire, fits)
		}
	}
}
