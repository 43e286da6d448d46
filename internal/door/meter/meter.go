// Package meter measures the cost of a question: calls, tokens and dollars by
// role, and time by stage. It wraps the doors to models, so that methods need
// not count, and travels in the context. It also rejects calls that exceed the
// limits of a question.
package meter

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/internal/door/llm"
)

// A Meter collects what happened under one context. It is safe for concurrent
// use.
type Meter struct {
	now    func() time.Time
	limits Limits
	tally  *Tally     // nil for none
	watch  func(Step) // nil for nobody

	mu   sync.Mutex
	open []string // stages under way, in the order of their start
	collected
}

// collected is what a meter collects.
type collected struct {
	usage    map[string]llm.Usage
	text     map[string]int
	prefixes map[string]bool
	stages   map[string]time.Duration
	calls    []Call
	served   []Served // each once
	attempts int
	degraded map[string]int
	cost     dollars
	language dollars // cost without embeddings
	paid     Paid

	room      int // see Pend
	boundless bool
}

// Limits restrict what happens under one context; 0 means no limit.
type Limits struct {
	Calls  int     // of language models
	Tokens int     // read and written by language models
	USD    float64 // for calls whose price is known
}

// Paid is what was paid now, and what recordings saved.
type Paid struct {
	Calls  int `json:"calls"`  // of language models
	Reused int `json:"reused"` // calls of language models answered by recordings
	Tokens int `json:"tokens"` // of all models, read and written
	// USD is the price of everything; nil if some price is unknown.
	USD *float64 `json:"usd"`
}

// Add returns the sum of p and q. Its price is unknown if either is.
func (p Paid) Add(q Paid) Paid {
	sum := Paid{Calls: p.Calls + q.Calls, Reused: p.Reused + q.Reused, Tokens: p.Tokens + q.Tokens}
	if p.USD != nil && q.USD != nil {
		sum.USD = new(*p.USD + *q.USD)
	}
	return sum
}

// String says in a sentence without a period what was paid, and what recordings
// saved.
func (p Paid) String() string {
	sent := fmt.Sprintf("%d calls and %d tokens, including embeddings", p.Calls, p.Tokens)
	text := "nothing was paid: "
	switch {
	case p.Calls == 0 && p.Tokens == 0 && p.Reused > 0:
		return fmt.Sprintf("%sall %d calls came from recordings", text, p.Reused)
	case p.Calls == 0 && p.Tokens == 0:
		return text + "no model call succeeded"
	case p.USD == nil:
		text = sent + ", at an unknown price"
	case *p.USD == 0:
		text += sent + ", cost nothing"
	default:
		text = fmt.Sprintf("paid $%.4f for %s", *p.USD, sent)
	}
	if p.Reused > 0 {
		text += fmt.Sprintf("; %d calls came from recordings", p.Reused)
	}
	return text
}

// dollars is a sum of prices.
type dollars struct {
	sum     float64
	unknown bool
}

func (d *dollars) add(usd float64, known bool) {
	d.sum += usd
	d.unknown = d.unknown || !known
}

func (d *dollars) value() *float64 {
	if d.unknown {
		return nil
	}
	return new(d.sum)
}

type contextKey struct{}

// With returns a context that carries a new meter with limits, and the meter.
func With(ctx context.Context, now func() time.Time, limits Limits) (context.Context, *Meter) {
	m := &Meter{now: now, limits: limits, collected: collected{paid: Paid{USD: new(0.0)}}}
	m.tally, _ = ctx.Value(tallyKey{}).(*Tally)
	m.watch, _ = ctx.Value(watchKey{}).(func(Step))
	return context.WithValue(ctx, contextKey{}, m), m
}

// From returns the meter that ctx carries; nil for none.
func From(ctx context.Context) *Meter {
	m, _ := ctx.Value(contextKey{}).(*Meter)
	return m
}

// Stage starts a stage of the question under ctx, such as "retrieve"; the
// function it returns ends it. Stages of the same name add up. Without a meter
// in ctx both do nothing.
func Stage(ctx context.Context, name string) (end func()) {
	m := From(ctx)
	if m == nil {
		return func() {}
	}
	start := m.begin(name)
	return func() { m.stage(name, start) }
}

// begin notes that a stage is under way, and returns its start.
func (m *Meter) begin(name string) time.Time {
	m.mu.Lock()
	m.open = append(m.open, name)
	m.mu.Unlock()
	m.tell(Step{Stage: name})
	return m.now()
}

// Current returns the stage that began last of those under way; empty for none.
func (m *Meter) Current() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.open) == 0 {
		return ""
	}
	return m.open[len(m.open)-1]
}

