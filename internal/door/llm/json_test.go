package llm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/try"
)

type verdict struct {
	Label string   `json:"label"`
	Score float64  `json:"score"`
	Why   []string `json:"why"`
}

const verdictSchema = `{
	"type": "object",
	"properties": {
		"label": {"enum": ["right", "wrong"]},
		"score": {"type": "number", "minimum": 0, "maximum": 1},
		"why": {"type": "array", "items": {"type": "string"}}
	},
	"required": ["label", "score", "why"],
	"additionalProperties": false
}`

// replies answers with one text after another and keeps the requests.
func replies(texts ...string) (*[]Request, Generator) {
	var asked []Request
	return &asked, GeneratorFunc(func(_ context.Context, r Request) (Reply, error) {
		asked = append(asked, r)
		return Reply{Text: texts[len(asked)-1], Model: "fake", Usage: Usage{Calls: 1, Input: len(asked)}}, nil
	})
}

func ask() Request {
	return Request{
		Role:     "judge",
		Messages: []Message{{User, "Right or wrong?"}},
		Params:   Params{Temperature: new(0.0), MaxTokens: 10},
		Format:   &Format{Name: "verdict", Schema: json.RawMessage(verdictSchema)},
		Repeat:   3,
	}
}

func TestJSON(t *testing.T) {
	const object = `{"label": "right", "score": 0.5, "why": ["a {b}", "\"}"]}`
	want := verdict{"right", 0.5, []string{"a {b}", `"}`}}
	for _, text := range []string{
		object,
		" \n" + object + "\n\n",
		"```json\n" + object + "\n```",
		"Let me see: \\frac{1}{2}, {x}, {} and {1}.\n\n" + object + "\nI hope this helps {:-}",
		`A wrong reply would be {"label": "wrong", "score": 2, "why": []}, so ` + object,
		`First {"label": "wrong", "score": 1, "why": []}; on second thoughts ` + object,
		object + ` as {"label": "", "score": 0, "why": []} fits nothing`,
		object + object,
		"\ufeff" + object + "}}}",
	} {
		asked, g := replies(text)
		got, reply, err := JSON[verdict](t.Context(), g, ask())
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" || reply.Text != text || len(*asked) != 1 {
			t.Errorf("%s: %d calls (-want +got):\n%s", text, len(*asked), diff)
		}
	}
}

