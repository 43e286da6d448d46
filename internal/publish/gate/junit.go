package gate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
)

// The elements of JUnit's XML, as far as readers of it agree on them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
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

// JUnit writes the result as JUnit XML: a suite for each row over all requests, a
// case for each outcome, so that a regression counts once; its text lists the requests
// that fell the most. What fails the gate is a failure, or where nothing can be said an
// error; any other verdict is a case that passed, with the reason as its output.
func (r *Result) JUnit(w io.Writer) error {
	all := junitSuites{Name: clean(r.headline())}
	suites := make(map[rowKey]int)
	for _, o := range r.Outcomes {
		k := o.key.all()
		i, ok := suites[k]
		if !ok {
			i = len(all.Suites)
			suites[k] = i
			all.Suites = append(all.Suites, junitSuite{Name: clean(k.dataset + " / " + k.method + " / " + k.model)})
		}
		s, c := &all.Suites[i], o.junit(all.Suites[i].Name, r.pHead())
		s.Cases, s.Tests, all.Tests = append(s.Cases, c), s.Tests+1, all.Tests+1
		if c.Failure != nil {
			s.Failures, all.Failures = s.Failures+1, all.Failures+1
		}
		if c.Error != nil {
			s.Errors, all.Errors = s.Errors+1, all.Errors+1
		}
	}
	if len(all.Suites) > 0 {
		all.Suites[0].SystemOut = clean(r.sides())
		for _, n := range r.remarks() {
			all.Suites[0].SystemOut += "\n" + clean(n)
		}
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// junit returns the case of an outcome. The p-values are headed p.
func (o Outcome) junit(class, p string) junitCase {
	name := o.Rule + ": " + o.Column
	if o.Category != "" {
		name += ", " + o.Category
	}
	name += fmt.Sprintf(" (%s %v)", o.Bound, o.Limit)
	one := junitCase{Class: class, Name: clean(name)}
	text := clean(string(o.Verdict))
	if o.Why != "" {
		text = clean(string(o.Verdict) + ": " + o.Why)
	}
	problem := &junitProblem{Message: text, Type: string(o.Verdict), Text: clean(o.numbers(p))}
	for _, f := range o.Regressed {
		problem.Text += "\n" + clean(o.fell(f))
	}
	switch {
	case o.Fails && o.Verdict == Insufficient:
		one.Error = problem
	case o.Fails:
		one.Failure = problem
	default:
		one.SystemOut = text + "\n" + clean(o.numbers(p))
	}
	return one
}

// numbers says what is behind a verdict. Its p-value is headed p.
func (o Outcome) numbers(p string) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("baseline", o.number(o.Baseline).Text)
	add("run", o.number(o.Value).Text)
	add("change", o.change().Text)
	if o.Adjusted != nil {
		add(p, o.p().Text)
		add("test", o.Test)
		parts = append(parts, report.Plural(o.Pairs, "pair")+" about "+report.Plural(o.Samples, "sample"))
	}
	return strings.Join(parts, ", ")
}

// longest is the length in bytes beyond which a text of a run is cut: no label of a
// sane config comes near it.
const longest = 2000

// clean makes a text of others fit for one line, and cuts it. What XML 1.0 cannot
// hold beside control characters, the encoder replaces.
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
