// Package beam loads BEAM: 100 conversations with an assistant of about 100 thousand,
// 500 thousand, 1 million and 10 million tokens, with 20 questions each about ten
// abilities.
//
// It reads the layout of the authors' repository: chat.go a conversation, questions.go
// what is asked about it, files.go which files both are in. A conversation of ten
// million tokens is read when the set is opened and once by the worker that asks it.
//
// Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term
// Memory in LLMs", ICLR 2026, arXiv:2510.27246. The data is CC BY-SA 4.0 and not part
// of this project. The layout is that of mohammadtavakoli78/BEAM at b2a3ee8.
package beam

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
)

const (
	name     = "beam"
	revision = "b2a3ee8ba12d68f83143dda191097dc3e028ddd3"
)

// Spec describes BEAM as its authors' repository has it.
var Spec = &datasets.Spec{
	Name:       name,
	Doc:        "100 conversations of 100 thousand to 10 million tokens, 2,000 questions about ten abilities with rubrics",
	Source:     "Tavakoli et al., Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs, ICLR 2026; github.com/mohammadtavakoli78/BEAM, folder chats",
	License:    "CC-BY-SA-4.0",
	Options:    Options{Sizes: []string{"100K"}},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "evidence-recall", "tokens"},
	Files:      released(),
	Open:       datasets.Opener(name, open),
}

// blobs has a line for each file: its path in the folder chats, its id in git, and
// its size in bytes, or 0 where it is not known. The parts of conversations of ten
// million tokens are left out, which other files have as a whole.
//
//go:embed blobs.txt
var blobs string

// released are the files of the release, by size.
func released() (files []datasets.File) {
	for line := range strings.Lines(blobs) {
		f := datasets.File{}
		if _, err := fmt.Sscan(line, &f.Name, &f.GitBlob, &f.Size); err != nil {
			panic(fmt.Sprintf("beam: blobs.txt: %q: %v", line, err))
		}
		f.Part, _, _ = strings.Cut(f.Name, "/")
		f.Name = "chats/" + f.Name
		f.URL = "https://raw.githubusercontent.com/mohammadtavakoli78/BEAM/" + revision + "/" + f.Name
		files = append(files, f)
	}
	return files
}

// An ability is a kind of question, with the field that has its reference answer.
type ability struct{ id, name, answer string }

var abilities = []ability{
	{"abstention", "abstention", "ideal_response"},
	{"contradiction_resolution", "contradiction resolution", "ideal_answer"},
	{"event_ordering", "event ordering", "answer"},
	{"information_extraction", "information extraction", "answer"},
	{"instruction_following", "instruction following", "expected_compliance"},
	{"knowledge_update", "knowledge update", "answer"},
	{"multi_session_reasoning", "multi-session reasoning", "answer"},
	{"preference_following", "preference following", "expected_compliance"},
	{"summarization", "summarization", "ideal_summary"},
	{"temporal_reasoning", "temporal reasoning", "answer"},
}

// Categories returns the abilities in the order of the files. The paper's tables
// call one of them by another name, which is the alias "paper".
func Categories() []datasets.Category {
	var all []datasets.Category
	for _, a := range abilities {
		c := datasets.Category{ID: a.id, Name: a.name}
		if a.id == "multi_session_reasoning" {
			c.Aliases = map[string]string{"paper": "multi-hop reasoning"}
		}
		all = append(all, c)
	}
	return all
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	all, err := o.find(env)
	if err != nil {
		return nil, err
	}
	l := loader{options: o, set: &datasets.Set{Name: name, Settings: o.settings(), Categories: Categories()}}
	var entries []datasets.Entry
	var sums []string
	var unread []error
	for _, c := range all {
		entry, ok, err := l.load(ctx, c, len(entries))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		unread = append(unread, err)
		sums = append(sums, c.lines()...)
		if ok {
			entries = append(entries, entry)
		}
	}
	if err := errors.Join(append(unread, l.faults.Err())...); err != nil {
		return nil, err
	}
	slices.Sort(sums)
	sum := sha256.Sum256([]byte(strings.Join(sums, "")))
	l.set.SHA256 = hex.EncodeToString(sum[:])
	l.set.Version = "sha256:" + l.set.SHA256[:12]
	l.set.Stream(entries, source{all})
	return l.set, nil
}

// A loader opens conversations.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
}

// load checks a conversation and its questions, and keeps all but the history. It
// reports whether there is nothing wrong with it.
func (l *loader) load(ctx context.Context, c *conversation, place int) (e datasets.Entry, ok bool, err error) {
	before := l.faults.Count()
	chat, err := c.read(ctx, &l.faults)
	if err != nil {
		return e, false, err
	}
	domain, err := c.topic(ctx, &l.faults)
	if err != nil {
		return e, false, err
	}
	asked, err := c.questions(ctx, l.options, chat, &l.faults)
	if err != nil || l.faults.Count() > before {
		return e, false, err
	}
	for _, f := range slices.Concat(chat.flaws, asked.flaws) {
		l.set.Warn(f.what, f.where)
	}
	if c.caveat != "" {
		l.set.Warn("last plans of a conversation are not there; left out", c.caveat)
		if l.set.Caveat != "" {
			l.set.Caveat += "; "
		}
		l.set.Caveat += c.caveat
	}
	sample := chat.sample(c)
	for i, r := range asked.requests {
		g := asked.golds[i]
		g.Labels["size"], g.Labels["domain"] = c.size, domain
		l.set.SetGold(sample.ID, r.ID, g)
	}
	sample.Requests = asked.requests
	e = l.set.Index(place, &sample)
	e.Bytes = c.bytes
	return e, true, nil
}

// A source reads conversations again.
type source struct{ conversations []*conversation }

// Load implements [datasets.Source].
func (s source) Load(ctx context.Context, i int) (datasets.Sample, error) {
	c := s.conversations[i]
	again := *c
	again.sums = nil
	chat, err := again.read(ctx, new(datafile.Faults))
	if ctx.Err() != nil {
		return datasets.Sample{}, ctx.Err()
	}
	if err != nil {
		return datasets.Sample{}, errors.Join(datasets.ErrChanged, err)
	}
	for _, file := range c.chat {
		if again.sums[file.path] != c.sums[file.path] {
			return datasets.Sample{}, fmt.Errorf("%w: %s", datasets.ErrChanged, file.path)
		}
	}
	return chat.sample(c), nil
}

// Close implements [datasets.Source]. No file stays open.
func (source) Close() error { return nil }
