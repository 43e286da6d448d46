// Package beam loads BEAM: 100 conversations with an assistant of about 100 thousand,
// 500 thousand, 1 million and 10 million tokens, with 20 questions each about ten
// abilities.
//
// A conversation of ten million tokens is read once when the set is opened and once by the
// worker that uses it.
//
// Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term
// Memory in LLMs", ICLR 2026, arXiv:2510.27246. The data is CC BY-SA 4.0 and not part
// of this project. The layout is that of mohammadtavakoli78/BEAM at b2a3ee8.
package beam

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
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
// its size in bytes, or 0 if unknown. The parts of conversations of ten million
// tokens are left out, as other files contain them whole.
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
	return lists.Map(abilities, func(a ability) datasets.Category {
		c := datasets.Category{ID: a.id, Name: a.name}
		if a.id == "multi_session_reasoning" {
			c.Aliases = map[string]string{"paper": "multi-hop reasoning"}
		}
		return c
	})
}

// abilityIDs are the ids in the order of the files.
func abilityIDs() []string { return lists.Map(abilities, func(a ability) string { return a.id }) }

var sizes = []string{"100K", "500K", "1M", "10M"}

// Options select what is loaded.
type Options struct {
	// Sizes are the sizes of the conversations: 100K, 500K, 1M, 10M.
	Sizes []string `yaml:"sizes"`
	// Conversations are the numbers of those to keep; all by default.
	Conversations []int `yaml:"conversations,omitempty"`
	// Abilities are the abilities to ask about, such as event_ordering; all by
	// default.
	Abilities []string `yaml:"abilities,omitempty"`
	// Path names the folder of the sizes, or of one, relative to the run file's
	// folder; by default beam/chats in the data folder.
	Path string `yaml:"path,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	errs := []error{datasets.CheckList("sizes", o.Sizes, sizes), datasets.CheckList("abilities", o.Abilities, abilityIDs()), datasets.CheckList("conversations", o.Conversations, nil)}
	if len(o.Sizes) == 0 {
		errs = append(errs, fmt.Errorf("sizes is empty, want some of %s", strings.Join(sizes, ", ")))
	}
	return errors.Join(errs...)
}

// settings are the options that results depend on.
func (o Options) settings() map[string]string {
	all := func(list []string) string { return cmp.Or(strings.Join(list, ", "), "all") }
	return map[string]string{"sizes": all(o.Sizes), "abilities": all(o.Abilities), "conversations": all(lists.Map(o.Conversations, strconv.Itoa))}
}

// A loader opens conversations.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
	sums    []string // a line for each file
	root    string   // of the sizes
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	root, err := env.Find(o.Path, whence, "beam/chats")
	if err != nil {
		return nil, err
	}
	if o.Path != "" && len(o.Sizes) == 1 && filepath.Base(root) == o.Sizes[0] {
		root = filepath.Dir(root)
	}
	l := loader{options: o, root: root, set: &datasets.Set{Name: name, Settings: o.settings(), Categories: Categories()}}
	all, err := l.find()
	if err != nil {
		return nil, err
	}
	var entries []datasets.Entry
	var caveats []string
	var unread []error
	source := reread.Source{Parse: func(i int, data [][]byte) (datasets.Sample, error) { //nolint:contextcheck // what it reads is in memory
		return all[i].again(data), nil
	}}
	for _, c := range all {
		entry, err := l.load(ctx, c, len(entries))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		unread = append(unread, err)
		entries, source.Parts = append(entries, entry), append(source.Parts, c.parts)
		if c.caveat != "" {
			l.set.Warn("last plans of a conversation are missing; left out", c.caveat)
			caveats = append(caveats, c.caveat)
		}
	}
	if err := errors.Join(append(unread, l.faults.Err())...); err != nil {
		return nil, err
	}
	slices.Sort(l.sums)
	l.set.Sign(datafile.Sum([]byte(strings.Join(l.sums, ""))))
	l.set.Caveat = strings.Join(caveats, "; ")
	l.set.Stream(entries, &source)
	return l.set, nil
}

// load checks a conversation and its questions, and keeps everything except the turns.
func (l *loader) load(ctx context.Context, c *conversation, place int) (e datasets.Entry, err error) {
	chat, err := l.chat(ctx, c)
	if err != nil {
		return e, err
	}
	var topic struct {
		Category string `json:"category" want:"required"`
	}
	if err := l.small(ctx, c, "topic.json", func(root *jsontree.Cursor) { root.Decode(&topic) }); err != nil {
		return e, err
	}
	sample := chat.sample()
	labels := map[string]string{"size": c.size, "domain": strings.Clone(topic.Category)}
	err = l.small(ctx, c, "probing_questions/probing_questions.json", func(root *jsontree.Cursor) {
		if root.Is(jsontree.Object) {
			sample.Requests = l.questions(root, c, chat, labels)
		}
	})
	e = l.set.Index(place, &sample)
	for _, p := range c.parts {
		e.Bytes += int64(p.Size)
	}
	return e, err
}

// small reads a file other than the chat, unless it has no JSON. Its cursor reports faults.
func (l *loader) small(ctx context.Context, c *conversation, file string, read func(root *jsontree.Cursor)) error {
	path := filepath.Join(c.dir, filepath.FromSlash(file))
	data, err := datafile.Read(ctx, path, maxSmall)
	if err != nil {
		return err
	}
	l.note(path, datafile.Sum(data))
	l.faults.File = path
	if root := l.faults.Root(data, c.id()+": "); root != nil {
		read(root)
	}
	return nil
}

// maxSmall is the size of a file with questions or a topic above which it is
// refused, 64 MiB.
const maxSmall = 64 << 20

// note keeps the hash of a file for that of the set.
func (l *loader) note(path, sum string) {
	if within, err := filepath.Rel(l.root, path); err == nil {
		path = filepath.ToSlash(within)
	}
	l.sums = append(l.sums, path+"\t"+sum+"\n")
}

// A conversation is a folder of the release.
type conversation struct {
	size   string
	number int
	dir    string
	plans  []string      // the files of the chat, one for each plan or a single one
	parts  []reread.Part // of the files, as read
	caveat string        // what is missing
}

func (c *conversation) id() string { return fmt.Sprintf("%s-%d", c.size, c.number) }

const whence = "run 'bench data fetch beam --size 100K', or set path to a folder chats of your own"

// find lists the conversations that the options select, by size and number.
func (l *loader) find() (all []*conversation, err error) {
	var faults []error
	for _, size := range l.options.Sizes {
		dir, first := filepath.Join(l.root, size), len(all)
		entries, err := os.ReadDir(dir)
		if err != nil {
			faults = append(faults, fmt.Errorf("%w; %s", err, whence))
			continue
		}
		for _, e := range entries {
			n, err := strconv.Atoi(e.Name())
			if err == nil && e.IsDir() && (len(l.options.Conversations) == 0 || slices.Contains(l.options.Conversations, n)) {
				c := &conversation{size: size, number: n, dir: filepath.Join(dir, e.Name())}
				faults, all = append(faults, c.find()), append(all, c)
			}
		}
		slices.SortFunc(all[first:], func(a, b *conversation) int { return a.number - b.number })
		if len(all) == first {
			faults = append(faults, fmt.Errorf("%s: there is no conversation: %w; %s", dir, fs.ErrNotExist, whence))
		}
	}
	for _, n := range l.options.Conversations {
		if !slices.ContainsFunc(all, func(c *conversation) bool { return c.number == n }) {
			faults = append(faults, fmt.Errorf("%s: no conversation %d in %s", l.root, n, strings.Join(l.options.Sizes, ", ")))
		}
	}
	return all, errors.Join(faults...)
}

// plans is how many parts the longest conversations have.
const plans = 10

// find finds the files of the chat: the version that the authors shortened for their
// evaluation if there is one, otherwise the whole, otherwise its plans.
func (c *conversation) find() error {
	there := func(file string) bool {
		_, err := os.Stat(filepath.Join(c.dir, file))
		return err == nil
	}
	for _, file := range []string{"chat_trunecated.json", "chat.json"} {
		if there(file) {
			c.plans = []string{filepath.Join(c.dir, file)}
			return nil
		}
	}
	missing := ""
	for i := range plans {
		switch file := filepath.Join("plan-"+strconv.Itoa(i), "chat.json"); {
		case !there(file):
			missing = cmp.Or(missing, filepath.Join(c.dir, file))
		case missing != "":
			return fmt.Errorf("%s: is missing although later plans exist: %w", missing, fs.ErrNotExist)
		default:
			c.plans = append(c.plans, filepath.Join(c.dir, file))
		}
	}
	if len(c.plans) == 0 {
		return fmt.Errorf("%s: has no chat_trunecated.json or chat.json: %w", c.dir, fs.ErrNotExist)
	}
	if n := plans - len(c.plans); n > 0 {
		c.caveat = fmt.Sprintf("%s is without the last %d of %d plans", c.id(), n, plans)
	}
	return nil
}

// planned reports whether the files of the chat are its plans, each with ids counted from
// the start.
func (c *conversation) planned() bool { return filepath.Dir(c.plans[0]) != c.dir }
