// Package judges lays out the verdicts of a run's judges: their scores side by side, their
// agreement, and their errors by labels.
package judges

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/rating"
	"recallbench/internal/text/termsafe"
)

// Options say what the report shows.
type Options struct {
	Judges  []string // in the order of columns
	Combine string   // [judge.Mean] or [judge.Majority]
	Seed    uint64   // of resamples
	// Notes about the judges are printed under the scores.
	Notes []string
}

// score returns what a judge says of answers; a failed one counts 0.
func (o Options) score(name string) func(judge.Answer) (float64, bool) {
	return func(a judge.Answer) (float64, bool) {
		if a.Failed {
			return 0, true
		}
		return a.Score(name, o.Combine)
	}
}

func (o Options) bootstrap() stats.Bootstrap {
	return stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: o.Seed}
}

// Document lays out rows: the scores by each judge, and how far judges agree.
func Document(rows []judge.Row, o Options) *report.Document {
	d := &report.Document{Tables: []*report.Table{scores(rows, o)}}
	if t := agreement(rows, o); len(t.Rows) > 0 {
		d.Tables = append(d.Tables, t)
	}
	return d
}

// byConversation returns what there is of the answers, in their order, by conversation.
func byConversation[T any](answers []judge.Answer, of func(judge.Answer) (T, bool)) (all [][]T) {
	place := make(map[string]int)
	for _, a := range answers {
		x, ok := of(a)
		if !ok {
			continue
		}
		i, seen := place[a.Sample]
		if !seen {
			i = len(all)
			place[a.Sample], all = i, append(all, nil)
		}
		all[i] = append(all[i], x)
	}
	return all
}

// clusters returns scores by conversation.
func clusters(r judge.Row, score func(judge.Answer) (float64, bool)) []stats.Cluster {
	return lists.Map(byConversation(r.Answers, score), func(values []float64) (c stats.Cluster) {
		for _, x := range values {
			c.Add(x)
		}
		return c
	})
}

// none is a number that is not there.
var none = report.Cell{Text: "n/a"}

// scores has a row for each row and a column for each judge.
func scores(rows []judge.Row, o Options) *report.Table {
	t := &report.Table{Name: "judges", Title: "scores by judge"}
	t.Columns = append(report.Numbers("row", append(append([]string{"answers"}, o.Judges...), "band")...), report.Column{Name: "lowest"}, report.Column{Name: "highest"})
	for _, r := range rows {
		line := []report.Cell{{Text: termsafe.Text(r.Name)}, report.Whole(len(r.Answers))}
		var scored []string
		values := make(map[string]float64)
		for _, name := range o.Judges {
			of := clusters(r, o.score(name))
			x, n := stats.Mean(of)
			if n == 0 {
				line = append(line, none)
				continue
			}
			cell := report.Percent(x, o.bootstrap().Intervals([][]stats.Cluster{of})[0])
			if n < len(r.Answers) {
				cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("%s: %d of %d answers", name, n, len(r.Answers))))
			}
			unparsed, votes := 0, 0
			for _, a := range r.Answers {
				unparsed, votes = unparsed+a.Unparsed[name], votes+len(a.Votes[name])
			}
			if unparsed > 0 {
				cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("%s: %d of %d replies had no verdict, which its source counts as wrong", name, unparsed, votes)))
			}
			line = append(line, cell)
			values[name], scored = x, append(scored, name)
		}
		slices.SortStableFunc(scored, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
		band, low, high := none, "", ""
		if n := len(scored); n > 0 {
			low, high = scored[0], scored[n-1]
		}
		if low != high {
			band = report.Percent(values[high]-values[low], nil)
		}
		t.Rows = append(t.Rows, append(append(line, band), report.Words(low, high)...))
	}
	t.NoteTitle("scores in percent, with 95 % intervals by conversation; a failed question counts as 0")
	t.NoteTitle(o.Notes...)
	return t
}

