package amem

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"recallbench/internal/door/llm"
	"recallbench/internal/text/pytext"
	"recallbench/methods/internal/building"
)

type stepData struct {
	evolveData

	Step llm.EvolveStep
}

// stepSchemas are those of the replies to the steps of an evolution.
var stepSchemas = map[llm.EvolveStep]string{
	llm.ActionsStep: `{
	"type": "object",
	"properties": {"actions": {"type": "array", "items": {"type": "string", "enum": ["strengthen", "update_neighbor"]}}},
	"required": ["actions"],
	"additionalProperties": false
}`,
	llm.LinksStep: `{
	"type": "object",
	"properties": {
		"suggested_connections": {"type": "array", "items": {"type": "integer"}},
		"tags_to_update": {"type": "array", "items": {"type": "string"}}
	},
	"required": ["suggested_connections", "tags_to_update"],
	"additionalProperties": false
}`,
	llm.NeighboursStep: `{
	"type": "object",
	"properties": {
		"new_context_neighborhood": {"type": "array", "items": {"type": "string"}},
		"new_tags_neighborhood": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
	},
	"required": ["new_context_neighborhood", "new_tags_neighborhood"],
	"additionalProperties": false
}`,
}

// inSteps asks first what an evolution does, and then for that. A step without a
// usable reply does nothing. The first note has no neighbours, and nothing is asked.
func (b *builder) inSteps(ctx context.Context, data evolveData, task llm.EvolveTask) (e llm.Evolution, err error) {
	if len(task.Neighbours) == 0 {
		return e, nil
	}
	ask := func(s llm.EvolveStep) (llm.Evolution, bool, error) {
		task.Step = s
		return building.JSON[llm.Evolution](ctx, b.Model, building.Call{
			Role:     evolve,
			Template: step, Data: stepData{data, s},
			Task:   task,
			Params: building.Params(temperature, b.Construction.MaxTokens),
			Schema: stepSchemas[s],
		})
	}
	decided, ok, err := ask(llm.ActionsStep)
	if err != nil || !ok {
		return e, err
	}
	for _, action := range []struct {
		name string
		step llm.EvolveStep
	}{{"strengthen", llm.LinksStep}, {"update_neighbor", llm.NeighboursStep}} {
		if !slices.Contains(decided.Actions, action.name) {
			continue
		}
		reply, ok, err := ask(action.step)
		if err != nil {
			return e, err
		}
		if !ok {
			continue
		}
		e.Evolves, e.Actions = true, append(e.Actions, action.name)
		if action.step == llm.LinksStep {
			e.Links, e.Tags = reply.Links, reply.Tags
		} else {
			e.Contexts, e.NeighbourTags = reply.Contexts, reply.NeighbourTags
		}
	}
	return e, nil
}

// How much a note's first words describe it.
const (
	wordKeywords = 5
	wordTags     = 3
)

// fromWords describes a text by its first words that are no stop words, and by its
// first sentence.
func fromWords(text string) llm.Note {
	n := llm.Note{Keywords: []string{}, Context: noContext}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(n.Keywords) < wordKeywords && !pytext.StopWord(w) && !slices.Contains(n.Keywords, w) {
			n.Keywords = append(n.Keywords, w)
		}
	}
	n.Keywords = cleaned(n.Keywords)
	n.Tags = slices.Clone(n.Keywords[:min(wordTags, len(n.Keywords))])
	sentence := text
	if end := strings.IndexAny(text, ".!?"); end >= 0 {
		sentence = text[:end+1]
	}
	if c := building.Clean(sentence, building.MaxFact); c != "" {
		n.Context = c
	}
	return n
}
