package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// An Attribute is a setting of [report.SettingsOf] that a row and its baseline must share for
// their numbers to be comparable.
type Attribute string

// The attributes that keep a row from being compared with its baseline if they differ,
// unless [Rules].Allow names them. Prompts, seeds and options other than k may always
// differ: gates exist to measure the effect of changing them.
const (
	Data      Attribute = "data"      // hash of the dataset
	Settings  Attribute = "settings"  // of the dataset, such as how a category is treated
	Key       Attribute = "key"       // answer key, with its errata
	Questions Attribute = "questions" // their number
	Reader    Attribute = "reader"    // the requested model
	Embedder  Attribute = "embedder"
	K         Attribute = "k"         // number of retrieved blocks
	Tokenizer Attribute = "tokenizer" // for columns about usage
	Judge     Attribute = "judge"     // for columns of verdicts
)

// Attributes lists the attributes in the order of reports.
func Attributes() []Attribute {
	return []Attribute{Data, Settings, Key, Questions, Reader, Embedder, K, Tokenizer, Judge}
}

// unsaid are settings that often differ and that no verdict depends on.
var unsaid = []Attribute{"program", "categories", "served models"}

// Values implements the enumeration of a rules file.
func (Attribute) Values() []string {
	return lists.Map(Attributes(), func(a Attribute) string { return string(a) })
}

// kind returns the attribute itself, or Judge for a named judge.
func (a Attribute) kind() Attribute {
	kind, _, _ := strings.Cut(string(a), " ")
	return Attribute(kind)
}

// A Difference is an attribute in which a row and its baseline differ.
type Difference struct {
	Dataset   string    `json:"dataset"`
	Method    string    `json:"method"`
	Model     string    `json:"model"`
	Attribute Attribute `json:"attribute"`
	Baseline  string    `json:"baseline"`
	Run       string    `json:"run"`
	Allowed   bool      `json:"allowed,omitempty"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s in the baseline, %s in the run", d.Attribute, cmp.Or(d.Baseline, "none"), cmp.Or(d.Run, "none"))
}

// matters reports whether a difference affects a column of a metric of some part of a
// record.
func (d Difference) matters(of metrics.Part) bool {
	switch d.Attribute.kind() {
	case Tokenizer:
		return of == metrics.Usage
	case Judge:
		return of == metrics.Judgement
	case Key:
		return of != metrics.Usage && of != metrics.Rated
	default:
		return true
	}
}

// differences lists the settings in which a row and its baseline differ: first those that
// keep them from being compared, then those that may always differ. A judge that only one
// side has does not count, as the other side has no such column.
func differences(run, base record.Header, k rowKey, allow []Attribute) (all []Difference) {
	settings := func(h record.Header) map[string]string {
		return report.SettingsOf(h, lists.Filter(h.Cells, func(c record.Cell) bool { return c.Dataset == k.dataset && c.Method == k.method && c.Model == k.model }))
	}
	now, was := settings(run), settings(base)
	if now == nil || was == nil {
		return nil
	}
	names := Attributes()
	for _, of := range []map[string]string{now, was} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			names = lists.AddNew(names, Attribute(name))
		}
	}
	for _, a := range names {
		x, y := was[string(a)], now[string(a)]
		if x == y || a.kind() == Judge && (x == "" || y == "") || slices.Contains(unsaid, a) {
			continue
		}
		all = append(all, Difference{
			Dataset: k.dataset, Method: k.method, Model: k.model, Attribute: a, Baseline: x, Run: y,
			Allowed: !slices.Contains(Attributes(), a.kind()) || slices.Contains(allow, a.kind()),
		})
	}
	return all
}
