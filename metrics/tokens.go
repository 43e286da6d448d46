package metrics

import "recallbench/internal/calc/lists"

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
var TokensXMemorySpec = ofItem(Spec{
	Name:    "tokens@xmemory",
	Doc:     "tokens of prompts and replies per question, as the xMemory paper counts them",
	Source:  "xMemory, released code",
	Of:      Usage,
	Columns: columns(Column{Scale: 1, Digits: 1, Lower: true}, "tokens@xmemory"),
}, func(i Item) Value { return Def(float64(i.Tokens.Text)) })
