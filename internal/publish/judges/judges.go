package judges

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

// A Row is the answers of one method with one model.
type Row struct {
	Name    string
	Cell    string // its id
	Answers []Answer
}

// An Answer is one answer with what judges say of it.
type Answer struct {
	Conversation string
	// Request tells the answers of a row apart; rows share it.
	Request  string
	Category string
	Hash     string // SHA-256 of the answer, in hex
	// Failed is set where there is no answer: it counts 0 under all judges.
	Failed bool
	// Votes are those of each judge, each from 0 to 1; nil where it said nothing. A
	// judge that votes once has one.
	Votes map[string][]float64
	// Truth is whether the answer is right, 1, 0.5 for partly or 0, as labels say; nil where
	// none do. Weight is how many answers the labelled one stands for, 0 for one.
	Truth  *float64
	Weight float64
	// Unparsed counts the votes of a judge that were no verdict and count as refusals.
	Unparsed map[string]int
	// Unasked are the judges that were not asked, because f1@span decided.
	Unasked []string
}

// The ways to make one score of several votes.
const (
	Mean = "mean"
	// Majority is 1 where more than half of the votes are above one half, 0 where less
	// than half are, and undefined between.
	Majority = "majority"
)

// Score returns the score of a judge; ok is false where there is none.
func (a Answer) Score(judge, combine string) (x float64, ok bool) {
	votes := a.Votes[judge]
	switch {
	case len(votes) == 0:
		return 0, false
	case combine == Majority:
		accepted := len(lists.Filter(votes, func(v float64) bool { return v > 0.5 }))
		return float64(btoi(2*accepted > len(votes))), 2*accepted != len(votes)
	}
	for _, v := range votes {
		x += v / float64(len(votes))
	}
	return x, true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Options say what is laid out.
type Options struct {
	Judges  []string // in the order of columns
	Combine string   // [Mean] or [Majority]
	Seed    uint64   // of resamples
	// Notes are about the judges, such as who they are; they stand under the scores.
	Notes []string
}

// Document lays out rows: scores, agreement, and differences of rows.
func Document(rows []Row, o Options) *report.Document {
	d := &report.Document{Tables: []*report.Table{scores(rows, o)}}
	if t := categories(rows, o); t != nil {
		d.Tables = append(d.Tables, t)
	}
	if t := agreement(rows, o); len(t.Rows) > 0 {
		d.Tables = append(d.Tables, t)
	}
	if len(rows) > 1 && len(o.Judges) > 1 {
		d.Tables = append(d.Tables, differences(rows, o))
	}
	return d
}

// byConversation returns what there is of the answers, in the order of the row.
func byConversation[T any](r Row, of func(Answer) (T, bool)) [][]T {
	place := make(map[string]int)
	var all [][]T
	for _, a := range r.Answers {
		x, ok := of(a)
		i, seen := place[a.Conversation]
		if !seen {
			i = len(all)
			place[a.Conversation], all = i, append(all, nil)
		}
		if ok {
			all[i] = append(all[i], x)
		}
	}
	return all
}

// clusters returns the scores of a judge by conversation.
func (r Row) clusters(score func(Answer) (float64, bool)) []stats.Cluster {
	return lists.Map(byConversation(r, score), func(values []float64) (c stats.Cluster) {
		for _, x := range values {
			c.Add(x)
		}
		return c
	})
}

func (o Options) score(judge string) func(Answer) (float64, bool) {
	return func(a Answer) (float64, bool) {
		if a.Failed {
			return 0, true
		}
		return a.Score(judge, o.Combine)
	}
}

// parsed is [Options.score] of the answers about which all replies were verdicts.
func (o Options) parsed(judge string) func(Answer) (float64, bool) {
	return func(a Answer) (float64, bool) {
		x, ok := o.score(judge)(a)
		return x, ok && a.Unparsed[judge] == 0
	}
}

// percent is a share in percent with its interval.
func percent(x float64, i *stats.Interval) report.Cell {
	c := report.Cell{Text: fmt.Sprintf("%.2f", 100*x), Value: new(100 * x)}
	if i != nil {
		scaled := i.Scale(100)
		c.Interval = &scaled
		c.Text += fmt.Sprintf(" (%.2f, %.2f)", scaled.Lo, scaled.Hi)
	}
	return c
}

// none is a number that is not there.
var none = report.Cell{Text: "n/a"}

func whole(n int) report.Cell { return report.Cell{Text: strconv.Itoa(n), Value: new(float64(n))} }

func fixed(x float64) report.Cell { return report.Cell{Text: fmt.Sprintf("%.4f", x), Value: &x} }

func columns(names ...string) []report.Column {
	all := []report.Column{{Name: "row"}}
	for _, n := range names {
		all = append(all, report.Column{Name: n, Number: true})
	}
	return all
}

// scores has a row for each row and a column for each judge.
func scores(rows []Row, o Options) *report.Table {
	t := &report.Table{Name: "judges", Title: "scores by judge"}
	t.Columns = append(columns(append([]string{"answers"}, o.Judges...)...), report.Column{Name: "band", Number: true}, report.Column{Name: "lowest"}, report.Column{Name: "highest"})
	means := make(map[string][]float64)
	for _, r := range rows {
		line := []report.Cell{{Text: termsafe.Text(r.Name)}, whole(len(r.Answers))}
		var low, high string
		values := make(map[string]float64)
		for _, j := range o.Judges {
			clusters := r.clusters(o.score(j))
			x, n := stats.Mean(clusters)
			if n == 0 {
				line = append(line, none)
				continue
			}
			cell := percent(x, stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: o.Seed}.Intervals([][]stats.Cluster{clusters})[0])
			if n < len(r.Answers) {
				cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("%s: %d of %d answers", j, n, len(r.Answers))))
			}
			if bad := r.unparsed(j); bad > 0 {
				text := fmt.Sprintf("%s: %d of %d replies were no verdict, which its source counts as wrong", j, bad, r.votes(j))
				if rest, n := stats.Mean(r.clusters(o.parsed(j))); n > 0 {
					text += fmt.Sprintf("; without them %.2f", 100*rest)
				}
				cell.Notes = append(cell.Notes, t.Note(text))
			}
			line = append(line, cell)
			values[j] = x
			if low == "" || x < values[low] {
				low = j
			}
			if high == "" || x > values[high] {
				high = j
			}
		}
		for _, j := range o.Judges {
			means[j] = append(means[j], values[j])
		}
		band := none
		if len(values) > 1 {
			band = percent(values[high]-values[low], nil)
		}
		t.Rows = append(t.Rows, append(line, band, report.Cell{Text: low}, report.Cell{Text: high}))
	}
	t.NoteTitle("scores in percent, with 95 % intervals by conversation; a failed request counts 0")
	t.NoteTitle(o.Notes...)
	if len(rows) > 1 && len(o.Judges) > 1 {
		t.NoteTitle(orderNotes(rows, o.Judges, means)...)
	}
	return t
}

