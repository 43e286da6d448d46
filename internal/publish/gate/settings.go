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

// An Attribute is something that a row and its baseline have in common, or their
// numbers are not about the same: a setting of [report.SettingsOf].
type Attribute string

// The attributes that keep a row from being compared with its baseline where they
// differ, unless [Rules].Allow names them. Prompts, seeds and options other than k may
// always differ: what comes of changing them is what a gate is there to say.
const (
	Data      Attribute = "data"      // hash of the dataset
	Settings  Attribute = "settings"  // of the dataset, such as what is done with a category
	Key       Attribute = "key"       // answer key, with its errata
	Questions Attribute = "questions" // how many there are
	Reader    Attribute = "reader"    // model that was asked for
	Embedder  Attribute = "embedder"
	K         Attribute = "k"         // how many blocks are retrieved
	Tokenizer Attribute = "tokenizer" // for columns about usage
	Judge     Attribute = "judge"     // for columns about judgements
)

// Attributes lists the attributes in the order of reports.
func Attributes() []Attribute {
	return []Attribute{Data, Settings, Key, Questions, Reader, Embedder, K, Tokenizer, Judge}
}

// unsaid are settings that no verdict depends on, and that differ often.
var unsaid = []Attribute{"program", "categories", "served models"}

// Values implements the enumeration of a rules file.
func (Attribute) Values() []string {
	return lists.Map(Attributes(), func(a Attribute) string { return string(a) })
}

// kind is the attribute itself, or the judge for one of several, which are named.
func (a Attribute) kind() Attribute {
	kind, _, _ := strings.Cut(string(a), " ")
	return Attribute(kind)
}

// A Difference is an attribute that a row and its baseline do not share.
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

// matters reports whether a difference is one for a column of a metric that looks
// at some part of an item.
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

// differences lists what a row and its baseline do not share: what keeps them from
// being compared first, then what may always differ. A judge that only one side has is
// no difference: the other side has no such column.
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
