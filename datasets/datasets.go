// Package datasets says what a dataset is: conversations or structured memories
// with questions about them and, separate from both, the gold answers.
//
// A [Spec] describes a dataset and opens it as a [Set]. A method sees a
// [Sample] and its [Request]s; the [Gold] of a question has a type of its own
// and stays with the Set, where only scoring looks it up.
//
// A Set has an [Entry] for each conversation. Conversations may be larger than
// memory: [Set.Load] and [Set.All] load them, one at a time.
package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/typed"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
)

// A Sample is the input of one memory, a conversation or a tree, and the
// questions about it.
type Sample struct {
	ID       string
	Speakers []string
	Sessions []Session // in time order
	// Tree is the memory of a structured task; nil for a conversation, which
	// has Sessions instead.
	Tree     *tree.Tree
	Requests []Request
	// Dialogue is set if the questions form one dialogue: they are asked in
	// order and each sees the effects of the last. Otherwise they are
	// independent and may be asked concurrently.
	Dialogue bool
}

// A Session is an uninterrupted part of a conversation.
type Session struct {
	ID string
	// Time is when the session began, the zero time if unknown. Dataset clocks have no
	// time zone; they are kept as UTC.
	Time  time.Time
	Turns []Turn
}

// A Turn is one utterance. Its ID is unique in the conversation.
type Turn struct {
	ID      string
	Speaker string
	Text    string
	// Time is when the turn was said: the session's time if the dataset is no more
	// precise.
	Time  time.Time
	Image *Image // shared with the turn; nil for none
	// Forgets are the ids of earlier turns of the same speaker whose content the turn
	// asks to have forgotten; empty for most turns. Memories that can forget receive
	// them, others read the words.
	Forgets []string `json:",omitempty"`
}

// An Image stands for a picture that a speaker shared.
type Image struct {
	URL     string
	Caption string // a captioning model's description
	Query   string // the search words that found it
}

// A Request is one question asked of a memory. It tells a method nothing about
// the gold answer, not even the category of the question.
type Request struct {
	ID   string // unique in the conversation
	Text string
	Time time.Time // when it is asked; the zero time if unknown
	// Options are those of a multiple choice, in the order shown; none for an
	// open question. Methods may see them.
	Options []Option `json:",omitempty"`
}

// An Option is one of the answers that a multiple choice offers.
type Option struct {
	Key  string `json:"key"` // such as "a", unique in the question
	Text string `json:"text"`
}

// Gold is the right answer to a question.
type Gold struct {
	// Category is the dataset's own id for the kind of question, such as "1";
	// [Set.CategoryName] gives its name.
	Category string
	Answer   string
	// Variants are other answers that are as right as Answer.
	Variants []string
	// Evidence has the ids of the turns or nodes that support the answer,
	// without duplicates and all from the conversation. It may be empty.
	Evidence []string
	// Labels are what else results may be split by, such as the split or the
	// position of the question in its conversation; never what the category
	// says.
	Labels map[string]string
	// Expect is the expected outcome of a task about a tree; nil if the task is not
	// judged, and for conversations.
	Expect *expect.Expectation
	// Abstain is set if the right answer is that the conversation does not say.
	Abstain bool
	// Entities are those that the question and its answer are about, with their
	// mentions in the evidence and in the question; empty if the dataset lists
	// none.
	Entities []Entity
	// History has the turns that mention Entities, in order; [Set.Index] fills
	// it in.
	History []Turn `json:"-"`
	// Name is the release's name of the question, unique in the set; empty if
	// the question's own id is that name. Methods never see it, as it may reveal
	// the category.
	Name string `json:",omitempty"`
	// Rubric has the nuggets, each judged by itself: what an answer must or must
	// not do. Ordered is set if their order is part of the gold.
	Rubric  []string `json:",omitempty"`
	Ordered bool     `json:",omitempty"`
	// Explanation says why there is no answer, or what an abstention should say;
	// with Abstain only.
	Explanation string `json:",omitempty"`
	// Lure is the wrong answer that a careless reader would give; with Abstain only.
	Lure string `json:",omitempty"`
	// Sessions are the ids of the sessions that support the answer, including
	// those of Evidence; empty if the dataset names no sessions.
	Sessions []string `json:",omitempty"`
	// Correct is the key of the right option; with [Request.Options] only.
	Correct string `json:",omitempty"`
	// Values are those that an answer has to name and those that it must not; nil if
	// the answer is not scored by values.
	Values *typed.Expected `json:",omitempty"`
}

// HistoryLabel is the label of questions whose conversations are one conversation cut
// at different places. Questions that share it are one cluster of an interval, like
// those of one conversation.
const HistoryLabel = "history"

