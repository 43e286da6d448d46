package metrics

import (
	"errors"
	"math"
	"strings"
)

// JudgedBy returns the metrics of the judge with the given name, which is part of their names:
//
//   - judge:NAME: the score of an answer from 0 to 1, the mean of the votes. With
//     nuggets it is their mean, with 0.5 for one that is met in part (nugget@beam);
//   - abstention:NAME: the same where the conversation does not contain the answer.
//     There judge:NAME is undefined unless the dataset explains why the answer is
//     missing, as LongMemEval and BEAM do;
//   - refusal:NAME: 1 if an answer declines although there is a gold answer, by a judge
//     of the profile declines, which has no judge:NAME; lower is better;
//   - nugget@beam-int:NAME: the mean of nuggets, where one half counts 0 if no
//     order counts;
//   - order@beam:NAME, order-f1@beam:NAME, order-final@beam:NAME: see
//     [BEAMEventOrder];
//   - released@beam:NAME: what BEAM's released report averages: order@beam if the
//     order counts, else nugget@beam-int.
//
// A question that failed scores 0. Without a verdict a value is undefined.
func JudgedBy(name string) []*Spec {
	spec := func(doc string, score func(Item, Judged) []Value, columns ...string) *Spec {
		s := &Spec{Name: columns[0] + ":" + name, Doc: doc, Source: "bench judge --judge", Of: Judgement}
		for _, c := range columns {
			s.Columns = append(s.Columns, Column{Name: c + ":" + name, Scale: 100, Digits: 1})
		}
		s.Score = func(i Item) []Value {
			if j, ok := i.Judgements[name]; ok && j.Score != nil {
				return score(i, j)
			}
			return make([]Value, len(columns))
		}
		return s
	}
	when := func(abstain bool) func(Item, Judged) []Value {
		return func(i Item, j Judged) []Value {
			if i.Abstain != abstain && (abstain || i.Explanation == "") {
				return make([]Value, 1)
			}
			return []Value{Def(*j.Score)}
		}
	}
	refusal := spec("answers that decline although there is a gold answer", when(false), RefusalColumn)
	refusal.Columns[0].Lower = true
	return []*Spec{
		refusal,
		spec("score by a judge of another profile", when(false), JudgeColumn),
		spec("abstentions by a judge of another profile", when(true), AbstentionColumn),
		spec("nuggets met in full", wholeNuggets, NuggetColumn),
		spec("order of events", eventOrder, OrderColumn, "order-f1@beam", "order-final@beam"),
		spec("the average of BEAM's report: the order of events, else nuggets met in full", func(i Item, j Judged) []Value {
			if i.Ordered {
				return eventOrder(i, j)[:1]
			}
			return wholeNuggets(i, j)
		}, ReleasedColumn),
	}
}

func wholeNuggets(i Item, j Judged) []Value {
	if i.Failed && len(i.Rubric) > 0 {
		return []Value{Def(0)}
	}
	if len(j.Nuggets) == 0 {
		return make([]Value, 1)
	}
	sum := 0.0
	for _, x := range j.Nuggets {
		if !i.Ordered {
			x = math.Trunc(x)
		}
		sum += x
	}
	return []Value{Def(sum / float64(len(j.Nuggets)))}
}

func eventOrder(i Item, j Judged) []Value {
	if i.Failed && i.Ordered && len(i.Rubric) > 0 {
		return []Value{Def(0), Def(0), Def(0)}
	}
	if j.Order == nil {
		return make([]Value, 3)
	}
	lines := strings.Split(i.Prediction, "\n")
	for n, event := range j.Order {
		if n < len(lines) && event > 0 && event <= len(i.Rubric) {
			lines[n] = i.Rubric[event-1]
		}
	}
	tau, f1, ok := BEAMEventOrder(i.Rubric, lines)
	return []Value{{tau, ok}, Def(f1), {tau * f1, ok}}
}

// FindJudged returns the metric of a judge by its name, such as judge:strict@gpt-4o.
func FindJudged(name string) (*Spec, error) {
	if judge := JudgeOf(name); judge != "" {
		for _, s := range JudgedBy(judge) {
			if s.Name == name {
				return s, nil
			}
		}
	}
	return nil, errors.New("not a metric of a judge; want one such as judge:NAME")
}

// The kinds of metrics that [JudgedBy] has, before the colon.
const (
	JudgeColumn      = "judge"
	AbstentionColumn = "abstention"
	RefusalColumn    = "refusal"
	NuggetColumn     = "nugget@beam-int"
	OrderColumn      = "order@beam"
	ReleasedColumn   = "released@beam"
)

// JudgeOf returns the name of the judge that a metric or a column belongs to; empty if
// it belongs to none.
func JudgeOf(name string) string {
	_, judge, _ := strings.Cut(name, ":")
	return judge
}
