package metrics

// TokensSpec is what requests used, in tokens. Lower is better.
//
//   - tokens-query: what the language models read and wrote to answer the
//     request, probes and other auxiliary calls among it;
//   - tokens-input, tokens-output: its parts;
//   - tokens-ingest: the request's share of what building its memory took, so
//     that the column's sum is the whole;
//   - tokens-judge: what judging the answer took.
//
// Every request counts, failed ones too. Whatever is said of a call counts
// once for each time that it is sent, cached or not; embeddings do not count
// (see [Tokens]). These are the provider's numbers where it reports any, what a
// chat template adds among them; [TokensXMemorySpec] is how the xMemory paper
// counts.
var TokensSpec = &Spec{
	Name:   "tokens",
	Doc:    "tokens of the language models for each request",
	Source: "usage as the provider bills it",
	Of:     Usage,
	Columns: []Column{
		{Name: "tokens-query", Scale: 1, Digits: 1, Lower: true},
		{Name: "tokens-input", Scale: 1, Digits: 1, Lower: true},
		{Name: "tokens-output", Scale: 1, Digits: 1, Lower: true},
		{Name: "tokens-ingest", Scale: 1, Digits: 1, Lower: true},
		{Name: "tokens-judge", Scale: 1, Digits: 1, Lower: true},
	},
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

// stages are the roles of calls that answer requests, in the order in which a
// method makes them.
var stages = []string{"resolve", "translate", "score", "handle", "memory", "probe", "reader"}

// TokensStagesSpec splits tokens-query by stage, the role of the calls: resolve,
// translate, score and handle are those of semantic-xpath, probe that of xmemory,
// memory and reader those of the methods that ask once, about trees and about
// conversations. A
// stage that a request did not pass counts 0. Lower is better.
var TokensStagesSpec = &Spec{
	Name:   "tokens-stages",
	Doc:    "tokens of the language models for each request, by stage",
	Source: "usage as the provider bills it",
	Of:     Usage,
	Apart:  true,
	Columns: func() []Column {
		var columns []Column
		for _, stage := range stages {
			columns = append(columns, Column{Name: "tokens-" + stage, Scale: 1, Digits: 1, Lower: true})
		}
		return columns
	}(),
	Score: func(i Item) []Value {
		var values []Value
		for _, stage := range stages {
			values = append(values, Def(float64(i.Tokens.Stages[stage])))
		}
		return values
	},
}

// TokensXMemorySpec is the tokens of a request as the xMemory paper counts
// them: the raw text of the prompts and replies of all its calls to language
// models, probes of uncertainty and answer, in the tokens of the model's own
// tokenizer. A tokenizer's special tokens count with each prompt, such as the
// begin of a text of Llama; what a chat template adds does not. The beginning
// that several calls of one request share counts once, as if cached. Lower is
// better.
//
// It leaves out embeddings and the building of the memory, and what a model
// reasons without showing it. Every request counts, failed ones too, with the
// calls that were made.
//
// The paper's means are over all 1,986 questions of LoCoMo, those of category
// 5 too, while its scores are over the 1,540 of the other four. A run that asks
// all five, with category5: abstain, gives the mean over 1,986; one with
// category5: drop, or with the categories 1 to 4 alone, that over 1,540.
//
// It departs from the released code in one thing. That counts no beginning that the
// question before, in the same thread. Had too; which question that is depends on the
// order in which threads take them, so here each request begins anew.
var TokensXMemorySpec = &Spec{
	Name:   "tokens@xmemory",
	Doc:    "tokens of prompts and replies for each request, as the xMemory paper counts",
	Source: "xMemory, released code",
	Of:     Usage,
	Columns: []Column{
		{Name: "tokens@xmemory", Scale: 1, Digits: 1, Lower: true},
	},
	Score: func(i Item) []Value { return []Value{Def(float64(i.Tokens.Text))} },
}
