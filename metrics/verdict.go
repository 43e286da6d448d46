package metrics

import (
	"maps"
	"slices"
	"strings"

	"recallbench/metrics/internal/span"
)

// A Verdict says whether an answer is right. Pages, differences, gates and what asks a
// judge have it from [Grounds.Verdict].
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"
	Wrong     Verdict = "wrong"
	Unclear   Verdict = "unclear"   // neither a person nor a judge says, and its score does not tell
	Abstained Verdict = "abstained" // the same, and it says that it does not know
)

// An answer whose f1@span is at least SpanRight is right, and one whose f1@span is at most
// SpanWrong is wrong. Both were chosen on the development part of docs/scores.md, which
// says how often they hold.
const (
	SpanRight = 0.7
	SpanWrong = 0.1
)

// Grounds are what the verdict on an answer rests on. The numbers are from 0 to 1, and nil
// where they are not known.
type Grounds struct {
	Label *float64 // what people said: 0.5 where they are divided or it is right in part
	Judge *float64 // what a judge said, or a rule that leaves no doubt, as of a multiple choice
	Span  *float64 // f1@span
	// Declines is set where the answer says that it does not know, and Abstain where no
	// other answer is right.
	Declines, Abstain bool
}

// Verdict is by a label where there is one, else by a judge, and else by f1@span, which
// no other overlap with the gold answer stands in for. A label of a half is unclear, and a
// judge's half is right.
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

// Decides is how well the values of a column decide whether an answer is right, more for
// better ones, and 0 for a column that does not. Judges do, and rules that leave no doubt;
// likeness to the gold answer does not, but for f1@span, which leaves answers unclear.
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

// Bounds are the least value of a right answer and the greatest of a wrong one in a column
// that decides. What lies between is unclear.
func Bounds(column string) (right, wrong float64) {
	if column == SpanColumn {
		return SpanRight, SpanWrong
	}
	return 0.5, 0.5
}

// By is the verdict that the value of a column gives by itself, nil for none.
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

// GroundsOf are those that the scores of an answer have, by column.
func GroundsOf(scores map[string]*float64) Grounds {
	g := Grounds{Span: scores[SpanColumn]}
	best := Decides(SpanColumn)
	for _, column := range slices.Sorted(maps.Keys(scores)) {
		if rank := Decides(column); rank > best && scores[column] != nil {
			best, g.Judge = rank, scores[column]
		}
	}
	return g
}

// Declines is whether an answer is empty or says in its first sentence that it does not
// know.
func Declines(answer string) bool { return span.Abstains(answer) }
