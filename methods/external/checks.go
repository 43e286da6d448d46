package external

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/gateway"
	"recallbench/internal/outside/wire"
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

// checks are what an adapter is tried with, in order.
var checks = []struct {
	id, what string
	run      func(*checker, context.Context) (string, error)
}{
	{"C01", "starts, and says what it is", (*checker).starts},
	{"C02", "ready when finish returns", (*checker).readiness},
	{"C03", "memories are apart", (*checker).isolation},
	{"C04", "blocks are well formed, and at most k", (*checker).wellFormed},
	{"C05", "a repeated search finds the same", (*checker).again},
	{"C06", "two builds are the same", (*checker).rebuilds},
	{"C07", "odd input", (*checker).odd},
	{"C08", "a closed memory opens anew, and it ends with its harness", (*checker).closes},
	{"C09", "models are called through the harness, and their errors are not swallowed", (*checker).callsModels},
	{"C10", "a snapshot restores", (*checker).snapshot},
}

// A skipError or a warningError ends a check without a fault.
type (
	skipError    string
	warningError string
)

func (e skipError) Error() string    { return string(e) }
func (e warningError) Error() string { return string(e) }

// A checker tries one adapter.
type checker struct {
	*method
	model *counted
	first *held // the memory that most checks look at
}

// held is a memory in an instance.
type held struct {
	*memory
	i       *instance
	beside  bool           // of another one in its instance, which stays
	blocks  [][]wire.Block // of the probes
	prompts []string       // of model calls, sorted
}

// Check tries an adapter over the wire and reports each finding. The model
// answers what the adapter asks.
func Check(ctx context.Context, env methods.Env, o Options, report func(Finding)) error {
	o.Restarts = 0
	model := &counted{inner: env.LLM}
	env.LLM = model
	made, err := newMethod(env, o) //nolint:contextcheck // a method is made before a run and its context
	if err != nil {
		report(Finding{checks[0].id, checks[0].what, Fail, err.Error()})
		return nil
	}
	c := &checker{method: made.(*method), model: model}
	c.o.Mode = Search
	if !c.info.Capabilities.Search {
		c.o.Mode = Answer
	}
	defer c.Close()
	for _, check := range checks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var detail string
		err := error(skipError("no memory was built"))
		if check.id == checks[0].id || c.first != nil && !c.first.i.lost() {
			detail, err = check.run(c, ctx)
		}
		f := Finding{check.id, check.what, OK, detail}
		var skip skipError
		var warn warningError
		switch {
		case errors.As(err, &skip):
			f.Status, f.Detail = Skipped, string(skip)
		case errors.As(err, &warn):
			f.Status, f.Detail = Warn, string(warn)
		case err != nil:
			f.Status, f.Detail = Fail, err.Error()
		}
		report(f)
	}
	if c.first != nil {
		return c.first.close(ctx)
	}
	return nil
}

// hold builds a memory of a conversation in an instance of its own, or beside
// another one; with a snapshot it is restored.
func (c *checker) hold(ctx context.Context, s datasets.Sample, beside *instance, saved *snapshot) (*held, error) {
	gate, err := c.gateway() //nolint:contextcheck // it serves longer than this call
	if err != nil {
		return nil, err
	}
	m := &memory{method: c.method, crossing: newCrossing(s), saved: saved}
	models := c.models()
	models.Embedder = m.embedder
	m.gate = gate.Open(models)
	h := &held{memory: m, i: beside, beside: beside != nil}
	if beside == nil {
		if h.i, err = c.start(ctx, m.gate.Key()); err != nil {
			return nil, err
		}
		h.i.room = 1
	}
	h.i.mu.Lock()
	h.i.users[m] = true
	h.i.mu.Unlock()
	before := len(c.model.seen())
	phase := m.gate.Begin(ctx, gateway.RoleExternal, embed.Document)
	err = m.ingest(ctx, h.i)
	if err == nil {
		err = m.gate.Quiet(ctx, quiet)
	}
	if failed := phase.End(); failed != nil {
		err = failed
	}
	h.prompts = c.model.seen()[before:]
	slices.Sort(h.prompts)
	if err != nil {
		return nil, errors.Join(err, h.close(ctx))
	}
	return h, nil
}

