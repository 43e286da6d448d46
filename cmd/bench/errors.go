package main

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

// failedLines describes failed requests by the kind of their errors, the most frequent
// first: their number, and the first ones up to a limit.
func failedLines(failed []record.FailedRequest, limit int) (lines []string) {
	byKind := make(map[string][]record.FailedRequest)
	for _, r := range failed {
		byKind[r.Kind] = append(byKind[r.Kind], r)
	}
	kinds := lists.Distinct(failed, func(r record.FailedRequest) string { return r.Kind })
	slices.SortStableFunc(kinds, func(x, y string) int { return cmp.Compare(len(byKind[y]), len(byKind[x])) })
	for _, kind := range kinds {
		lines = append(lines, fmt.Sprintf("%s: %d", termsafe.Text(kind), len(byKind[kind])))
		for _, r := range byKind[kind][:min(limit, len(byKind[kind]))] {
			lines = append(lines, "  "+termsafe.Text(fmt.Sprintf("%s, %s %s: ", r.Method, r.Sample, r.Request))+termsafe.Excerpt(r.Message, 200))
		}
	}
	return lines
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
	fmt.Fprintf(a.stderr, "bench: %d of %d questions failed:\n", len(failed), requests)
	for _, line := range failedLines(failed, 1) {
		fmt.Fprintf(a.stderr, "bench:   %s\n", line)
	}
	fmt.Fprintf(a.stderr, "bench: 'bench runs show %s' lists them; 'bench resume %[1]s --retry-errors' asks these questions again\n", folder)
	return nil
}
