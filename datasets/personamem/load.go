package personamem

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

const maxFile = 256 << 20 // bytes of a file, unpacked

// A loader reads both files.
type loader struct {
	dir       string
	faults    datafile.Faults
	sums      [][]byte
	set       *datasets.Set
	documents map[string][]datasets.Turn
	order     []string                    // of the samples
	samples   map[string]*datasets.Sample // by the ids of their documents
	asked     map[string]bool
}

func load(ctx context.Context, dir string) (*datasets.Set, error) {
	l := &loader{
		dir: dir, set: &datasets.Set{Name: name, Settings: map[string]string{}}, documents: make(map[string][]datasets.Turn),
		samples: make(map[string]*datasets.Sample), asked: make(map[string]bool),
	}
	if err := l.read(ctx, documentsFile, l.document); err != nil {
		return nil, err
	}
	if err := l.read(ctx, queriesFile, l.query); err != nil {
		return nil, err
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	if len(l.order) == 0 {
		return nil, fmt.Errorf("%s: it has no question", filepath.Join(dir, queriesFile))
	}
	sum := sha256.Sum256(bytes.Join(l.sums, nil))
	l.set.SHA256 = hex.EncodeToString(sum[:])
	l.set.Version = "sha256:" + l.set.SHA256[:12]
	for _, key := range l.order {
		l.set.Fill(*l.samples[key])
	}
	return l.set, nil
}

// read unpacks a file and calls each with its items. The error is that of reading.
func (l *loader) read(ctx context.Context, file string, each func(c *jsontree.Cursor)) error {
	l.faults.File = filepath.Join(l.dir, file)
	packed, err := datafile.Read(ctx, l.faults.File, maxFile)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(packed)
	l.sums = append(l.sums, sum[:])
	z, err := gzip.NewReader(bytes.NewReader(packed))
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(z, maxFile+1))
	}
	switch {
	case err != nil:
		l.faults.Addf(1, "is no gzip file, or a damaged one: %w", err)
		return nil
	case len(data) > maxFile:
		l.faults.Addf(1, "is larger than %d MiB when it is unpacked, the most that is read", maxFile>>20)
		return nil
	}
	if c := l.faults.Root(data, ""); c != nil && c.Is(jsontree.Array) {
		for _, item := range c.Items() {
			if item.Is(jsontree.Object) {
				each(item)
			}
		}
	}
	return nil
}

// mark says who speaks from there on.
var mark = regexp.MustCompile(`(?:^|\n\n)\[(SYSTEM|USER|ASSISTANT)\] `)

// document reads a session.
func (l *loader) document(c *jsontree.Cursor) {
	id, _ := c.Required("id")
	if l.documents[id] != nil {
		c.Faultf("id %q is already that of another document", id)
	}
	text, ok := c.Text("content")
	if !ok {
		return
	}
	marks := mark.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 || marks[0][0] > 0 {
		c.Faultf("content does not begin with [SYSTEM], [USER] or [ASSISTANT]")
		return
	}
	var turns []datasets.Turn
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		turns = append(turns, datasets.Turn{Speaker: strings.ToLower(text[m[2]:m[3]]), Text: text[m[1]:end]})
	}
	l.documents[id] = turns
}

// query reads a question.
func (l *loader) query(c *jsontree.Cursor) {
	id, _ := c.Required("id")
	if l.asked[id] {
		c.Faultf("id %q is already that of another question", id)
	}
	l.asked[id] = true
	text, _ := c.Required("query")
	about, golds, seen := c.Field("meta", jsontree.Object), c.Field("gold_answers", jsontree.Array), c.Field("gold_ids", jsontree.Array)
	if about == nil || golds == nil || seen == nil {
		return
	}
	g := datasets.Gold{Name: id, Labels: map[string]string{"topic": about.OptionalText("topic")}}
	g.Category, _ = about.Required("question_type")
	r := datasets.Request{}
	r.Text, _ = about.Required("retrieval_query")
	list, ok := strings.CutPrefix(text, r.Text)
	if !ok {
		c.Faultf("query does not begin with retrieval_query")
		return
	}
	r.Options = choices(list)
	if len(r.Options) < 2 {
		c.Faultf("query has no list of two options or more after retrieval_query, such as \"(a) Tea\"")
		return
	}
	if all := golds.Texts(); len(all) > 0 {
		g.Correct = all[len(all)-1]
	}
	if !slices.ContainsFunc(r.Options, func(o datasets.Option) bool { return o.Key == g.Correct }) {
		golds.Faultf("ends with %q, want the letter of an option", g.Correct)
	}
	s := l.sample(seen)
	r.ID = "q" + strconv.Itoa(len(s.Requests)+1)
	s.Requests = append(s.Requests, r)
	l.set.SetGold(s.ID, r.ID, g)
	if !slices.ContainsFunc(l.set.Categories, func(c datasets.Category) bool { return c.ID == g.Category }) {
		l.set.Categories = append(l.set.Categories, datasets.Category{ID: g.Category, Name: g.Category})
	}
}

// choices splits the list of options. The letters of their keys follow the alphabet.
func choices(list string) (all []datasets.Option) {
	for key := 'a'; key <= 'z'; key++ {
		_, list, _ = strings.Cut(list, "\n("+string(key)+") ")
		if list == "" {
			break
		}
		text, _, _ := strings.Cut(list, "\n("+string(key+1)+") ")
		all = append(all, datasets.Option{Key: string(key), Text: text})
	}
	return all
}

// sample returns the sample of the documents that a question sees.
func (l *loader) sample(seen *jsontree.Cursor) *datasets.Sample {
	ids := seen.Texts()
	key := strings.Join(ids, "\n")
	if l.samples[key] != nil {
		return l.samples[key]
	}
	sum := sha256.Sum256([]byte(name + ":" + key))
	s := &datasets.Sample{ID: hex.EncodeToString(sum[:])[:12], Speakers: []string{"user", "assistant", "system"}}
	for i, id := range ids {
		turns := l.documents[id]
		if turns == nil {
			seen.Faultf("there is no document %q", id)
			continue
		}
		session := datasets.Session{ID: "s" + strconv.Itoa(i+1), Turns: slices.Clone(turns)}
		for k := range session.Turns {
			session.Turns[k].ID = fmt.Sprintf("%s:%d", session.ID, k+1)
		}
		s.Sessions = append(s.Sessions, session)
	}
	if len(ids) == 0 {
		seen.Faultf("names no document")
	}
	l.order, l.samples[key] = append(l.order, key), s
	return s
}
