package gateway

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"sync"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
)

// The roles of chat calls from outside, see [llm.Roles].
const (
	RoleExternal       = "external"        // what a memory asks for itself
	RoleExternalAnswer = "external-answer" // what it asks for an answer
)

// Models answer the calls of a memory.
type Models struct {
	Name string        // of the memory, for messages
	Chat llm.Generator // metered, behind all doors; nil for none
	// Embedder returns the embedder, which it opens at the first text; nil for none.
	Embedder func(ctx context.Context) (embed.Embedder, error)
	// ChatName and EmbedName are the names that the entry has for its models.
	ChatName, EmbedName string
	// MaxTokens limits the reply of a call that asks for more tokens, or sets no
	// limit; 0 leaves the request as it is.
	MaxTokens int
	// Normalise lists what to replace in texts before they are keyed and sent.
	Normalise []Rule
}

// A Memory is an external memory whose calls the server answers. It is safe for
// concurrent use.
type Memory struct {
	server *Server
	models Models
	key    string

	mu       sync.Mutex
	bound    *Phase       // nil for none
	last     *Phase       // bound last; nil for none yet
	stray    *Phase       // takes calls that no phase does; nil if none came
	usage    *meter.Meter // of stray calls
	stopped  error        // what every further call meets
	fault    error        // that a call met last
	atDoors  int
	calls    int       // that ever came
	activity time.Time // when a call came or ended last
	closed   bool
}

// Key is the bearer token of the memory's calls.
func (m *Memory) Key() string { return m.key }

// Waiting reports whether a call of the memory is currently in progress.
func (m *Memory) Waiting() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.atDoors > 0
}

// Quiet waits until no call has arrived or been in progress for d. It returns at
// once if none ever arrived.
func (m *Memory) Quiet(ctx context.Context, d time.Duration) error {
	for {
		m.mu.Lock()
		left := time.Until(m.activity.Add(d))
		if m.atDoors > 0 {
			left = d
		}
		none := m.calls == 0
		m.mu.Unlock()
		if none || left <= 0 {
			return nil
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Fault returns the last fault of a call of the memory, even if it was tolerated;
// nil for none. It is the meaning of an adapter's report of a model's error.
func (m *Memory) Fault() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fault
}

// Close revokes the key, ends running calls, and returns the usage of stray calls
// that no phase has taken over; nil if there was none.
func (m *Memory) Close() *meter.Meter {
	m.server.mu.Lock()
	delete(m.server.memories, m.key)
	m.server.mu.Unlock()
	m.mu.Lock()
	m.closed = true
	open := slices.DeleteFunc([]*Phase{m.bound, m.stray}, func(p *Phase) bool { return p == nil })
	m.bound = nil
	m.mu.Unlock()
	for _, p := range open {
		p.cancel()
	}
	for _, p := range open {
		p.working.Wait()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if StrayOf(m.usage).Calls == 0 {
		return nil
	}
	return m.usage
}

// Stray is the usage of calls that came outside any phase.
type Stray struct {
	Calls, Tokens int
}

// StrayOf returns what a meter of stray calls has; nil has nothing.
func StrayOf(u *meter.Meter) (s Stray) {
	if u == nil {
		return s
	}
	for _, usage := range u.Seen().Usage {
		s.Calls += usage.Calls
		s.Tokens += usage.Total()
	}
	return s
}

// enter returns the phase that a call belongs to. The caller calls leave when the call
// is answered.
func (m *Memory) enter() (p *Phase, leave func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, nil, errClosed
	}
	if p = m.bound; p == nil {
		p = m.strayPhase()
	}
	m.calls++
	m.activity = time.Now()
	p.working.Add(1)
	return p, func() {
		m.mu.Lock()
		m.activity = time.Now()
		m.mu.Unlock()
		p.working.Done()
	}, nil
}

// errClosed is the error of a call whose memory is closed meanwhile.
var errClosed = fault.New(fault.Unavailable, "the memory is closed")

// strayPhase returns what takes calls that no phase does. They go by what was bound
// last, but do not end with it.
func (m *Memory) strayPhase() *Phase {
	if m.stray != nil {
		return m.stray
	}
	ctx, p := context.Background(), &Phase{memory: m, role: RoleExternal, kind: embed.Document}
	if m.last != nil {
		ctx = context.WithoutCancel(m.last.ctx)
		p.role, p.kind = m.last.role, m.last.kind
	}
	ctx, m.usage = meter.With(ctx, m.server.now, meter.Limits{})
	p.ctx, p.cancel = context.WithCancel(ctx)
	m.stray = p
	return p
}

// complete answers a request to the chat model.
func (m *Memory) complete(r *http.Request, p *Phase, b *chatBody) (*completion, error) {
	if most := m.models.MaxTokens; most > 0 && (b.request.Params.MaxTokens == 0 || b.request.Params.MaxTokens > most) {
		b.request.Params.MaxTokens = most
	}
	n := normaliser{rules: m.models.Normalise}
	for i := range b.request.Messages {
		b.request.Messages[i].Content = n.text(b.request.Messages[i].Content)
	}
	key := b.key()
	got, err := p.do(r, key, func(ctx context.Context, repeat int) (any, error) {
		request := b.request
		request.Repeat = repeat
		return m.chat(ctx, request)
	})
	if err != nil {
		return nil, err
	}
	reply := got.(llm.Reply) //nolint:forcetypeassert // see above
	id := cmp.Or(reply.Call, hex.EncodeToString(key[:8]))
	return &completion{id: id, model: cmp.Or(b.model, m.models.ChatName), reply: reply, choice: newChoice(reply, n.back)}, nil
}

// chat asks the chat model.
func (m *Memory) chat(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if m.models.Chat == nil {
		return llm.Reply{}, m.lacks("a chat model", "a live entry, or an adapter that asks none")
	}
	reply, err := m.models.Chat.Generate(ctx, r)
	if err != nil {
		return reply, err
	}
	if !r.Wire.Fits(reply) {
		meter.Degrade(ctx, r.Role) // such as JSON that was cut, which libraries pass over
	}
	return reply, nil
}

// lacks is the fault of a call for what the entry does not have.
func (m *Memory) lacks(what, remedy string) error {
	return &fault.Error{
		Kind: fault.NoModel, Err: errNoModel,
		Message: "external memory " + m.models.Name + " asked " + what + "; the entry " + cmp.Or(m.models.ChatName, m.models.EmbedName) + " has none",
		Remedy:  "give " + remedy,
	}
}