func TestJSONFaults(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 20_000)
	for _, tt := range []struct{ text, want string }{
		{"", "it is empty"},
		{" \n", "it is empty"},
		{"I cannot say.", `there is no JSON object in it; it begins with "I cannot say."`},
		{"[1, 2]", "there is no JSON object in it"},
		{`{"label": "right", "score": NaN, "why": [], "in": {"label": "right", "score": 1, "why": []}}`, `the JSON object that begins with "{\"label\": \"right\", \"score\": NaN, \"why\":`},
		{`{"label": "right", "score": 1, "why": [`, "is broken: unexpected EOF"},
		{`{"label": "right", "score": 1, "why": [], "label": "wrong"}`, `is broken: field "label" comes twice`},
		{`Such as {"label": "right", "score": 1, "why": []}. Mine is {"label": "wrong"`, `that begins with "{\"label\": \"wrong\"" is broken`},
		{`{"label": "right", "score": 1}`, "the object: missing property 'why'"},
		{`{"label": "left", "score": 1.5, "why": [1]}`, "at '/score': maximum: got 1.5, want 1"},
		{`{"label": "right", "score": 1, "why": [], "more": 1}`, "the object: additional properties 'more' not allowed"},
		{`{"Label": "right", "score": 1, "why": []}`, "the object: missing property 'label'"},
		{`{"label": "right", "score": 1e999999, "why": []}`, "at /score: number 1e999999 does not fit"},
		{deep, "is broken: invalid character '{' exceeded max depth"},
		{deep + strings.Repeat("}", 20_000), "is broken: invalid character '{' exceeded max depth"},
	} {
		_, g := replies(tt.text, tt.text)
		_, reply, err := JSON[verdict](t.Context(), g, ask())
		if fault.KindOf(err) != fault.Schema || reply.Model != "fake" {
			t.Errorf("%.80s: %v", tt.text, err)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1000 || !utf8.ValidString(err.Error()) {
			t.Errorf("%.80s: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestJSONAsksOnceMore(t *testing.T) {
	long := `{"label": "right", "why": ["` + strings.Repeat("é", maxQuoted) + `"]}`
	for _, tt := range []struct{ first, quoted, wrong string }{
		{"I think so.", "I think so.", `there is no JSON object in it; it begins with "I think so."`},
		{long, bounded(long, maxQuoted), "the object: missing property 'score'"},
		{"", "", "it is empty"},
	} {
		first := ask()
		asked, g := replies(tt.first, `{"label": "right", "score": 1, "why": []}`)
		got, reply, err := JSON[verdict](t.Context(), g, first)
		if err != nil || got.Label != "right" || reply.Usage.Input != 2 {
			t.Fatalf("%.80s: %v, %v, %v", tt.first, got, reply, err)
		}
		want := ask()
		if tt.quoted != "" {
			want.Messages = append(want.Messages, Message{Assistant, tt.quoted})
		}
		want.Messages = append(want.Messages, Message{User, "That reply cannot be used: " + tt.wrong +
			".\n\nReply again with one JSON object that follows this schema, and with nothing before or behind it:\n" + verdictSchema})
		try.Equal(t, "requests", []Request{ask(), want}, *asked)
		if !AsksAgain(want.Messages[len(want.Messages)-1].Content) || AsksAgain(first.Messages[len(first.Messages)-1].Content) {
			t.Error("AsksAgain does not tell the second request from the first")
		}
		try.Equal(t, "the caller's request changed", ask(), first)
	}
}

// A model that says the same over and over reads little of it when it is asked again.
func TestJSONAfterCut(t *testing.T) {
	text := `{"label": "right", "why": ["` + strings.Repeat("so it is, ", 200)
	var asked []Request
	_, _, err := JSON[verdict](t.Context(), GeneratorFunc(func(_ context.Context, r Request) (Reply, error) {
		asked = append(asked, r)
		return Reply{Text: text, Finish: "length"}, nil
	}), ask())
	if fault.KindOf(err) != fault.Schema || len(asked) != 2 {
		t.Fatalf("%d requests: %v", len(asked), err)
	}
	last := asked[1].Messages[len(asked[1].Messages)-2:]
	if last[0] != (Message{Assistant, bounded(text, maxCut)}) || !strings.Contains(last[1].Content, "it was cut off") {
		t.Errorf("asked again with %v", last)
	}
}

func TestJSONPassesFaults(t *testing.T) {
	refused := fault.New(fault.Refused, "no")
	for _, texts := range [][]string{nil, {"no object"}} {
		calls := 0
		g := GeneratorFunc(func(context.Context, Request) (Reply, error) {
			calls++
			if calls > len(texts) {
				return Reply{Model: "fake"}, refused
			}
			return Reply{Text: texts[calls-1]}, nil
		})
		_, reply, err := JSON[verdict](t.Context(), g, ask())
		if !errors.Is(err, refused) || reply.Model != "fake" || calls != len(texts)+1 {
			t.Errorf("after %q: %v in %d calls", texts, err, calls)
		}
	}
}

func TestJSONFormatFaults(t *testing.T) {
	never := GeneratorFunc(func(context.Context, Request) (Reply, error) {
		t.Error("asked without a format that will do")
		return Reply{}, nil
	})
	for _, tt := range []struct{ schema, want string }{
		{`{"type": "objekt"}`, `format "verdict": `},
		{`{`, `format "verdict": schema: `},
		{`{"$ref": "http://example.invalid/schema"}`, `format "verdict": `},
		{`{"$ref": "file:///etc/hosts"}`, `format "verdict": `},
	} {
		r := ask()
		r.Format.Schema = json.RawMessage(tt.schema)
		if _, _, err := JSON[verdict](t.Context(), never, r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.schema, err)
		}
	}
	r := ask()
	r.Format = nil
	if _, _, err := JSON[verdict](t.Context(), never, r); err == nil {
		t.Error("no format is no fault")
	}
}

func FuzzObjects(f *testing.F) {
	for _, seed := range []string{`{"a": {"b": 1}} {"c"`, `x{}{ }{{}}`, "```json\n{\"a\": \"{\\\"\"}\n```", `{"a":1,"a":2}`, `{"a":NaN}`} {
		f.Add(seed)
	}
	schema, err := compile(verdictSchema)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := objects(text)
		if len(found) == 0 && err == nil {
			t.Error("neither an object nor a fault")
		}
		rest := text
		for _, raw := range found {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(raw, &object); err != nil {
				t.Errorf("%q: %v", raw, err)
			}
			_, behind, ok := strings.Cut(rest, string(raw))
			if !ok {
				t.Errorf("%q is not in %q, in order", raw, text)
			}
			rest = behind
		}
		v, err := decode[verdict](text, schema)
		if err == nil && (v.Score < 0 || v.Score > 1 || v.Label != "right" && v.Label != "wrong" || v.Why == nil) {
			t.Errorf("%q fits as %+v", text, v)
		}
	})
}

