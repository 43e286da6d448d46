package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

// byKind groups failed requests by the kind of their errors, the most frequent first.
func byKind(failed []record.FailedRequest) [][]record.FailedRequest {
	kinds := lists.Map(lists.Distinct(failed, func(r record.FailedRequest) string { return r.Kind }), func(kind string) []record.FailedRequest {
		return lists.Filter(failed, func(r record.FailedRequest) bool { return r.Kind == kind })
	})
	slices.SortStableFunc(kinds, func(x, y []record.FailedRequest) int { return cmp.Compare(len(y), len(x)) })
	return kinds
}

// failedText describes a failed request.
func failedText(r record.FailedRequest) string {
	return termsafe.Text(fmt.Sprintf("%s, %s %s: ", r.Method, r.Sample, r.Request)) + termsafe.Excerpt(r.Message, 200)
}

// writeFailed lists failed requests by kind: the number in each row, and the first ones.
func writeFailed(w *strings.Builder, failed []record.FailedRequest, limit int, dir string) {
	for _, of := range byKind(failed) {
		fmt.Fprintf(w, "\n%s: %d\n", termsafe.Text(of[0].Kind), len(of))
		row := func(r record.FailedRequest) string {
			return fmt.Sprintf("%s on %s with %s", r.Method, r.Dataset, r.Model)
		}
		for _, name := range lists.Distinct(of, row) {
			fmt.Fprintf(w, "  %s: %d\n", termsafe.Text(name), len(lists.Filter(of, func(r record.FailedRequest) bool { return row(r) == name })))
		}
		for _, r := range of[:min(limit, len(of))] {
			fmt.Fprintf(w, "    %s\n", failedText(r))
		}
		if more := len(of) - limit; more > 0 {
			fmt.Fprintf(w, "    and %d more; --limit prints more\n", more)
		}
	}
	if len(failed) > 0 {
		fmt.Fprintf(w, "\n'bench resume %s --retry-errors' asks these questions again\n", dir)
	}
}

// sayFailures prints at the end of a run why requests failed: the kinds of errors, an
// example of each, and what to do next.
func (a *app) sayFailures(folder record.Folder, result runners.Result) error {
	if result.Failed == 0 {
		return nil
	}
	failed, requests, err := folder.Failed(result.Header)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "bench: why %d of %s failed:\n", len(failed), report.Plural(requests, "question"))
	for _, of := range byKind(failed) {
		fmt.Fprintf(a.stderr, "bench:   %s: %d, such as %s\n", termsafe.Text(of[0].Kind), len(of), failedText(of[0]))
	}
	fmt.Fprintf(a.stderr, "bench: 'bench runs show %s' lists them; 'bench resume %[1]s --retry-errors' asks these questions again\n", folder)
	return nil
}
