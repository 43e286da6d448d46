// Package rating collects people's ratings of answers: it hides where the answers come from,
// writes sheets to fill in, reads and checks the returned sheets, and summarizes them.
//
// People rate how well an answer continues the conversation (User Continuity Satisfaction,
// 1 to 5, by the protocol in appendix B of the paper on semantic anchoring) or whether it is
// right. docs/judging.md is for those who run such a study and for the raters.
//
// A rating that was not given is missing: it has no default, and means, shares and agreement
// leave it out.
package rating

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/note"
)

// What says what people rate.
type What string

// What people are asked.
const (
	Continuity  What = "continuity"  // how well it continues, 1 to 5
	Correctness What = "correctness" // whether it is right
)

// Flags are the names of the errors that raters mark, in the order of sheets.
var Flags = []string{"wrong_entity", "wrong_value", "discourse_mismatch", "hallucination"}

// A Key says where an answer comes from.
type Key struct {
	note.Subject
	Method string `json:"method"` // as tables call it
	// Answer is the SHA-256 of the answer as it was given, in hex.
	Answer string `json:"answer_sha256"`
	// Hidden is set when the answer named a method or a model, which sheets do not.
	Hidden bool `json:"name_hidden,omitempty"`
}

// An Item is an answer to be rated. Raters see no Key of it.
type Item struct {
	ID       string `json:"item"` // opaque
	Turn     string `json:"turn"` // the user's, that is answered
	Response string `json:"response"`
	History  string `json:"history"` // a summary, see [Summary]
	Facts    string `json:"facts"`   // to check by
	Key      `json:"key"`
}

// Asked is what raters were asked, with the key to it.
type Asked struct {
	Run     string   `json:"run"`
	Dataset string   `json:"dataset"`
	What    What     `json:"what"`
	Seed    uint64   `json:"seed"`
	Limit   int      `json:"limit"`  // of questions, or of answers for correctness
	Raters  []string `json:"raters"` // for whom sheets were written
	Items   []Item   `json:"items"`  // by question
}

// A Rating is one rater's rating of one item: a line of ratings/DATASET.jsonl.
type Rating struct {
	Item  string `json:"item"`
	Rater string `json:"rater"`
	// UCS is 1 to 5, null if not given.
	UCS *int `json:"ucs"`
	// Correct says whether the answer is right, where the sheets ask that.
	Correct note.Value `json:"correct,omitempty"`
	// Flags holds those that were answered, by name.
	Flags map[string]bool `json:"flags,omitempty"`
	Notes string          `json:"notes,omitempty"`
	Key
}

// blank reports whether a rater wrote nothing.
func (r Rating) blank() bool {
	return r.UCS == nil && r.Correct == "" && len(r.Flags) == 0 && r.Notes == ""
}

// AsNotes returns what a rater says of whether an answer is right, and why, as notes that
// were made in a blind queue: the label, a tag for each flag that is marked, and the remark.
func (r Rating) AsNotes(queue string, now time.Time) (all []note.Note) {
	add := func(kind note.Kind, value json.RawMessage) {
		all = append(all, note.Note{Time: now, Reviewer: r.Rater, Subject: r.Subject, Answer: r.Answer, Kind: kind, Value: value, Blind: true, Queue: queue})
	}
	switch r.Correct {
	case "":
	case note.Right, note.Wrong:
		add(note.Correct, json.RawMessage(r.Correct))
	default:
		add(note.Correct, quoted(string(r.Correct)))
	}
	for _, name := range Flags {
		if r.Flags[name] {
			add(note.Tag, quoted(strings.ReplaceAll(name, "_", "-")))
		}
	}
	if r.Notes != "" {
		add(note.Remark, quoted(r.Notes))
	}
	return all
}

func quoted(text string) json.RawMessage {
	data, _ := json.Marshal(text) // every text has a form
	return data
}

