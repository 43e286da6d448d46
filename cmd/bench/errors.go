package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

func newErrorsCommand(a *app) *cobra.Command {
	var (
		filters = failureFilters()
		limit   int
		lines   bool
	)
	cmd := &cobra.Command{
		Use:   "errors RUN",
		Short: "List the failed requests of a run by kind of error",
		Long: `Errors lists the requests of a run that have no answer, by the kind of their
error: how many each method has, and the first of them with their messages. The
kind is that of the model call that failed (docs/models.md), ingest where the
memory could not be built, or answer where the method itself failed.

'bench resume RUN --retry-errors' asks them again.`,
		Example: `  bench errors latest
  bench errors RUN --kind timeout --method in-context --limit 0
  bench errors RUN --json | jq -r .message | sort | uniq -c`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if limit < 0 {
				return usageError(fmt.Errorf("--limit is %d, want at least 0", limit))
			}
			folder, header, err := record.Open(args[0])
			if err != nil {
				return usageError(err)
			}
			failed, requests, err := folder.Failed(header)
			if err != nil {
				return usageError(err)
			}
			picked, err := pickFailed(failed, filters)
			if err != nil {
				return usageError(err)
			}
			if lines {
				return jsonout.Lines(a.stdout, picked...)
			}
			head := fmt.Sprintf("%d of %s failed", len(failed), report.Plural(requests, "request"))
			if len(picked) < len(failed) {
				head += fmt.Sprintf("; %d of them as filtered", len(picked))
			}
			return writeFailed(a.stdout, head, picked, limit, args[0])
		},
	}
	for _, f := range filters {
		cmd.Flags().StringVar(&f.want, f.name, "", f.usage)
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "print only the first `N` requests of each kind; 0 prints all")
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each failed request to stdout and nothing else")
	return cmd
}

// A failureFilter keeps the failed requests that have one value of a field.
type failureFilter struct {
	name, usage string
	of          func(record.FailedRequest) string
	want        string // empty for any
}

func failureFilters() []*failureFilter {
	return []*failureFilter{
		{name: "kind", usage: "only errors of a `kind`, such as timeout", of: func(r record.FailedRequest) string { return r.Kind }},
		{name: "method", usage: "only requests to the method of a `label`", of: func(r record.FailedRequest) string { return r.Method }},
		{name: "model", usage: "only requests with the model of a `label`", of: func(r record.FailedRequest) string { return r.Model }},
		{name: "dataset", usage: "only requests of the dataset of a `label`", of: func(r record.FailedRequest) string { return r.Dataset }},
		{name: "sample", usage: "only requests about the sample of an `id`", of: func(r record.FailedRequest) string { return r.Sample }},
	}
}

// pickFailed applies the filters. A value that no failed request has is a fault
// that names those that there are, unless nothing failed.
func pickFailed(failed []record.FailedRequest, filters []*failureFilter) ([]record.FailedRequest, error) {
	if len(failed) == 0 {
		return nil, nil
	}
	picked := slices.Clone(failed)
	var faults []error
	for _, f := range filters {
		if f.want == "" {
			continue
		}
		have := lists.Map(failed, func(r record.FailedRequest) string { return f.of(r) })
		slices.Sort(have)
		if have = slices.Compact(have); !slices.Contains(have, f.want) {
			faults = append(faults, fmt.Errorf("--%s: no request failed there: %s", f.name, suggest.Unknown(f.name, f.want, have)))
		}
		picked = slices.DeleteFunc(picked, func(r record.FailedRequest) bool { return f.of(r) != f.want })
	}
	return picked, errors.Join(faults...)
}

// writeFailed lists failed requests by kind below a heading, the first limit of each;
// 0 lists all.
func writeFailed(w io.Writer, head string, failed []record.FailedRequest, limit int, dir string) error {
	var b strings.Builder
	fmt.Fprintln(&b, head)
	for _, g := range byKind(failed) {
		fmt.Fprintf(&b, "\n%s: %d\n", termsafe.Text(g.kind), len(g.requests))
		for _, m := range g.methods() {
			fmt.Fprintf(&b, "  %s\n", m)
		}
		shown := g.requests
		if limit > 0 {
			shown = shown[:min(limit, len(shown))]
		}
		for _, r := range shown {
			fmt.Fprintf(&b, "    %s: %s\n", failedAt(r), termsafe.Excerpt(r.Message, 200))
		}
		if more := len(g.requests) - len(shown); more > 0 {
			fmt.Fprintf(&b, "    and %d more, which --limit 0 prints\n", more)
		}
	}
	if len(failed) > 0 {
		fmt.Fprintf(&b, "\n'bench resume %s --retry-errors' asks them again\n", dir)
	}
	_, err := io.WriteString(w, b.String())
	return err
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
	fmt.Fprintf(a.stderr, "bench: 'bench errors %s' lists them; 'bench resume %[1]s --retry-errors' asks them again\n", folder)
	return nil
}
