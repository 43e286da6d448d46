package external

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
)

// conversation is what adapters are checked with.
func conversation() datasets.Sample {
	day := func(d int) time.Time { return time.Date(2024, 2, d, 10, 30, 0, 0, time.UTC) }
	return sampleOf("conversation", []session{
		{day(3), []string{
			"Petra: I bought a copper kettle for my uncle Anton, who likes tea.", "Milo: Lovely! Where does he live now?",
			"Petra: He moved to a small flat in Bergen last autumn.", "Milo: Say hello to him from me.",
		}},
		{day(9), []string{
			"Milo: My pottery course begins on the fourth of March at the town hall.", "Petra: Finally! You have waited for that since spring.",
			"Milo: I will make you a bowl first.", "Petra: I need one, I broke the blue one yesterday.",
		}},
		{day(17), []string{
			"Petra: Anton called, the kettle arrived without a scratch.", "Milo: Great news.",
			"Petra: He wants to visit us in June with his dog Balder.", "Milo: Then I will book the cabin by the lake.",
		}},
	})
}

// otherConversation shares no turn with the first.
func otherConversation() datasets.Sample {
	return sampleOf("other", []session{{time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC), []string{
		"Ines: The orchard was full of ladders when we came back from the market.", "Joost: Did they pick the plums already?",
		"Ines: All but the three trees behind the old well.",
	}}})
}

// oddConversations are those that an adapter has to bear.
func oddConversations() []datasets.Sample {
	at := time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)
	return []datasets.Sample{
		{ID: "no session"},
		sampleOf("no turn", []session{{at, nil}}),
		sampleOf("an empty text", []session{{at, []string{"Ana: ", "Ben: Yes."}}}),
		sampleOf("a text of 1 MB", []session{{at, []string{"Ana: " + strings.Repeat("word after word ", 65000)}}}),
		sampleOf("emoji, NUL and right-to-left", []session{{at, []string{"Ana: 👩🏽‍🚀 \x00 שלום עולם", "Ben: ok"}}}),
		sampleOf("no time", []session{{time.Time{}, []string{"Ana: When was that?", "Ben: Nobody knows."}}}),
		sampleOf("one speaker", []session{{at, []string{"Ana: I talk to myself.", "Ana: Often."}}}),
		sampleOf("five speakers", []session{{at, []string{"A: one", "B: two", "C: three", "D: four", "E: five"}}}),
	}
}

type session struct {
	time  time.Time
	turns []string // "Name: text"
}

func sampleOf(id string, sessions []session) datasets.Sample {
	s := datasets.Sample{ID: id}
	for i, in := range sessions {
		out := datasets.Session{ID: strconv.Itoa(i + 1), Time: in.time}
		for k, turn := range in.turns {
			speaker, text, _ := strings.Cut(turn, ": ")
			out.Turns = append(out.Turns, datasets.Turn{ID: fmt.Sprintf("%d:%d", i+1, k+1), Speaker: speaker, Text: text, Time: in.time})
		}
		s.Sessions = append(s.Sessions, out)
	}
	return s
}

// Scripted answers the prompts of memory libraries without a model: the lines "Name:
// text" of the last message are the facts. Where tools are given it calls the first,
// with these facts in its lists of texts. Where JSON is asked for, an object has them
// under the names that libraries use; else they are the text.
func Scripted() llm.Generator {
	return llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		var facts []string
		if n := len(r.Messages); n > 0 {
			for line := range strings.SplitSeq(r.Messages[n-1].Content, "\n") {
				line = strings.TrimSpace(line)
				if _, rest, ok := strings.Cut(line, "] "); ok && strings.HasPrefix(line, "[") { // a date
					line = rest
				}
				name, text, ok := strings.Cut(line, ": ")
				if ok && name != "" && len(strings.Fields(name)) <= 2 && strings.TrimSpace(text) != "" && !strings.ContainsAny(name, "{}\"#*[") {
					facts = append(facts, name+": "+text)
				}
			}
		}
		message := map[string]any{"role": "assistant", "content": strings.Join(facts, "\n")}
		finish := "stop"
		var rest struct {
			Tools []struct {
				Function struct {
					Name       string          `json:"name"`
					Parameters json.RawMessage `json:"parameters"`
				} `json:"function"`
			} `json:"tools"`
			Format *struct {
				Schema struct {
					Schema json.RawMessage `json:"schema"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if r.Wire != nil && len(r.Wire.Rest) > 0 {
			if err := json.Unmarshal(r.Wire.Rest, &rest); err != nil {
				return llm.Reply{}, fmt.Errorf("the body: %w", err)
			}
		}
		switch {
		case len(rest.Tools) > 0:
			f := rest.Tools[0].Function
			arguments, err := json.Marshal(filled(f.Parameters, facts))
			if err != nil {
				return llm.Reply{}, err
			}
			message["content"] = nil
			message["tool_calls"] = []any{map[string]any{
				"id": "call_1", "type": "function", "function": map[string]any{"name": f.Name, "arguments": string(arguments)},
			}}
			finish = "tool_calls"
		case rest.Format != nil:
			object := filled(rest.Format.Schema.Schema, facts)
			if o, ok := object.(map[string]any); !ok || len(o) == 0 {
				var memory []any
				for i, f := range facts {
					memory = append(memory, map[string]any{"id": strconv.Itoa(i), "text": f, "event": "ADD"})
				}
				object = map[string]any{"facts": facts, "memory": memory}
			}
			content, err := json.Marshal(object)
			if err != nil {
				return llm.Reply{}, err
			}
			message["content"] = string(content)
		}
		choices, err := json.Marshal([]any{map[string]any{"index": 0, "message": message, "finish_reason": finish}})
		if err != nil {
			return llm.Reply{}, err
		}
		text, _ := message["content"].(string)
		return llm.Reply{Text: text, Wire: choices, Usage: llm.Usage{Calls: 1, Input: len(facts), Output: len(facts)}}, nil
	})
}

// A schema is a JSON Schema as far as the script needs it.
type schema struct {
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Any        []schema          `json:"anyOf"`
	Enum       []any             `json:"enum"`
	Ref        string            `json:"$ref"`
	Defs       map[string]schema `json:"$defs"`
}

// filled returns a value that fits a JSON Schema as far as memories need it: lists
// of texts are the facts, a list of objects has one for each, texts are one.
func filled(text json.RawMessage, facts []string) any {
	var s schema
	if json.Unmarshal(text, &s) != nil {
		return nil
	}
	return s.filled(s.Defs, facts, maxDepth)
}

// maxDepth ends schemas that refer to themselves.
const maxDepth = 16

func (s schema) filled(defs map[string]schema, facts []string, depth int) any {
	if depth == 0 {
		return nil
	}
	s = s.meant(defs)
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch s.Type {
	case "object":
		object := make(map[string]any)
		for name, property := range s.Properties {
			object[name] = property.filled(defs, facts, depth-1)
		}
		return object
	case "array":
		list := []any{}
		for _, f := range facts {
			if s.Items != nil {
				list = append(list, s.Items.filled(defs, []string{f}, depth-1))
			} else {
				list = append(list, f)
			}
		}
		return list
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	default:
		return strings.Join(facts, "\n")
	}
}

// meant returns the schema that a reference names, or the first of several.
func (s schema) meant(defs map[string]schema) schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = defs[name]
	}
	if len(s.Any) > 0 {
		s = s.Any[0]
	}
	return s
}
