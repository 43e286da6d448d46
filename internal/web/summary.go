package web

import (
	"fmt"
	"strconv"
	"time"

	"recallbench/internal/record"
)

// clock is how the page prints a time, which is in UTC.
const clock = "2006-01-02 15:04:05 UTC"

// summaries says of each run what it is and what a reader has to know first.
func (p *Page) summaries() []group {
	var all []group
	for _, r := range p.Runs {
		all = append(all, summary(r))
	}
	return all
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
	began := h.Start.UTC().Format(clock)
	if !h.End.IsZero() {
		began += fmt.Sprintf(", took %s", h.End.Sub(h.Start).Round(time.Second))
	}
	g.add("began", began)
	var methods, datasets []string
	seen := make(map[string]bool)
	planned := 0
	for _, c := range h.Cells {
		planned += c.Planned
		if !seen[c.Method] {
			seen[c.Method] = true
			methods = append(methods, c.Method)
		}
	}
	for _, d := range h.Datasets {
		line := fmt.Sprintf("%s: %d requests about %d samples", d.Label, d.Requests, d.Samples)
		if d.Caveat != "" {
			line += ". " + d.Caveat
		}
		datasets = append(datasets, line)
	}
	g.add("datasets", datasets...)
	g.add("methods", methods...)
	for _, m := range h.Models {
		line := m.Label + ": " + m.Reader
		if m.Offline {
			line += ", offline: answers are by rules and do not compare with published numbers"
		}
		g.add("model", line)
	}
	g.add("requests", strconv.Itoa(planned)+" planned")
	if h.Shard != nil {
		g.add("shard", fmt.Sprintf("%d of %d: a part of the samples", h.Shard.Index, h.Shard.Of))
	}
	if h.Paid != nil {
		g.add("paid", paid(h))
	}
	g.add("left out", h.Skipped...)
	return g
}

// paid says what the models of a run took. The header has it.
func paid(h record.Header) string {
	price := "price unknown"
	if h.Paid.USD != nil {
		price = fmt.Sprintf("$%.4g", *h.Paid.USD)
	}
	return fmt.Sprintf("%s, %d calls and %d recorded ones, %d tokens", price, h.Paid.Calls, h.Paid.Reused, h.Paid.Tokens)
}
