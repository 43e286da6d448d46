package htmlreport

import (
	"fmt"
	"io"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// clock is how the page prints a time, which is in UTC.
const clock = "2006-01-02 15:04:05 UTC"

// An overview is what a reader sees first.
type overview struct {
	Title string  `json:"title"`
	Runs  []group `json:"runs"`
	// Columns are those by which rows can be ranked, and Rankings are by one of them.
	Columns  []string         `json:"columns"`
	Rankings []report.Ranking `json:"rankings"`
}

// overview ranks the rows by a column.
func (p *Page) overview(column string) (overview, error) {
	o := overview{p.Title, p.summaries(), p.rankable(), []report.Ranking{}}
	if p.Rankings == nil {
		return o, nil
	}
	rankings, err := p.Rankings(column)
	o.Rankings = append(o.Rankings, rankings...)
	return o, err
}

// rankable are the columns that say which rows are better, but for those of usage.
func (p *Page) rankable() []string {
	names := []string{}
	for _, spec := range p.Metrics {
		for _, c := range spec.Columns {
			if !c.Neutral && spec.Of != metrics.Usage {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// writeRankings writes the rankings of a file by each column.
func (b *Book) writeRankings(w io.Writer) error {
	for i, column := range b.page.rankable() {
		data, err := b.Part("overview", column)
		if err == nil {
			err = writeData(w, fmt.Sprint("ranking", i), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// summaries says of each run what it is and what a reader has to know first; the settings
// have the rest.
func (p *Page) summaries() []group {
	return lists.Map(p.Runs, func(r Run) group {
		h := r.Header
		g := group{Title: r.Name}
		g.add("run", h.Name+", id "+h.ID)
		g.add("status", strings.TrimSuffix(string(h.Status)+": "+h.Stopped, ": "))
		g.add("edited", h.EditedNote())
		g.add("began", h.Start.UTC().Format(clock))
		g.add("datasets", lists.Map(h.Datasets, func(d record.Dataset) string {
			return strings.TrimSuffix(fmt.Sprintf("%s: %s about %s. %s", d.Label, report.Plural(d.Requests, "request"), report.Plural(d.Samples, "sample"), d.Caveat), ". ")
		})...)
		g.add("methods", lists.Distinct(h.Cells, func(c record.Cell) string { return c.Method })...)
		g.add("models", lists.Map(h.Models, func(m record.Model) string {
			if m.Offline {
				return m.Label + ", by the stand-in and no language model: not comparable with published numbers"
			}
			return strings.TrimSuffix(m.Label+": "+m.Reader, ": "+m.Label)
		})...)
		if h.Shard != nil {
			g.add("shard", fmt.Sprintf("%d of %d: a part of the samples", h.Shard.Index, h.Shard.Of))
		}
		if h.Paid != nil {
			g.add("spent", h.Paid.String())
		}
		g.add("left out", h.Skipped...)
		return g
	})
}

// A judging says what decides which answers are right.
type judging struct {
	By     string `json:"by"`     // a column alone, or byEvidence; empty for people, else judges, else f1@span
	Column string `json:"column"` // whose values are shown
}

// byEvidence stands for the evidence that reached the reader, which decides of runs without
// answers.
const byEvidence = "evidence"
