package longmemeval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// A loader reads a file.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
	source  source
	entries []datasets.Entry
	places  map[string]string // where a question stands, by its id
	asked   map[string]int    // by type
}

// load opens a file. What it holds is checked, and histories are dropped.
func load(ctx context.Context, path string, o Options, caveat string) (*datasets.Set, error) {
	f, err := datafile.OpenLarge(path)
	if err != nil {
		return nil, err
	}
	l := newLoader(path, o, caveat)
	l.source = source{reread.New(f), o.Turns}
	if err := l.read(ctx, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l.set.Stream(l.entries, l.source)
	return l.set, nil
}

func newLoader(path string, o Options, caveat string) *loader {
	return &loader{
		options: o, faults: datafile.Faults{File: path}, places: make(map[string]string), asked: make(map[string]int),
		set: &datasets.Set{Name: name, Settings: o.settings(), Categories: Categories(), Caveat: caveat},
	}
}

func (l *loader) read(ctx context.Context, f io.Reader) error {
	sum := sha256.New()
	question := func(int, jsontree.Element) string { return "question" }
	err := l.faults.Each(ctx, io.TeeReader(f, sum), jsontree.Array, question, func(e jsontree.Element, c *jsontree.Cursor) {
		if l.element(e, "line "+strconv.Itoa(e.Line), c) {
			l.source.Add(e.Start, e.Data)
		}
	})
	if err != nil {
		return err
	}
	return l.done(sum)
}

// done sees what was read through, of which it has the sum.
func (l *loader) done(sum hash.Hash) error {
	if err := l.faults.Err(); err != nil {
		return err
	}
	if len(l.entries) == 0 {
		return fmt.Errorf("%s: no question is left of %d: types %s, abstention %s", l.faults.File, len(l.places), l.set.Settings["types"], l.options.Abstention)
	}
	l.set.SHA256 = hex.EncodeToString(sum.Sum(nil))
	l.set.Version = "sha256:" + l.set.SHA256[:12]
	if l.set.SHA256 == oracleSum || l.set.SHA256 == smallSum {
		l.set.Version = revision[:7]
	}
	return nil
}

// element reads a question, and keeps what must be known of it without its history. It
// reports whether the question is asked.
func (l *loader) element(e jsontree.Element, place string, c *jsontree.Cursor) bool {
	q := read(c, l.options.Turns)
	id := q.gold.Name
	if first := l.places[id]; first != "" && id != "" {
		l.faults.Addf(e.Line, "%s: question_id is already that of the question in %s", id, first)
	}
	l.places[strings.Clone(id)] = place
	if len(q.sample.Sessions) == 0 && l.faults.Err() == nil {
		l.faults.Addf(e.Line, "%s: the user says nothing in its history; set turns to %s", id, Both)
	}
	if most := l.options.MaxQuestions; !l.options.keeps(q) || most > 0 && l.asked[q.gold.Category] == most || l.faults.Err() != nil {
		return false
	}
	for _, what := range q.flaws {
		l.set.Warn(what, strings.Clone(id))
	}
	// What is kept must not hold on to the text of the history.
	for _, text := range []*string{&q.gold.Name, &q.gold.Category, &q.gold.Answer, &q.gold.Explanation, &q.sample.Requests[0].Text} {
		*text = strings.Clone(*text)
	}
	l.asked[q.gold.Category]++
	l.set.SetGold(q.sample.ID, q.sample.Requests[0].ID, q.gold)
	entry := l.set.Index(len(l.entries), &q.sample)
	entry.Bytes = e.End - e.Start
	l.entries = append(l.entries, entry)
	return true
}

// A source reads histories again.
type source struct {
	*reread.File
	turns Turns
}

// Load implements [datasets.Source].
func (s source) Load(ctx context.Context, i int) (sample datasets.Sample, err error) {
	err = s.Read(ctx, i, func(data []byte) error {
		tree, err := jsontree.Parse(data)
		if err == nil {
			sample = read(jsontree.Root(tree, "", func(int, string, string) {}), s.turns).sample
		}
		return err
	})
	return sample, err
}
