package standin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/try"
)

const talk = `Excerpts. Every line begins with the date and time at which it was said.

[8 May 2023 13:56] Ana: I adopted a greyhound called Comet. Such a good dog!
[8 May 2023 13:57] Ben: Lovely. My bakery opens in June.
[9 June 2023 10:00] Ben: The bakery is open now, in the old harbour.

Answer the question below from these excerpts.
- Give the answer alone, in at most eight words: no sentence, no explanation.

Question: %s

Answer:`

func ask(t *testing.T, text string, r llm.Request) llm.Reply {
	t.Helper()
	r.Messages = []llm.Message{{Role: llm.System, Content: "You reply."}, {Role: llm.User, Content: text}}
	reply := try.Get(Generator().Generate(t.Context(), r))(t)
	return reply
}

// TestAnswer asks questions over lines of a conversation.
func TestAnswer(t *testing.T) {
	for question, want := range map[string]string{
		"What is Ana's greyhound called?":                  "I adopted a greyhound called Comet.",
		"Where is the bakery?":                             "The bakery is open now, in the old harbour.",
		"When did Ana adopt Comet?":                        "8 May 2023",
		"When did the bakery open in the harbour?":         "9 June 2023",
		"Who won the regatta?":                             Unknown,
		"Which dog?\n\nOptions:\n(a) a pug\n(b) greyhound": "(b)",
	} {
		if got := ask(t, fmt.Sprintf(talk, question), llm.Request{}).Text; got != want {
			t.Errorf("%s\ngot  %q\nwant %q", question, got, want)
		}
	}
	short := ask(t, fmt.Sprintf(talk, "What is the greyhound called?"), llm.Request{Params: llm.Params{MaxTokens: 3}})
	if short.Text != "I adopted a" {
		t.Errorf("of at most three tokens: %q", short.Text)
	}
}

// TestLogprobs checks that it is surer the more of the question it has read.
func TestLogprobs(t *testing.T) {
	sure := func(question string) float64 {
		reply := ask(t, fmt.Sprintf(talk, question), llm.Request{Params: llm.Params{Logprobs: true}})
		if len(reply.Logprobs) == 0 {
			t.Fatalf("%s: no log-probabilities", question)
		}
		return reply.Logprobs[0].Logprob
	}
	all, some, none := sure("Which greyhound was adopted?"), sure("Which greyhound won the regatta?"), sure("Who won the regatta?")
	if all > 0 || all <= some || some <= none {
		t.Errorf("log-probabilities %v with all words, %v with some, %v with none", all, some, none)
	}
}

// TestFill fills forms of replies that methods and libraries ask for.
func TestFill(t *testing.T) {
	const greyhound, good, bakery, harbour = "Ana said: I adopted a greyhound called Comet.", "Ana said: Such a good dog!", "Ben said: Lovely.", "Ben said: My bakery opens in June."
	lines := "3. [8 May 2023 13:56] Ana: I adopted a greyhound called Comet. Such a good dog!\n4. [8 May 2023 14:56] Ben: Lovely. My bakery opens in June."
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	for _, tt := range []struct {
		name, schema string
		want         any
	}{
		{"statements", object(`"statements":{"type":"array","items":{"type":"string"}}`), map[string]any{"statements": []any{greyhound, good, bakery, harbour}}},
		{"no more than wanted", object(`"s":{"type":"array","maxItems":1,"items":{"type":"string"}}`), map[string]any{"s": []any{greyhound}}},
		{
			"facts with their lines", object(`"data":{"type":"array","items":` + object(`"source_id":{"type":"integer"},"fact":{"type":"string"}`) + `}`),
			map[string]any{"data": []any{
				map[string]any{"source_id": 3.0, "fact": greyhound},
				map[string]any{"source_id": 3.0, "fact": good},
				map[string]any{"source_id": 4.0, "fact": bakery},
				map[string]any{"source_id": 4.0, "fact": harbour},
			}},
		},
		{
			"episodes by a pause", object(`"episodes":{"type":"array","items":` + object(`"first":{"type":"integer"},"topic":{"type":"string"}`) + `}`),
			map[string]any{"episodes": []any{map[string]any{"first": 3.0, "topic": greyhound}, map[string]any{"first": 4.0, "topic": bakery}}},
		},
		{"a boundary by a pause", object(`"new_episode":{"type":"boolean"}`), map[string]any{"new_episode": true}},
		{
			"an account", object(`"title":{"type":"string"},"time":{"type":"string"},"content":{"type":"string"}`),
			map[string]any{"title": greyhound, "time": "2023-05-08T13:56:00", "content": strings.Join([]string{greyhound, good, bakery, harbour}, "\n")},
		},
		{
			"no change", object(`"action":{"enum":["update","delete","ignore"]},"new_memory":{"type":"string"},"links":{"type":"array","items":{"type":"integer"}}`),
			map[string]any{"action": "ignore", "new_memory": "", "links": []any{}},
		},
		{
			"scores", object(`"scores":{"type":"array","minItems":5,"maxItems":5,"items":{"type":"number","minimum":0,"maximum":0.5}}`),
			map[string]any{"scores": []any{0.5, 0.5, 0.5, 0.5, 0.5}},
		},
		{"a text of some length", object(`"operation":{"enum":["create","read"]},"about":{"type":"string","minLength":2}`), map[string]any{"operation": "read", "about": "--"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			format := llm.Format{Name: "x", Schema: json.RawMessage(tt.schema)}
			reply := ask(t, lines, llm.Request{Format: &format})
			if err := format.Check(reply.Text); err != nil {
				t.Error(err)
			}
			var got any
			try.Do(t, json.Unmarshal([]byte(reply.Text), &got))
			try.Equal(t, "reply", tt.want, got)
		})
	}
}

