package external_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/methods/external"
)

// TestScripted asks the scripted model in the ways of several libraries.
func TestScripted(t *testing.T) {
	ask := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "Input:\n[8 May] Ana: Rex sleeps.\nBen: Since noon."}}}
	for _, test := range []struct{ name, rest, want string }{
		{"a text", ``, "Ana: Rex sleeps.\nBen: Since noon."},
		{"any JSON", `{"response_format":{"type":"json_object"}}`, `{"facts":["Ana: Rex sleeps.","Ben: Since noon."],` +
			`"memory":[{"event":"ADD","id":"0","text":"Ana: Rex sleeps."},{"event":"ADD","id":"1","text":"Ben: Since noon."}]}`},
		{
			"objects that the schema refers to", `{"response_format":{"json_schema":{"schema":{
			"$defs":{"Entity":{"type":"object","properties":{"name":{"type":"string"},"kind":{"type":"integer"},"note":{"anyOf":[{"type":"string"},{"type":"null"}]}}}},
			"type":"object","properties":{"entities":{"type":"array","items":{"$ref":"#/$defs/Entity"}}}}}}}`,
			`{"entities":[{"kind":1,"name":"Ana: Rex sleeps.","note":"Ana: Rex sleeps."},{"kind":1,"name":"Ben: Since noon.","note":"Ben: Since noon."}]}`,
		},
		{"a list of numbers", `{"response_format":{"json_schema":{"schema":{"type":"object","properties":{"n":{"type":"array","items":{"type":"integer"}}}}}}}`, `{"n":[1,1]}`},
		{"a schema that refers to itself", `{"response_format":{"json_schema":{"schema":{
			"$defs":{"A":{"$ref":"#/$defs/A"}},"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}}}}`, `{"a":"Ana: Rex sleeps.\nBen: Since noon."}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := ask
			r.Wire = &llm.Wire{Rest: []byte(test.rest)}
			reply, err := external.Scripted().Generate(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, reply.Text); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}
