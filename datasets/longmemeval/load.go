package longmemeval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// A loader reads a file, or a folder of cases.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
	entries []datasets.Entry
	source  reread.Source
	places  map[string]string // where a question stands, by its id
	asked   map[string]int    // by type
}

// load opens a file or a folder. Everything is checked, and the turns are dropped.
func load(ctx context.Context, path string, o Options) (*datasets.Set, error) {
	l := &loader{
		options: o, places: make(map[string]string), asked: make(map[string]int),
		set: &datasets.Set{Name: name, Settings: o.settings(), Categories: Categories()},
	}
	l.source.Parse = func(_ int, data [][]byte) (datasets.Sample, error) {
		tree, err := jsontree.Parse(data[0])
		if err != nil {
			return datasets.Sample{}, err
		}
		return read(jsontree.Root(tree, "", func(int, string, string) {}), o.Turns).sample, nil
	}
	readAll := l.file
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		readAll = l.cases
	}
	sum, err := readAll(ctx, path)
	if err = errors.Join(err, l.faults.Err()); err != nil {
		return nil, err
	}
	if len(l.entries) == 0 {
		return nil, fmt.Errorf("%s: no question is left of %d: types %s, abstention %s", path, len(l.places), l.set.Settings["types"], o.Abstention)
	}
	l.set.Sign(sum)
	if sum == oracleSum || sum == smallSum {
		l.set.Version = revision[:7]
	}
	l.set.Stream(l.entries, &l.source)
	return l.set, nil
}

// file reads a file, and returns its hash.
func (l *loader) file(ctx context.Context, path string) (string, error) {
	f, err := datafile.OpenLarge(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	l.faults.File = path
	sum := sha256.New()
	question := func(int, jsontree.Element) string { return "question" }
	err = l.faults.Each(ctx, io.TeeReader(f, sum), jsontree.Array, question, func(e jsontree.Element, c *jsontree.Cursor) {
		l.element(e, "line "+strconv.Itoa(e.Line), c)
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// cases reads a folder with a case in each JSON file, and returns the hash of the lines
// of their hashes.
func (l *loader) cases(ctx context.Context, dir string) (string, error) {
	files, err := fs.Glob(os.DirFS(dir), "*.json")
	if err == nil && len(files) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w; want a folder with a case in each .json file", dir, err)
	}
	var lines strings.Builder
	for _, file := range files {
		l.faults.File = filepath.Join(dir, file)
		data, err := datafile.Read(ctx, l.faults.File, datafile.MaxElement)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "%s  %s\n", datafile.Sum(data), file)
		if c := l.faults.Root(data, ""); c != nil {
			l.element(jsontree.Element{End: int64(len(data)), Line: 1, Data: data}, file, c)
		}
	}
	return datafile.Sum([]byte(lines.String())), nil
}

// element reads a question and, if it is asked, keeps what must be known without its
// conversation.
func (l *loader) element(e jsontree.Element, place string, c *jsontree.Cursor) {
	q := read(c, l.options.Turns)
	id := strings.Clone(q.gold.Name)
	if first := l.places[id]; first != "" && id != "" {
		l.faults.Addf(e.Line, "%s: question_id is already used by the question in %s", id, first)
	}
	l.places[id] = place
	if len(q.sample.Sessions) == 0 && l.faults.Count() == 0 {
		l.faults.Addf(e.Line, "%s: the user says nothing in its conversation; set turns to %s", id, Both)
	}
	if most := l.options.MaxQuestions; !l.options.keeps(q) || most > 0 && l.asked[q.gold.Category] == most || l.faults.Count() > 0 {
		return
	}
	for _, what := range q.flaws {
		l.set.Warn(what, id)
	}
	// Kept data must not keep the text of the conversation alive.
	for _, text := range []*string{&q.gold.Name, &q.gold.Category, &q.gold.Answer, &q.gold.Explanation, &q.sample.Requests[0].Text} {
		*text = strings.Clone(*text)
	}
	l.asked[q.gold.Category]++
	l.set.SetGold(q.sample.ID, q.sample.Requests[0].ID, q.gold)
	entry := l.set.Index(len(l.entries), &q.sample)
	entry.Bytes = e.End - e.Start
	l.entries = append(l.entries, entry)
	l.source.Parts = append(l.source.Parts, []reread.Part{reread.PartOf(l.faults.File, e.Start, e.Data)})
}
