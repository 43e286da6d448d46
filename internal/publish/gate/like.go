package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// An Attribute is something that a row and its baseline have in common, or their
// numbers are not about the same.
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

// Values implements the enumeration of a rules file.
func (Attribute) Values() []string {
	return lists.Map(Attributes(), func(a Attribute) string { return string(a) })
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
	switch {
	case d.Attribute == Tokenizer:
		return of == metrics.Usage
	case d.Attribute.judge():
		return of == metrics.Judgement
	case d.Attribute == Key:
		return of != metrics.Usage && of != metrics.Rated
	default:
		return true
	}
}

// attributesOf reads the attributes of a row of a run; nil where the run has no
// such row.
func attributesOf(h record.Header, k rowKey) map[Attribute]string {
	cells := cellsOf(h, k)
	dataset, has := h.Dataset(k.dataset)
	model, known := h.Model(k.model)
	if len(cells) == 0 || !has || !known {
		return nil
	}
	cell := cells[0]
	settings := lists.Map(slices.Sorted(maps.Keys(dataset.Settings)), func(name string) string { return name + "=" + dataset.Settings[name] })
	of := map[Attribute]string{
		Data:      dataset.SHA256[:min(len(dataset.SHA256), 12)],
		Settings:  strings.Join(settings, " "),
		Key:       dataset.AnswerKey(),
		Questions: strconv.Itoa(cell.Planned),
		Reader:    model.Reader,
		Embedder:  model.Settings["embedder"],
		Tokenizer: model.Tokens,
		K:         optionOf(cell, string(K)),
	}
	if h.Judge != nil {
		of[Judge] = h.Judge.Reader + " " + h.Judge.ID
	}
	for _, j := range h.Judges {
		of[judgeNamed(j.Name)] = j.ID
	}
	of["method"], of["prompts"] = cell.Use, cell.Prompts[:min(len(cell.Prompts), 12)]
	of["seed"] = strings.Join(lists.Map(cells, func(c record.Cell) string { return strconv.FormatUint(c.Seed, 10) }), ", ")
	for name := range cell.Options {
		if name != string(K) {
			of[Attribute("option "+name)] = optionOf(cell, name)
		}
	}
	return of
}

// judgeNamed is the attribute of one of several judges.
func judgeNamed(name string) Attribute { return Judge + " " + Attribute(name) }

func (a Attribute) judge() bool { return a == Judge || strings.HasPrefix(string(a), string(Judge)+" ") }

// differences lists what a row and its baseline do not share: what keeps them from
// being compared first, then what may always differ. A judge that only one side has is
// no difference: the other side has no such column.
func differences(run, base record.Header, k rowKey, allow []Attribute) []Difference {
	now, was := attributesOf(run, k), attributesOf(base, k)
	if now == nil || was == nil {
		return nil
	}
	names := Attributes()
	for _, of := range []map[Attribute]string{now, was} {
		for _, a := range slices.Sorted(maps.Keys(of)) {
			names = lists.AddNew(names, a)
		}
	}
	var all []Difference
	for i, a := range names {
		if now[a] == was[a] || a.judge() && (now[a] == "" || was[a] == "") {
			continue
		}
		all = append(all, Difference{
			Dataset: k.dataset, Method: k.method, Model: k.model, Attribute: a, Baseline: was[a], Run: now[a],
			Allowed: i >= len(Attributes()) && !a.judge() || slices.Contains(allow, a) || a.judge() && slices.Contains(allow, Judge),
		})
	}
	return all
}

func cellsOf(h record.Header, k rowKey) []record.Cell {
	return slices.DeleteFunc(slices.Clone(h.Cells), func(c record.Cell) bool {
		return c.Dataset != k.dataset || c.Method != k.method || c.Model != k.model
	})
}

// optionOf returns an option of a cell as JSON, empty where it has none.
func optionOf(c record.Cell, name string) string {
	v, ok := c.Options[name]
	if !ok {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
