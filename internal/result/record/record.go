// Package record reads and writes run folders: the header, one line for each finished
// request, one for each ingest, one for each block of evidence, and the gold
// answers that scoring needs. Everything else in a run folder is derived from
// these files.
//
//	run.json                     the header
//	config.yaml                  the resolved config; imported answers have none
//	gold/<dataset>.jsonl         questions and gold answers
//	gold/<dataset>.trees.jsonl   structured memories, if there are any
//	gold/<dataset>.turns.jsonl   order of the turns of conversations of up to 100,000 turns
//	gold/<dataset>.errata.jsonl  what is wrong with them, if there are errata
//	cells/<id>/records.jsonl     finished requests
//	cells/<id>/ingests.jsonl     built memories
//	cells/<id>/blocks.jsonl      texts of the evidence that records refer to
//	cells/<id>/judgements.jsonl  verdicts of language models, by bench judge
//	ratings/<dataset>.asked.json what people were asked to rate, by bench judge people export
//	ratings/<dataset>.jsonl      what they said, by bench judge people import
//	annotations/<reviewer>.jsonl notes of people about answers, see package note
//	scores.jsonl                 derived by bench score
//	summary.json                 their means, derived for an index of runs
//	progress.json                the state of a run in progress
//	damaged/...                  damaged or incomplete files, moved out of the way
//
// During a run, lines are in the order in which requests finished. When a
// cell is complete its files are sorted into the order of the dataset, so that the
// same run gives the same bytes.
package record

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/typed"
	"recallbench/methods"
	"recallbench/metrics"
)

// SchemaVersion is the version of the files of a run folder.
const SchemaVersion = 1

// A Status says how a run or a request ended.
type Status string

// The statuses of requests.
const (
	OK      Status = "ok"
	Error   Status = "error"
	Refused Status = "refused"
	Limit   Status = "limit" // a limit of the request was reached
)

// The statuses of runs.
const (
	Started     Status = "started"
	Interrupted Status = "interrupted"
	Complete    Status = "complete"
)

// A Header describes a run: run.json.
//
//nolint:recvcheck // passed about by value; what changes it has a pointer
type Header struct {
	Schema int    `json:"schema"`
	ID     string `json:"id"`
	Name   string `json:"name"`
	// Baseline says why the run was blessed; nil for a run that was not.
	Baseline *Baseline `json:"baseline,omitempty"`
	Status   Status    `json:"status"`
	Argv     []string  `json:"argv"`
	Binary   Binary    `json:"binary"`
	Seed     uint64    `json:"seed"`
	// Seeds are the seeds of a run with several, beginning with Seed: each cell is
	// there for each of them that the config does not exclude for it.
	Seeds []uint64 `json:"seeds,omitempty"`
	// Shard says which part of the samples the run asked; nil for all.
	Shard *Shard `json:"shard,omitempty"`
	// ConfigSHA256 is of config.yaml, which holds the config in full; empty for a
	// run of imported answers.
	ConfigSHA256 string    `json:"config_sha256"`
	Datasets     []Dataset `json:"datasets"`
	Models       []Model   `json:"models"`
	Metrics      []string  `json:"metrics"`
	Published    []string  `json:"published,omitempty"`
	Cells        []Cell    `json:"cells"`
	// Tunings say how options of methods were chosen before the first request.
	Tunings []Tuning `json:"tunings,omitempty"`
	// Skipped names optional datasets that were not there, and methods that a model must
	// build in a run without one, with the reason.
	Skipped []string `json:"skipped,omitempty"`
	// Stopped says why the run stopped before its end by itself.
	Stopped string `json:"stopped,omitempty"`
	// Paid is what all parts of the run have paid for, and what recordings
	// saved.
	Paid *meter.Paid `json:"paid,omitempty"`
	// Calls is the mode of recordings, and Prices the date of the price table;
	// both empty where no model is called.
	Calls  string `json:"calls,omitempty"`
	Prices string `json:"prices,omitempty"`
	// Repeated is known of the recordings that replied; nil if no call was repeated.
	Repeated *Repeated `json:"repeated,omitempty"`
	// Judge is the judge whose judgements scores are derived from; nil where the
	// answers were not judged.
	Judge *Judge `json:"judge,omitempty"`
	// Judges are those of other profiles, each with a column of its own.
	Judges []Judge   `json:"judges,omitempty"`
	Start  time.Time `json:"start"`
	End    time.Time `json:"end,omitzero"`
	// Scored says what scores.jsonl holds; nil where it is not known.
	Scored *Scored `json:"scored,omitempty"`
	// Accepted is what was edited after the run and accepted by a person.
	Accepted []Edit `json:"accepted_edits,omitempty"`
	// Files are the digests of what the run wrote: none while it is in progress, after a
	// kill, and in runs of older programs.
	Files []Digest `json:"files,omitempty"`
	// Sum is the SHA-256 of the header without it as compact JSON, in hex.
	Sum string `json:"header_sha256,omitempty"`
}

