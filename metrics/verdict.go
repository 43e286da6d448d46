package metrics

import "recallbench/metrics/internal/span"

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
		return rightIf(*g.Label > 0.5)
	case g.Judge != nil:
		return rightIf(*g.Judge >= 0.5)
	case g.Declines && g.Abstain:
		return Right
	case g.Declines:
		return Abstained
	case g.Span == nil:
		return Unclear
	case *g.Span >= SpanRight:
		return Right
	case *g.Span <= SpanWrong:
		return Wrong
	}
	return Unclear
}

func rightIf(ok bool) Verdict {
	if ok {
		return Right
	}
	return Wrong
}

// Declines is whether an answer is empty or says in its first sentence that it does not
// know.
func Declines(answer string) bool { return span.Abstains(answer) }
