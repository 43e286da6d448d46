package gate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
)

// The elements of JUnit's XML, as far as readers of it agree on them.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Cases     []junitCase `xml:"testcase"`
		SystemOut string      `xml:"system-out,omitempty"`
	}
	junitCase struct {
		Class     string        `xml:"classname,attr"`
		Name      string        `xml:"name,attr"`
		Failure   *junitProblem `xml:"failure"`
		Error     *junitProblem `xml:"error"`
		SystemOut string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

func (n *junitCounts) add(c junitCase) {
	n.Tests++
	if c.Failure != nil {
		n.Failures++
	}
	if c.Error != nil {
		n.Errors++
	}
}

// JUnit writes the result as JUnit XML: a suite for each row over all requests, and a case
// for each outcome, so that a regression counts once; its text lists the requests that fell
// the most. What fails the gate is a failure, or an error for insufficient data; any other
// verdict is a passed case, with the reason as its output.
func (r *Result) JUnit(w io.Writer) error {
	all := junitSuites{Name: clean(r.headline())}
	for _, o := range r.Outcomes {
		name := clean(o.Dataset + " / " + o.Method + " / " + o.Model)
		i := slices.IndexFunc(all.Suites, func(s *junitSuite) bool { return s.Name == name })
		if i < 0 {
			i = len(all.Suites)
			all.Suites = append(all.Suites, &junitSuite{Name: name})
		}
		c := o.junit(name, r.pHead())
		all.Suites[i].Cases = append(all.Suites[i].Cases, c)
		all.Suites[i].add(c)
		all.add(c)
	}
	if len(all.Suites) > 0 {
		all.Suites[0].SystemOut = clean(r.sides())
		for _, n := range r.remarks() {
			all.Suites[0].SystemOut += "\n" + clean(n)
		}
	}
	data, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(bytes.Join([][]byte{[]byte(xml.Header), data, []byte("\n")}, nil))
	return err
}

// junit returns the case of an outcome. The p-values are headed p.
func (o Outcome) junit(class, p string) junitCase {
	text := clean(o.said())
	c := junitCase{Class: class, Name: clean(fmt.Sprintf("%s: %s (%s %v)", o.Rule, withCategory(o.Column, o), o.Bound, o.Limit))}
	problem := &junitProblem{Message: text, Type: string(o.Verdict), Text: clean(o.numbers(p))}
	for _, f := range o.Regressed {
		problem.Text += "\n" + clean(o.fell(f))
	}
	switch {
	case o.Fails && o.Verdict == Insufficient:
		c.Error = problem
	case o.Fails:
		c.Failure = problem
	default:
		c.SystemOut = text + "\n" + clean(o.numbers(p))
	}
	return c
}

// said returns the verdict with its reason.
func (o Outcome) said() string {
	if o.Why == "" {
		return string(o.Verdict)
	}
	return string(o.Verdict) + ": " + o.Why
}

func withCategory(text string, o Outcome) string {
	if o.Category != "" {
		text += ", " + o.Category
	}
	return text
}

// numbers returns the numbers behind a verdict. Its p-value is headed p.
func (o Outcome) numbers(p string) string {
	var parts []string
	for _, of := range []struct {
		name string
		cell report.Cell
	}{{"baseline", o.number(o.Baseline)}, {"run", o.number(o.Value)}, {"change", o.change()}, {p, o.p()}} {
		if of.cell.Text != "" {
			parts = append(parts, of.name+" "+of.cell.Text)
		}
	}
	if o.Adjusted != nil {
		parts = append(parts, "test "+o.Test, report.Plural(o.Pairs, "pair")+" about "+report.Plural(o.Samples, "conversation"))
	}
	return strings.Join(parts, ", ")
}

// What GitHub Actions accepts from a step: a summary of at most 1 MiB (this is a bit less)
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
	if err := short.Document(false).Write(&b, "markdown"); err != nil {
		return err
	}
	_, err := io.WriteString(w, cut(b.String(), maxSummary))
	return err
}

// Annotations writes the outcomes as annotations of GitHub Actions, up to ten of each kind:
// errors for what fails the gate, warnings for other regressions, soft ones and insufficient
// data, and notices for improvements.
func (r *Result) Annotations(w io.Writer) error {
	inText := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
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
		message := fmt.Sprintf("%s, %s: %s", withCategory(o.Method+" on "+o.Dataset, o), o.Column, o.said())
		fmt.Fprintf(&b, "::%s title=%s::%s\n", kind, inProperty.Replace(clean(o.Rule)), inText.Replace(clean(message)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// longest is the length in bytes beyond which a text of a run is cut, far more than any sane
// label has.
const longest = 2000

// clean puts an untrusted text on one line, and cuts it. The encoder replaces other characters
// that XML 1.0 cannot hold.
func clean(s string) string { return cut(termsafe.Text(s), longest) }

// cut shortens a text to a number of bytes, at the end of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
