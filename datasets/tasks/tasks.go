// Package tasks has three suites of tasks about structured memories, written
// for this project: a travel itinerary, a to-do list and a meal plan, after the
// evaluation of the Semantic XPath paper, section 4.1, whose own data is not
// published.
//
// Each domain has a tree, single tasks about it as it stands, and conversations
// that edit it. The expected outcome of a task is given in a form that a
// program checks, see package expect. One third of the tasks are the held-out
// split.
//
// The same format serves a user's own suites, which the option dir names:
//
//	DIR/DOMAIN/tree.xml         the memory; see package tree for its XML
//	DIR/DOMAIN/single.yaml      single requests
//	DIR/DOMAIN/multi.yaml       conversations
//	DIR/DOMAIN/*-heldout.yaml   the same, of the held-out split
//
// docs/data.md describes it in full.
package tasks

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"recallbench/datasets"
)

//go:embed data
var data embed.FS

// version changes with every change of the suites.
const version = "2"

// Turns says how tasks follow each other.
type Turns string

// The kinds of tasks.
const (
	Single Turns = "single" // each about the tree as it stands
	Multi  Turns = "multi"  // conversations that edit it
)

// Values lists the kinds.
func (Turns) Values() []string { return []string{string(Single), string(Multi)} }

// Split selects tasks.
type Split string

// The splits.
const (
	All     Split = "all"
	Dev     Split = "dev"
	HeldOut Split = "heldout"
)

// Values lists the splits.
func (Split) Values() []string { return []string{string(All), string(Dev), string(HeldOut)} }

// Options select what is asked.
type Options struct {
	// Turns is single or multi.
	Turns Turns `yaml:"turns"`
	// Domains are the suites to load; empty for all.
	Domains []string `yaml:"domains"`
	// Split is all, dev or heldout.
	Split Split `yaml:"split"`
	// Dir is a folder with suites of your own, relative to the run file's folder; empty
	// for those that come with the program.
	Dir string `yaml:"dir"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	have := embedded
	if o.Dir != "" {
		have = nil
	}
	faults := []error{datasets.CheckList("domains", o.Domains, have), datasets.CheckChoice("turns", o.Turns), datasets.CheckChoice("split", o.Split)}
	for _, d := range o.Domains {
		if !fs.ValidPath(d) || filepath.Base(d) != d || d == "." {
			faults = append(faults, fmt.Errorf("domains has %q, which is not a folder name", d))
		}
	}
	return errors.Join(faults...)
}

// embedded are the domains of the program, in the order of the paper's tables.
var embedded = []string{"itinerary", "todo", "mealkit"}

// Spec describes the suites.
var Spec = &datasets.Spec{
	Name:     "tasks",
	Doc:      "tasks about structured memories: itinerary, to-do list, meal kit; embedded, needs no download",
	Source:   "written for this project, after section 4.1 of the Semantic XPath paper",
	License:  "Apache-2.0",
	Options:  Options{Turns: Single, Split: All},
	Metrics:  []string{"pass", "evidence-recall", "tokens"},
	Embedded: true,
	Open:     datasets.Opener("tasks", open),
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	var l loader
	l.options = o
	if o.Dir == "" {
		sub, err := fs.Sub(data, "data")
		if err != nil {
			return nil, err
		}
		l.fsys, l.domains = sub, embedded
	} else {
		l.dir = env.Resolve(o.Dir)
		l.fsys = os.DirFS(l.dir)
		var err error
		if l.domains, err = folders(l.fsys); err != nil {
			return nil, fmt.Errorf("tasks: %s: %w", l.dir, err)
		}
	}
	if len(o.Domains) > 0 {
		l.domains = o.Domains
	}
	return l.load(ctx)
}

// folders returns the names of the folders that hold a tree.
func folders(fsys fs.FS) ([]string, error) {
	found, err := fs.Glob(fsys, "*/"+treeFile)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if _, err := fs.Stat(fsys, "."); err != nil {
			return nil, err
		}
		return nil, errors.New("no suite found; want folders with " + treeFile)
	}
	for i, name := range found {
		found[i] = filepath.Dir(name)
	}
	return found, nil
}