// agreement has a line for each pair of judges in each row, for all judges where there
// are three or more, and for the votes of each judge.
func agreement(rows []judge.Row, o Options) *report.Table {
	t := &report.Table{Name: "agreement", Title: "agreement", Columns: slices.Concat(
		[]report.Column{{Name: "row"}, {Name: "of"}}, report.Numbers("measure", "answers", "agreement", "error", "low", "high"))}
	add := func(row, of, measure string, n int, s stats.Statistic) {
		if n == 0 {
			return
		}
		line := append(report.Words(termsafe.Text(row), of, measure), report.Whole(n), none, report.Cell{}, report.Cell{}, report.Cell{})
		if x, ok := s.Value(); ok {
			line[4] = report.Decimal(x, 4, nil)
			if se, ok := s.JackknifeError(); ok {
				line[5] = report.Decimal(se, 4, nil)
			}
			if i, ok := o.bootstrap().Statistic(s); ok {
				line[6], line[7] = report.Decimal(i.Lo, 4, nil), report.Decimal(i.Hi, 4, nil)
			}
		}
		t.Rows = append(t.Rows, line)
	}
	for _, r := range rows {
		for i, x := range o.Judges {
			for _, y := range o.Judges[i+1:] {
				p := pairs(r, o.Combine, x, y)
				add(r.Name, x+", "+y, "kappa", total(p), stats.Kappa(p))
			}
		}
		if len(o.Judges) > 2 {
			u := units(r, func(a judge.Answer) (scores []float64) {
				for _, name := range o.Judges {
					if x, ok := a.Score(name, o.Combine); ok {
						scores = append(scores, x)
					}
				}
				return scores
			})
			add(r.Name, "all judges", "alpha", total(u), stats.Agreement(u, stats.Nominal))
		}
		for _, name := range o.Judges {
			u := units(r, func(a judge.Answer) []float64 { return a.Votes[name] })
			add(r.Name, "votes of "+name, "alpha", total(u), stats.Agreement(u, stats.Nominal))
		}
	}
	t.NoteTitle("Cohen's kappa of two judges, Krippendorff's nominal alpha of more and of one judge's votes; error by leaving out one conversation at a time, and 95 % intervals from resampled conversations",
		"votes of one model that agree say nothing about being right")
	return t
}

// pairs returns the scores of two judges of the answers that both scored, by conversation.
func pairs(r judge.Row, combine, x, y string) [][][2]float64 {
	return byConversation(r.Answers, func(a judge.Answer) ([2]float64, bool) {
		p, ok := a.Score(x, combine)
		q, both := a.Score(y, combine)
		return [2]float64{p, q}, ok && both
	})
}

// units returns the labels of answers with two or more, by conversation.
func units(r judge.Row, labels func(judge.Answer) []float64) [][][]float64 {
	return byConversation(r.Answers, func(a judge.Answer) ([]float64, bool) {
		u := labels(a)
		return u, len(u) > 1
	})
}

// total counts what conversations hold.
func total[T any](of [][]T) (n int) {
	for _, one := range of {
		n += len(one)
	}
	return n
}

// LabelTable returns a table of each person's labels, with their agreement.
func LabelTable(asked rating.Asked, of note.Agreement) *report.Table {
	t := &report.Table{Name: "labels", Title: fmt.Sprintf("%s: labels of %d answers", asked.Dataset, len(asked.Items)), Columns: report.Numbers("rater", "labelled", "missing")}
	for _, name := range slices.Sorted(maps.Keys(of.People)) {
		t.Rows = append(t.Rows, []report.Cell{{Text: termsafe.Text(name)}, report.Whole(of.People[name]), report.Whole(len(asked.Items) - of.People[name])})
	}
	t.NoteTitle("labelled: yes, no or partly; unsure counts as missing")
	if of.Right != nil {
		t.NoteTitle(fmt.Sprintf("right: an estimated %.1f %% of all answers, by the weights of the draw", 100**of.Right))
	}
	alpha := "not known"
	if of.Alpha != nil {
		alpha = fmt.Sprintf("%.3f", *of.Alpha)
	}
	if of.Low != nil {
		alpha += fmt.Sprintf(" (%.3f, %.3f by conversation)", *of.Low, *of.High)
	}
	t.NoteTitle(fmt.Sprintf("agreement: Krippendorff's nominal alpha %s, from %d answers with two labels or more; people differ on %d of them, which 'bench view' lists",
		alpha, of.Shared, len(of.Split)))
	return t
}

// RatingTable returns a table with mean, interval and flags of each method.
func RatingTable(asked rating.Asked, of rating.Result) *report.Table {
	t := &report.Table{
		Name: "ratings", Title: fmt.Sprintf("%s: ratings of %d answers", asked.Dataset, len(asked.Items)),
		Columns: report.Numbers("method", slices.Concat([]string{"items", "ratings", "ucs"}, rating.Flags)...),
	}
	for _, m := range of.Methods {
		row := []report.Cell{{Text: termsafe.Text(m.Name)}, report.Whole(m.Items), report.Whole(m.Ratings), {}}
		if m.Items > 0 {
			row[3] = report.Decimal(m.Mean, 2, m.Interval)
		}
		for _, name := range rating.Flags {
			cell := report.Cell{}
			if x, ok := m.Flagged[name]; ok {
				cell = report.Decimal(100*x, 1, nil)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.NoteTitle(fmt.Sprintf("ucs: mean over items of the mean of their ratings, 1 to 5, higher is better; in parentheses the %g %% interval from resamples of whole conversations", 100*stats.Level),
		"flags: percentage of yes among the ratings that say yes or no")
	if of.Alpha != nil {
		t.NoteTitle(fmt.Sprintf("agreement: Krippendorff's alpha %.3f on the ordinal scale, from %d answers with two ratings or more", *of.Alpha, of.Shared))
	} else {
		t.NoteTitle(fmt.Sprintf("agreement: undefined; %d answers have two ratings or more, and if all ratings are equal there is no alpha", of.Shared))
	}
	return t
}
