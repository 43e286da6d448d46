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
	"time"

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
	{"C01", "starts in time", (*checker).starts},
	{"C02", "handshake", (*checker).handshake},
	{"C03", "nothing foreign among the replies", (*checker).strict},
	{"C04", "sessions are added in order", (*checker).adds},
	{"C05", "ready when finish returns", (*checker).readiness},
	{"C06", "memories are apart", (*checker).isolation},
	{"C07", "k is obeyed", (*checker).obeysK},
	{"C08", "blocks are well formed", (*checker).wellFormed},
	{"C09", "a search found twice is the same", (*checker).twice},
	{"C10", "concurrent searches find what single ones do", (*checker).concurrent},
	{"C11", "two builds are the same", (*checker).deterministic},
	{"C12", "odd input", (*checker).odd},
	{"C13", "cancelling", (*checker).cancels},
	{"C14", "a closed memory opens anew", (*checker).reopens},
	{"C15", "ends with its harness", (*checker).ends},
	{"C16", "model errors are not swallowed", (*checker).modelErrors},
	{"C17", "models are called through the harness alone", (*checker).reaches},
	{"C18", "a replay gives the same", (*checker).replays},
	{"C19", "prompts hold no date of today", (*checker).clock},
	{"C20", "what is unknown is refused", (*checker).refuses},
	{"C21", "a snapshot restores", (*checker).snapshot},
	{"C22", "256 searches at once", (*checker).queue},
	{"C23", "what it prints does not stand in the way", (*checker).prints},
	{"C24", "model calls are seen", (*checker).usage},
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
// answers what the adapter asks; Scripted is one that needs no key.
func Check(ctx context.Context, env methods.Env, o Options, report func(Finding)) error {
	o.Restarts, o.Canary.Queries, o.Network = 0, 0, Network(gateway.Report)
	model := &counted{inner: env.LLM}
	env.LLM = model
	made, err := newMethod(env, o) //nolint:contextcheck // a method is made before a run and its context
	if err != nil {
		report(Finding{"C01", "starts in time", Fail, err.Error()})
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
		detail, err := check.run(c, ctx)
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
	m := &memory{method: c.method, crossing: newCrossing(s, c.o.Images), queries: make(chan struct{}, 1), saved: saved}
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
	phase := m.gate.Begin(ctx, "", gateway.RoleExternal, embed.Document)
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
	phase := h.gate.Begin(ctx, r.ID, gateway.RoleExternal, embed.Query)
	var found wire.SearchResult
	var err error
	if h.o.Mode == Answer {
		var reply wire.AnswerResult
		err = h.call(ctx, h.i, h.o.Timeouts.Answer, true, wire.Answer, wire.AnswerParams{Memory: h.name, Request: r}, &reply)
		found.Blocks = slices.Concat(reply.Blocks, []wire.Block{{Text: reply.Text}})
	} else {
		err = h.call(ctx, h.i, h.o.Timeouts.Search, true, wire.Search, wire.SearchParams{Memory: h.name, Request: r, K: k}, &found)
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

func (c *checker) starts(context.Context) (string, error) {
	return c.info.Name + " " + c.info.Version, nil // New has started it within Timeouts.Start
}

func (c *checker) handshake(context.Context) (string, error) {
	if err := c.info.Check(); err != nil {
		return "", err
	}
	var libraries []string
	for _, name := range slices.Sorted(maps.Keys(c.info.Libraries)) {
		libraries = append(libraries, name+" "+c.info.Libraries[name])
	}
	p := c.info.Capabilities
	return fmt.Sprintf("memories %d, queries %d, mutates %t, sources %s; libraries: %s",
		max(p.Memories, 1), max(p.Queries, 1), p.Mutates, p.Sources, cmp.Or(strings.Join(libraries, ", "), "none")), nil
}

func (c *checker) strict(ctx context.Context) (string, error) {
	h, err := c.hold(ctx, conversation(), nil, nil)
	if err != nil {
		return "", err
	}
	c.first = h
	if n := adapter.Foreign(h.i.conn); n > 0 {
		return "", fmt.Errorf("%d lines on the output that are no messages%s", n, h.i.log.Tail())
	}
	return "", nil
}

// needFirst ends a check that looks at a memory that was not built.
func (c *checker) needFirst() error {
	if c.first == nil || c.first.i.lost() {
		return skipError("no memory was built")
	}
	return nil
}

func (c *checker) adds(context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if c.first.size.Items == nil {
		return "", warningError("the adapter does not say how many items it holds")
	}
	return fmt.Sprintf("%d items", *c.first.size.Items), nil
}

func (c *checker) readiness(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
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
	if err := c.needFirst(); err != nil {
		return "", err
	}
	var beside *instance
	if c.info.Capabilities.Memories > 1 || c.o.URL != "" {
		beside = c.first.i
	}
	other, err := c.hold(ctx, otherConversation(), beside, nil)
	if err != nil {
		return "", fmt.Errorf("a second memory: %w", err)
	}
	defer func() { _ = other.close(ctx) }() // its faults are those of C14
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

func (c *checker) obeysK(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if c.o.Mode == Answer {
		return "", skipError("it answers by itself")
	}
	blocks, err := c.first.find(ctx, strings.Join(c.first.texts(), " "), 3) // about all that there is
	if err == nil && len(blocks) > 3 {
		err = fmt.Errorf("asked for 3 blocks, it returned %d", len(blocks))
	}
	return fmt.Sprintf("%d of 3", len(blocks)), err
}

func (c *checker) wellFormed(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	given, n := 0, 0
	for _, probe := range questions {
		blocks, err := c.first.find(ctx, probe, 10)
		if err != nil {
			return "", err
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

func (c *checker) twice(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if c.info.Capabilities.Mutates {
		return "", skipError("a search changes the memory, it says")
	}
	for _, probe := range questions {
		a, err := c.first.find(ctx, probe, 5)
		if err != nil {
			return "", err
		}
		b, err := c.first.find(ctx, probe, 5)
		if err != nil {
			return "", err
		}
		if textsOf(a) != textsOf(b) {
			return "", fmt.Errorf("%q found %q and then %q; declare mutates where a search changes the memory", probe, textsOf(a), textsOf(b))
		}
		c.first.blocks = append(c.first.blocks, a)
	}
	return "", nil
}

func (c *checker) concurrent(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if n := c.atOnce(); n < 2 && c.info.Capabilities.Queries < 2 || c.first.blocks == nil {
		return "", skipError("one search at once")
	}
	var all sync.WaitGroup
	faults := make([]error, len(questions))
	for i, probe := range questions {
		all.Go(func() {
			r := wire.Request{Text: probe}
			r.ID = wire.RequestIDs([]wire.Request{r})[0]
			var found wire.SearchResult
			faults[i] = c.first.call(ctx, c.first.i, c.o.Timeouts.Search, true, wire.Search, wire.SearchParams{Memory: c.first.name, Request: r, K: 5}, &found)
			if faults[i] == nil && textsOf(found.Blocks) != textsOf(c.first.blocks[i]) {
				faults[i] = fmt.Errorf("%q finds something else beside others", probe)
			}
		})
	}
	all.Wait()
	return "", errors.Join(faults...)
}

// again builds the first memory once more and compares.
func (c *checker) again(ctx context.Context) (blocks, prompts int, err error) {
	h, err := c.hold(ctx, conversation(), nil, nil)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = h.close(ctx) }() // its faults are those of C14
	for i, probe := range questions {
		found, err := h.find(ctx, probe, 5)
		if err != nil {
			return 0, 0, err
		}
		if i < len(c.first.blocks) && textsOf(found) != textsOf(c.first.blocks[i]) {
			blocks++
		}
	}
	for i := range max(len(h.prompts), len(c.first.prompts)) {
		if i >= len(h.prompts) || i >= len(c.first.prompts) || h.prompts[i] != c.first.prompts[i] {
			prompts++
		}
	}
	return blocks, prompts, nil
}

func (c *checker) deterministic(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	blocks, prompts, err := c.again(ctx)
	declared := c.info.Capabilities.Deterministic
	switch {
	case err != nil:
		return "", err
	case blocks == 0 && prompts == 0 && declared:
		return "deterministic: declared and confirmed twice", nil
	case blocks == 0 && prompts == 0:
		return "not declared, and nothing differs", nil
	}
	text := fmt.Sprintf("results of %d of %d searches and %d of %d model requests differ between two runs of the same inputs", blocks, len(questions), prompts, len(c.first.prompts))
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

func (c *checker) cancels(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	_, _ = c.first.find(short, questions[1], 5) // it may be done before
	if _, err := c.first.find(ctx, questions[1], 5); err != nil {
		return "", fmt.Errorf("after a cancelled search: %w", err)
	}
	return "", nil
}

func (c *checker) reopens(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if err := c.first.shut(ctx, c.first.i); err != nil {
		return "", err
	}
	phase := c.first.gate.Begin(ctx, "", gateway.RoleExternal, embed.Document)
	err := c.first.ingest(ctx, c.first.i)
	if failed := phase.End(); failed != nil {
		err = failed
	}
	if err != nil {
		return "", fmt.Errorf("opened anew: %w", err)
	}
	blocks, err := c.first.find(ctx, c.first.canaries(1)[0].Text, 5)
	if err == nil && len(blocks) == 0 {
		err = errors.New("nothing is found once it was opened anew")
	}
	return "", err
}

func (c *checker) ends(ctx context.Context) (string, error) {
	if c.o.serves() {
		return "", skipError("a service that others have started")
	}
	h, err := c.hold(ctx, otherConversation(), nil, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = h.close(ctx) }() // its faults are those of C14
	took, ok := adapter.HangUp(h.i.conn)
	if !ok {
		return "", fmt.Errorf("it goes on %s after its input was closed, as when the harness is killed", took)
	}
	return "", nil
}

func (c *checker) modelErrors(ctx context.Context) (string, error) {
	if c.first == nil || len(c.first.prompts) == 0 {
		return "", skipError("it asks no chat model")
	}
	c.model.failFrom(len(c.model.seen()) + min(2, len(c.first.prompts)-1))
	defer c.model.failFrom(-1)
	h, err := c.hold(ctx, conversation(), nil, nil)
	if err == nil {
		_ = h.close(ctx) // it is of no use
		return "", errors.New("the third call failed, and the memory was built all the same")
	}
	if kind := fault.KindOf(err); kind != fault.Server {
		return "", fmt.Errorf("the third call failed, and the fault is another one: %w", err)
	}
	return "", nil
}

func (c *checker) reaches(context.Context) (string, error) {
	if c.first == nil {
		return "", skipError("no memory was built")
	}
	if hosts := c.first.i.out.Reached(); len(hosts) > 0 {
		return "", warningError("it reached " + strings.Join(slices.Sorted(maps.Keys(hosts)), ", "))
	}
	return "", nil
}

func (c *checker) replays(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	c.model.replay(true)
	defer c.model.replay(false)
	blocks, _, err := c.again(ctx)
	if err == nil && blocks > 0 {
		err = warningError(fmt.Sprintf("%d of %d searches find something else with the same replies", blocks, len(questions)))
	}
	if errors.Is(err, errNotRecorded) && !c.info.Capabilities.Deterministic {
		err = warningError("a prompt differs from run to run, so that a recording is of no use; see normalise and clock in docs/adapters.md")
	}
	return "", err
}

func (c *checker) clock(context.Context) (string, error) {
	if c.first == nil || len(c.first.prompts) == 0 {
		return "", skipError("it asks no chat model")
	}
	today := c.env.Now().UTC()
	for _, day := range fmtDay(today) {
		if slices.ContainsFunc(c.first.prompts, func(p string) bool { return strings.Contains(p, day) }) {
			return "", warningError("a prompt holds today's date " + day + ": a recording will miss tomorrow; import the kit before the library, or normalise: [today]")
		}
	}
	return "", nil
}

func (c *checker) refuses(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if c.o.MCP != nil {
		return "", skipError("an MCP server")
	}
	var faults []error
	for method, params := range map[string]any{
		"memory/unheard-of": wire.MemoryParams{Memory: c.first.name},
		wire.Search:         wire.SearchParams{Memory: "s-unknown", Request: wire.Request{ID: "r-1", Text: "x"}, K: 1},
	} {
		err := c.first.i.conn.Call(adapter.Within(ctx, 10*time.Second, nil), method, params, nil)
		if _, ok := errors.AsType[*adapter.Error](err); !ok {
			faults = append(faults, fmt.Errorf("%s is answered with %w, want an error reply", method, orNothing(err)))
		}
	}
	return "", errors.Join(faults...)
}

func orNothing(err error) error {
	if err == nil {
		return errors.New("a result")
	}
	return err
}

func (c *checker) snapshot(ctx context.Context) (string, error) {
	if !c.info.Capabilities.Snapshot {
		return "", skipError("it has none")
	}
	if err := c.needFirst(); err != nil {
		return "", err
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
	defer func() { _ = h.close(ctx) }() // its faults are those of C14
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

func (c *checker) queue(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if len(c.first.prompts) > 0 || c.o.Mode == Answer {
		return "", skipError("it asks models, which 256 searches at once would not tell apart")
	}
	var all sync.WaitGroup
	faults := make([]error, 256)
	for i := range faults {
		all.Go(func() {
			r := wire.Request{ID: fmt.Sprintf("r-%08x", i), Text: questions[i%len(questions)]}
			faults[i] = c.first.call(ctx, c.first.i, c.o.Timeouts.Search, true, wire.Search, wire.SearchParams{Memory: c.first.name, Request: r, K: 5}, new(wire.SearchResult))
		})
	}
	all.Wait()
	faults = slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	if len(faults) > 0 {
		return "", fmt.Errorf("%d of 256 fail, the first: %w", len(faults), faults[0])
	}
	return "", nil
}

func (c *checker) prints(ctx context.Context) (string, error) {
	if err := c.needFirst(); err != nil {
		return "", err
	}
	if _, err := c.first.find(ctx, questions[2], 5); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes logged", c.first.i.log.Size()), nil
}

func (c *checker) usage(context.Context) (string, error) {
	if c.first == nil {
		return "", skipError("no memory was built")
	}
	if len(c.first.prompts) == 0 {
		return "it asks no chat model while it builds", nil
	}
	return fmt.Sprintf("%d chat calls while it builds 3 sessions", len(c.first.prompts)), nil
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
