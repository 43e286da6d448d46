// Package datasets says what a dataset is: conversations or structured memories
// with requests about them, and apart from both, the gold answers.
//
// A [Spec] describes a dataset and opens it as a [Set]. A method sees a
// [Sample] and its [Request]s; the [Gold] of a request has a type of its own
// and stays with the Set, where only scoring looks it up.
//
// A Set holds an [Entry] of each sample. The histories of samples may be larger
// than memory: [Set.Load] and [Set.All] load them, one at a time.
package datasets

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/typed"
	"recallbench/internal/text/termsafe"
)

// A Sample is one memory's worth: a conversation or a tree, and what is asked
// about it.
type Sample struct {
	ID       string
	Speakers []string
	Sessions []Session // in time order
	// Tree is the memory of a structured task; nil for a conversation, which
	// has Sessions instead.
	Tree     *tree.Tree
	Requests []Request
	// Dialogue is set when the requests form one conversation: they are asked
	// in order and each sees the effects of the last. Otherwise they are
	// independent and may be asked at the same time.
	Dialogue bool
}

// A Session is an uninterrupted part of a conversation.
type Session struct {
	ID string
	// Time is when the session began, the zero time when unknown. Dataset
	// clocks have no time zone; they are kept as UTC.
	Time  time.Time
	Turns []Turn
}

// A Turn is one utterance. Its ID is unique in the sample.
type Turn struct {
	ID      string
	Speaker string
	Text    string
	// Time is when the turn was said: the session's time where the dataset
	// knows no better.
	Time  time.Time
	Image *Image // shared with the turn; nil for none
	// Forgets are the ids of earlier turns of the same speaker whose content the turn
	// asks to have forgotten, in words; none for most turns. Memories that can forget
	// are told, others read the words.
	Forgets []string `json:",omitempty"`
}

// An Image stands for a picture that a speaker shared.
type Image struct {
	URL     string
	Caption string // what is on it, as a captioning model put it
	Query   string // the search words that found it
}

// A Request is one thing asked of a memory. It tells a method nothing about
// the gold answer, not even the category of the question.
type Request struct {
	ID   string // unique in the sample
	Text string
	Time time.Time // when it is asked; the zero time when unknown
	// Options are those of a multiple choice, in the order shown; none for an
	// open question. Methods may see them.
	Options []Option `json:",omitempty"`
}

// An Option is one of the answers that a multiple choice offers.
type Option struct {
	Key  string `json:"key"` // such as "a", unique in the request
	Text string `json:"text"`
}

// Gold is what a request should have been answered.
type Gold struct {
	// Category is the dataset's own id of the kind of question, such as "1";
	// [Set.CategoryName] gives its name.
	Category string
	Answer   string
	// Variants are other answers that are as right as Answer.
	Variants []string
	// Evidence holds the ids of the turns or nodes that the answer rests on,
	// without doubles and each of them in the sample. It may be empty.
	Evidence []string
	// Labels are what else results may be split by, such as the split or the
	// place of the request in its conversation; never what the category says.
	Labels map[string]string
	// Expect is what a request about a tree should lead to; nil where the
	// request is not judged, and for conversations.
	Expect *expect.Expectation
	// Abstain is set when the right answer is that the conversation does not
	// say.
	Abstain bool
	// Entities are those that the request and its answer are about, with their
	// mentions in the evidence and in the request; none where the dataset does
	// not say.
	Entities []Entity
	// History holds the turns that mention Entities, in order; [Set.Index] fills
	// it in.
	History []Turn `json:"-"`
	// Name is what the release calls the request, unique in the set; empty where
	// the request's own id says that. Methods never see it, as it may tell the
	// category.
	Name string `json:",omitempty"`
	// Rubric holds the nuggets, each judged by itself: what an answer must or must
	// not do. Ordered is set when their order is part of the gold.
	Rubric  []string `json:",omitempty"`
	Ordered bool     `json:",omitempty"`
	// Explanation says why there is no answer, or what an abstention should say;
	// with Abstain only.
	Explanation string `json:",omitempty"`
	// Lure is the answer that a careless reader would give, which is wrong; with Abstain
	// only.
	Lure string `json:",omitempty"`
	// Sessions are the ids of the sessions that the answer rests on, those of
	// Evidence among them; none where the dataset names no sessions.
	Sessions []string `json:",omitempty"`
	// Correct is the key of the right option; with [Request.Options] only.
	Correct string `json:",omitempty"`
	// Values are those that an answer has to name and those that it must not; nil where
	// the answer is not scored by values.
	Values *typed.Expected `json:",omitempty"`
}

// HistoryLabel is the label of requests whose samples are one history up to different
// places. Requests that share it are one cluster of an interval, as those of one sample
// are.
const HistoryLabel = "history"

// An Entity is somebody or something that a conversation speaks of, or a value
// that it tells.
type Entity struct {
	ID string `json:"id"` // unique in the sample
	// Names are the ways to write it, the canonical one first. An answer that
	// has one of them mentions the entity.
	Names    []string  `json:"names"`
	Mentions []Mention `json:"mentions"`
}