func (h *held) close(ctx context.Context) error {
	defer h.gate.Close()
	if !h.beside {
		return h.free(ctx, h.i)
	}
	h.i.mu.Lock()
	delete(h.i.users, h.memory)
	h.i.mu.Unlock()
	return h.shut(ctx, h.i)
}

// find searches, or asks where the adapter answers alone.
func (h *held) find(ctx context.Context, text string, k int) ([]wire.Block, error) {
	r := wire.Request{Text: text}
	r.ID = wire.RequestIDs([]wire.Request{r})[0]
	phase := h.gate.Begin(ctx, gateway.RoleExternal, embed.Query)
	var found wire.SearchResult
	var err error
	if h.o.Mode == Answer {
		var reply wire.AnswerResult
		err = h.call(ctx, h.i, h.o.Timeout, true, wire.Answer, wire.AnswerParams{Memory: h.name, Request: r}, &reply)
		found.Blocks = slices.Concat(reply.Blocks, []wire.Block{{Text: reply.Text}})
	} else {
		err = h.call(ctx, h.i, h.o.Timeout, true, wire.Search, wire.SearchParams{Memory: h.name, Request: r, K: k}, &found)
	}
	if failed := phase.End(); failed != nil {
		err = failed
	}
	return found.Blocks, err
}

// questions are what the memory of the checks' conversation is searched for.
var questions = []string{"Who is the kettle for?", "When does the course begin?", "What did Petra break?"}

// texts returns what blocks say, as one text.
func textsOf(blocks []wire.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		fmt.Fprintf(&b, "%s (%.6f)\n", block.Text, block.Score)
	}
	return b.String()
}

func (c *checker) starts(ctx context.Context) (string, error) {
	if err := c.info.Check(); err != nil {
		return "", err
	}
	h, err := c.hold(ctx, conversation(), nil, nil)
	if err != nil {
		return "", err
	}
	c.first = h
	if n := adapter.Foreign(h.i.conn); n > 0 {
		return "", fmt.Errorf("%d lines on the output that are no messages%s", n, h.i.log.Tail())
	}
	var libraries []string
	for _, name := range slices.Sorted(maps.Keys(c.info.Libraries)) {
		libraries = append(libraries, name+" "+c.info.Libraries[name])
	}
	p := c.info.Capabilities
	return fmt.Sprintf("%s %s: memories %d, mutates %t, sources %s; libraries: %s; %d chat calls to build 3 sessions", c.info.Name, c.info.Version,
		max(p.Memories, 1), p.Mutates, p.Sources, cmp.Or(strings.Join(libraries, ", "), "none"), len(h.prompts)), nil
}

func (c *checker) readiness(ctx context.Context) (string, error) {
	for _, t := range c.first.canaries(3) {
		blocks, err := c.first.find(ctx, t.Text, 5)
		if err != nil {
			return "", err
		}
		if len(blocks) == 0 {
			return "", fmt.Errorf("nothing is found for the turn %q right after finish", t.Text)
		}
	}
	return "", nil
}

func (c *checker) isolation(ctx context.Context) (string, error) {
	var beside *instance
	if c.info.Capabilities.Memories > 1 || c.o.URL != "" {
		beside = c.first.i
	}
	other, err := c.hold(ctx, otherConversation(), beside, nil)
	if err != nil {
		return "", fmt.Errorf("a second memory: %w", err)
	}
	defer func() { _ = other.close(ctx) }() // its faults are those of C08
	for _, pair := range [][2]*held{{c.first, other}, {other, c.first}} {
		canary := pair[1].canaries(1)[0]
		blocks, err := pair[0].find(ctx, canary.Text, 5)
		if err != nil {
			return "", err
		}
		for _, b := range blocks {
			if strings.Contains(wire.Fold(b.Text), wire.Fold(canary.Text)) {
				return "", fmt.Errorf("one memory finds a turn of another: %q", b.Text)
			}
		}
	}
	if beside == nil {
		return "in processes of their own", nil
	}
	return "in one process", nil
}

