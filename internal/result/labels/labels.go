// Package labels reads what people say of answers one by one: right, wrong or unsure. A
// file belongs to one person, and its lines are annotations:
//
//	{"schema": 1, "id": "a1", "reviewer": "ann", "cell": "…", "sample": "…",
//	 "request": "…", "answer_sha256": "…", "kind": "correct", "value": true, "blind": true}
//
// Value is true, false, "unsure", or null, which takes a label back. An annotation with
// replaces stands for the one of that id, and annotations of other kinds are passed over.
package labels

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/result/record"
)

// Correct is the kind of annotations that are labels.
const Correct = "correct"

// An Answer names an answer of a run: that of the hash, whatever the request was
// answered with later.
type Answer struct{ Cell, Sample, Request, SHA256 string }

// A Label is what one person said of an answer.
type Label struct {
	Answer
	Reviewer string
	Right    bool
	Blind    bool // the person saw neither the method nor what a judge said
}

// line is an annotation.
type line struct {
	Schema   int             `json:"schema"`
	ID       string          `json:"id"`
	Time     string          `json:"time"`
	Reviewer string          `json:"reviewer"`
	Cell     string          `json:"cell"`
	Sample   string          `json:"sample"`
	Request  string          `json:"request"`
	SHA256   string          `json:"answer_sha256"`
	Kind     string          `json:"kind"`
	Value    json.RawMessage `json:"value"`
	Text     string          `json:"text"`
	Replaces string          `json:"replaces"`
	Queue    string          `json:"queue"`
	Blind    bool            `json:"blind"`
}

// Folder reads the labels of a run, those of all people in the order of their names;
// nothing where nobody gave any.
func Folder(folder record.Folder) ([]Label, error) {
	paths, err := filepath.Glob(filepath.Join(string(folder), "annotations", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var all []Label
	var faults []error
	for _, path := range paths {
		some, err := Read(path)
		all, faults = append(all, some...), append(faults, err)
	}
	return all, errors.Join(faults...)
}

// Read reads the labels of one file, each answer's last one. What is wrong with lines
// comes as one error.
func Read(path string) ([]Label, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s; want annotations, a JSON object a line", path)
	}
	faults := datafile.Faults{File: path}
	var lines []line
	replaced := make(map[string]bool)
	n := 0
	for v, err := range record.Values[line](path) {
		if err != nil {
			return nil, err
		}
		n++
		switch value := string(v.Value); {
		case v.Kind != Correct:
			continue
		case v.ID == "" || v.Cell == "" || v.Sample == "" || v.Request == "" || v.SHA256 == "":
			faults.Addf(n, "a label lacks one of id, cell, sample, request and answer_sha256")
		case !slices.Contains([]string{"true", "false", `"unsure"`, "null"}, value):
			faults.Addf(n, "the value of label %s is %.40s, want true, false, \"unsure\" or null", v.ID, value)
		}
		if v.Replaces != "" {
			replaced[v.Replaces] = true
		}
		lines = append(lines, v)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	last := make(map[Answer]int)
	var all []Label
	for _, v := range lines {
		a := Answer{v.Cell, v.Sample, v.Request, v.SHA256}
		if i, ok := last[a]; ok {
			all[i].Reviewer = "" // taken back by a later one
		}
		if said := string(v.Value); replaced[v.ID] || said != "true" && said != "false" {
			continue
		}
		last[a] = len(all)
		reviewer := v.Reviewer
		if reviewer == "" {
			reviewer = strings.TrimSuffix(filepath.Base(path), ".jsonl")
		}
		all = append(all, Label{a, reviewer, string(v.Value) == "true", v.Blind})
	}
	return slices.DeleteFunc(all, func(l Label) bool { return l.Reviewer == "" }), nil
}
