// Package longmemeval loads LongMemEval, 500 questions that each have a
// conversation of their own, and any other file in its layout.
//
// A file is an array of questions; question.go reads one. Some publish the same as cases,
// a file for each question, in a folder. A conversation is as large as a small book and a
// file may be larger than memory: opening checks everything and keeps questions and gold
// answers; conversations are read again when needed.
//
// The ids of the release reveal which sessions contain the answer and which
// questions have none. Methods see ids, so conversations, sessions and turns have
// different ones here.
//
// Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive
// Memory", ICLR 2025, arXiv:2410.10813. The data is under the MIT licence and not
// part of this project. The layout follows the README of xiaowu0162/LongMemEval at
// 9e0b455.
package longmemeval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

const (
	name     = "longmemeval"
	revision = "98d7416c24c778c2fee6e6f3006e7a073259d48f"
	home     = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/" + revision + "/"

	oracleSum = "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c"
	smallSum  = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"
)

// Spec describes the cleaned release of September 2025.
var Spec = &datasets.Spec{
	Name:       name,
	Doc:        "500 questions in six categories, each about a conversation of its own of up to 500 sessions",
	Source:     "Wu et al., LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory, ICLR 2025; huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
	License:    "MIT",
	Options:    Options{Variant: Small, Abstention: Ask, Turns: Both},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "evidence-recall", "session-recall@longmemeval@5", "tokens"},
	Files: []datasets.File{
		{Name: "longmemeval_oracle.json", URL: home + "longmemeval_oracle.json", Size: 15388478, SHA256: oracleSum},
		{Name: "longmemeval_s_cleaned.json", URL: home + "longmemeval_s_cleaned.json", Size: 277383467, SHA256: smallSum},
	},
	Open: datasets.Opener(name, open),
}

// Categories returns the types of questions in the order of the paper. A question
// whose conversation does not contain the answer keeps the type of the question it
// was made from.
func Categories() []datasets.Category {
	return lists.Map(types, func(t string) datasets.Category { return datasets.Category{ID: t, Name: t} })
}

// types are the official names.
var types = []string{
	"single-session-user", "single-session-assistant", "single-session-preference",
	"multi-session", "temporal-reasoning", "knowledge-update",
}

// A Variant is a file of the release, or a folder of cases.
type Variant string

// The variants differ in the sessions that accompany those with the answer.
const (
	Oracle Variant = "oracle" // none
	Small  Variant = "s"      // about 48 in all
	Medium Variant = "m"      // about 500 in all
	Cases  Variant = "s53"    // 53 questions of s, as cases
)

// Values returns the variants, for messages and editors.
func (Variant) Values() []string {
	return []string{string(Oracle), string(Small), string(Medium), string(Cases)}
}

// A Policy says how to treat questions that the conversation does not answer.
type Policy string

// The policies.
const (
	Ask  Policy = "ask"  // ask them among the others
	Drop Policy = "drop" // leave them out
	Only Policy = "only" // leave the others out
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Ask), string(Drop), string(Only)} }

// Turns says whose turns a conversation has.
type Turns string

// The choices of speakers.
const (
	Both Turns = "all"
	User Turns = "user" // without the assistant's, as in the authors' retrieval
)

// Values returns the choices, for messages and editors.
func (Turns) Values() []string { return []string{string(Both), string(User)} }

// Options select what is loaded.
type Options struct {
	// Variant is the file of the release: oracle, s or m; or s53, a folder of cases with
	// 53 questions of s.
	Variant Variant `yaml:"variant,omitempty"`
	// Path names another file in the layout instead, or a folder of cases, relative to
	// the run file's folder.
	Path string `yaml:"path,omitempty"`
	// Turns says whose turns a conversation has: all, or user, as in the authors'
	// retrieval. Evidence said by the assistant is then left out, too.
	Turns Turns `yaml:"turns"`
	// Types are the types of questions to ask, such as multi-session; all by default.
	Types []string `yaml:"types,omitempty"`
	// Abstention says how to treat questions that the conversation does not
	// answer: ask, drop or only.
	Abstention Policy `yaml:"abstention"`
	// MaxQuestions is the largest number of questions of each type, the first of
	// the file; 0 for all.
	MaxQuestions int `yaml:"max_questions,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	err := datasets.CheckList("types", o.Types, types)
	if o.MaxQuestions < 0 {
		err = errors.Join(err, fmt.Errorf("max_questions is %d, want 0 for all or more", o.MaxQuestions))
	}
	return err
}

// settings are the options that results depend on.
func (o Options) settings() map[string]string {
	settings := map[string]string{"variant": string(o.Variant), "types": cmp.Or(strings.Join(o.Types, ", "), "all"), "abstention": string(o.Abstention)}
	if o.Path != "" {
		settings["variant"] = "file"
	}
	if o.Turns != Both {
		settings["turns"] = string(o.Turns)
	}
	return settings
}

// keeps reports whether a question is asked, apart from the limit for its type.
func (o Options) keeps(q *question) bool {
	return (len(o.Types) == 0 || slices.Contains(o.Types, q.gold.Category)) &&
		(o.Abstention == Ask || (o.Abstention == Only) == q.gold.Abstain)
}

// paths are those of a variant in the data folder, the cleaned release's first.
var paths = map[Variant][]string{
	Oracle: {"longmemeval/longmemeval_oracle.json"},
	Small:  {"longmemeval/longmemeval_s_cleaned.json", "longmemeval/longmemeval_s.json"},
	Medium: {"longmemeval/longmemeval_m_cleaned.json", "longmemeval/longmemeval_m.json"},
	Cases:  {"longmemeval/s53/cases"},
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	remedy := datasets.Fetch(name)
	if o.Variant == Medium || o.Variant == Cases {
		remedy = "put the published files there, or set path"
	}
	path, err := env.Find(o.Path, remedy, paths[o.Variant]...)
	if err != nil {
		return nil, err
	}
	set, err := load(ctx, path, o)
	is := func(p string) bool { return strings.HasSuffix(filepath.ToSlash(path), p) }
	if err == nil && o.Path == "" && slices.IndexFunc(paths[o.Variant], is) > 0 {
		set.Caveat = "not the cleaned release: their scores are not comparable"
	}
	return set, err
}

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
