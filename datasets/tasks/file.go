package tasks

import (
	"time"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/strictyaml"
)

// Names of the files of a suite.
const (
	treeFile = "tree.xml"
	heldout  = "-heldout"
)

// A file is single.yaml or multi.yaml.
type file struct {
	Today         day            `yaml:"today"` // when tasks are asked
	Requests      []request      `yaml:"requests"`
	Conversations []conversation `yaml:"conversations"`
}

// A conversation has tasks that are asked one after the other.
type conversation struct {
	ID    string    `yaml:"id"`
	Turns []request `yaml:"turns"`
}

// A request is one task with its expected outcome.
type request struct {
	ID     string            `yaml:"id"`
	Text   string            `yaml:"text"`
	Labels map[string]string `yaml:"labels"`
	// Expect is nil for a task that is not judged.
	Expect *expect.Expectation `yaml:"expect"`
	// Solution is one right outcome.
	Solution solution `yaml:"solution"`
}

// A solution is an outcome that meets an expectation. Its answer is what people
// read as the gold answer; the rest proves that the gold can be met.
type solution struct {
	Nodes  []string `yaml:"nodes"`
	Answer string   `yaml:"answer"`
	Edits  []edit   `yaml:"edits"`
	// Restore is the number of a version to go back to; 0 for none.
	Restore int `yaml:"restore"`
}

// An edit is a tree.Edit as written in the file.
type edit struct {
	Op     tree.Op           `yaml:"op"`
	ID     string            `yaml:"id"`
	Parent string            `yaml:"parent"`
	At     *int              `yaml:"at"` // from 0; none is the end
	Type   string            `yaml:"type"`
	Fields map[string]string `yaml:"fields"` // values of a list separated by "; "
}

// A day is a date such as 2026-05-11.
type day struct{ time.Time }

// UnmarshalText reads a date.
func (d *day) UnmarshalText(text []byte) (err error) {
	d.Time, err = time.Parse(time.DateOnly, string(text))
	return err
}

// parse reads a file. Faults are recorded in the document, unless it is not YAML.
func parse(name string, text []byte) (*file, *strictyaml.Document, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, nil, err
	}
	var f file
	doc.Root().Decode(&f)
	return &f, doc, nil
}