// A Shard is one of several parts of a run that differ in the samples alone.
type Shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`    // number of parts
}

// Binary says which program ran.
type Binary struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
	Host    string `json:"host"` // GOOS/GOARCH
}

// BinaryOf describes a binary by its release version, if it has one, and by the build
// information of Go. A module installed by version has that version and a checksum.
// Other builds are "devel": Go derives their version from the commit, which is recorded,
// too.
func BinaryOf(release string, info *debug.BuildInfo) Binary {
	b := Binary{Version: "devel", Go: runtime.Version(), Host: runtime.GOOS + "/" + runtime.GOARCH}
	switch {
	case release != "":
		b.Version = release
	case info.Main.Sum != "":
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

// A Dataset describes a dataset of a run.
//
//nolint:recvcheck // passed about by value; what changes it has a pointer
type Dataset struct {
	Label      string            `json:"label"` // unique in the run; names its file in gold/
	Name       string            `json:"name"`
	Version    string            `json:"version"`
	SHA256     string            `json:"sha256"`
	Caveat     string            `json:"caveat,omitempty"` // what must accompany every result
	Settings   map[string]string `json:"settings,omitempty"`
	Categories []Category        `json:"categories,omitempty"`
	Samples    int               `json:"samples"`
	Requests   int               `json:"requests"`
	Warnings   []string          `json:"warnings,omitempty"`
	// Errata are what the answer keys besides the published one rest on, and Key is
	// the one that counts; both empty where the published one alone is there.
	Errata []Overlay  `json:"errata,omitempty"`
	Key    errata.Key `json:"answer_key,omitempty"`
	// KeyOptions are the options of [errata.Options] by which the errata were applied,
	// as text; empty for the defaults.
	KeyOptions string `json:"key_options,omitempty"`
}

// An Overlay describes errata of a dataset that a run is scored with.
type Overlay struct {
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	SHA256      string `json:"sha256"` // of its entries, in hex
	License     string `json:"license"`
	Source      string `json:"source"`
	Attribution string `json:"attribution,omitempty"`
}

func (o Overlay) String() string {
	return fmt.Sprintf("%s (%.12s)", strings.TrimSpace(o.Name+" "+o.Version), o.SHA256)
}

// AnswerKey says which answer key counts, and by which errata it differs from the
// published one.
func (d Dataset) AnswerKey() string {
	if d.Key == "" || d.Key == errata.Published {
		return string(errata.Published)
	}
	name := string(d.Key) + " by " + strings.Join(lists.Map(d.Errata, Overlay.String), ", ")
	if d.KeyOptions != "" {
		name += " with " + d.KeyOptions
	}
	return name
}

// SameKeys reports whether two datasets have the same answer keys, and the same of
// them counts.
func (d Dataset) SameKeys(e Dataset) bool {
	return slices.Equal(d.Errata, e.Errata) && d.Key == e.Key && d.KeyOptions == e.KeyOptions
}

// SetKeys gives the dataset the answer keys of another.
func (d *Dataset) SetKeys(e Dataset) {
	d.Errata, d.Key, d.KeyOptions = e.Errata, e.Key, e.KeyOptions
}

// Nouns returns what people call a request of the dataset, and what it is about.
func (d Dataset) Nouns() (request, about string) {
	switch {
	case d.Name != "tasks":
		return "question", "conversation"
	case d.Settings["turns"] == "single":
		return "task", "tree"
	}
	return "task", "dialogue"
}

// CategoryName returns the name of a category, or its id where it has none.
func (d Dataset) CategoryName(id string) string {
	for _, c := range d.Categories {
		if c.ID == id && c.Name != "" {
			return c.Name
		}
	}
	return id
}

// Dataset returns the dataset of a label; the zero one where there is none.
func (h Header) Dataset(label string) (Dataset, bool) {
	return first(h.Datasets, func(d Dataset) bool { return d.Label == label })
}

// Model returns the model of a label; the zero one where there is none.
func (h Header) Model(label string) (Model, bool) {
	return first(h.Models, func(m Model) bool { return m.Label == label })
}

func first[T any](list []T, is func(T) bool) (x T, ok bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return x, false
}

// A Category is a kind of question, in the order of tables.
type Category = datasets.Category

// A Model describes an entry of the models list.
type Model struct {
	Label   string   `json:"label"`
	Backend string   `json:"backend"`
	Reader  string   `json:"reader"`
	Served  []string `json:"served,omitempty"` // models that answered
	// Fingerprints are the servers' names for their configurations.
	Fingerprints []string `json:"fingerprints,omitempty"`
	// Recorded are the days of UTC on which its replies were recorded, in order.
	Recorded []string          `json:"recorded,omitempty"`
	Offline  bool              `json:"offline,omitempty"`
	Tokens   string            `json:"tokenizer"`
	Settings map[string]string `json:"settings,omitempty"`
	// Roles are the models that served the calls of some roles in place of
	// Reader. They are not among Served.
	Roles map[string]RoleModel `json:"roles,omitempty"`
}

// Weights returns what the servers said of the weights that replied, one entry each.
// Several mean that a server was given other weights while it went by one name.
func (m Model) Weights() []string {
	var all []string
	for _, f := range m.Fingerprints {
		if _, weights, ok := strings.Cut(f, llm.Weights); ok && !slices.Contains(all, weights) {
			all = append(all, weights)
		}
	}
	return all
}

// A RoleModel is the model that serves the calls of a role.
type RoleModel struct {
	Model  string   `json:"model"`            // as asked for
	Served []string `json:"served,omitempty"` // models that answered
}

// A Judge describes who judged the answers of a run, and how.
type Judge struct {
	ID string `json:"id"` // hash of all that its judgements depend on
	// Name is that of its column, judge:NAME: the profile and the model. Empty for the
	// judge of the column judge.
	Name    string `json:"name,omitempty"`
	Profile string `json:"profile,omitempty"`
	Clone   string `json:"clone,omitempty"` // repository and commit of its authors' prompts
	// Columns are the kinds of its columns beside judge, such as abstention.
	Columns []string `json:"columns,omitempty"`
	// Calibrations are by the label of the dataset.
	Calibrations map[string]Calibration `json:"calibrations,omitempty"`
	Prompts      string                 `json:"prompts_sha256"`
	Model
}

// A Calibration is how a judge fares by labels that people gave.
type Calibration struct {
	Labels      int      `json:"labels"` // answers that people labelled right or wrong
	Sensitivity *float64 `json:"sensitivity"`
	Specificity *float64 `json:"specificity"`
	// Alpha is Krippendorff's of the raters; nil for one rater.
	Alpha *float64 `json:"alpha"`
}

// A Cell is one method on one dataset with one model: the unit that a table
// compares.
type Cell struct {
	ID      string `json:"id"` // hash of all that its answers depend on
	Dataset string `json:"dataset"`
	Method  string `json:"method"` // the method's label
	Use     string `json:"use"`    // the method's name
	Model   string `json:"model"`
	// VariantOf is the label of the method that this one is a variant of, such as
	// the full method of an ablation; empty for none.
	VariantOf string `json:"variant_of,omitempty"`
	// Imported says where the answers come from; nil for those of this program.
	Imported *Imported `json:"imported,omitempty"`
	// Options are the method's options in full, as in the config.
	Options map[string]any `json:"options,omitempty"`
	// Switches say which of its authors' versions the method follows; empty where
	// there is one version.
	Switches string `json:"switches,omitempty"`
	// Sees says what a baseline saw in place of its conversation; empty for a memory.
	Sees    string `json:"sees,omitempty"`
	Prompts string `json:"prompts_sha256,omitempty"`
	Seed    uint64 `json:"seed"`
	Samples int    `json:"samples"`
	Planned int    `json:"requests"`
	// Memory is a hash of all that the kept parts of the cell's memories depend
	// on but for the sample: cells with the same one share them. Empty for a
	// method that keeps none.
	Memory string `json:"memory,omitempty"`
	// Adapter is the program behind an external memory; nil for none.
	Adapter *methods.Adapter `json:"adapter,omitempty"`
}

// Imported says where answers come from that were made elsewhere.
type Imported struct {
	File   string `json:"file"` // its name, without folders
	Format string `json:"format"`
	SHA256 string `json:"sha256"` // of the file, in hex
	// Without are the parts of an answered request that the file says nothing
	// of: metrics that look at them are undefined.
	Without []metrics.Part `json:"without,omitempty"`
	// Accepted counts the answers whose file says something else of a question than
	// the dataset, by field, which a person accepted.
	Accepted map[string]int `json:"accepted,omitempty"`
}

// Imported reports whether the answers of a run were made elsewhere.
func (h Header) Imported() bool {
	return slices.ContainsFunc(h.Cells, func(c Cell) bool { return c.Imported != nil })
}

// Lacks reports whether nothing is known of a part of the cell's answers. For
// imported ones that is what their file does not say, such as which turns a block
// of evidence stands for.
func (c Cell) Lacks(part metrics.Part) bool {
	return c.Imported != nil && slices.Contains(c.Imported.Without, part)
}

// AdapterNote says which program is behind an external memory, and what bears on its
// results; empty for another cell.
func (c Cell) AdapterNote() string {
	a := c.Adapter
	if a == nil {
		return ""
	}
	note := "adapter " + strings.TrimSpace(a.Name+" "+a.Version)
	if a.Clock != "" {
		note += ", clock: " + a.Clock
	}
	if a.Unmetered != "" {
		note += "; model calls not metered: " + a.Unmetered
	}
	if len(a.AskedHosts) > 0 {
		note += "; tried to reach other hosts, which was refused: " + strings.Join(slices.Sorted(maps.Keys(a.AskedHosts)), ", ")
	}
	return note
}

// A Tuning says how options of a method were chosen.
type Tuning struct {
	Method string `json:"method"` // label
	Model  string `json:"model"`
	// Datasets are what was asked about, and Requests how many requests each
	// point was scored on.
	Datasets []Dataset `json:"datasets"`
	Requests int       `json:"requests"`
	Column   string    `json:"column"` // that was to be highest
	Points   []Point   `json:"points"` // in the order of the grid
	Chosen   int       `json:"chosen"` // index of the best point
}

// A Point is a point of the grid that a method was tuned over.
type Point struct {
	// Options are those that are not the same at all points, by their keys, such
	// as "weights.similarity".
	Options map[string]any `json:"options"`
	Score   float64        `json:"score"` // mean over requests; a failed one is 0
	Failed  int            `json:"failed,omitzero"`
}

// A Record is one finished request: a line of records.jsonl.
type Record struct {
	Sample   string     `json:"sample"`
	Request  string     `json:"request"`
	Hash     string     `json:"hash"` // of the request's content; resume matches by it
	Category string     `json:"category"`
	Status   Status     `json:"status"`
	Answer   string     `json:"answer"`
	Error    *Failure   `json:"error,omitempty"`
	Attempts int        `json:"attempts"`
	Evidence []BlockRef `json:"evidence,omitempty"`
	// Nodes are the ids of a tree's nodes that the method holds to be what the
	// request is about.
	Nodes []string `json:"nodes,omitempty"`
	// Edits turn the tree as it was when the request was made into the one
	// after it; none where it is the same.
	Edits []tree.Edit `json:"edits,omitempty"`
	// Usage is split by phase, always "query", and by role.
	Usage map[string]map[string]llm.Usage `json:"usage,omitempty"`
	// Text is the tokens of the query phase by role as the paper's accounting
	// has them, see [meter.Seen]; empty where Usage says the same.
	Text map[string]int `json:"text_tokens,omitempty"`
	// Cost is in dollars, with recorded calls as if they were paid for; null
	// when a price is unknown.
	Cost  *float64 `json:"cost"`
	Calls []string `json:"calls,omitempty"`
	// Degraded counts the stages that had to do with less than they asked for,
	// because a model's reply could not be used.
	Degraded map[string]int `json:"degraded,omitempty"`
	Trace    []methods.Step `json:"trace,omitempty"`
	Time     Timing         `json:"time"`
}

// A Failure says why a request has no answer.
type Failure struct {
	// Kind is that of the call that failed, as package fault lists them. It is
	// "answer" for what failed in the method itself, or "ingest" when there is no
	// memory to ask.
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Provider is set when the provider is to blame and not the request. It is not
	// stored.
	Provider bool `json:"-"`
}

// A BlockRef points at a line of blocks.jsonl.
type BlockRef struct {
	Block string  `json:"block"`
	Score float64 `json:"score,omitzero"`
}

// Timing holds all that differs between two runs of the same work.
type Timing struct {
	Start  time.Time          `json:"start"`
	Total  float64            `json:"total_ms"`
	Stages map[string]float64 `json:"stages_ms,omitempty"`
	// Kept is how many parts of a memory were not made now, because an earlier
	// building, of the same run or another, had kept them.
	Kept int `json:"kept_parts,omitzero"`
	// Calls tells of each entry of a record's or a judgement's calls, in their
	// order, when it was made; none in records of older programs.
	Calls []CallTime `json:"calls,omitempty"`
}

// End is when it was over.
func (t Timing) End() time.Time {
	return t.Start.Add(time.Duration(t.Total * float64(time.Millisecond)))
}

// A CallTime says when a call was made, and whether it was.
type CallTime struct {
	At     float64 `json:"at_ms"` // since the request's start
	Took   float64 `json:"ms"`
	Reused bool    `json:"reused"` // a recording answered
	Stage  string  `json:"stage"`  // the role of the call
}

// A Structure is what the memory of a sample holds: a line of a cell's structures.
type Structure struct {
	Sample string              `json:"sample"`
	Holds  structure.Structure `json:"holds"`
}

// An Ingest is a memory that was built: a line of ingests.jsonl.
type Ingest struct {
	Sample string   `json:"sample"`
	Status Status   `json:"status"`
	Error  *Failure `json:"error,omitempty"`
	// Usage is by role. What an earlier building kept and this one used counts
	// as if this one had made it, and so do Cost, Calls and Degraded.
	Usage map[string]llm.Usage `json:"usage,omitempty"`
	Cost  *float64             `json:"cost"`
	Calls []string             `json:"calls,omitempty"`
	// Degraded counts the stages that had to do with less than they asked for,
	// because a model's reply could not be used.
	Degraded map[string]int `json:"degraded,omitempty"`
	// Structure is what the memory tells of itself in numbers.
	Structure map[string]float64 `json:"structure,omitempty"`
	Time      Timing             `json:"time"`
}

// A Judgement is what a judge said of the answer in a record: a line of
// judgements.jsonl. There may be several of a record, by different judges, or of
// answers that it had before it was asked again.
//
//nolint:recvcheck // passed about by value; what changes it has a pointer
type Judgement struct {
	Sample  string `json:"sample"`
	Request string `json:"request"`
	Judge   string `json:"judge"` // the judge's id
	Reader  string `json:"reader"`
	Prompts string `json:"prompts_sha256"`
	Answer  string `json:"answer_sha256"` // of the answer that was judged
	// Gold is the SHA-256 of the right answers that the judge was told; empty for the
	// published one.
	Gold string `json:"gold_sha256,omitempty"`
	// Origin says where the verdict comes from, of a judge that was asked only where it
	// was unclear; empty for one that was asked about everything.
	Origin Origin `json:"origin,omitempty"`
	// Taken is what f1@span took the answer for, right or wrong; nil where it was unclear.
	Taken *bool `json:"taken,omitempty"`
	// Correct is null where the judge's reply could not be used, which Error
	// tells more of, or where as many votes accept the answer as refuse it.
	Correct *bool  `json:"correct"`
	Why     string `json:"why,omitempty"` // in the judge's words
	// Score is from 0 to 1 where it says more than Correct: the mean of votes, of
	// nuggets or of half points.
	Score *float64 `json:"score,omitempty"`
	// Votes are the replies one by one, where there are several or they are kept as
	// they came.
	Votes []Vote `json:"votes,omitempty"`
	// Order has for each line of the answer the nugget that it tells of, from 1, and 0
	// for none; nil where the order of nuggets does not count.
	Order  []int                `json:"order,omitempty"`
	Error  *Failure             `json:"error,omitempty"`
	Usage  map[string]llm.Usage `json:"usage,omitempty"` // by role
	Cost   *float64             `json:"cost"`
	Calls  []string             `json:"calls,omitempty"`
	Served []string             `json:"served,omitempty"` // models that replied
	Time   Timing               `json:"time"`
}

// An Origin says where a verdict comes from.
type Origin string

// Origins of verdicts.
const (
	OfJudge Origin = "judge" // the answer was unclear, and the judge was asked
	OfAudit Origin = "audit" // f1@span decided it, and the judge was asked as well, in a random audit
	OfSpan  Origin = "span"  // f1@span decided it, and nobody was asked
)

// A Vote is one reply of a judge.
type Vote struct {
	Nugget int      `json:"nugget,omitempty"` // that it is about, from 1; 0 for none
	Score  *float64 `json:"score"`            // from 0 to 1
	Why    string   `json:"why,omitempty"`
	Reply  string   `json:"reply,omitempty"` // as it came
	// Unparsed is set where the reply is not a verdict, and counts as a refusal because it
	// does in the source that the judge imitates.
	Unparsed bool `json:"unparsed,omitempty"`
}

// SetScore sets the verdict to a score from 0 to 1.
func (j *Judgement) SetScore(x float64) {
	j.Correct, j.Score = nil, nil
	if x != 0.5 {
		j.Correct = new(x > 0.5)
	}
	if x != 0 && x != 1 {
		j.Score = &x
	}
}

// Value returns the score, from 0 to 1; nil where there is no verdict.
func (j Judgement) Value() *float64 {
	if j.Score == nil && j.Correct != nil {
		x := 0.0
		if *j.Correct {
			x = 1
		}
		return &x
	}
	return j.Score
}

// A Block is the text of a block of evidence: a line of blocks.jsonl.
type Block struct {
	Block   string   `json:"block"` // hash of sample, name, sources and text
	Sample  string   `json:"sample"`
	Name    string   `json:"name"` // as the method names it
	Sources []string `json:"sources"`
	// Estimated is set when Sources were guessed by comparing texts.
	Estimated bool   `json:"estimated,omitempty"`
	Text      string `json:"text"`
	Tokens    int    `json:"tokens"`
}

// A Gold is a question with its gold answer: a line of gold/<dataset>.jsonl.
type Gold struct {
	Sample   string   `json:"sample"`
	Request  string   `json:"request"`
	Category string   `json:"category"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Variants []string `json:"variants,omitempty"` // other right answers
	Evidence []string `json:"evidence,omitempty"`
	Abstain  bool     `json:"abstain,omitempty"`
	// Entities are what the question and its answer are about, and History the
	// turns that mention them, in order.
	Entities []datasets.Entity `json:"entities,omitempty"`
	History  []Utterance       `json:"history,omitempty"`
	// Labels are what else results may be split by.
	Labels map[string]string `json:"labels,omitempty"`
	// Expect is what a request about a tree should lead to.
	Expect *expect.Expectation `json:"expect,omitempty"`
	// Name is what the release calls the request.
	Name string `json:"name,omitempty"`
	// Rubric holds the nuggets, in order where Ordered is set.
	Rubric      []string `json:"rubric,omitempty"`
	Ordered     bool     `json:"ordered,omitempty"`
	Explanation string   `json:"explanation,omitempty"` // of an abstention
	Lure        string   `json:"lure,omitempty"`        // a tempting answer where an abstention is right
	Sessions    []string `json:"sessions,omitempty"`    // that the answer rests on
	// Options are those of a multiple choice, and Correct the key of the right one.
	Options []datasets.Option `json:"options,omitempty"`
	Correct string            `json:"correct,omitempty"`
	// Values are those that an answer has to name and those that it must not.
	Values *typed.Expected `json:"values,omitempty"`
}

