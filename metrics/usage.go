package metrics

import (
	"recallbench/internal/calc/lists"
)

// TokensSpec is the usage of a question in tokens. Lower is better.
//
//   - tokens-query: what the language models read and wrote to answer the
//     question, including probes and other auxiliary calls;
//   - tokens-input, tokens-output: its parts;
//   - tokens-ingest: the question's share of the cost of building its memory;
//     the column sums to the whole;
//   - tokens-judge: the cost of judging the answer.
//
// Every question counts, including those that failed. A text counts each time
// it is sent, cached or not; embeddings do not count (see [Tokens]). These are
// the provider's numbers if it reports any, including what a chat template
// adds; [TokensXMemorySpec] counts as the xMemory paper does.
var TokensSpec = &Spec{
	Name:    "tokens",
	Doc:     "tokens of the language models per question",
	Source:  "usage as the provider bills it",
	Of:      Usage,
	Columns: columns(Column{Scale: 1, Digits: 1, Lower: true}, "tokens-query", "tokens-input", "tokens-output", "tokens-ingest", "tokens-judge"),
	Score: func(i Item) []Value {
		t := i.Tokens
		return []Value{
			Def(float64(t.QueryInput + t.QueryOutput)),
			Def(float64(t.QueryInput)),
			Def(float64(t.QueryOutput)),
			Def(t.Ingest),
			Def(float64(t.JudgeInput + t.JudgeOutput)),
		}
	},
}

// stages are the roles of calls that answer questions, in the order in which a
// method makes them.
var stages = []string{"resolve", "translate", "score", "handle", "memory", "probe", "reader"}

// TokensStagesSpec splits tokens-query by stage, the role of the calls: resolve,
// translate, score and handle are those of semantic-xpath, probe that of xmemory,
// memory and reader those of the methods that make one call, about trees and
// about conversations. A stage that a question skipped counts 0. Lower is better.
var TokensStagesSpec = &Spec{
	Name:    "tokens-stages",
	Doc:     "tokens of the language models per question, by stage",
	Source:  "usage as the provider bills it",
	Of:      Usage,
	Apart:   true,
	Columns: columns(Column{Scale: 1, Digits: 1, Lower: true}, lists.Map(stages, func(stage string) string { return "tokens-" + stage })...),
	Score: func(i Item) []Value {
		return lists.Map(stages, func(stage string) Value { return Def(float64(i.Tokens.Stages[stage])) })
	},
}

// TokensXMemorySpec is the tokens of a question as the xMemory paper counts
// them: the raw text of the prompts and replies of all its calls to language
// models, uncertainty probes and answer, in the tokens of the model's own
// tokenizer. A tokenizer's special tokens, such as Llama's begin-of-text, count
// with each prompt; what a chat template adds does not. A prefix that several
// calls of one question share counts once, as if cached. Lower is better.
//
// It leaves out embeddings, ingest and hidden reasoning. Every question counts,
// including those that failed, with the calls that were made.
//
// The paper's means are over all 1,986 questions of LoCoMo, including category
// 5, while its scores are over the 1,540 of the other four categories. A run
// that asks all five, with category5: abstain, gives the mean over 1,986; one
// with category5: drop, or with only the categories 1 to 4, that over 1,540.
//
// It departs from the released code in one way. The code does not count a prefix that
// the previous question in the same thread had too; which question that is depends on
// the order in which threads take them, so here each question starts anew.
var TokensXMemorySpec = ofItem(Column{Name: "tokens@xmemory", Scale: 1, Digits: 1, Lower: true}, Spec{
	Doc:    "tokens of prompts and replies per question, as the xMemory paper counts them",
	Source: "xMemory, released code",
	Of:     Usage,
}, func(i Item) Value { return Def(float64(i.Tokens.Text)) })

// StructureSpec is the structure of hierarchical memories:
//
//   - episodes, semantics, themes: how many there are in all memories together;
//   - semantics-per-theme: all semantics over all themes;
//   - theme-max: the size of the largest theme, a mean over memories;
//   - reassigned: the share of semantics whose final theme is not their first.
//
// Undefined for a memory without such parts. It follows tables 6 to 8 of
// xMemory; reassigned is its dynamic reassignment ratio, which the paper
// describes in one sentence and for which it has no code.
var StructureSpec = &Spec{
	Name:   "structure",
	Doc:    "numbers of episodes, semantics and themes of all memories",
	Source: "xMemory, tables 6 to 8",
	Of:     Usage,
	Apart:  true,
	Columns: append(
		columns(Column{Scale: 1, Neutral: true, Sample: true, Total: true}, "episodes", "semantics", "themes"),
		Column{Name: "semantics-per-theme", Scale: 1, Digits: 2, Neutral: true, Sample: true, Weight: "themes"},
		Column{Name: "theme-max", Scale: 1, Digits: 1, Neutral: true, Sample: true},
		Column{Name: "reassigned", Scale: 100, Digits: 2, Neutral: true, Sample: true, Weight: "semantics"},
	),
	Score: func(i Item) []Value {
		part := func(name string) Value {
			x, ok := i.Memory.Structure[name]
			return Value{x, ok}
		}
		per := func(x, n Value) Value {
			if !x.Defined || !n.Defined || n.X <= 0 {
				return Value{}
			}
			return Def(x.X / n.X)
		}
		semantics, themes := part("semantics"), part("themes")
		return []Value{part("episodes"), semantics, themes, per(semantics, themes), part("theme-max"), per(part("reassigned"), semantics)}
	},
}

// DegradedSpec counts the stages that continued with less because a model's
// reply was unusable even after a repair: degraded-query counts those of all
// answers, degraded-ingest those of all memories. Lower is better; the records
// name the stages.
var DegradedSpec = &Spec{
	Name:   "degraded",
	Doc:    "stages in which a model's reply was unusable",
	Source: "counted by the methods",
	Of:     Usage,
	Apart:  true,
	Columns: []Column{
		{Name: "degraded-query", Scale: 1, Lower: true, Total: true},
		{Name: "degraded-ingest", Scale: 1, Lower: true, Sample: true, Total: true},
	},
	Score: func(i Item) []Value { return []Value{Def(sum(i.Degraded)), Def(sum(i.Memory.Degraded))} },
}

func sum(counts map[string]int) float64 {
	n := 0
	for _, k := range counts {
		n += k
	}
	return float64(n)
}
