package gate

import (
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
	counts := []string{}
	for _, v := range Verdicts() {
		n, noun := r.Counts[v], string(v)
		if n > 1 && (v == Regression || v == Improvement) {
			noun += "s"
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, noun))
		}
	}
	return "gate " + map[bool]string{true: "FAILED", false: "passed"}[r.Failed] + ": " + strings.Join(counts, ", ")
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
	outcomes := lists.Filter(r.Outcomes, func(o Outcome) bool { return all || o.Verdict != Stable })
	slices.SortStableFunc(outcomes, func(a, b Outcome) int {
		if a.Fails != b.Fails {
			return map[bool]int{true: -1, false: 1}[a.Fails]
		}
		return slices.Index(Verdicts(), a.Verdict) - slices.Index(Verdicts(), b.Verdict)
	})
	t := &report.Table{Name: "gate", Title: r.headline()}
	t.NoteTitle(unmarked(r.sides()))
	if n := r.Counts[Stable]; n > 0 && !all {
		t.NoteTitle(fmt.Sprintf("%d stable, not listed", n))
	}
	type field = report.Field[Outcome]
	text := func(name string, of func(Outcome) string) field {
		return report.TextField(name, func(o Outcome) string { return unmarked(of(o)) })
	}
	fields := []field{
		report.NotedField(t, "verdict", func(o Outcome) (string, []string) { return string(o.Verdict), []string{unmarked(o.Why)} }),
		text("rule", func(o Outcome) string { return o.Rule }),
		text("dataset", func(o Outcome) string { return o.Dataset }),
		text("method", func(o Outcome) string { return o.Method }),
	}
	varying := func(name string, of func(Outcome) string) {
		if len(lists.Distinct(r.Outcomes, of)) > 1 {
			fields = append(fields, text(name, of))
		}
	}
	varying("model", func(o Outcome) string { return o.Model })
	varying("category", func(o Outcome) string { return cmp.Or(o.Category, "all") })
	p := report.NumberField("p", func(o Outcome) report.Cell { return report.PValue(o.Adjusted) })
	p.Head = r.pHead()
	report.Fill(t, outcomes, append(fields,
		text("column", func(o Outcome) string { return o.Column }),
		report.NumberField("baseline", func(o Outcome) report.Cell { return o.number(o.Baseline) }),
		report.NumberField("run", func(o Outcome) report.Cell { return o.number(o.Value) }),
		report.NumberField("change", Outcome.change),
		text("bound", func(o Outcome) string { return o.Bound + " " + strconv.FormatFloat(o.Limit, 'g', -1, 64) }),
		p,
		report.NumberField("pairs", func(o Outcome) report.Cell { return report.Count(o.Pairs) }),
	)...)
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
		Class     string `xml:"classname,attr"`
		Name      string `xml:"name,attr"`
		Problem   *junitProblem
		SystemOut string `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		XMLName xml.Name // failure or error
		Message string   `xml:"message,attr"`
		Type    string   `xml:"type,attr"`
		Text    string   `xml:",chardata"`
	}
)

// add counts a case.
func (n *junitCounts) add(c junitCase) {
	n.Tests++
	if c.Problem != nil && c.Problem.XMLName.Local == "error" {
		n.Errors++
	} else if c.Problem != nil {
		n.Failures++
	}
}

// junit writes the result as JUnit XML: a suite for each row over all requests, and a case
// for each outcome. What fails the gate is a failure, or an error for insufficient data; any
// other verdict is a passed case, with the reason as its output.
func (r *Result) junit(w io.Writer) error {
	all := junitSuites{Name: termsafe.Text(r.headline())}
	for _, o := range r.Outcomes {
		name := termsafe.Text(o.Dataset + " / " + o.Method + " / " + o.Model)
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
		all.Suites[0].SystemOut = strings.Join(lists.Map(append([]string{r.sides()}, r.remarks()...), termsafe.Text), "\n")
	}
	data, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	}
	return err
}

// junit returns the case of an outcome. The p-values are headed p.
func (o Outcome) junit(class, p string) junitCase {
	column := o.Column
	if o.Category != "" {
		column += ", " + o.Category
	}
	var numbers []string
	for i, cell := range []report.Cell{o.number(o.Baseline), o.number(o.Value), o.change(), report.PValue(o.Adjusted)} {
		if cell.Text != "" {
			numbers = append(numbers, []string{"baseline", "run", "change", p}[i]+" "+cell.Text)
		}
	}
	if o.Adjusted != nil {
		numbers = append(numbers, "test "+o.Test, report.Plural(o.Pairs, "pair")+" about "+report.Plural(o.Samples, "conversation"))
	}
	c := junitCase{Class: class, Name: termsafe.Text(fmt.Sprintf("%s: %s (%s %v)", o.Rule, column, o.Bound, o.Limit))}
	message, text := termsafe.Text(strings.TrimSuffix(string(o.Verdict)+": "+o.Why, ": ")), strings.Join(numbers, ", ")
	kind := "failure"
	if o.Verdict == Insufficient {
		kind = "error"
	}
	if o.Fails {
		c.Problem = &junitProblem{xml.Name{Local: kind}, message, string(o.Verdict), text}
	} else {
		c.SystemOut = message + "\n" + text
	}
	return c
}

// unmarked breaks anything that a runner of GitHub Actions would read as a command in the
// middle of a log line. Lines never begin with untrusted text.
func unmarked(s string) string { return strings.ReplaceAll(s, "##[", "## [") }
