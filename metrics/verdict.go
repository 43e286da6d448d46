package metrics

import (
	"maps"
	"slices"
	"strings"

	"recallbench/metrics/internal/span"
)

// A Verdict says whether an answer is right. Pages, comparisons, gates and the
// selection of answers to judge use [Grounds.Verdict].
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"
	Wrong     Verdict = "wrong"
	Unclear   Verdict = "unclear"   // no person or judge decided, and the score is between the bounds
	Abstained Verdict = "abstained" // the same, and the answer says that it does not know
)

// An answer is right if its f1@span is at least SpanRight, and wrong if it is at most
// SpanWrong. Both were chosen on the development part of docs/scores.md, which says how
// often they agree with people.
const (
	SpanRight = 0.7
	SpanWrong = 0.1
)

// Grounds are the reasons for the verdict on an answer. The numbers are from 0 to 1, and
// nil if they are not known.
type Grounds struct {
	Label *float64 // people's decision: 0.5 if they disagree or it is partly right
	Judge *float64 // a judge's decision, or that of a rule that leaves no doubt, as for a multiple choice
	Span  *float64 // f1@span
	// Declines is set if the answer says that it does not know, and Abstain if no other
	// answer is right.
	Declines, Abstain bool
}

// Verdict goes by a label if there is one, else by a judge, and else by f1@span; no other
// overlap with the gold answer replaces it. A label of one half is unclear; a judge's
// half is right.
func (g Grounds) Verdict() Verdict {
	switch {
	case g.Label != nil && *g.Label == 0.5:
		return Unclear
	case g.Label != nil:
		return By(JudgeColumn, g.Label)
	case g.Judge != nil:
		return By(JudgeColumn, g.Judge)
	case g.Declines && g.Abstain:
		return Right
	case g.Declines:
		return Abstained
	}
	return By(SpanColumn, g.Span)
}

// SpanColumn is the name of f1@span, the one score of texts that decides.
const SpanColumn = "f1@span"

// Decides is how well the values of a column decide whether an answer is right: higher
// for better ones, and 0 for a column that does not. Judges do, and rules that leave no
// doubt; similarity to the gold answer does not, except for f1@span, which leaves some
// answers unclear.
func Decides(column string) int {
	kind, judge, _ := strings.Cut(column, ":")
	switch {
	case column == PassJudgeSpec.Name:
		return 5
	case column == JudgeColumn:
		return 4
	case (kind == JudgeColumn || kind == AbstentionColumn) && judge != "contains":
		return 3
	case column == ChoiceSpec.Name, column == ChoiceStrictSpec.Name, column == ChangesSpec.Name, column == PassSpec.Name:
		return 2
	case column == SpanColumn:
		return 1
	}
	return 0
}

// Bounds are the lowest value of a right answer and the highest of a wrong one in a
// column that decides. Answers in between are unclear.
func Bounds(column string) (right, wrong float64) {
	if column == SpanColumn {
		return SpanRight, SpanWrong
	}
	return 0.5, 0.5
}

// By is the verdict that the value of a column gives by itself, or nil.
func By(column string, value *float64) Verdict {
	right, wrong := Bounds(column)
	switch {
	case value == nil:
		return Unclear
	case *value >= right:
		return Right
	case *value <= wrong:
		return Wrong
	}
	return Unclear
}

// GroundsOf returns the grounds in the scores of an answer, by column. A value that was to
// be forgotten makes an answer wrong, where no judge says otherwise.
func GroundsOf(scores map[string]*float64) Grounds {
	g := Grounds{Span: scores[SpanColumn]}
	best := Decides(SpanColumn)
	for _, column := range slices.Sorted(maps.Keys(scores)) {
		if rank := Decides(column); rank > best && scores[column] != nil {
			best, g.Judge = rank, scores[column]
		}
	}
	if leak := scores["leak"]; g.Judge == nil && leak != nil && *leak == 1 {
		g.Judge = new(float64)
	}
	return g
}

// Declines reports whether an answer is empty or says in its first sentence that it
// does not know.
func Declines(answer string) bool { return span.Abstains(answer) }

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
