package gate

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
)

// A Result is the result of a gate.
type Result struct {
	Failed bool      `json:"failed"`
	FailOn []Verdict `json:"fail_on"`
	Alpha  float64   `json:"alpha"`
	// Correct is how p-values are adjusted over all tests of the gate.
	Correct Correction `json:"correct"`
	// Counts is the number of outcomes of each verdict that occurs.
	Counts   map[Verdict]int `json:"counts"`
	Run      Side            `json:"run"`
	Baseline *Side           `json:"baseline,omitempty"`
	// Outcomes come in the order of the rules.
	Outcomes []Outcome `json:"outcomes"`
	// Differences are the settings in which rows differ from their baseline.
	Differences []Difference `json:"differences,omitempty"`
	// Notes say what could mislead a reader.
	Notes []string `json:"notes,omitempty"`
}

// A Side names a run or a baseline.
type Side struct {
	Name string `json:"name"` // of the folder, or of the baseline
	Run  string `json:"run"`  // id of the run
	// Set and Note are the time and the note of a baseline.
	Set  time.Time `json:"set,omitzero"`
	Note string    `json:"note,omitempty"`
}

// side names a subject, and notes its accepted edits.
func (r *Result) side(s Subject) Side {
	if note := s.Header.EditedNote(); note != "" {
		r.Notes = append(r.Notes, s.Name+" was "+note)
	}
	n := Side{Name: s.Name, Run: s.Header.ID}
	if b := s.Header.Baseline; b != nil {
		n.Set, n.Note = b.Set, b.Note
	}
	return n
}

// An Outcome is the result of a bound of a rule for a column of a row.
type Outcome struct {
	Rule     string  `json:"rule"`
	Dataset  string  `json:"dataset"`
	Method   string  `json:"method"`
	Model    string  `json:"model"`
	Category string  `json:"category,omitempty"` // name; empty for all
	Column   string  `json:"column"`
	Bound    string  `json:"bound"` // min, max, margin or ratio
	Limit    float64 `json:"limit"`
	Verdict  Verdict `json:"verdict"`
	Why      string  `json:"why,omitempty"`
	// Fails is set if the outcome fails the gate.
	Fails bool `json:"fails,omitempty"`

	// Baseline and Value are means in the unit of tables: of the paired requests if tested,
	// else of all; nil for none.
	Baseline *float64 `json:"baseline"`
	Value    *float64 `json:"value"`
	// Interval is the 95 % interval of Value - Baseline, Test the test behind P, and
	// Adjusted the p-value as adjusted by the rules, which decides.
	Interval *stats.Interval `json:"interval,omitempty"`
	Pairs    int             `json:"pairs,omitempty"`
	Samples  int             `json:"samples,omitempty"`
	Test     string          `json:"test,omitempty"`
	P        *float64        `json:"p,omitempty"`
	Adjusted *float64        `json:"p_adjusted,omitempty"`

	digits int
}

// A Verdict is the result of a rule for a row.
type Verdict string

// The verdicts, in the order of reports.
const (
	Regression   Verdict = "regression"
	Insufficient Verdict = "insufficient data"
	Soft         Verdict = "soft"
	Improvement  Verdict = "improvement"
	Stable       Verdict = "stable"
)

// Verdicts lists the verdicts, the worst first.
func Verdicts() []Verdict {
	return []Verdict{Regression, Insufficient, Soft, Improvement, Stable}
}

// Values implements the enumeration of a rules file.
func (Verdict) Values() []string {
	return lists.Map(Verdicts(), func(v Verdict) string { return string(v) })
}

// Formats returns the names of the formats that [Result.Write] supports.
func Formats() []string { return []string{"text", "markdown", "json", "junit"} }

// FormatOf returns the format of a file by its name, empty for none.
func FormatOf(file string) string {
	return map[string]string{".txt": "text", ".md": "markdown", ".json": "json", ".xml": "junit"}[strings.ToLower(filepath.Ext(file))]
}

