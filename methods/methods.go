// Package methods says what a memory method is.
//
// A [Spec] describes a method and makes it; the [Method] builds a [Memory] of a
// conversation once; the Memory answers questions. Everything a method needs
// from outside comes in [Env]. A method never counts its tokens, opens a socket
// or reads the clock by itself.
package methods

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
)

// Env is a method's environment. A model that the model entry does not provide
// is nil; a method that needs it reports that when it is made.
type Env struct {
	LLM      llm.Generator
	Embed    embed.Model
	NLI      nli.Scorer
	Annotate annotate.Annotator
	Prune    compress.Classifier // of tokens, such as LLMLingua-2
	Tokens   token.Counter
	Prompts  *prompt.Set
	Now      func() time.Time
	Seed     uint64 // derive a rand.Source from it and the conversation's id
	Log      *slog.Logger

	// The fields below are for methods that run programs.

	// Context ends when the method is no longer needed; nil never does.
	Context context.Context //nolint:containedctx // New has no other
	// ChatModel and EmbedModel are the names of the models behind LLM and Embed.
	ChatModel, EmbedModel string
	// Base is the folder that relative paths of options start from.
	Base string
	// Folder returns the folder of the run; empty if there is none. Nil means
	// none too.
	Folder func() string
	// Getenv reads the environment; nil has none.
	Getenv func(string) string
	// Charge adds usage outside of any question or memory to what the run paid;
	// nil does not.
	Charge func(*meter.Meter)
}

// A Spec describes a method. Suites list Specs; nothing registers itself.
type Spec struct {
	Name   string // in run files, lowercase
	Doc    string // one line
	Source string // its paper or project
	// Options holds the default options, a struct; nil for none.
	Options any
	// Ingests says what the method can build a memory of.
	Ingests Ingests
	// Sees says what the runner shows the method instead of the conversation.
	// Baselines use it; they are made for each question and have no Grid.
	Sees View
	// Prompts holds the method's templates, see package prompt; nil for none.
	Prompts prompt.Texts
	// Kept says what the parts that Build keeps depend on, see package checkpoint, for
	// options of the type of Options and a method that New has made. It returns nil if
	// nothing is kept with these options; a method that keeps nothing has none.
	Kept func(env Env, options any) *Kept
	// Switches says briefly which of its authors' versions the options follow, for
	// the footnotes of tables; nil if there is one version.
	Switches func(options any) string
	// Grid returns the options, of the type of Options, among which a run with
	// tuning chooses, in order: of equal scores the first wins. Nil for a
	// method without tuning. Its memories are [Tunable].
	Grid func(options any) []any
	// Identity returns the part of the options that answers depend on; nil means
	// all of them. It is called for a method that New has made.
	Identity func(env Env, options any) any
	// New makes the method with options of the type of Options. A method that is
	// an [io.Closer] is closed at the end of the run.
	New func(env Env, options any) (Method, error)
}

// Kept is what the parts of a memory depend on, apart from the conversation and
// the seed. Memories with equal values share their parts.
type Kept struct {
	Options any      // a struct, as Options of a Spec is
	Prompts []string // names of the templates
	Roles   []string // of the calls to models
	// Embeddings includes embedding usage in the cost of a part: a memory that
	// takes the part over embeds nothing again.
	Embeddings bool
}

// Ingests says what a memory can be built of.
type Ingests int

// What methods ingest.
const (
	Conversations Ingests = iota // samples with sessions
	Trees                        // samples with a tree
	Anything                     // both
)

// A View is what the runner shows a method instead of the conversation. Baselines
// that show how far memories could get are methods with a view of their own: gold
// answers reach no method.
type View int

// What methods see.
const (
	Everything   View = iota // the conversation
	OnlyEvidence             // for each question its gold evidence
	Elsewhere                // another conversation of the dataset
)

// A Method builds memories. Build may be called concurrently.
type Method interface {
	// Build ingests a conversation. It does not look at the questions.
	Build(ctx context.Context, s datasets.Sample) (Memory, error)
}

// A Memory holds what a method remembers of one conversation.
//
// Answer may be called concurrently for independent questions and then leaves
// the memory unchanged; the questions of a dialogue come one after another and
// may change it. With an error, a Response has only the trace of the steps
// before it.
//
// A memory that is an [io.Closer] is closed when it is no longer needed, see [Close].
type Memory interface {
	Answer(ctx context.Context, r datasets.Request) (Response, error)
}

