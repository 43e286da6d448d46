package metrics

import (
	"errors"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/stats"
	"recallbench/internal/engine/expect"
)

// JudgeSpec is whether a language model accepted the answer, after the run and
// with a prompt whose hash is in the run's header: 1 or 0, higher is better;
// the mean is the share of accepted answers.
//
// It is 0 for a question that failed. It is undefined if there is nothing to compare
// an answer with (an abstention, a task about a tree that asks for no fact), if the
// model's reply was unusable, and in a run that was not judged. It is only comparable
// with the same judge and the same prompt; no run file has it by default.
var JudgeSpec = ofItem(Column{Name: "judge", Scale: 100, Digits: 1, Binary: true}, Spec{
	Doc:    "a language model accepted the answer",
	Source: "bench judge",
	Of:     Judgement,
}, func(i Item) Value {
	if i.Judged == nil {
		return Value{}
	}
	return holds(*i.Judged)
})

// PassJudgeSpec is [PassSpec]'s first column with a language model in place of
// the rules for the text of an answer: rules check the nodes and the tree and,
// if facts are expected, a judge decides whether the answer states them. 1 or
// 0, higher is better.
//
// It is 0 for a question that failed. It is undefined if the question is not about a
// tree or not judged, if the judge's reply on the facts was unusable, and in a run
// that was not judged.
var PassJudgeSpec = ofItem(Column{Name: "pass@judge", Scale: 100, Digits: 1, Binary: true}, Spec{
	Doc:    "the right nodes and tree by rules, and an answer that a language model accepted",
	Source: "Semantic XPath, section 4; nodes and tree by rules, facts by bench judge",
	Of:     Judgement,
}, func(i Item) Value {
	noFacts := !i.Judgeable() // are expected
	if i.Expect == nil || !noFacts && i.Judged == nil {
		return Value{}
	}
	v := verdict(i)
	return holds((noFacts || *i.Judged) && v.Retrieval && v.Tree)
})

// UCSSpec is User Continuity Satisfaction: people's rating of how well an answer
// continues the conversation, 1 to 5, higher is better. The value of a question
// is the mean of the ratings of its answer, and the mean counts each rated
// question once.
//
// People rate answers after a run, without knowing which row they come from,
// and usually only a selection: see docs/judging.md. It is undefined if nobody
// rated the answer, whether or not the question failed, and in a run without
// ratings; no program rates. Ratings of an answer that has since changed do not
// count. No run file has it by default.
var UCSSpec = ofItem(Column{Name: "ucs", Scale: 1, Digits: 2}, Spec{
	Doc:    "people's ratings of how well the answer continues the conversation, 1 to 5",
	Source: "Semantic Anchoring paper, section 4.3 and appendix B; bench judge people",
	Of:     Rated,
}, func(i Item) Value {
	if i.Rating == nil {
		return Value{}
	}
	return Def(*i.Rating)
})

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

// BEAMEventOrder compares the items of an answer with events, both in order. An item
// that tells an event is replaced by the event's own text; other items stay as they
// are.
//
// Tau is (τ_b + 1) / 2 over the ranks of all distinct texts, events first: 1 for the same
// order, 0 for the reverse. A text missing from one list ties behind all others in it, and
// of equal items the last position counts. So an answer without an event scores more than
// 0, and a heading before a list costs much. F1 is the harmonic mean of precision and
// recall of the events; precision counts each event once, and every other item. Both are
// in [0, 1]. Where τ_b is undefined, as for one event and one item, ok is false.
//
// It follows event_ordering_score of BEAM (Tavakoli et al., 2026), compute_metrics.py,
// which reports Tau.
func BEAMEventOrder(events, items []string) (tau, f1 float64, ok bool) {
	at, told := places(events), places(items)
	found, wrong, missing := 0, 0, 0
	for event := range at {
		if _, ok := told[event]; ok {
			found++
		}
	}
	for _, event := range events {
		if _, ok := told[event]; !ok {
			missing++
		}
	}
	for _, item := range items {
		if _, ok := at[item]; !ok {
			wrong++
		}
	}
	if found > 0 {
		f1 = 2 * float64(found) / float64(2*found+wrong+missing)
	}
	union := slices.Compact(slices.Sorted(slices.Values(slices.Concat(events, items))))
	if tau, ok = stats.KendallTauB(ranks(union, at), ranks(union, told)); ok {
		tau = (tau + 1) / 2
	}
	return tau, f1, ok
}

// places returns the last place of each text, from 1.
func places(texts []string) map[string]int {
	at := make(map[string]int)
	for i, text := range texts {
		at[text] = i + 1
	}
	return at
}

// ranks returns the places of texts; those without one tie behind all.
func ranks(texts []string, at map[string]int) []float64 {
	list := make([]float64, len(texts))
	for i, text := range texts {
		place, ok := at[text]
		if !ok {
			place = len(texts) + 1
		}
		list[i] = float64(place)
	}
	return list
}

// PassSpec says whether tasks about structured memories gave the expected
// results. All columns are 0 or 1, and higher is better:
//
//   - pass: both of the following;
//   - pass-retrieval: the nodes that the method retrieved are exactly those
//     expected;
//   - pass-output: the answer says what it must and nothing that it must not,
//     and the tree afterwards is the expected one, with everything else
//     unchanged.
//
// A question that failed passes nothing. The columns are undefined for tasks
// that are not judged, such as those that only prepare later ones, and for
// questions about conversations.
//
// It follows section 4 of the Semantic XPath paper: "retrieves the correct
// structured data and produces an output that satisfies the ground-truth
// constraints". The paper does not say who or what judged that; here package
// expect does, by rules.
var PassSpec = &Spec{
	Name:    "pass",
	Doc:     "the right nodes, and the expected answer and tree",
	Source:  "Semantic XPath, section 4; checked by rules",
	Of:      Answer,
	Columns: columns(Column{Scale: 100, Digits: 1, Binary: true}, "pass", "pass-retrieval", "pass-output"),
	Score: func(i Item) []Value {
		values := make([]Value, 3)
		if i.Expect == nil {
			return values
		}
		v := verdict(i)
		for n, held := range []bool{v.Pass(), v.Retrieval, v.Output} {
			values[n] = holds(held)
		}
		return values
	},
	Why: func(i Item) []string {
		if i.Expect == nil {
			return nil
		}
		return verdict(i).Why
	},
}

// verdict checks an item that has an expectation; a failed question passes
// nothing.
func verdict(i Item) expect.Verdict {
	if i.Failed {
		return expect.Verdict{Why: []string{"the question failed"}}
	}
	return expect.Check(i.Expect, expect.Outcome{
		Nodes: i.Nodes, Answer: i.Prediction, First: i.First, Before: i.Before, After: i.After,
	})
}
