package gate

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/suggest"
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
	// Regressed are the requests of a tested regression that fell the most.
	Regressed []report.Fallen `json:"fallen,omitempty"`

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

func (v Verdict) count(n int) string {
	plural := ""
	if n != 1 && (v == Regression || v == Improvement) {
		plural = "s"
	}
	return fmt.Sprintf("%d %s%s", n, v, plural)
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
		return r.Document(all).Write(w, format)
	case "json":
		return jsonout.Indented(w, r)
	case "junit":
		return r.JUnit(w)
	}
	return errors.New(suggest.Unknown("format", format, Formats()))
}
