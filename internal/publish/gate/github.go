package gate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"recallbench/internal/text/termsafe"
)

// What GitHub Actions takes of a step: a summary of at most 1 MiB, this a bit less,
// and ten annotations of each kind.
const (
	maxSummary     = 900_000
	maxRows        = 1000
	maxAnnotations = 10
)

// Summary writes the result as a step summary of GitHub Actions: Markdown, without
// outcomes beyond the thousand worst.
func (r *Result) Summary(w io.Writer) error {
	short := *r
	short.Outcomes = r.ranked(false)
	if left := len(short.Outcomes) - maxRows; left > 0 {
		short.Outcomes = short.Outcomes[:maxRows]
		short.Notes = append(slices.Clip(short.Notes), fmt.Sprintf("%d more outcomes are left out", left))
	}
	var b strings.Builder
	if err := short.Document(false).Markdown(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, cut(b.String(), maxSummary))
	return err
}

// Annotations writes the outcomes as annotations of GitHub Actions, ten of each
// kind: errors for what fails the gate, warnings for other regressions, soft ones
// and insufficient data, notices for improvements.
func (r *Result) Annotations(w io.Writer) error {
	var b strings.Builder
	count := make(map[string]int)
	for _, o := range r.ranked(false) {
		kind := "warning"
		switch {
		case o.Fails:
			kind = "error"
		case o.Verdict == Improvement:
			kind = "notice"
		}
		if count[kind]++; count[kind] > maxAnnotations {
			continue
		}
		where := o.Method + " on " + o.Dataset
		if o.Category != "" {
			where += ", " + o.Category
		}
		message := fmt.Sprintf("%s, %s: %s", where, o.Column, o.Verdict)
		if o.Why != "" {
			message += ": " + o.Why
		}
		fmt.Fprintf(&b, "::%s title=%s::%s\n", kind, commandProperty(cut(termsafe.Text(o.Rule), longest)), commandText(cut(termsafe.Text(message), longest)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commandText escapes the text of a workflow command.
func commandText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// commandProperty escapes a property of a workflow command.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