// An Entity is a person or thing that a conversation mentions, or a value that
// it states.
type Entity struct {
	ID string `json:"id" want:"filled"` // unique in the conversation
	// Names are the ways to write it, the canonical one first. An answer that
	// contains one of them mentions the entity.
	Names    []string  `json:"names" want:"required"`
	Mentions []Mention `json:"mentions"`
}

// A Mention is a place where an entity is mentioned, by name or otherwise.
type Mention struct {
	// Turn is the id of the turn; empty for the text of the question.
	Turn string `json:"turn,omitempty"`
	// Start and End are byte offsets into the text, End excluded.
	Start int `json:"start" want:"required"`
	End   int `json:"end" want:"required"`
}

// Uncategorised is the category of a question without one.
const Uncategorised = "uncategorised"

// A Category is a kind of question.
type Category struct {
	ID   string `json:"id"`
	Name string `json:"name"` // the dataset's official name
	// Aliases maps the name of another project's category map to that project's name for
	// this category.
	Aliases map[string]string `json:"aliases,omitempty"`
}

// A Warning counts one known flaw of the data that the loader corrected.
type Warning struct {
	What  string   `json:"what"` // the flaw and what was done, such as "evidence names no turn; left out"
	Count int      `json:"count"`
	Where []string `json:"where"` // the first few places
}

// A Set is a dataset opened with options.
type Set struct {
	Name    string
	Version string
	SHA256  string // of the data read, in hex
	// Caveat is a note that must accompany every result, such as that the data
	// is only a part of the release; empty for none.
	Caveat string
	// Settings are the policies that a result depends on in addition to the
	// data, such as the one for adversarial questions, by name.
	Settings   map[string]string
	Categories []Category
	// Entries are the conversations without their turns, which Load provides.
	Entries  []Entry
	Warnings []Warning

	// Quiet is set while a loader reads what its options leave out: its flaws are not
	// counted.
	Quiet bool

	source  Source
	planted map[string][]typed.Planted
	gold    map[key]*Gold
}

type key struct{ sample, request string }

// SetGold records the gold answer of a question. Loaders call it.
func (s *Set) SetGold(sample, request string, g Gold) {
	if s.gold == nil {
		s.gold = make(map[key]*Gold)
	}
	s.gold[key{sample, request}] = &g
}

// Sign gives a set the hash of its data, in hex, and the version that is named after it.
func (s *Set) Sign(sum string) { s.SHA256, s.Version = sum, "sha256:"+sum[:12] }

// Gold returns the gold answer of a question and whether there is one.
func (s *Set) Gold(sample, request string) (Gold, bool) {
	g, ok := s.gold[key{sample, request}]
	if !ok {
		return Gold{}, false
	}
	return *g, true
}

// SetPlanted records the values that a conversation states, if the loader knows them
// all. Loaders call it.
func (s *Set) SetPlanted(sample string, planted []typed.Planted) {
	if s.planted == nil {
		s.planted = make(map[string][]typed.Planted)
	}
	s.planted[sample] = planted
}

// Planted returns the values that a conversation states; nil if they are not known.
func (s *Set) Planted(sample string) []typed.Planted { return s.planted[sample] }

// warningPlaces is how many places a Warning names.
const warningPlaces = 3

// maxPlace is how many characters of a place a Warning has.
const maxPlace = 200

// Warn counts a flaw at a place, which may contain arbitrary text from a file. Loaders
// call it; warnings come in the order in which their flaws were first met.
func (s *Set) Warn(what, where string) {
	if s.Quiet {
		return
	}
	i := slices.IndexFunc(s.Warnings, func(w Warning) bool { return w.What == what })
	if i < 0 {
		i = len(s.Warnings)
		s.Warnings = append(s.Warnings, Warning{What: what})
	}
	w := &s.Warnings[i]
	w.Count++
	if len(w.Where) < warningPlaces {
		w.Where = append(w.Where, termsafe.Excerpt(where, maxPlace))
	}
}

// CategoryName returns the official name of a category, or the id itself if the
// dataset has none.
func (s *Set) CategoryName(id string) string {
	for _, c := range s.Categories {
		if c.ID == id {
			return c.Name
		}
	}
	return id
}

// Env is what a dataset may use while it opens.
type Env struct {
	// Dir is the root folder of the data, in which each dataset has a folder of its name.
	// Empty if no data folder was found.
	Dir string
	// Base is the folder that relative paths in options start from: the run file's.
	Base string
	Seed uint64
	Log  *slog.Logger
	// Sent are copies of the user's own files from another machine, by the path in
	// the option; see [Spec.Own].
	Sent map[string]string
}