func (c *checker) wellFormed(ctx context.Context) (string, error) {
	given, n := 0, 0
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
					return "", fmt.Errorf("a block names the source %q, which is no turn of the conversation", s)
				}
			}
			if len(b.Sources) > 0 {
				given++
			}
			if i > 0 && b.Score > blocks[i-1].Score && c.o.Mode == Search {
				return "", warningError(fmt.Sprintf("block %d has a higher score than the one before it; blocks come best first", i+1))
			}
		}
	}
	if c.info.Capabilities.Sources == "exact" && given < n {
		return "", fmt.Errorf("sources are declared exact, and %d of %d blocks have none", n-given, n)
	}
	return fmt.Sprintf("%d blocks, %d with sources", n, given), nil
}

func (c *checker) again(ctx context.Context) (string, error) {
	if c.info.Capabilities.Mutates {
		return "", skipError("a search changes the memory, it says")
	}
	for _, probe := range questions {
		blocks, err := c.first.find(ctx, probe, 5)
		if err != nil {
			return "", err
		}
		c.first.blocks = append(c.first.blocks, blocks)
	}
	for i, probe := range questions {
		again, err := c.first.find(ctx, probe, 5)
		if err != nil {
			return "", err
		}
		if first, then := textsOf(c.first.blocks[i]), textsOf(again); first != then {
			return "", fmt.Errorf("%q found %q and then %q; declare mutates where a search changes the memory", probe, first, then)
		}
	}
	return "", nil
}

// rebuilds builds the first memory once more, with the replies that are known, and
// compares.
func (c *checker) rebuilds(ctx context.Context) (string, error) {
	declared := c.info.Capabilities.Deterministic
	c.model.replay(!declared)
	defer c.model.replay(false)
	differs := func(err error) error {
		if errors.Is(err, errNotRecorded) {
			return warningError("a prompt differs from run to run, so that a recording is of no use; see clock in docs/adapters.md")
		}
		return err
	}
	h, err := c.hold(ctx, conversation(), nil, nil)
	if err != nil {
		return "", differs(err)
	}
	defer func() { _ = h.close(ctx) }() // its faults are those of C08
	differ := 0
	for i, blocks := range c.first.blocks {
		found, err := h.find(ctx, questions[i], 5)
		if err != nil {
			return "", differs(err)
		}
		if textsOf(found) != textsOf(blocks) {
			differ++
		}
	}
	if differ == 0 && slices.Equal(h.prompts, c.first.prompts) {
		return "nothing differs", nil
	}
	text := fmt.Sprintf("results of %d of %d searches differ between two builds of the same inputs, of %d and %d model requests", differ, len(questions), len(c.first.prompts), len(h.prompts))
	if declared {
		return "", errors.New("declared deterministic, but " + text)
	}
	return "", warningError(text)
}

func (c *checker) odd(ctx context.Context) (string, error) {
	var faults []error
	for _, s := range oddConversations() {
		h, err := c.hold(ctx, s, nil, nil)
		if err == nil {
			_, err = h.find(ctx, "What is it?", 5)
			err = errors.Join(err, h.close(ctx))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.ID, err))
		}
	}
	return "", errors.Join(faults...)
}

func (c *checker) closes(ctx context.Context) (string, error) {
	if err := c.first.shut(ctx, c.first.i); err != nil {
		return "", err
	}
	err := c.first.during(ctx, func() error { return c.first.ingest(ctx, c.first.i) })
	if err != nil {
		return "", fmt.Errorf("opened anew: %w", err)
	}
	blocks, err := c.first.find(ctx, c.first.canaries(1)[0].Text, 5)
	if err == nil && len(blocks) == 0 {
		err = errors.New("nothing is found once it was opened anew")
	}
	if err != nil || c.o.URL != "" {
		return "", err
	}
	h, err := c.hold(ctx, otherConversation(), nil, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = h.close(ctx) }() // it has ended, or is ended so
	if took, ok := adapter.HangUp(h.i.conn); !ok {
		return "", fmt.Errorf("it goes on %s after its input was closed, as when the harness is killed", took)
	}
	return "", nil
}

