package htmlreport

import (
	"fmt"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
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

// summaries says of each run what it is and what a reader has to know first.
func (p *Page) summaries() []group {
	return lists.Map(p.Runs, summary)
}

func summary(r Run) group {
	h := r.Header
	g := group{Title: r.Name}
	g.add("run", h.Name+", id "+h.ID)
	status := string(h.Status)
	if h.Stopped != "" {
		status += ": " + h.Stopped
	}
	g.add("status", status)
	g.add("edited", h.EditedNote())
	began := h.Start.UTC().Format(clock)
	if !h.End.IsZero() {
		began += fmt.Sprintf(", took %s", h.End.Sub(h.Start).Round(time.Second))
	}
	g.add("began", began)
	var methods, datasets []string
	seen := make(map[string]bool)
	requests := 0
	for _, c := range h.Cells {
		requests += c.Planned
		if !seen[c.Method] {
			seen[c.Method] = true
			methods = append(methods, c.Method)
		}
	}
	for _, d := range h.Datasets {
		line := fmt.Sprintf("%s: %s", d.Label, size(d.Requests, d.Samples))
		if d.Caveat != "" {
			line += ". " + d.Caveat
		}
		datasets = append(datasets, line)
	}
	g.add("datasets", datasets...)
	g.add("methods", methods...)
	for _, m := range h.Models {
		line := m.Label
		if m.Reader != m.Label {
			line += ": " + m.Reader
		}
		if m.Offline {
			line += ", by the stand-in and no language model: not comparable with published numbers"
		}
		g.add("model", line)
	}
	g.add("planned", fmt.Sprintf("%d requests in %d cells", requests, len(h.Cells)))
	if h.Shard != nil {
		g.add("shard", fmt.Sprintf("%d of %d: a part of the samples", h.Shard.Index, h.Shard.Of))
	}
	if h.Paid != nil {
		g.add("spent", h.Paid.String())
	}
	g.add("left out", h.Skipped...)
	return g
}

// size says how many requests there are about how many samples.
func size(requests, samples int) string {
	about := "samples"
	if samples == 1 {
		about = "sample"
	}
	return fmt.Sprintf("%d requests about %d %s", requests, samples, about)
}

// A judging says what decides which answers are right.
type judging struct {
	By     string `json:"by"`     // a column alone; empty for people, else judges, else f1@span
	Column string `json:"column"` // whose values are shown
}
