package llm_test

import (
	"testing"

	"recallbench/internal/door/llm"
)

func TestForm(t *testing.T) {
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
		want  llm.Form
		reply llm.Reply
		fits  bool
	}{
		{``, llm.Form{Name: "text"}, llm.Reply{Text: "{"}, true},
		{`{"response_format":{"type":"text"}}`, llm.Form{Name: "text"}, llm.Reply{Text: "yes"}, true},
		{``, llm.Form{Name: "text"}, llm.Reply{Text: "\n"}, false},
		{``, llm.Form{Name: "text"}, call(`"{}"`), true},
		{object, llm.Form{Name: "json", By: "json_object"}, llm.Reply{Text: "```json\n{\"facts\":[]}\n```"}, true},
		{object, llm.Form{Name: "json", By: "json_object"}, llm.Reply{Text: `{"facts":["Ana`}, false},
		{object, llm.Form{Name: "json", By: "json_object"}, llm.Reply{Text: "null"}, false},
		{schema, llm.Form{Name: "Facts", By: "json_schema"}, llm.Reply{Text: `["Ana"]`}, false},
		{tools, llm.Form{Name: "tools", By: "tools"}, call(`"{\"a\":1}"`), true},
		{tools, llm.Form{Name: "tools", By: "tools"}, call(`"{\"a\":"`), false},
		{tools, llm.Form{Name: "tools", By: "tools"}, llm.Reply{Text: "Nothing to note."}, true},
		{tools, llm.Form{Name: "tools", By: "tools"}, llm.Reply{Text: "Nothing to", Finish: "length"}, false},
		{tools, llm.Form{Name: "tools", By: "tools"}, llm.Reply{}, false},
	} {
		form, err := llm.Wire{Rest: []byte(tt.rest)}.Form()
		if err != nil || form != tt.want {
			t.Errorf("%s: %v, %v, want %v", tt.rest, form, err, tt.want)
		}
		if fits := form.Fits(tt.reply); fits != tt.fits {
			t.Errorf("%s: %q %s fits: %t", tt.rest, tt.reply.Text, tt.reply.Wire, fits)
		}
	}
}
