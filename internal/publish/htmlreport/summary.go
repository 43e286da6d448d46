package htmlreport

import (
	"fmt"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

// clock is how the page prints a time, which is in UTC.
const clock = "2006-01-02 15:04:05 UTC"

// An overview is what a reader sees first.
type overview struct {
	Title    string           `json:"title"`
	Verdicts []report.Verdict `json:"verdicts"`
	Runs     []group          `json:"runs"`
}

func (p *Page) overview() overview { return overview{p.Title, p.Verdicts, p.summaries()} }

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
	By     string `json:"by"`     // a column alone; empty for people, else judges, else f1@span
	Column string `json:"column"` // whose values are shown
}
