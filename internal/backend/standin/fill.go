package standin

import (
	"encoding/json"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// A schema is a JSON Schema as far as forms of replies need it, those that memories
// outside ask for among them.
type schema struct {
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Any        []schema          `json:"anyOf"`
	Enum       []any             `json:"enum"`
	Ref        string            `json:"$ref"`
	Defs       map[string]schema `json:"$defs"`
	MinItems   int               `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	MinLength  int               `json:"minLength"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
}

// maxDepth ends schemas that refer to themselves.
const maxDepth = 16

// A filler fills schemas with what a prompt says.
type filler struct {
	prompt

	defs map[string]schema
}

// fill returns a value that fits a schema: lists of texts are the facts, a list of
// objects has one for each, texts are all of them.
func (p prompt) fill(text json.RawMessage) any {
	var s schema
	if json.Unmarshal(text, &s) != nil {
		return nil
	}
	return filler{p, s.Defs}.value("", s, p.facts(), maxDepth)
}

// edits are properties of replies that change what is remembered. Such a reply
// changes nothing.
var edits = []string{"operation", "action", "actions", "suggested_connections", "new_context_neighborhood"}

// nothing are the values that stand for no change.
var nothing = []any{"read", "ignore", "latest"}

func (f filler) value(name string, s schema, facts []fact, depth int) any {
	if depth == 0 {
		return nil
	}
	if ref, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = f.defs[ref]
	}
	if len(s.Any) > 0 {
		s = s.Any[0]
	}
	if len(s.Enum) > 0 {
		for _, v := range s.Enum {
			if slices.Contains(nothing, v) {
				return v
			}
		}
		return s.Enum[0]
	}
	switch s.Type {
	case "object":
		if slices.ContainsFunc(edits, func(e string) bool { _, ok := s.Properties[e]; return ok }) {
			facts = nil
		}
		object := make(map[string]any)
		for name, property := range s.Properties {
			object[name] = f.value(name, property, facts, depth-1)
		}
		return object
	case "array":
		return f.list(name, s, facts, depth)
	case "integer", "number":
		return s.number(facts)
	case "boolean":
		if name == "new_episode" {
			return len(f.lines) > 0 && f.begins(len(f.lines)-1)
		}
		return true
	case "null":
		return nil
	default:
		return f.text(name, s, facts)
	}
}

func (f filler) list(name string, s schema, facts []fact, depth int) any {
	items := schema{}
	if s.Items != nil {
		items = *s.Items
	}
	list := []any{}
	switch name {
	case "keywords", "tags":
		for _, w := range f.keywords(facts) {
			list = append(list, w)
		}
	default:
		_, starts := items.Properties["first"]
		for _, x := range facts {
			if x.first || !starts {
				list = append(list, f.value(name, items, []fact{x}, depth-1))
			}
		}
	}
	for len(list) < s.MinItems {
		list = append(list, f.value(name, items, nil, depth-1))
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		list = list[:*s.MaxItems]
	}
	return list
}

// number is that of the only fact, or 1.
func (s schema) number(facts []fact) any {
	n := 1.0
	if len(facts) == 1 && facts[0].number >= 0 {
		n = float64(facts[0].number)
	}
	if s.Minimum != nil {
		n = max(n, *s.Minimum)
	}
	if s.Maximum != nil {
		n = min(n, *s.Maximum)
	}
	return n
}

func (f filler) text(name string, s schema, facts []fact) string {
	text := joined(facts)
	switch name {
	case "answer":
		text, _ = f.answer()
	case "keywords":
		text = strings.Join(f.keywords(facts), ", ")
	case "time":
		text = ""
		if len(facts) > 0 && !facts[0].time.IsZero() {
			text = facts[0].time.Format("2006-01-02T15:04:05")
		}
	case "title", "topic", "theme", "why":
		text, _, _ = strings.Cut(text, "\n")
	}
	return text + strings.Repeat("-", max(0, s.MinLength-len(text)))
}

func joined(facts []fact) string {
	texts := lists.Map(facts, func(x fact) string { return x.String() })
	return strings.Join(texts, "\n")
}

// maxKeywords is how many words tell what something is about.
const maxKeywords = 5

// keywords are the longest words of the question, else of facts, else of the first line.
func (f filler) keywords(facts []fact) []string {
	told := []string{f.question}
	for _, x := range facts {
		told = append(told, x.text)
	}
	text := strings.TrimSpace(strings.Join(told, " "))
	if text == "" && len(f.lines) > 0 {
		text = f.lines[0].text
	}
	found := distinct(text)
	slices.SortStableFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found[:min(len(found), maxKeywords)]
}