// TestLength checks that an episode ends when it is long.
func TestLength(t *testing.T) {
	format := llm.Format{Name: "x", Schema: json.RawMessage(`{"type":"object","properties":{"new_episode":{"type":"boolean"}}}`)}
	for n, want := range map[int]bool{2: false, atLength: false, atLength + 1: true} {
		if got := ask(t, strings.Repeat("Ana: And then?\n", n), llm.Request{Format: &format}).Text; got != fmt.Sprintf(`{"new_episode":%t}`, want) {
			t.Errorf("%d messages: %s", n, got)
		}
	}
}

// TestWords checks replies that are no JSON.
func TestWords(t *testing.T) {
	if got := ask(t, "These facts belong together:\n\n- Ana said: It rains.\n- Ben said: No.\n\nWrite a summary.", llm.Request{}).Text; got != "Ana said: It rains. Ben said: No." {
		t.Errorf("a summary: %q", got)
	}
	if got := ask(t, "Grammar:\n\nquery     = step step ...\n\nRequest: Where is it?", llm.Request{}).Text; got != "//*" {
		t.Errorf("a query: %q", got)
	}
}

// TestRepair checks that a request that is made again is read as the first was.
func TestRepair(t *testing.T) {
	reply, err := Generator().Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: llm.User, Content: fmt.Sprintf(talk, "Where is the bakery?")},
		{Role: llm.Assistant, Content: "[1 May 2023 10:00] Ana: Where is the bakery?"},
		{Role: llm.User, Content: "That reply cannot be used: it is long."},
	}})
	if err != nil || !strings.Contains(reply.Text, "harbour") {
		t.Errorf("reply %q, error %v", reply.Text, err)
	}
}

