package tasks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
)

// A loader reads suites.
type loader struct {
	options Options
	fsys    fs.FS
	dir     string // of fsys, for messages; empty for the program's own
	domains []string
	set     *datasets.Set
	files   map[string][]byte
	faults  []error
}

func (l *loader) load(ctx context.Context) (*datasets.Set, error) {
	l.set = &datasets.Set{Name: "tasks", Version: version, Settings: map[string]string{
		"turns": string(l.options.Turns), "split": string(l.options.Split),
	}}
	l.files = make(map[string][]byte)
	for _, domain := range l.domains {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.domain(domain)
	}
	if err := errors.Join(l.faults...); err != nil {
		return nil, err
	}
	if len(l.set.Entries) == 0 {
		return nil, fmt.Errorf("tasks: no %s tasks of split %s in %s", l.options.Turns, l.options.Split, strings.Join(l.domains, ", "))
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(l.files[name]), l.files[name])
	}
	l.set.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return l.set, nil
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
	f, doc, err := parse(label, text)
	if err != nil {
		l.faults = append(l.faults, err)
		return nil, nil
	}
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
		for _, id := range r.Expect.Accept[0].Required {
			if _, ok := c.tree.Node(id); ok && !slices.Contains(g.Evidence, id) {
				g.Evidence = append(g.Evidence, id)
			}
		}
	}
	l.set.SetGold(s.ID, r.ID, g)
}