// categories has the means of the categories' means, where there are several: those that
// LongMemEval and BEAM report. A category without a score is named.
func categories(rows []Row, o Options) *report.Table {
	var names []string
	for _, r := range rows {
		names = lists.AddNew(names, lists.Distinct(r.Answers, func(a Answer) string { return a.Category })...)
	}
	if len(names) < 2 {
		return nil
	}
	slices.Sort(names)
	t := &report.Table{Name: "categories", Title: fmt.Sprintf("mean of %d categories by judge", len(names)), Columns: columns(o.Judges...)}
	for _, r := range rows {
		line := []report.Cell{{Text: termsafe.Text(r.Name)}}
		for _, j := range o.Judges {
			of := make(map[string]*stats.Cluster)
			for _, a := range r.Answers {
				if x, ok := o.score(j)(a); ok {
					if of[a.Category] == nil {
						of[a.Category] = new(stats.Cluster)
					}
					of[a.Category].Add(x)
				}
			}
			sum := 0.0
			for _, n := range names {
				if c := of[n]; c != nil {
					sum += c.Sum / c.Weight
				}
			}
			if len(of) == 0 {
				line = append(line, none)
				continue
			}
			cell := percent(sum/float64(len(of)), nil)
			if missing := lists.Filter(names, func(n string) bool { return of[n] == nil }); len(missing) > 0 {
				cell.Notes = []int{t.Note(j + " has no score in " + termsafe.Text(strings.Join(missing, ", ")))}
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func (r Row) unparsed(judge string) (n int) {
	for _, a := range r.Answers {
		n += a.Unparsed[judge]
	}
	return n
}

func (r Row) votes(judge string) (n int) {
	for _, a := range r.Answers {
		n += len(a.Votes[judge])
	}
	return n
}

// orderNotes say whether all judges order the rows alike.
func orderNotes(rows []Row, judges []string, means map[string][]float64) []string {
	var notes []string
	for i, a := range judges {
		for _, b := range judges[:i] {
			var swapped []string
			for k := range rows {
				for l := range k {
					if (means[a][k]-means[a][l])*(means[b][k]-means[b][l]) < 0 {
						swapped = append(swapped, rows[l].Name+" and "+rows[k].Name)
					}
				}
			}
			if len(swapped) > 0 {
				tau, _ := stats.KendallTauB(means[a], means[b])
				notes = append(notes, fmt.Sprintf("%s and %s order these rows differently (tau-b %.3f): %s", b, a, tau, termsafe.Text(strings.Join(swapped, "; "))))
			}
		}
	}
	if notes == nil {
		notes = []string{"the order of the rows is the same under all judges"}
	}
	return notes
}

// agreement has a line for each pair of judges in each row, for all judges where there
// are three or more, and for the votes of each judge.
func agreement(rows []Row, o Options) *report.Table {
	t := &report.Table{Name: "agreement", Title: "agreement", Columns: columns("answers", "equal", "agreement", "error", "low", "high")}
	t.Columns = slices.Insert(t.Columns, 1, report.Column{Name: "of"})
	t.Columns = slices.Insert(t.Columns, 3, report.Column{Name: "measure"})
	b := stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: o.Seed}
	add := func(row, of, measure string, n int, equal *float64, s stats.Statistic) {
		x, ok := s.Value()
		if n == 0 {
			return
		}
		line := []report.Cell{{Text: termsafe.Text(row)}, {Text: of}, whole(n), {Text: measure}, {}, none, {}, {}, {}}
		if equal != nil {
			line[4] = percent(*equal, nil)
		}
		if ok {
			line[5] = fixed(x)
		}
		if se, known := s.JackknifeError(); ok && known {
			line[6] = fixed(se)
		}
		if i, known := b.Statistic(s); ok && known {
			line[7], line[8] = fixed(i.Lo), fixed(i.Hi)
		}
		t.Rows = append(t.Rows, line)
	}
	for _, r := range rows {
		for i, x := range o.Judges {
			for _, y := range o.Judges[i+1:] {
				pairs, equal := r.pairs(o.Combine, x, y)
				add(r.Name, x+", "+y, "kappa", equal.N, new(equal.Sum/max(equal.Weight, 1)), stats.Kappa(pairs))
			}
		}
		if len(o.Judges) > 2 {
			units, n := r.units(func(a Answer) (u []float64) {
				for _, j := range o.Judges {
					if s, ok := a.Score(j, o.Combine); ok {
						u = append(u, s)
					}
				}
				return u
			})
			add(r.Name, "all judges", "alpha", n, nil, stats.Agreement(units, stats.Nominal))
		}
		for _, j := range o.Judges {
			units, n := r.units(func(a Answer) []float64 { return a.Votes[j] })
			add(r.Name, "votes of "+j, "alpha", n, nil, stats.Agreement(units, stats.Nominal))
		}
	}
	t.NoteTitle("Cohen's kappa of two judges, Krippendorff's nominal alpha of more and of one judge's votes; error by leaving out one conversation at a time, and 95 % intervals from resampled conversations",
		"votes of one model that agree say nothing about being right")
	return t
}

// pairs returns the scores of two judges of the answers that both scored, by
// conversation, and how many are equal.
func (r Row) pairs(combine, x, y string) (pairs [][][2]float64, equal stats.Cluster) {
	pairs = byConversation(r, func(a Answer) (pair [2]float64, ok bool) {
		p, ok := a.Score(x, combine)
		q, both := a.Score(y, combine)
		if ok && both {
			equal.Add(float64(btoi(p == q)))
		}
		return [2]float64{p, q}, ok && both
	})
	return slices.DeleteFunc(pairs, func(of [][2]float64) bool { return len(of) == 0 }), equal
}

// units returns the labels of answers with two or more, by conversation, and how many
// answers these are.
func (r Row) units(labels func(Answer) []float64) (units [][][]float64, n int) {
	units = byConversation(r, func(a Answer) ([]float64, bool) {
		u := labels(a)
		n += btoi(len(u) > 1)
		return u, len(u) > 1
	})
	return slices.DeleteFunc(units, func(of [][]float64) bool { return len(of) == 0 }), n
}

// differences has a line for each two rows: the difference under each judge and under
// which judges it is shown.
func differences(rows []Row, o Options) *report.Table {
	t := &report.Table{Name: "differences", Title: "differences of rows by judge", Columns: columns(o.Judges...)}
	t.Columns = slices.Insert(t.Columns, 1, report.Column{Name: "less"})
	t.Columns = append(t.Columns, report.Column{Name: "shown under"}, report.Column{Name: "sign"})
	under := make(map[string][]*report.Contrast) // by judge, a row of the table each
	for _, j := range o.Judges {
		for i, base := range rows {
			for _, r := range rows[:i] {
				under[j] = append(under[j], report.ContrastFacts(base.facts(o.score(j)), r.facts(o.score(j)), metrics.Column{Scale: 100, Digits: 2}, len(under[j])))
			}
		}
		report.Decide(under[j], infer.Options{Seed: o.Seed})
	}
	for i, base := range rows {
		for _, r := range rows[:i] {
			line := []report.Cell{{Text: termsafe.Text(r.Name)}, {Text: termsafe.Text(base.Name)}}
			var shown []string
			up, down := false, false
			for _, j := range o.Judges {
				c := under[j][len(t.Rows)]
				if c.N == 0 {
					line = append(line, none)
					continue
				}
				cell := percent(c.Difference(), nil)
				up, down = up || c.Better(), down || c.Worse()
				if c.Shown {
					shown = append(shown, j)
					cell.Mark = "*"
				}
				line = append(line, cell)
			}
			by, sign := strings.Join(shown, ", "), "same"
			switch len(shown) {
			case 0:
				by = "none"
			case len(o.Judges):
				by = "all"
			}
			if up && down {
				sign = "changes"
			}
			t.Rows = append(t.Rows, append(line, report.Cell{Text: by}, report.Cell{Text: sign}))
		}
	}
	t.NoteTitle("mean differences over the answers that a judge scored in both rows; * is shown at the 5 % level, adjusted over the rows of a judge")
	return t
}

// facts are the scores of the answers that have one.
func (r Row) facts(score func(Answer) (float64, bool)) []report.Fact {
	var all []report.Fact
	for _, a := range r.Answers {
		if x, ok := score(a); ok {
			all = append(all, report.Fact{Conversation: a.Conversation, Question: a.Request, Value: x})
		}
	}
	return all
}
