package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

// writeFailed lists failed requests by kind, the first of each.
func writeFailed(b *strings.Builder, failed []record.FailedRequest, limit int, dir string) {
	for _, g := range byKind(failed) {
		fmt.Fprintf(b, "\n%s: %d\n", termsafe.Text(g.kind), len(g.requests))
		for _, m := range g.methods() {
			fmt.Fprintf(b, "  %s\n", m)
		}
		shown := g.requests
		if limit > 0 {
			shown = shown[:min(limit, len(shown))]
		}
		for _, r := range shown {
			fmt.Fprintf(b, "    %s: %s\n", failedAt(r), termsafe.Excerpt(r.Message, 200))
		}
		if more := len(g.requests) - len(shown); more > 0 {
			fmt.Fprintf(b, "    and %d more; --limit prints more\n", more)
		}
	}
	if len(failed) > 0 {
		fmt.Fprintf(b, "\n'bench resume %s --retry-errors' asks them again\n", dir)
	}
}

// A failureKind is the failed requests whose errors are of a kind.
type failureKind struct {
	kind     string
	requests []record.FailedRequest
}

// byKind groups failed requests, the most frequent kind first.
func byKind(failed []record.FailedRequest) []failureKind {
	var kinds []failureKind
	for _, r := range failed {
		i := slices.IndexFunc(kinds, func(k failureKind) bool { return k.kind == r.Kind })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, failureKind{kind: r.Kind})
		}
		kinds[i].requests = append(kinds[i].requests, r)
	}
	slices.SortStableFunc(kinds, func(x, y failureKind) int { return cmp.Compare(len(y.requests), len(x.requests)) })
	return kinds
}

// methods counts the requests of each method, model and dataset, in the order of the
// run.
func (k failureKind) methods() []string {
	var names []string
	n := make(map[string]int)
	for _, r := range k.requests {
		name := termsafe.Text(fmt.Sprintf("%s on %s with %s", r.Method, r.Dataset, r.Model))
		if n[name]++; n[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s: %d", name, n[name])
	}
	return names
}

// failedAt names a failed request.
func failedAt(r record.FailedRequest) string {
	return termsafe.Text(fmt.Sprintf("%s, %s %s", r.Method, r.Sample, r.Request))
}

// sayFailures prints why requests of a run failed, at the end of the run: the
// kinds, an example of each, and what to do next.
func (a *app) sayFailures(folder record.Folder, result runners.Result) error {
	if result.Failed == 0 {
		return nil
	}
	failed, requests, err := folder.Failed(result.Header)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "bench: why %d of %s failed:\n", len(failed), report.Plural(requests, "request"))
	for _, k := range byKind(failed) {
		first := k.requests[0]
		fmt.Fprintf(a.stderr, "bench:   %s: %d, such as %s: %s\n", termsafe.Text(k.kind), len(k.requests), failedAt(first), termsafe.Excerpt(first.Message, 200))
	}
	fmt.Fprintf(a.stderr, "bench: 'bench runs show %s' lists them; 'bench resume %[1]s --retry-errors' asks them again\n", folder)
	return nil
}
