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
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/strictyaml"
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
	faults := []error{datasets.CheckList("domains", o.Domains, have)}
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

// A loader reads suites.
type loader struct {
	options Options
	fsys    fs.FS
	dir     string // of fsys, for messages; empty for the program's own
	set     *datasets.Set
	files   map[string][]byte
	faults  []error
}

func open(_ context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	l := loader{options: o, files: make(map[string][]byte), set: &datasets.Set{
		Name: "tasks", Version: version, Settings: map[string]string{"turns": string(o.Turns), "split": string(o.Split)},
	}}
	domains := embedded
	var err error
	if o.Dir == "" {
		l.fsys, err = fs.Sub(data, "data")
	} else {
		l.dir = env.Resolve(o.Dir)
		l.fsys = os.DirFS(l.dir)
		domains, err = folders(l.fsys)
	}
	if err != nil {
		return nil, fmt.Errorf("tasks: %s: %w", l.dir, err)
	}
	if len(o.Domains) > 0 {
		domains = o.Domains
	}
	for _, domain := range domains {
		l.domain(domain)
	}
	if err := errors.Join(l.faults...); err != nil {
		return nil, err
	}
	if len(l.set.Entries) == 0 {
		return nil, fmt.Errorf("tasks: no %s tasks of split %s in %s", o.Turns, o.Split, strings.Join(domains, ", "))
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(l.files[name]), l.files[name])
	}
	l.set.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return l.set, nil
}

// folders returns the names of the folders that hold a tree.
func folders(fsys fs.FS) ([]string, error) {
	found, err := fs.Glob(fsys, "*/"+treeFile)
	if len(found) == 0 && err == nil {
		if _, err = fs.Stat(fsys, "."); err == nil {
			err = errors.New("no suite found; want folders with " + treeFile)
		}
	}
	return lists.Map(found, path.Dir), err
}

// domain reads the suite of a domain.
func (l *loader) domain(domain string) {
	t, err := l.tree(path.Join(domain, treeFile))
	if err != nil {
		l.faults = append(l.faults, err)
		return
	}
	l.set.Categories = append(l.set.Categories, datasets.Category{ID: domain, Name: domain})
	single := datasets.Sample{ID: domain, Tree: t}
	// Held-out tasks come last, so that dev ones keep their place.
	for _, split := range []Split{Dev, HeldOut} {
		if l.options.Split != All && l.options.Split != split {
			continue
		}
		f, c := l.file(domain, split, t)
		if f == nil {
			continue
		}
		for i := range f.Requests {
			l.request(c, &single, &f.Requests[i], f)
		}
		for _, conv := range f.Conversations {
			s := datasets.Sample{ID: domain + "/" + conv.ID, Tree: t, Dialogue: true}
			for i := range conv.Turns {
				r := &conv.Turns[i]
				r.Labels["turn"] = strconv.Itoa(i + 1)
				l.request(c, &s, r, f)
			}
			l.set.Fill(s)
		}
	}
	if len(single.Requests) > 0 {
		l.set.Fill(single)
	}
}

// read returns the content of a file and how messages name it.
func (l *loader) read(name string) (text []byte, label string, err error) {
	if label = name; l.dir != "" {
		label = filepath.Join(l.dir, filepath.FromSlash(name))
	}
	text, err = fs.ReadFile(l.fsys, name)
	if err != nil {
		return nil, label, fmt.Errorf("%s: %w", label, errors.Unwrap(err))
	}
	l.files[name] = text
	return text, label, nil
}

func (l *loader) tree(name string) (*tree.Tree, error) {
	text, label, err := l.read(name)
	if err != nil {
		return nil, err
	}
	return tree.ParseXML(label, bytes.NewReader(text), tree.XMLOptions{})
}

// file reads the tasks of a split, nil if there are none or they have faults,
// and checks them against the tree and the solutions.
func (l *loader) file(domain string, split Split, t *tree.Tree) (*file, *checker) {
	name := string(l.options.Turns)
	if split == HeldOut {
		name += heldout
	}
	text, label, err := l.read(path.Join(domain, name+".yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		l.faults = append(l.faults, err)
		return nil, nil
	}
	doc, err := strictyaml.Parse(label, text)
	if err != nil {
		l.faults = append(l.faults, err)
		return nil, nil
	}
	f := new(file)
	doc.Root().Decode(f)
	c := &checker{domain: domain, split: split, tree: t, doc: doc}
	c.file(f, l.options.Turns)
	if doc.Err() == nil {
		c.solve(f)
	}
	if err := doc.Err(); err != nil {
		l.faults = append(l.faults, err)
		return nil, nil
	}
	return f, c
}

// request adds a task to a conversation, and its gold to the set.
func (l *loader) request(c *checker, s *datasets.Sample, r *request, f *file) {
	s.Requests = append(s.Requests, datasets.Request{ID: r.ID, Text: r.Text, Time: f.Today.Time})
	r.Labels["split"] = string(c.split)
	g := datasets.Gold{Category: c.domain, Answer: r.Solution.Answer, Labels: r.Labels, Expect: r.Expect}
	if r.Expect != nil {
		known := func(id string) bool { _, ok := c.tree.Node(id); return ok }
		g.Evidence = lists.AddNew(g.Evidence, lists.Filter(r.Expect.Accept[0].Required, known)...)
	}
	l.set.SetGold(s.ID, r.ID, g)
}