// TestWire asks in the ways of several libraries.
func TestWire(t *testing.T) {
	for _, tt := range []struct{ name, rest, want, message string }{
		{"a text", ``, "Ana said: Rex sleeps.\nBen said: Since noon.", `"content":"Ana said`},
		{"any JSON", `{"response_format":{"type":"json_object"}}`, `{"facts":["Ana said: Rex sleeps.","Ben said: Since noon."],` +
			`"memory":[{"event":"ADD","id":"0","text":"Ana said: Rex sleeps."},{"event":"ADD","id":"1","text":"Ben said: Since noon."}]}`, `"finish_reason":"stop"`},
		{
			"objects that the schema refers to", `{"response_format":{"json_schema":{"schema":{
			"$defs":{"Entity":{"type":"object","properties":{"name":{"type":"string"},"kind":{"type":"integer"},"note":{"anyOf":[{"type":"string"},{"type":"null"}]}}}},
			"type":"object","properties":{"entities":{"type":"array","items":{"$ref":"#/$defs/Entity"}}}}}}}`,
			`{"entities":[{"kind":1,"name":"Ana said: Rex sleeps.","note":"Ana said: Rex sleeps."},{"kind":1,"name":"Ben said: Since noon.","note":"Ben said: Since noon."}]}`, "",
		},
		{"a list of numbers", `{"response_format":{"json_schema":{"schema":{"type":"object","properties":{"n":{"type":"array","items":{"type":"integer"}}}}}}}`, `{"n":[1,1]}`, ""},
		{"a schema that refers to itself", `{"response_format":{"json_schema":{"schema":{
			"$defs":{"A":{"$ref":"#/$defs/A"}},"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}}}}`, `{"a":"Ana said: Rex sleeps.\nBen said: Since noon."}`, ""},
		{
			"a tool", `{"tools":[{"function":{"name":"add","parameters":{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}}}}}}]}`, "",
			`"arguments":"{\"texts\":[\"Ana said: Rex sleeps.\",\"Ben said: Since noon.\"]}","name":"add"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := ask(t, "Input:\n[8 May] Ana: Rex sleeps.\nBen: Since noon.", llm.Request{Wire: &llm.Wire{Rest: []byte(tt.rest)}})
			try.Equal(t, "reply", tt.want, reply.Text)
			if !strings.Contains(string(reply.Wire), tt.message) {
				t.Errorf("choices %s\nlack %s", reply.Wire, tt.message)
			}
		})
	}
}

// TestEmbed finds texts by their rare words, and nothing by unknown ones.
func TestEmbed(t *testing.T) {
	texts := []string{"Priya adopted a greyhound called Comet.", "Tomas started a beekeeping course.", "The bank sent a letter about the loan.", ""}
	space := try.Get(Embedder().Fit(t.Context(), texts))(t)
	docs := try.Get(embed.Vectors(t.Context(), space, embed.Document, texts))(t)
	for question, want := range map[string]int{"What is the greyhound called?": 0, "courses about beekeeping": 1, "letters from banks": 2, "zebra": -1} {
		v := try.Get(embed.Vectors(t.Context(), space, embed.Query, []string{question}))(t)
		best, most := -1, 0.0
		for i, d := range docs {
			if c := embed.Cosine(v[0], d); c > most {
				best, most = i, c
			}
		}
		if best != want || len(v[0]) != dim {
			t.Errorf("%s: text %d in %d dimensions, want %d in %d", question, best, len(v[0]), want, dim)
		}
	}
	if c := embed.Cosine(docs[0], docs[0]); c < 0.999 || c > 1.001 {
		t.Errorf("the cosine of a text with itself is %v", c)
	}
}

func TestEntailment(t *testing.T) {
	got, err := Entailment().Entail(t.Context(), []nli.Pair{
		{Premise: "The walk leads along the river.", Hypothesis: "a walk by rivers"},
		{Premise: "The walk leads along the river.", Hypothesis: "a walk on stilts"},
		{Premise: "The walk leads along the river.", Hypothesis: "museum"},
		{Premise: "x", Hypothesis: ""},
	})
	if diff := cmp.Diff([]float64{1, 0.5, 0, 0}, got); err != nil || diff != "" {
		t.Errorf("scores (-want +got):\n%s%v", diff, err)
	}
}

func TestSpec(t *testing.T) {
	doors := try.Get(Spec.Open(t.Context(), backend.Env{}, Spec.Options))(t)
	if doors.LLM == nil || doors.Embed == nil || doors.NLI == nil || doors.Annotate == nil || doors.Tokens == nil || !doors.Offline || doors.Reader != Name {
		t.Errorf("doors %+v", doors)
	}
	o := Options{annotators.Defaults()}
	o.Annotate.LLM = []annotators.ChatLayer{"discourse"}
	if _, err := Spec.Open(t.Context(), backend.Env{}, o); err == nil || !strings.Contains(err.Error(), "annotate.llm names layers") {
		t.Errorf("annotation by a model: error %v", err)
	}
	if _, err := Spec.Open(t.Context(), backend.Env{}, 3); err == nil {
		t.Error("options of another type were accepted")
	}
}
