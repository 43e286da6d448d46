package scored

import (
	"errors"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// An Outcome says how far a request came, in the words of [metrics.NewFailures] and of
// [metrics.Verdict].
type Outcome string

// The outcomes of requests.
const (
	Right           = Outcome(metrics.Right)
	Failed          = Outcome("failed")           // the request ended in an error
	UnknownEvidence = Outcome("unknown-evidence") // wrong; the dataset names no turns that the answer rests on, or an imported file not those of its blocks
	NotRetrieved    = Outcome("not-retrieved")    // wrong; none of these turns is a source of a block
	PartlyRetrieved = Outcome("partly-retrieved") // wrong; some of them are
	NotUsed         = Outcome("not-used")         // wrong; all of them are
	Abstained       = Outcome(metrics.Abstained)
	Unclear         = Outcome(metrics.Unclear)
)

// Outcome says how far the request came, by what is known of its answer, or where a column
// is named, by that alone.
func (r Request) Outcome(column string) Outcome {
	verdict := r.Verdict
	if column != "" {
		var value *float64
		if r.Score != nil {
			value = r.Score.Values[column]
		}
		verdict = metrics.By(column, value)
	}
	return OutcomeOf(r.Record.Status, verdict, r.Reach)
}

// OutcomeOf says how far a request of a status came, by the verdict on its answer and by
// how much of its evidence was reached. The script of pages has the same rule.
func OutcomeOf(status record.Status, verdict metrics.Verdict, reached Reach) Outcome {
	switch {
	case status != record.OK:
		return Failed
	case verdict == metrics.Wrong:
		return []Outcome{UnknownEvidence, NotRetrieved, PartlyRetrieved, NotUsed}[reached]
	}
	return Outcome(verdict)
}

// verdict says whether an answer is right: by the labels and scores of the run, or where it
// was not scored with f1@span, by that of the texts.
func (r *Run) verdict(cell string, gold record.Gold, answer string, score *record.Score) metrics.Verdict {
	var g metrics.Grounds
	known := false
	if score != nil {
		g = metrics.GroundsOf(score.Values)
		_, known = score.Values[metrics.SpanColumn]
	}
	if votes := r.labels[cell][gold.Asked()]; len(votes) > 0 {
		g.Label = new(stat.Mean(votes, nil))
	}
	g.Declines, g.Abstain = metrics.Declines(answer), gold.Abstain
	if !known && g.Label == nil && g.Judge == nil {
		item := metrics.Item{Question: gold.Question, Gold: gold.Answer, Variants: gold.Variants, Abstain: gold.Abstain, Prediction: answer}
		if v := metrics.SpanSpec.Score(item)[0]; v.Defined && len(gold.Options) == 0 && gold.Expect == nil {
			g.Span = &v.X
		}
	}
	return g.Verdict()
}

// readLabels reads what people said of the answers of the run, by cell.
func (r *Run) readLabels() error {
	labels, err := note.Labels(r.Folder)
	if err != nil {
		return err
	}
	r.labels = make(map[string]map[record.Asked][]float64)
	for _, l := range labels {
		if x, sure := l.Value.Points(); sure && !l.Stale {
			if r.labels[l.Cell] == nil {
				r.labels[l.Cell] = make(map[record.Asked][]float64)
			}
			k := record.Asked{Sample: l.Sample, Request: l.Request}
			r.labels[l.Cell][k] = append(r.labels[l.Cell][k], x)
		}
	}
	return nil
}

// Judging returns the column whose values are shown of answers, which best decides whether
// they are right, or else the first of those that differ by more than length and cost.
func Judging(specs []*metrics.Spec) (c metrics.Column, err error) {
	best := -1
	for _, spec := range specs {
		for _, column := range spec.Columns {
			rank := 2 * metrics.Decides(column.Name)
			if spec.Of == metrics.Answer && !column.Lower && !column.Neutral {
				rank++
			}
			if rank > best {
				best, c = rank, column
			}
		}
	}
	if best < 0 {
		return c, errors.New("no column of answers to show; 'bench score RUN --metrics f1@span' adds one")
	}
	return c, nil
}

// Decider finds the column of a name among those that can decide alone which answers are
// right.
func Decider(specs []*metrics.Spec, name string) (metrics.Column, error) {
	var names []string
	for _, spec := range specs {
		for _, c := range lists.Filter(spec.Columns, func(c metrics.Column) bool { return metrics.Decides(c.Name) > 0 }) {
			if c.Name == name {
				return c, nil
			}
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return metrics.Column{}, errors.New("no column decides which answers are right; 'bench score RUN --metrics f1@span' adds one")
	}
	return metrics.Column{}, errors.New(suggest.Unknown("column", name, names))
}
