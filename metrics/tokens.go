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
// (see [Tokens]).
//
// xMemory prints tokens-query: prompts and replies of its entropy probes and
// its answers, without embeddings and construction. Two things of its
// accounting are not visible here. It counts the common beginning of a
// question's probes once, as a cache would; and its means are over all 1,986
// questions of LoCoMo, category 5 too, while its scores are over 1,540.
var TokensSpec = &Spec{
	Name:   "tokens",
	Doc:    "tokens of the language models for each request",
	Source: "xMemory, released code",
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