// stage ends a stage that began at start, and returns how long it took.
func (m *Meter) stage(name string, start time.Time) time.Duration {
	d := m.now().Sub(start)
	defer m.tell(Step{Stage: name, Done: true, Took: d})
	m.collect(collected{stages: map[string]time.Duration{name: d}})
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := slices.Index(m.open, name); at >= 0 {
		m.open = slices.Delete(m.open, at, at+1)
	}
	return d
}

// Degrade records that a stage under ctx continued with less, because a model's
// reply was unusable even after a repair. The stage has the name of its calls'
// role. Without a meter in ctx it does nothing.
func Degrade(ctx context.Context, stage string) {
	if m := From(ctx); m != nil {
		m.collect(collected{degraded: map[string]int{stage: 1}})
	}
}

// Pend records how many more tokens the model of the current call may write, if
// something else has answered that call; a negative number means no limit. Without a meter
// in ctx it does nothing.
func Pend(ctx context.Context, room int) {
	if m := From(ctx); m != nil {
		m.collect(collected{room: max(room, 0), boundless: room < 0})
	}
}

// Seen is what a meter has collected.
type Seen struct {
	Usage map[string]llm.Usage // by role
	// Text has the tokens by role in the paper's accounting (xMemory, released code):
	// the raw text of prompts and replies, counted by the model's own tokenizer,
	// without a chat template. A prefix that calls
	// of one question share counts once. It is nil if that equals Usage.
	Text     map[string]int
	Stages   map[string]time.Duration // time by stage
	Degraded map[string]int           // how often each stage was degraded, see [Degrade]
	// Cost is the cost of the calls in dollars, recorded ones as if they were paid
	// for, and LanguageCost that without embeddings; nil if a price is unknown.
	Cost, LanguageCost *float64
	Paid               Paid
	Attempts           int    // of the most often tried call, at least 1
	Calls              []Call // in the order of their ids, and of their starts
	Served             []Served
	// Room is how many more tokens than in Usage may be written, see [Pend]; nil if
	// some call has no limit.
	Room *int
}

// Seen returns what was collected so far.
func (m *Meter) Seen() Seen {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Seen{
		Usage: maps.Clone(m.usage), Stages: maps.Clone(m.stages), Degraded: maps.Clone(m.degraded),
		Cost: m.cost.value(), LanguageCost: m.language.value(), Paid: m.paid, Attempts: max(1, m.attempts),
		Served: slices.Clone(m.served),
		Calls: slices.SortedStableFunc(slices.Values(m.calls), func(a, b Call) int {
			return cmp.Or(strings.Compare(a.ID, b.ID), a.Start.Compare(b.Start))
		}),
	}
	for role, n := range m.text {
		if n != m.usage[role].Total() {
			s.Text = maps.Clone(m.text)
		}
	}
	if !m.boundless {
		s.Room = new(m.room)
	}
	return s
}

// Paid returns what was paid so far, and what recordings saved.
func (m *Meter) Paid() Paid {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.paid
}

// Served returns the models that have replied so far.
func (m *Meter) Served() []Served {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.served)
}

// IDs returns the ids of the recorded calls of language models, sorted.
func (s Seen) IDs() (ids []string) {
	for _, c := range s.Calls {
		ids = append(ids, c.ID)
	}
	return ids
}

// A Call is a recorded call of a language model.
type Call struct {
	ID     string // of the recording
	Stage  string // the role of the call
	Start  time.Time
	Took   time.Duration
	Reused bool // a recording answered
}

// Served is a language model that replied to calls of a role, which may differ from
// the requested one. It has the server's name for its configuration, if it gives
// one, and the UTC day on which its replies were recorded, empty if they were not.
type Served struct {
	Role        string `json:"role"`
	Model       string `json:"model,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Recorded    string `json:"recorded,omitempty"`
}

// A Tally adds up what happens under several contexts as it happens; a [Meter]
// reports one context after its end. It is safe for concurrent use.
type Tally struct {
	mu    sync.Mutex
	spent Spent
}

// Spent is the usage of calls.
type Spent struct {
	Calls  int // of all models, including recorded ones
	Tokens int // of all models, including recorded calls
	Paid       // the part paid now, and what recordings saved
}

// Add returns the sum of s and o. Its price is unknown if either is.
func (s Spent) Add(o Spent) Spent {
	return Spent{Calls: s.Calls + o.Calls, Tokens: s.Tokens + o.Tokens, Paid: s.Paid.Add(o.Paid)}
}

// NewTally returns a tally of nothing.
func NewTally() *Tally { return &Tally{spent: Spent{Paid: Paid{USD: new(0.0)}}} }

// Spent returns what was spent so far.
func (t *Tally) Spent() Spent {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spent
}

// Add adds what was spent elsewhere; a nil tally ignores it.
func (t *Tally) Add(s Spent) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spent = t.spent.Add(s)
}

type tallyKey struct{}

// Count returns a context whose meters add what they collect to t too.
func Count(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}