// Merge adds ratings to those that are stored. One that is stored and says something else
// is a fault, unless replace is set: then the new one counts.
func Merge(stored, added []Rating, replace bool) ([]Rating, error) {
	all := slices.Clone(stored)
	var faults []error
	for _, n := range added {
		i := slices.IndexFunc(all, func(o Rating) bool { return o.Item == n.Item && o.Rater == n.Rater })
		switch {
		case i < 0:
			all = append(all, n)
		case reflect.DeepEqual(all[i], n):
		case replace:
			all[i] = n
		default:
			faults = append(faults, fmt.Errorf("%s rated item %s differently before; --force takes the new rating", n.Rater, n.Item))
		}
	}
	slices.SortFunc(all, func(x, y Rating) int {
		return cmp.Or(strings.Compare(x.Rater, y.Rater), strings.Compare(x.Item, y.Item))
	})
	return all, errors.Join(faults...)
}

// A Result summarizes ratings of continuity.
type Result struct {
	Methods []Method
	// Alpha is Krippendorff's on the ordinal scale, over all items; nil where no
	// two ratings can be compared, or none differ.
	Alpha *float64
	// Shared is the number of items with two ratings or more, which Alpha is of.
	Shared int
}

// A Method summarizes the ratings of a method's answers.
type Method struct {
	Name           string
	Items, Ratings int // items with a rating, and their ratings
	// Mean is that of the means of items, over all raters of each; 0 without one.
	Mean float64
	// Interval is by resampling whole conversations; nil with fewer than two.
	Interval *stats.Interval
	// Flagged is the share of ratings that mark a flag, of those that answer it at all.
	Flagged map[string]float64
}

// Summarise summarizes ratings. The seed of the draw also draws the resamples of intervals.
func (a Asked) Summarise(ratings []Rating) Result {
	var s Result
	byItem := make(map[string][]float64)
	for _, r := range ratings {
		if r.UCS != nil {
			byItem[r.Item] = append(byItem[r.Item], float64(*r.UCS))
		}
	}
	units := lists.Map(a.Items, func(it Item) []float64 { return byItem[it.ID] })
	s.Shared = len(lists.Filter(units, func(u []float64) bool { return len(u) > 1 }))
	if alpha, ok := stats.Alpha(units, stats.Ordinal); ok {
		s.Alpha = &alpha
	}
	for _, name := range lists.Distinct(a.Items, func(it Item) string { return it.Method }) {
		s.Methods = append(s.Methods, a.method(name, ratings, byItem))
	}
	return s
}

// method sums up what was said of the answers of a method.
func (a Asked) method(name string, ratings []Rating, byItem map[string][]float64) Method {
	m := Method{Name: name, Flagged: make(map[string]float64)}
	conversations := make(map[string]*stats.Cluster)
	var clusters []*stats.Cluster
	for _, it := range a.Items {
		of := byItem[it.ID]
		if it.Method != name || len(of) == 0 {
			continue
		}
		m.Items, m.Ratings = m.Items+1, m.Ratings+len(of)
		if conversations[it.Sample] == nil {
			conversations[it.Sample] = new(stats.Cluster)
			clusters = append(clusters, conversations[it.Sample])
		}
		conversations[it.Sample].Add(stat.Mean(of, nil))
	}
	for _, flag := range Flags {
		var marked stats.Cluster
		for _, r := range ratings {
			if yes, answered := r.Flags[flag]; answered && r.Method == name {
				marked.Add(map[bool]float64{true: 1}[yes])
			}
		}
		if marked.Weight > 0 {
			m.Flagged[flag] = marked.Sum / marked.Weight
		}
	}
	values := lists.Map(clusters, func(c *stats.Cluster) stats.Cluster { return *c })
	m.Mean, _ = stats.Mean(values)
	if interval, ok := (stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: a.Seed}).Interval(values); ok {
		m.Interval = &interval
	}
	return m
}