// Close closes a memory that holds more than its own data.
func Close(m Memory) error {
	if c, ok := m.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// An Adapted method talks to a program that describes itself.
type Adapted interface {
	Method
	Adapter() *Adapter
}

// An Adapter is a program behind a method, as it describes itself.
type Adapter struct {
	Name          string            `json:"name"`
	Version       string            `json:"version"`
	Protocol      string            `json:"protocol"`
	Libraries     map[string]string `json:"libraries,omitempty"`
	Deterministic bool              `json:"deterministic"`
	Mutates       bool              `json:"mutates,omitempty"`
	Sources       string            `json:"sources,omitempty"` // "exact" or "none"
	// Unmetered says why its model calls are not counted; empty if they are.
	Unmetered string `json:"unmetered,omitempty"`
	Clock     string `json:"clock,omitempty"` // that its libraries read: "session" or "real"

	// AskedHosts counts refused connections to other hosts, by host and port, over
	// all datasets of the method.
	AskedHosts map[string]int `json:"asked_hosts,omitempty"`
}

// Did returns the adapter with the counts of o added; nil adds nothing.
func (a Adapter) Did(o *Adapter) *Adapter {
	if o == nil || len(o.AskedHosts) == 0 {
		return &a
	}
	sum := maps.Clone(o.AskedHosts)
	for host, n := range a.AskedHosts {
		sum[host] += n
	}
	a.AskedHosts = sum
	return &a
}

// An Ordered memory is asked its questions in an order of its own.
type Ordered interface {
	Memory
	// Order returns the indexes of questions in the order in which they are asked.
	// With serial each waits for the one before, and recorded ones are asked again
	// when a run is resumed, because they may change later ones.
	Order(requests []datasets.Request) (order []int, serial bool)
}

// A Forker is a memory of a tree that can continue from versions of it.
type Forker interface {
	Memory
	// Fork returns a memory that continues from the newest of some versions; the
	// first is the tree that the memory was built from. The memory does not see what
	// it appends. It need not be closed; close the memory it was derived from.
	Fork(versions *tree.History) Memory
}

// A Querier is a memory of a tree that runs queries of the Semantic XPath paper.
type Querier interface {
	Memory
	// Query runs a query over a version, scored and limited like those of tasks, and
	// explains its steps.
	Query(ctx context.Context, query string, v *tree.Version) (semxpath.Result, error)
}

// A Structured memory reports its structure in numbers, such as the number of
// themes, which the record of its ingest keeps.
type Structured interface {
	Memory
	// Structure is called once, when the memory is built.
	Structure() map[string]float64
}

// A Shown memory can display its content.
type Shown interface {
	Memory
	// Show is called once, when the memory is built. A turn is a node with the id
	// "turn ID" and no text; evidence that is a node has its id.
	Show() structure.Structure
}

// A Storing memory lists what it stores, as texts: the texts in which it finds
// answers, and no other copy of the conversation.
type Storing interface {
	Memory
	// Items is called once, when the memory is built; known is false if the memory
	// cannot tell.
	Items() (items []string, known bool)
}

// A Tunable memory can answer with other options than it was built with.
type Tunable interface {
	Memory
	// With returns a memory over the same content that answers with options of its
	// method's Grid. It need not be closed; close the memory it was derived from.
	With(options any) Memory
}

// A Response is the answer to a question and how it came about.
type Response struct {
	Text string
	// Evidence lists every block that reached the reader, best first if the
	// method ranks them, else in the order shown.
	Evidence []Evidence
	// Nodes are the ids of the nodes of a tree that the task is about,
	// according to the method: those that the answer mentions, that it edits,
	// or below which it creates others. Nil for a conversation.
	Nodes []string
	// Tree is the state of the memory after a task that edits it; nil for one
	// that does not.
	Tree  *tree.Version
	Trace []Step
}

// Evidence is one block that reached the reader.
type Evidence struct {
	// ID names the block within the memory, such as "chunk 12".
	ID string
	// Sources are the ids of the turns (or other units of the conversation)
	// from which the block was made. A turn belongs to only one block of a
	// partition, so that recall does not count halves of turns.
	Sources []string
	Score   float64 // as the method ranks; 0 for an unranked block
	Text    string  // as the reader saw it
	// Estimated is set if Sources were guessed by comparing texts.
	Estimated bool
}

// A Step is one thing a method did for an answer, for people to read.
type Step struct {
	Name string         `json:"name"`
	Note string         `json:"note,omitempty"`
	Data map[string]any `json:"data,omitempty"` // JSON values
}