// A Mention is a place where an entity is mentioned, by name or otherwise.
type Mention struct {
	// Turn is the id of the turn; empty for the text of the request.
	Turn string `json:"turn,omitempty"`
	// Start and End are byte offsets into the text, End excluded.
	Start int `json:"start"`
	End   int `json:"end"`
}

// Uncategorised is the category of a question that names none.
const Uncategorised = "uncategorised"

// A Category is a kind of question.
type Category struct {
	ID   string
	Name string // the dataset's official name
	// Aliases maps the name of another project's category map to the name
	// which that project gives this category.
	Aliases map[string]string
}

// A Warning counts one known flaw of the data that the loader put right.
type Warning struct {
	What  string   // the flaw and what was done, such as "evidence points at no turn; left out"
	Count int      // how often
	Where []string // the first few places
}

// A Set is a dataset opened with options.
type Set struct {
	Name    string
	Version string
	SHA256  string // of the data read, in hex
	// Caveat is what must stand beside every result, such as that the data is a
	// sample of the release; empty for nothing.
	Caveat string
	// Settings are the policies that a result depends on beside the data, such
	// as the one for adversarial questions, by name.
	Settings   map[string]string
	Categories []Category
	// Entries are the samples without their histories, which Load gives.
	Entries  []Entry
	Warnings []Warning

	source  Source
	planted map[string][]typed.Planted
	closed  atomic.Bool
	gold    map[key]*Gold
}

type key struct{ sample, request string }

// SetGold records the gold answer of a request. Loaders call it.
func (s *Set) SetGold(sample, request string, g Gold) {
	if s.gold == nil {
		s.gold = make(map[key]*Gold)
	}
	s.gold[key{sample, request}] = &g
}

// Sign gives a set the hash of its data, in hex, and the version that is named by it.
func (s *Set) Sign(sum string) { s.SHA256, s.Version = sum, "sha256:"+sum[:12] }

// Gold returns the gold answer of a request and whether there is one.
func (s *Set) Gold(sample, request string) (Gold, bool) {
	g, ok := s.gold[key{sample, request}]
	if !ok {
		return Gold{}, false
	}
	return *g, true
}

// SetPlanted records the values that a sample's history tells, where the loader knows
// them all. Loaders call it.
func (s *Set) SetPlanted(sample string, planted []typed.Planted) {
	if s.planted == nil {
		s.planted = make(map[string][]typed.Planted)
	}
	s.planted[sample] = planted
}

// Planted returns the values that a sample's history tells; nil where nobody knows.
func (s *Set) Planted(sample string) []typed.Planted { return s.planted[sample] }

// warningPlaces is how many places a Warning names.
const warningPlaces = 3

// maxPlace is how many characters of a place a Warning has.
const maxPlace = 200

// Warn counts a flaw at a place, which may hold anything that a file does. Loaders call
// it; warnings come in the order in which their flaws were first met.
func (s *Set) Warn(what, where string) {
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

// CategoryName returns the official name of a category, or the id itself where
// the dataset names none.
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
	// Dir is the root folder of the data; each dataset has a folder of its
	// name in it. Empty when no data folder was found.
	Dir string
	// Base is the folder that relative paths in options start from: the
	// config file's.
	Base string
	Seed uint64
	Log  *slog.Logger
	// Sent are copies of the user's own files from another machine, by the path in
	// the option; see [Spec.Own].
	Sent map[string]string
}

// A Spec describes a dataset. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // in configs, lower case
	Doc     string // one line
	Source  string // citation
	License string // SPDX id, or a short name where SPDX has none
	// Options holds the default options, a struct; nil for none.
	Options any
	// All holds the options under which everything is loaded, for statistics;
	// nil where Options do that.
	All any
	// Embedded is set when the data is part of the program.
	Embedded bool
	// Categories are the kinds of questions, in the order of tables.
	Categories []Category
	// Metrics are those of a config that names none: what the dataset's own evaluation
	// uses and what no length of answers decides.
	Metrics []string
	// Files are what Open reads under Env.Dir/Folder and the licence that goes
	// with it, for fetching and verifying. None for a dataset that is embedded
	// or that the options name.
	Files []File
	// Folder is the folder of Files in Env.Dir; empty for one of the dataset's
	// name. What a dataset is built from may have another.
	Folder string
	// Own returns the paths in options whose files are the user's own, and may be sent
	// to other machines of the user; nil for data whose licence may forbid it.
	Own func(options any) []string
	// Open loads the dataset with options of the type of Options. Data that
	// is not there is an error that wraps fs.ErrNotExist.
	Open func(ctx context.Context, env Env, options any) (*Set, error)
}

// Opener returns the Open of the Spec with a name, which takes options of one type and
// checks them before it opens.
func Opener[O interface{ Validate() error }](name string, open func(context.Context, Env, O) (*Set, error)) func(context.Context, Env, any) (*Set, error) {
	return func(ctx context.Context, env Env, options any) (*Set, error) {
		o, ok := options.(O)
		if !ok {
			return nil, fmt.Errorf("%s: options are %T, want %T", name, options, o)
		}
		if err := o.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
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

// FilesOf returns the files of parts, and those of no part. No parts stand for the
// first.
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
	// Part names what of the dataset the file belongs to, such as a size, where it is
	// fetched part by part.
	Part string
	// License is set for the licence's text, which Open can do without.
	License bool
}