// A Spec describes a dataset. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // in run files, lowercase
	Doc     string // one line
	Source  string // citation
	License string // SPDX id, or a short name if SPDX has none
	// Options holds the default options, a struct; nil for none.
	Options any
	// All has the options under which everything is loaded, for statistics; nil
	// if Options do that.
	All any
	// Embedded is set if the data is part of the program.
	Embedded bool
	// Categories are the kinds of questions, in the order of tables.
	Categories []Category
	// Metrics are those of a run file that names none: the metrics of the dataset's
	// own evaluation that do not depend on the length of answers.
	Metrics []string
	// Files are what Open reads under Env.Dir/Folder and the licence of that
	// data, for fetching and verifying. Empty for a dataset that is embedded or
	// named by the options.
	Files []File
	// Folder is the folder of Files in Env.Dir; empty for one named after the
	// dataset. The source of a built dataset may have another.
	Folder string
	// Own returns the paths in options whose files are the user's own and may be sent
	// to other machines of the user; nil for data whose licence may forbid it.
	Own func(options any) []string
	// Open loads the dataset with options of the type of Options. Missing data is an
	// error that wraps fs.ErrNotExist.
	Open func(ctx context.Context, env Env, options any) (*Set, error)
}

// Opener returns the Open of the Spec with a name; it takes options of one type and
// checks them before it opens, if they have a method Validate. Run files have been
// checked for values of enumerations.
func Opener[O any](name string, open func(context.Context, Env, O) (*Set, error)) func(context.Context, Env, any) (*Set, error) {
	return func(ctx context.Context, env Env, options any) (*Set, error) {
		o, ok := options.(O)
		if !ok {
			return nil, fmt.Errorf("%s: options are %T, want %T", name, options, o)
		}
		if v, ok := options.(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return open(ctx, env, o)
	}
}

// Parts returns the names of the parts that the files belong to, in order.
func (s *Spec) Parts() []string {
	var parts []string
	for _, f := range s.Files {
		if f.Part != "" && !slices.Contains(parts, f.Part) {
			parts = append(parts, f.Part)
		}
	}
	return parts
}

// FilesOf returns the files of the parts, and those that belong to no part. No
// parts means the first.
func (s *Spec) FilesOf(parts ...string) []File {
	if all := s.Parts(); len(parts) == 0 && len(all) > 0 {
		parts = all[:1]
	}
	return slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool { return f.Part != "" && !slices.Contains(parts, f.Part) })
}

// Home returns the folder of the dataset's files in the data folder.
func (s *Spec) Home() string { return cmp.Or(s.Folder, s.Name) }

// A File is a file of a dataset as published.
type File struct {
	Name   string // relative to the dataset's folder, slash-separated
	URL    string // at a pinned commit
	Size   int64  // bytes
	SHA256 string // hex
	// GitBlob pins the file in place of SHA256: the SHA-1 in hex of "blob ", the size
	// in decimal, a NUL byte and the content. Size may then be 0, for unknown.
	GitBlob string
	// Part names the part of the dataset that the file belongs to, such as a size, if
	// it is fetched part by part.
	Part string
	// License is set for the licence's text, which Open does not need.
	License bool
}

// CheckList returns the faults of an option that lists values: unknown ones, given
// the valid ones (nil allows any), and duplicates.
func CheckList[T comparable](option string, values, have []T) error {
	text := func(v T) string { return fmt.Sprint(v) }
	var faults []error
	for i, v := range values {
		if have != nil && !slices.Contains(have, v) {
			faults = append(faults, fmt.Errorf("%s: %s", option, suggest.Unknown("value", text(v), lists.Map(have, text))))
		}
		if slices.Contains(values[:i], v) {
			faults = append(faults, fmt.Errorf("%s has %q twice", option, text(v)))
		}
	}
	return errors.Join(faults...)
}

// Resolve returns a path of an option: that of a copy as it is, otherwise relative to
// Base.
func (e Env) Resolve(path string) string {
	if local, ok := e.Sent[path]; ok {
		return local
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Base, path)
}

// Find returns the path that an option names or, if it names none, the first existing
// one of some paths in the data folder. If none exists, the error wraps
// [fs.ErrNotExist] and ends with the remedy.
func (e Env) Find(option, remedy string, paths ...string) (string, error) {
	if option != "" {
		return e.Resolve(option), nil
	}
	if e.Dir == "" {
		return "", fmt.Errorf("no data folder: %w; set one with --data or BENCH_DATA; %s", fs.ErrNotExist, remedy)
	}
	for _, p := range paths {
		path := filepath.Join(e.Dir, filepath.FromSlash(p))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w; %s, or set another folder with --data or BENCH_DATA", filepath.Join(e.Dir, filepath.FromSlash(paths[0])), fs.ErrNotExist, remedy)
}

// Fetch is the remedy for a dataset that can be fetched.
func Fetch(name string) string { return fmt.Sprintf("run 'bench data fetch %s'", name) }
