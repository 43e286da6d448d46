package metrics

import (
	"strings"

	"recallbench/metrics/internal/span"
)

// SpanF1 returns the F1 of the stretch of a prediction that matches a gold answer best,
// and the share of the gold answer in it; both are in [0, 1], higher is better.
//
// It is made to rank answers of unequal length: reasons around a fact cost nothing, and a
// wrong date, year or number in its place costs nearly everything. An empty answer and
// one that says it does not know score 0. Apart from negations it ignores whether the
// words around the span fit it; docs/scores.md has the rules and how far they can be
// trusted.
func SpanF1(question, pred, gold string) (f1, recall float64) {
	return span.Score(question, pred, gold)
}

// SpanSpec is [SpanF1], the best over the gold answer and its variants. It is 0 for a
// question that failed. It is undefined without a gold answer to compare with, as for an
// abstention and for most tasks about trees, and for a multiple choice.
var SpanSpec = &Spec{
	Name:   SpanColumn,
	Doc:    "F1 of the best span of the answer, with typed values; also recall@span",
	Source: "this project",
	Of:     Answer,
	Columns: []Column{
		{Name: SpanColumn, Scale: 100, Digits: 2},
		{Name: "recall@span", Scale: 100, Digits: 2},
	},
	Score: func(i Item) []Value {
		switch {
		case i.Gold == "" || i.Abstain || len(i.Options) > 0:
			return make([]Value, 2)
		case i.Failed:
			return []Value{Def(0), Def(0)}
		}
		var f1, recall float64
		for _, gold := range append([]string{i.Gold}, i.Variants...) {
			f, r := SpanF1(i.Question, i.Prediction, gold)
			f1, recall = max(f1, f), max(recall, r)
		}
		return []Value{Def(f1), Def(recall)}
	},
}

// WordsSpec is the length of an answer in words separated by white space, 0 for a
// question that failed. Read it next to every overlap metric: most of them fall
// with length.
var WordsSpec = ofItem(Column{Name: "words", Scale: 1, Digits: 1, Neutral: true}, Spec{
	Doc:    "length of the answer in words",
	Source: "this project",
}, func(i Item) Value {
	if i.Failed {
		return Def(0)
	}
	return Def(float64(len(strings.Fields(i.Prediction))))
})