// TestSchemaFaultsOfValues: repairs repeat the words, and recordings hold repairs.
func TestSchemaFaultsOfValues(t *testing.T) {
	const list = `{"type": "object", "properties": {"a": {"type": "array", "minItems": 1, "maxItems": 12, "items": {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}}},
		"additionalProperties": false}`
	const texts = `{"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "pattern": "^[a-z'\"]+$"}, "b/~c": {"type": "boolean"}}, "required": ["a", "b/~c"]}`
	const numbers = `{"properties": {"a": {"type": "integer"}, "b": {"type": "number", "minimum": -0.5, "maximum": 12}, "c": {"enum": ["x", "y'"]}}, "additionalProperties": false}`
	for _, tt := range []struct{ schema, value, want string }{
		{list, `{"a": [{"a": "x"}]}`, ""},
		{list, `[]`, "the object: got array, want object"},
		{list, `{"a": []}`, "at '/a': minItems: got 0, want 1"},
		{
			list, `{"a": [{}, {"a": 1}, 2, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, 10], "B": 1, "A": 1}`,
			"at '/a/0': missing property 'a'; at '/a/1/a': value must be 'x'; at '/a/2': got number, want object; " +
				"at '/a/10': got number, want object; the object: additional properties 'A', 'B' not allowed",
		},
		{texts, `{}`, "the object: missing properties 'a', 'b/~c'"},
		{texts, `{"a": "é", "b/~c": 0}`, "at '/a': minLength: got 1, want 2; at '/a': 'é' does not match pattern '^[a-z\\'\"]+$'; at '/b~1~0c': got number, want boolean"},
		{texts, `{"a": "ab'\"", "b/~c": true}`, ""},
		{numbers, `{"a": 1.0, "b": -0.5, "c": "y'"}`, ""},
		{numbers, `{"a": 1.5, "b": -0.75, "c": null}`, "at '/a': got number, want integer; at '/b': minimum: got -0.75, want -0.5; at '/c': value must be one of 'x', 'y\\''"},
		{numbers, `{"b": 1e2}`, "at '/b': maximum: got 100, want 12"},
		{numbers, `{"b": 1e-999999999}`, ""},
		{numbers, `{"a": 1e999999999}`, "json: cannot unmarshal number 1e999999999 into Go value of type float64"},
	} {
		got := ""
		if err := validate(try.Get(parseSchema(tt.schema))(t), []byte(tt.value)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s by %s:\n got %s\nwant %s", tt.value, tt.schema, got, tt.want)
		}
	}
}

func TestUsage(t *testing.T) {
	got := Usage{Calls: 1, Input: 10, Cached: 4, Output: 2, Reasoning: 1}.Add(Usage{Calls: 2, Input: 5, Output: 3, Counted: true})
	want := Usage{Calls: 3, Input: 15, Cached: 4, Output: 5, Reasoning: 1, Counted: true}
	try.Equal(t, "sum", want, got)
	if got.Total() != 20 {
		t.Errorf("Total() = %d, want 20", got.Total())
	}
}