// Write writes the result in a format by name. Text and Markdown list stable outcomes only
// if all is set; the others list everything.
func (r *Result) Write(w io.Writer, format string, all bool) error {
	switch format {
	case "text", "markdown":
		return r.document(all).Write(w, format)
	case "json":
		return jsonout.Indented(w, r)
	case "junit":
		return r.junit(w)
	}
	return errors.New(suggest.Unknown("format", format, Formats()))
}

// headline says in one line how the gate ended.
func (r *Result) headline() string {
	word := "passed"
	if r.Failed {
		word = "FAILED"
	}
	var counts []string
	for _, v := range Verdicts() {
		switch n := r.Counts[v]; {
		case n > 0 && (v == Regression || v == Improvement):
			counts = append(counts, report.Plural(n, string(v)))
		case n > 0:
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return "gate " + word + ": " + strings.Join(counts, ", ")
}

// sides says what was compared with what.
func (r *Result) sides() string {
	text := fmt.Sprintf("run %s (%s)", r.Run.Name, r.Run.Run)
	b := r.Baseline
	if b == nil {
		return text
	}
	text += fmt.Sprintf(" against %s (%s", b.Name, b.Run)
	if !b.Set.IsZero() {
		text += ", set " + b.Set.UTC().Format(time.DateOnly)
	}
	text += ")"
	if b.Note != "" {
		text += ": " + b.Note
	}
	return text
}

// remarks are the differences of settings, and the notes.
func (r *Result) remarks() []string {
	differences := lists.Map(r.Differences, func(d Difference) string {
		text := fmt.Sprintf("%s on %s differs in %s", d.Method, d.Dataset, d)
		if d.Allowed {
			text += "; the rules allow it"
		}
		return text
	})
	return append(differences, r.Notes...)
}

// document lays out the outcomes as a table, the worst first; stable ones are only counted,
// unless all is set.
func (r *Result) document(all bool) *report.Document {
	outcomes := slices.Clone(r.Outcomes)
	if !all {
		outcomes = slices.DeleteFunc(outcomes, func(o Outcome) bool { return o.Verdict == Stable })
	}
	slices.SortStableFunc(outcomes, func(a, b Outcome) int {
		fails := func(o Outcome) int { return map[bool]int{true: 0, false: 1}[o.Fails] }
		return cmp.Or(fails(a)-fails(b), slices.Index(Verdicts(), a.Verdict)-slices.Index(Verdicts(), b.Verdict))
	})
	t := &report.Table{Name: "gate", Title: r.headline(), Rows: lists.Map(outcomes, func(Outcome) []report.Cell { return nil })}
	t.NoteTitle(unmarked(r.sides()))
	if n := r.Counts[Stable]; n > 0 && !all {
		t.NoteTitle(fmt.Sprintf("%d stable, not listed", n))
	}
	add := func(c report.Column, of func(Outcome) report.Cell) {
		t.Columns = append(t.Columns, c)
		for i, o := range outcomes {
			t.Rows[i] = append(t.Rows[i], of(o))
		}
	}
	text := func(name string, always bool, of func(Outcome) string) {
		if always || len(lists.Distinct(r.Outcomes, of)) > 1 {
			add(report.Column{Name: name}, func(o Outcome) report.Cell { return report.Cell{Text: unmarked(of(o))} })
		}
	}
	number := func(name string, of func(Outcome) report.Cell) {
		add(report.Column{Name: name, Number: true}, of)
	}
	add(report.Column{Name: "verdict"}, func(o Outcome) report.Cell {
		c := report.Cell{Text: string(o.Verdict)}
		if o.Why != "" {
			c.Notes = []int{t.Note(unmarked(o.Why))}
		}
		return c
	})
	text("rule", true, func(o Outcome) string { return o.Rule })
	text("dataset", true, func(o Outcome) string { return o.Dataset })
	text("method", true, func(o Outcome) string { return o.Method })
	text("model", false, func(o Outcome) string { return o.Model })
	text("category", false, func(o Outcome) string { return cmp.Or(o.Category, "all") })
	text("column", true, func(o Outcome) string { return o.Column })
	number("baseline", func(o Outcome) report.Cell { return o.number(o.Baseline) })
	number("run", func(o Outcome) report.Cell { return o.number(o.Value) })
	number("change", Outcome.change)
	text("bound", true, func(o Outcome) string { return o.Bound + " " + strconv.FormatFloat(o.Limit, 'g', -1, 64) })
	add(report.Column{Name: "p", Head: r.pHead(), Number: true}, func(o Outcome) report.Cell { return report.PValue(o.Adjusted) })
	number("pairs", func(o Outcome) report.Cell {
		if o.Pairs == 0 {
			return report.Cell{}
		}
		return report.Whole(o.Pairs)
	})
	t.NoteTitle(lists.Map(r.remarks(), unmarked)...)
	return &report.Document{Tables: []*report.Table{t}}
}

// pHead heads the p-values that decide.
func (r *Result) pHead() string { return infer.CorrectionHead(string(r.Correct)) }

func (o Outcome) number(x *float64) report.Cell {
	if x == nil {
		return report.Cell{}
	}
	return report.Decimal(*x, o.digits, nil)
}

// change returns the difference to the baseline or, if the bound is a ratio, the ratio.
func (o Outcome) change() report.Cell {
	switch {
	case o.Baseline == nil || o.Value == nil, o.Bound == boundRatio && *o.Baseline == 0:
		return report.Cell{}
	case o.Bound == boundRatio:
		c := report.Decimal(*o.Value / *o.Baseline, 3, nil)
		c.Text = "× " + c.Text
		return c
	}
	return report.Change(*o.Value-*o.Baseline, o.digits, o.Interval)
}

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

// junit writes the result as JUnit XML: a suite for each row over all requests, and a case
// for each outcome. What fails the gate is a failure, or an error for insufficient data; any
// other verdict is a passed case, with the reason as its output.
func (r *Result) junit(w io.Writer) error {
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
		for _, counts := range []*junitCounts{&all.junitCounts, &all.Suites[i].junitCounts} {
			counts.Tests++
			if c.Failure != nil {
				counts.Failures++
			}
			if c.Error != nil {
				counts.Errors++
			}
		}
	}
	if len(all.Suites) > 0 {
		all.Suites[0].SystemOut = strings.Join(lists.Map(append([]string{r.sides()}, r.remarks()...), clean), "\n")
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
	said, column := string(o.Verdict), o.Column
	if o.Why != "" {
		said += ": " + o.Why
	}
	if o.Category != "" {
		column += ", " + o.Category
	}
	var numbers []string
	for _, of := range []struct {
		name string
		cell report.Cell
	}{{"baseline", o.number(o.Baseline)}, {"run", o.number(o.Value)}, {"change", o.change()}, {p, report.PValue(o.Adjusted)}} {
		if of.cell.Text != "" {
			numbers = append(numbers, of.name+" "+of.cell.Text)
		}
	}
	if o.Adjusted != nil {
		numbers = append(numbers, "test "+o.Test, report.Plural(o.Pairs, "pair")+" about "+report.Plural(o.Samples, "conversation"))
	}
	c := junitCase{Class: class, Name: clean(fmt.Sprintf("%s: %s (%s %v)", o.Rule, column, o.Bound, o.Limit))}
	problem := &junitProblem{Message: clean(said), Type: string(o.Verdict), Text: clean(strings.Join(numbers, ", "))}
	switch {
	case o.Fails && o.Verdict == Insufficient:
		c.Error = problem
	case o.Fails:
		c.Failure = problem
	default:
		c.SystemOut = problem.Message + "\n" + problem.Text
	}
	return c
}

// longest is the length in bytes beyond which a text of a run is cut, far more than any sane
// label has.
const longest = 2000

// clean puts an untrusted text on one line, and cuts it. The encoder replaces other characters
// that XML 1.0 cannot hold.
func clean(s string) string { return cut(termsafe.Text(s), longest) }

// unmarked cuts an untrusted text, and breaks anything that a runner of GitHub Actions would
// read as a command in the middle of a log line. Lines never begin with untrusted text.
func unmarked(s string) string { return strings.ReplaceAll(cut(s, longest), "##[", "## [") }

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