func (c *checker) callsModels(ctx context.Context) (string, error) {
	if n := len(c.first.prompts); n > 0 {
		c.model.failFrom(len(c.model.seen()) + min(2, n-1))
		h, err := c.hold(ctx, conversation(), nil, nil)
		c.model.failFrom(-1)
		if err == nil {
			_ = h.close(ctx) // it is of no use
			return "", errors.New("the third call failed, and the memory was built all the same")
		}
		if kind := fault.KindOf(err); kind != fault.Server {
			return "", fmt.Errorf("the third call failed, and the fault is another one: %w", err)
		}
	}
	if hosts := c.method.gate.AskedHosts(); len(hosts) > 0 {
		return "", warningError("it asked for " + strings.Join(slices.Sorted(maps.Keys(hosts)), ", "))
	}
	for _, day := range fmtDay(c.env.Now().UTC()) {
		if slices.ContainsFunc(c.first.prompts, func(p string) bool { return strings.Contains(p, day) }) {
			return "", warningError("a prompt holds today's date " + day + ": a recording will miss tomorrow; import the kit before the library")
		}
	}
	return "", nil
}

func (c *checker) snapshot(ctx context.Context) (string, error) {
	if !c.info.Capabilities.Snapshot {
		return "", skipError("it has none")
	}
	archive := filepath.Join(c.first.i.dir, "snapshot.tar.gz")
	if err := c.first.save(ctx, c.first.i); err != nil {
		return "", err
	}
	if c.first.unsaved == "" {
		return "", errors.New("it declares snapshots and makes none")
	}
	sum, err := pack(c.first.unsaved, archive)
	if err != nil {
		return "", err
	}
	h, err := c.hold(ctx, conversation(), nil, &snapshot{SHA256: sum, archive: archive})
	if err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	defer func() { _ = h.close(ctx) }() // its faults are those of C08
	if n := len(h.prompts); n > 0 {
		return "", fmt.Errorf("it asks models %d times to restore a memory", n)
	}
	for i, probe := range questions {
		blocks, err := h.find(ctx, probe, 5)
		if err != nil {
			return "", err
		}
		if i < len(c.first.blocks) && textsOf(blocks) != textsOf(c.first.blocks[i]) {
			return "", fmt.Errorf("a restored memory finds something else: %q, not %q", textsOf(blocks), textsOf(c.first.blocks[i]))
		}
	}
	return "", nil
}

// errNotRecorded is a call that a replay does not know.
var errNotRecorded = errors.New("the call is not recorded")

// counted is a model whose calls are noted, repeated from memory, and made to
// fail.
type counted struct {
	inner llm.Generator

	mu      sync.Mutex
	prompts []string
	replies map[string]llm.Reply
	failing int // from this call on, where above 0
	replays bool
}

func (c *counted) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	key, err := json.Marshal([]any{r.Messages, r.Wire, r.Params})
	if err != nil {
		return llm.Reply{}, err
	}
	c.mu.Lock()
	c.prompts = append(c.prompts, string(key))
	known, ok := c.replies[string(key)]
	failing, replays := c.failing > 0 && len(c.prompts) > c.failing, c.replays
	c.mu.Unlock()
	switch {
	case failing:
		return llm.Reply{}, fault.New(fault.Server, "the call was made to fail")
	case ok:
		return known, nil
	case replays:
		return llm.Reply{}, &fault.Error{Kind: fault.Rejected, Message: errNotRecorded.Error(), Err: errNotRecorded}
	}
	reply, err := c.inner.Generate(ctx, r)
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.replies == nil {
			c.replies = make(map[string]llm.Reply)
		}
		c.replies[string(key)] = reply
	}
	return reply, err
}

func (c *counted) seen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.prompts)
}

func (c *counted) failFrom(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failing = n
}

func (c *counted) replay(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replays = on
}
