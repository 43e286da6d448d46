// Package personamem loads PersonaMem, multiple choice questions about what an
// assistant should by then know about a user, as published in the Agent Memory
// Benchmark.
//
// documents.json.gz has the sessions of users, each a text in which marks say who
// speaks, and queries.json.gz the questions with the sessions that each sees. Questions
// that see the same sessions are asked about one conversation.
//
// Jiang et al., "Know Me, Respond to Me: Benchmarking LLMs for Dynamic User Profiling
// and Personalized Responses at Scale", 2025, arXiv:2504.14225. The layout is that of
// vectorize-io/agent-memory-benchmark at de83fa7, which drops the positions of
// messages: the release asks before the end of the last session.
package personamem

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

const (
	name          = "personamem"
	documentsFile = "documents.json.gz"
	queriesFile   = "queries.json.gz"
	home          = "https://raw.githubusercontent.com/vectorize-io/agent-memory-benchmark/de83fa7816ab6bbb8a0ed63916f49f65300fb74b/data/personamem/32k/"
)

// Spec describes the first version with contexts of 32k tokens.
var Spec = &datasets.Spec{
	Name:    name,
	Doc:     "589 multiple choice questions about what 37 users like, over 32k tokens each",
	Source:  "Jiang et al., Know Me, Respond to Me, 2025; as published in vectorize-io/agent-memory-benchmark",
	License: "MIT",
	Options: Options{},
	Metrics: []string{"accuracy@mcq", "words", "tokens"},
	Files: []datasets.File{
		{Name: documentsFile, URL: home + documentsFile, Size: 1658862, SHA256: "26b7eaa63a55c8957f411360b2dcd1e898a9dcdd14885c43bf063a4e431262b5"},
		{Name: queriesFile, URL: home + queriesFile, Size: 352804, SHA256: "a5207c2c29a5b60cf2311c2413b14dcc67e8f889a75f1e3760dc931ee09f866a"},
	},
	Open: datasets.Opener(name, open),
}

// Options select what is loaded.
type Options struct {
	// Path names the folder of the files, relative to the run file's folder; by
	// default personamem in the data folder.
	Path string `yaml:"path,omitempty"`
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	dir, err := env.Find(o.Path, datasets.Fetch(name), name)
	if err != nil {
		return nil, err
	}
	return load(ctx, dir)
}

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
		return nil, fmt.Errorf("%s: has no question", filepath.Join(dir, queriesFile))
	}
	l.set.Sign(datafile.Sum(bytes.Join(l.sums, nil)))
	for _, key := range l.order {
		l.set.Fill(*l.samples[key])
	}
	return l.set, nil
}

// read unpacks a file and calls each with its items. The error is that of reading.
func (l *loader) read(ctx context.Context, file string, each func(c *jsontree.Cursor)) error {
	l.faults.File = filepath.Join(l.dir, file)
	data, sum, err := datafile.ReadPacked(ctx, l.faults.File, maxFile)
	if err != nil {
		return err
	}
	packed, err := hex.DecodeString(sum)
	if err != nil {
		return err
	}
	l.sums = append(l.sums, packed)
	if c := l.faults.Root(data, ""); c != nil && c.Is(jsontree.Array) {
		for _, item := range c.Items() {
			each(item)
		}
	}
	return nil
}

// mark says who speaks next.
var mark = regexp.MustCompile(`(?:^|\n\n)\[(SYSTEM|USER|ASSISTANT)\] `)

// document reads a session.
func (l *loader) document(c *jsontree.Cursor) {
	var d struct {
		ID   string `json:"id" want:"filled"`
		Text string `json:"content" want:"required"`
	}
	if !c.Decode(&d) {
		return
	}
	if l.documents[d.ID] != nil {
		c.Faultf("id %q is already that of another document", d.ID)
	}
	text := d.Text
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
	l.documents[d.ID] = turns
}

// query reads a question.
func (l *loader) query(c *jsontree.Cursor) {
	var q struct {
		ID      string          `json:"id" want:"filled"`
		Text    string          `json:"query" want:"filled"` // with the options
		Answers []jsontree.Text `json:"gold_answers" want:"required"`
		Seen    []jsontree.Text `json:"gold_ids" want:"required"`
		About   struct {
			Kind  string `json:"question_type" want:"filled"`
			Text  string `json:"retrieval_query" want:"filled"`
			Topic string `json:"topic"`
		} `json:"meta" want:"required"`
	}
	if !c.Decode(&q) {
		return
	}
	if l.asked[q.ID] {
		c.Faultf("id %q is already that of another question", q.ID)
	}
	l.asked[q.ID] = true
	list, ok := strings.CutPrefix(q.Text, q.About.Text)
	if !ok {
		c.Faultf("query does not begin with retrieval_query")
		return
	}
	r := datasets.Request{Text: q.About.Text, Options: choices(list)}
	if len(r.Options) < 2 {
		c.Faultf("query has no list of two options or more after retrieval_query, such as \"(a) Tea\"")
		return
	}
	g := datasets.Gold{Name: q.ID, Category: q.About.Kind, Labels: map[string]string{"topic": q.About.Topic}}
	if n := len(q.Answers); n > 0 {
		g.Correct = string(q.Answers[n-1])
	}
	if !slices.ContainsFunc(r.Options, func(o datasets.Option) bool { return o.Key == g.Correct }) {
		c.Faultf("gold_answers ends with %q, want the letter of an option", g.Correct)
	}
	s := l.sample(c, q.Seen)
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

// sample returns the conversation of the documents that a question sees.
func (l *loader) sample(c *jsontree.Cursor, seen []jsontree.Text) *datasets.Sample {
	ids := lists.Map(seen, func(id jsontree.Text) string { return string(id) })
	key := strings.Join(ids, "\n")
	if l.samples[key] != nil {
		return l.samples[key]
	}
	s := &datasets.Sample{ID: datafile.Sum([]byte(name + ":" + key))[:12], Speakers: []string{"user", "assistant", "system"}}
	for i, id := range ids {
		turns := l.documents[id]
		if turns == nil {
			c.Faultf("gold_ids: there is no document %q", id)
			continue
		}
		session := datasets.Session{ID: "s" + strconv.Itoa(i+1), Turns: slices.Clone(turns)}
		for k := range session.Turns {
			session.Turns[k].ID = fmt.Sprintf("%s:%d", session.ID, k+1)
		}
		s.Sessions = append(s.Sessions, session)
	}
	if len(ids) == 0 {
		c.Faultf("gold_ids names no document")
	}
	l.order, l.samples[key] = append(l.order, key), s
	return s
}