// An Utterance is a turn of the history of a question.
type Utterance struct {
	Turn    string `json:"turn"`
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

// A Turn is the place of a turn in a conversation: a line of gold/<dataset>.turns.jsonl.
// Turns stand in their order; Time is when the session began, the zero time when unknown.
type Turn struct {
	Sample  string    `json:"sample"`
	Turn    string    `json:"turn"`
	Session string    `json:"session"`
	Time    time.Time `json:"time,omitzero"`
	Speaker string    `json:"speaker,omitempty"`
}

// A Tree is the structured memory that some samples begin with: a line of
// gold/<dataset>.trees.jsonl.
type Tree struct {
	Samples []string `json:"samples"`
	// Dialogue is set when each request of a sample sees the edits of those
	// before it.
	Dialogue bool   `json:"dialogue,omitempty"`
	XML      string `json:"xml"` // with ids
}

// HistoryLabel is the label of scores whose samples are one history up to different places.
const HistoryLabel = datasets.HistoryLabel

// A Score holds the metrics of one request: a line of scores.jsonl.
type Score struct {
	Cell string `json:"cell"`
	// Key is the answer key that the values are under; empty where the run has the
	// published one alone.
	Key      errata.Key `json:"key,omitempty"`
	Sample   string     `json:"sample"`
	Request  string     `json:"request"`
	Category string     `json:"category"`
	// Labels are what else the request may be counted under.
	Labels map[string]string `json:"labels,omitempty"`
	Status Status            `json:"status"`
	// Out is set where the key leaves the question out: what looks at its gold has no
	// value.
	Out bool `json:"out,omitempty"`
	// Values maps a metric's column to its value, null where the metric says
	// nothing about the request.
	Values map[string]*float64 `json:"values"`
	// Unasked has, by column, the standard error of a value that stands for a judge who
	// was not asked: the rate that an audit found for such answers, who share its error.
	Unasked map[string]float64 `json:"unasked,omitempty"`
	// Why says what the request lacks, where a metric knows.
	Why []string `json:"why,omitempty"`
}
