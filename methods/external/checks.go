package external

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/external/adapter"
	"recallbench/internal/external/wire"
	"recallbench/methods"
)

// A Finding is the outcome of a check.
type Finding struct {
	ID     string `json:"id"` // "C01"
	What   string `json:"what"`
	Status Status `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// A Status says how a check ended.
type Status string

// The outcomes of checks.
const (
	OK      Status = "ok"
	Warn    Status = "warn"
	Fail    Status = "FAIL"
	Skipped Status = "skip" // it does not apply to this adapter
)

// checks are the tests that an adapter must pass, in order. Each returns what it
// found out, and its fault.
var checks = []struct {
	what string
	run  func(*checker, context.Context) (string, error)
}{
	{"starts and describes itself", (*checker).starts},
	{"ready when finish returns", (*checker).ready},
	{"memories are isolated", (*checker).isolated},
	{"blocks are well formed, at most k of them", (*checker).wellFormed},
	{"a repeated search gives the same result", (*checker).repeats},
	{"two builds give the same result", (*checker).rebuilds},
	{"odd input", (*checker).oddInput},
	{"the process ends when its input closes", (*checker).ends},
	{"models are called through the harness, and their errors are reported", (*checker).callsModels},
	{"a snapshot can be restored", (*checker).restores},
}

// An outcome is the end of a check that is not a fault.
type outcome struct {
	status Status
	text   string
}

func (o outcome) Error() string { return o.text }

// A checker tries one adapter.
type checker struct {
	*method
	model *scriptedFaults
	first *checked // the memory that most checks look at
}

// A checked memory is one that a check has built.
type checked struct {
	*memory
	found   []string // by question
	prompts []string // of model calls during ingest, sorted
}

// Check tests an adapter over the wire and reports each finding. The model
// answers the adapter's model calls.
func Check(ctx context.Context, env methods.Env, o Options, report func(Finding)) error {
	o.Restarts, o.Canary.Within = 0, 0
	model := &scriptedFaults{inner: env.LLM, replies: make(map[string]llm.Reply)}
	env.LLM = model
	made, err := newMethod(env, o) //nolint:contextcheck // a method is made before a run and its context
	if err != nil {
		report(Finding{"C01", checks[0].what, Fail, err.Error()})
		return nil
	}
	c := &checker{method: made.(*method), model: model}
	defer c.Close()
	c.o.Mode = Search
	if !c.info.Capabilities.Search {
		c.o.Mode = Answer
	}
	for n, check := range checks {
		if ctx.Err() != nil {
			break
		}
		f := Finding{fmt.Sprintf("C%02d", n+1), check.what, Skipped, "no memory was built"}
		if n == 0 || c.first != nil && !c.first.running.lost() {
			detail, err := check.run(c, ctx)
			f.Status, f.Detail = OK, detail
			if other, ok := errors.AsType[outcome](err); ok {
				f.Status, f.Detail = other.status, other.text
			} else if err != nil {
				f.Status, f.Detail = Fail, err.Error()
			}
		}
		report(f)
	}
	if c.first != nil {
		_ = c.first.Close()
	}
	return ctx.Err()
}

// build builds a memory; with a snapshot it is restored.
func (c *checker) build(ctx context.Context, s datasets.Sample, saved *snapshot) (*checked, error) {
	m, err := c.newMemory(s) //nolint:contextcheck // the gateway serves longer than this call
	if err != nil {
		return nil, err
	}
	m.saved = saved
	before := len(c.model.asked())
	if m.running, err = m.load(ctx); err != nil {
		if errors.Is(m.calls.Fault(), errNotRecorded) {
			err = errNotRecorded // which the adapter may say in other words
		}
		return nil, errors.Join(err, m.Close())
	}
	h := &checked{memory: m, prompts: c.model.asked()[before:]}
	slices.Sort(h.prompts)
	return h, nil
}

// find searches, or asks the adapter if it only answers.
func (h *checked) find(ctx context.Context, text string, k int) ([]wire.Block, error) {
	out, err := h.ask(ctx, h.running, requestOf(text, time.Time{}), k)
	if err == nil && h.o.Mode == Answer {
		out.Blocks = append(out.Blocks, wire.Block{Text: out.Text})
	}
	return out.Blocks, err
}

// questions are asked of the memory of [checkSample].
var questions = []string{"Who is the kettle for?", "When does the course begin?", "What did Petra break?"}

// findAll returns the results for the questions, each as one text.
func (h *checked) findAll(ctx context.Context) ([]string, error) {
	texts := make([]string, len(questions))
	for i, q := range questions {
		blocks, err := h.find(ctx, q, 5)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			texts[i] += fmt.Sprintf("%s (%.6f)\n", b.Text, b.Score)
		}
	}
	return texts, nil
}

func (c *checker) starts(ctx context.Context) (_ string, err error) {
	if c.first, err = c.build(ctx, checkSample(), nil); err != nil {
		return "", err
	}
	if n := adapter.Foreign(c.first.running.conn); n > 0 {
		return "", fmt.Errorf("%d lines on standard output are not messages%s", n, c.first.running.log.Tail())
	}
	p := c.info.Capabilities
	return fmt.Sprintf("%s: mutates %t, sources %s; %d chat calls to build 3 sessions",
		described(c.info), p.Mutates, cmp.Or(p.Sources, "none"), len(c.first.prompts)), nil
}

func (c *checker) ready(ctx context.Context) (string, error) {
	for _, t := range c.first.canaries(canaryTurns) {
		if blocks, err := c.first.find(ctx, t.Text, 5); err != nil || len(blocks) == 0 {
			return "", cmp.Or(err, fmt.Errorf("a search for the turn %q right after finish finds nothing", t.Text))
		}
	}
	return "", nil
}

func (c *checker) isolated(ctx context.Context) (string, error) {
	other, err := c.build(ctx, otherSample(), nil)
	if err != nil {
		return "", fmt.Errorf("a second memory: %w", err)
	}
	defer other.Close()
	for _, pair := range [][2]*checked{{c.first, other}, {other, c.first}} {
		turn := pair[1].canaries(1)[0] // the conversations share none
		text := wire.Fold(turn.Text)
		found, err := pair[0].find(ctx, turn.Text, 5)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(found, func(b wire.Block) bool { return strings.Contains(wire.Fold(b.Text), text) }) {
			return "", fault.New(fault.NotIsolated, "memory %s finds a turn of memory %s: %q", pair[0].name, pair[1].name, turn.Text)
		}
	}
	return "", nil
}

func (c *checker) wellFormed(ctx context.Context) (string, error) {
	sourced, n := 0, 0
	for _, probe := range append(slices.Clip(questions), strings.Join(c.first.texts(), " ")) { // the last is about all
		blocks, err := c.first.find(ctx, probe, 3)
		if err != nil {
			return "", err
		}
		if len(blocks) > 3 && c.o.Mode == Search {
			return "", fmt.Errorf("asked for 3 blocks, it returned %d", len(blocks))
		}
		for i, b := range blocks {
			n++
			for _, s := range b.Sources {
				if _, ok := c.first.turns[s]; !ok {
					return "", fmt.Errorf("a block names the source %q, which is not a turn of the conversation", s)
				}
			}
			if len(b.Sources) > 0 {
				sourced++
			}
			if i > 0 && b.Score > blocks[i-1].Score && c.o.Mode == Search {
				return "", outcome{Warn, fmt.Sprintf("block %d has a higher score than the one before it; return the best blocks first", i+1)}
			}
		}
	}
	if c.info.Capabilities.Sources == "exact" && sourced < n {
		return "", fmt.Errorf("sources are declared exact, but %d of %d blocks have none", n-sourced, n)
	}
	return fmt.Sprintf("%d blocks, %d with sources", n, sourced), nil
}

func (c *checker) repeats(ctx context.Context) (_ string, err error) {
	if c.info.Capabilities.Mutates {
		return "", outcome{Skipped, "the adapter declares that a search changes the memory"}
	}
	if c.first.found, err = c.first.findAll(ctx); err != nil {
		return "", err
	}
	again, err := c.first.findAll(ctx)
	if err == nil && !slices.Equal(again, c.first.found) {
		err = fmt.Errorf("the first search found %q, the second %q; declare mutates if a search changes the memory", c.first.found, again)
	}
	return "", err
}

// rebuilds builds the first memory again with the recorded replies, and compares.
func (c *checker) rebuilds(ctx context.Context) (string, error) {
	declared := c.info.Capabilities.Deterministic
	c.model.set(!declared, 0)
	defer c.model.set(false, 0)
	again, err := c.build(ctx, checkSample(), nil)
	found := c.first.found
	if err == nil {
		defer again.Close()
		if found != nil {
			found, err = again.findAll(ctx)
		}
	}
	switch {
	case errors.Is(err, errNotRecorded):
		return "", outcome{Warn, "a prompt differs from run to run, so recordings cannot be replayed; see clock in docs/adapters.md"}
	case err != nil:
		return "", err
	case slices.Equal(found, c.first.found) && slices.Equal(again.prompts, c.first.prompts):
		return "nothing differs", nil
	}
	text := fmt.Sprintf("two builds of the same inputs differ: %d and %d model requests; found %q and %q", len(c.first.prompts), len(again.prompts), c.first.found, found)
	if declared {
		return "", errors.New("declared deterministic, but " + text)
	}
	return "", outcome{Warn, text}
}

func (c *checker) oddInput(ctx context.Context) (string, error) {
	var faults []error
	for _, s := range oddSamples() {
		h, err := c.build(ctx, s, nil)
		if err == nil {
			_, err = h.find(ctx, "What is it?", 5)
			err = errors.Join(err, h.Close())
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.ID, err))
		}
	}
	return "", errors.Join(faults...)
}

func (c *checker) ends(ctx context.Context) (string, error) {
	if c.o.URL != "" {
		return "", outcome{Skipped, "bench did not start it"}
	}
	h, err := c.build(ctx, otherSample(), nil)
	if err != nil {
		return "", err
	}
	defer h.Close()
	if !adapter.HangUp(h.running.conn) {
		err = errors.New("it keeps running after its input was closed, as when bench is killed")
	}
	return "", err
}

func (c *checker) callsModels(ctx context.Context) (string, error) {
	if n := len(c.first.prompts); n > 0 {
		c.model.set(false, len(c.model.asked())+min(2, n-1))
		h, err := c.build(ctx, checkSample(), nil)
		c.model.set(false, 0)
		if err == nil {
			return "", errors.Join(errors.New("the third model call failed, but the adapter built the memory without an error"), h.Close())
		}
		if fault.KindOf(err) != fault.Server {
			return "", fmt.Errorf("the third model call failed, but the adapter reports another fault: %w", err)
		}
	}
	if did := c.Adapter(); len(did.AskedHosts) > 0 {
		return "", outcome{Warn, fmt.Sprintf("it tried to reach other hosts: %v", did.AskedHosts)}
	}
	for _, day := range dayForms(c.env.Now().UTC()) {
		if strings.Contains(strings.Join(c.first.prompts, "\n"), day) {
			return "", outcome{Warn, "a prompt contains today's date " + day + ", so a recording will not match tomorrow; import the kit before the library"}
		}
	}
	return "", nil
}

func (c *checker) restores(ctx context.Context) (string, error) {
	if !c.info.Capabilities.Snapshot {
		return "", outcome{Skipped, "the adapter declares no snapshots"}
	}
	if err := c.first.makeSnapshot(ctx, c.first.running); err != nil {
		return "", err
	}
	if c.first.unpacked == "" {
		return "", errors.New("it declares snapshots but makes none")
	}
	s := snapshot{archive: filepath.Join(c.first.running.dir, "snapshot.zip")}
	var err error
	if s.SHA256, err = pack(c.first.unpacked, s.archive); err != nil {
		return "", err
	}
	h, err := c.build(ctx, checkSample(), &s)
	if err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	defer h.Close()
	if n := len(h.prompts); n > 0 {
		return "", fmt.Errorf("it calls models %d times to restore a memory", n)
	}
	found, err := h.findAll(ctx)
	if err == nil && c.first.found != nil && !slices.Equal(found, c.first.found) {
		err = fmt.Errorf("the restored memory finds %q, the original found %q", found, c.first.found)
	}
	return "", err
}

// errNotRecorded is a call that is not in the recording.
var errNotRecorded = errors.New("the call is not recorded")

// scriptedFaults is a model whose calls are noted, repeated from memory, and made to
// fail.
type scriptedFaults struct {
	inner llm.Generator

	mu      sync.Mutex
	prompts []string
	replies map[string]llm.Reply
	replays bool
	failing int // from this call on, if above 0
}

func (c *scriptedFaults) set(replays bool, failing int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replays, c.failing = replays, failing
}

func (c *scriptedFaults) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.prompts)
}

// Generate implements [llm.Generator]. Calls come one after another.
func (c *scriptedFaults) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	data, err := json.Marshal([]any{r.Messages, r.Wire, r.Params})
	if err != nil {
		return llm.Reply{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := string(data)
	c.prompts = append(c.prompts, key)
	known, ok := c.replies[key]
	switch {
	case c.failing > 0 && len(c.prompts) > c.failing:
		return llm.Reply{}, fault.New(fault.Server, "the call was made to fail")
	case ok:
		return known, nil
	case c.replays:
		return llm.Reply{}, &fault.Error{Kind: fault.Rejected, Message: errNotRecorded.Error(), Err: errNotRecorded}
	}
	reply, err := c.inner.Generate(ctx, r)
	if err == nil {
		c.replies[key] = reply
	}
	return reply, err
}

// checkSample is the conversation that adapters are checked with.
func checkSample() datasets.Sample {
	day := func(d int) time.Time { return time.Date(2024, 2, d, 10, 30, 0, 0, time.UTC) }
	return datasets.Sample{ID: "conversation", Sessions: []datasets.Session{
		session(
			"1", day(3), "Petra: I bought a copper kettle for my uncle Anton, who likes tea.", "Milo: Lovely! Where does he live now?",
			"Petra: He moved to a small flat in Bergen last autumn.", "Milo: Say hello to him from me.",
		),
		session(
			"2", day(9), "Milo: My pottery course begins on the fourth of March at the town hall.", "Petra: Finally! You have waited for that since spring.",
			"Milo: I will make you a bowl first.", "Petra: I need one, I broke the blue one yesterday.",
		),
		session(
			"3", day(17), "Petra: Anton called, the kettle arrived without a scratch.", "Milo: Great news.",
			"Petra: He wants to visit us in June with his dog Balder.", "Milo: Then I will book the cabin by the lake.",
		),
	}}
}

// shortSample is a conversation of a session.
func shortSample(id string, at time.Time, turns ...string) datasets.Sample {
	return datasets.Sample{ID: id, Sessions: []datasets.Session{session("1", at, turns...)}}
}

// may is when short conversations take place.
var may = time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)

// otherSample shares no turn with the first.
func otherSample() datasets.Sample {
	return shortSample(
		"other", may, "Ines: The orchard was full of ladders when we came back from the market.", "Joost: Did they pick the plums already?",
		"Ines: All but the three trees behind the old well.",
	)
}

// oddSamples are unusual conversations that an adapter must accept.
func oddSamples() []datasets.Sample {
	return []datasets.Sample{
		{ID: "no session"},
		shortSample("no turn", may),
		shortSample("an empty text", may, "Ana: ", "Ben: Yes."),
		shortSample("a text of 1 MB", may, "Ana: "+strings.Repeat("word after word ", 65000)),
		shortSample("emoji, NUL and right-to-left", may, "Ana: 👩🏽‍🚀 \x00 שלום עולם", "Ben: ok"),
		shortSample("no time", time.Time{}, "Ana: When was that?", "Ben: Nobody knows."),
		shortSample("one speaker", may, "Ana: I talk to myself.", "Ana: Often."),
		shortSample("five speakers", may, "A: one", "B: two", "C: three", "D: four", "E: five"),
	}
}

// session makes a session of turns as "Name: text".
func session(id string, at time.Time, turns ...string) datasets.Session {
	s := datasets.Session{ID: id, Time: at}
	for i, turn := range turns {
		speaker, text, _ := strings.Cut(turn, ": ")
		s.Turns = append(s.Turns, datasets.Turn{ID: fmt.Sprintf("%s:%d", id, i+1), Speaker: speaker, Text: text, Time: at})
	}
	return s
}
