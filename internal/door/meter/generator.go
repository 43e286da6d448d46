package meter

import (
	"context"
	"errors"
	"strings"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/token"
)

// A Price returns the cost of usage of calls of a role in dollars; known is
// false if it is unknown. A nil Price knows nothing. Roles have prices of their
// own because they may have models of their own.
type Price func(role string, u llm.Usage) (usd float64, known bool)

// Free is the price of calls that cost nothing.
func Free(string, llm.Usage) (usd float64, known bool) { return 0, true }

// Of returns the cost of usage of calls of a role in dollars; known is false if it is
// unknown.
func (p Price) Of(role string, u llm.Usage) (usd float64, known bool) {
	if p == nil {
		return 0, false
	}
	return p(role, u)
}

// Generator wraps g so that its usage is added to the meter of the context. If the
// provider reports no usage, the tokens of the messages' content and of the reply are
// counted with c, without what a chat template would add. A call beyond a limit of
// the meter is not made: it fails with [fault.Limit]. A nil door stays nil.
func Generator(g llm.Generator, c token.Counter, p Price) llm.Generator {
	if g == nil {
		return nil
	}
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		m := From(ctx)
		if m == nil {
			return g.Generate(ctx, r)
		}
		input := Input(r, c)
		if err := m.admit(input); err != nil {
			return llm.Reply{}, err
		}
		start := m.begin(r.Role)
		reply, err := g.Generate(ctx, r)
		took := m.stage(r.Role, start)
		if err != nil {
			m.fail(err)
			return reply, err
		}
		output := c.Count(reply.Written())
		u := reply.Usage
		if u.Calls == 0 {
			u = llm.Usage{Calls: 1, Input: input, Output: output, Counted: true}
		}
		text := input + output
		if r.Prefix > 0 {
			text -= m.shared(r, c)
		}
		m.addPriced(r.Role, u, p, reply.Reused)
		m.reply(reply, Call{reply.Call, r.Role, start, took, reply.Reused}, text)
		return reply, nil
	})
}

// Input counts the tokens of a request's prompt.
func Input(r llm.Request, c token.Counter) (n int) {
	for _, msg := range r.Messages {
		n += c.Count(msg.Content)
	}
	if r.Wire != nil { // tools are part of the prompt
		n += c.Count(string(r.Wire.Rest))
	}
	return n
}

// admit refuses a call that would go beyond a limit. Input is the number of
// tokens of its prompt; what it will write is not known yet.
func (m *Meter) admit(input int) error {
	l := m.limits
	if l == (Limits{}) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var used llm.Usage
	for role, u := range m.usage {
		if role != EmbedRole {
			used = used.Add(u)
		}
	}
	switch {
	case l.Calls > 0 && used.Calls >= l.Calls:
		return fault.New(fault.Limit, "the question has made %d calls, its limit (limits.request.calls)", used.Calls)
	case l.Tokens > 0 && used.Total()+input > l.Tokens:
		return fault.New(fault.Limit, "the question has used %d tokens and its next prompt has %d, above its limit of %d (limits.request.tokens)", used.Total(), input, l.Tokens)
	case l.USD > 0 && m.cost.sum >= l.USD:
		return fault.New(fault.Limit, "the question has cost $%.4f, its limit is $%v (limits.request.usd)", m.cost.sum, l.USD)
	}
	return nil
}

// shared returns how many tokens of the request's beginning an earlier call
// under this meter has shown already, and remembers the beginning.
func (m *Meter) shared(r llm.Request, c token.Counter) int {
	var text strings.Builder
	tokens := 0
	for _, msg := range r.Messages {
		part := msg.Content[:min(r.Prefix-text.Len(), len(msg.Content))]
		text.WriteString(part)
		tokens += c.Count(part)
	}
	prefix := text.String()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.prefixes[prefix] {
		return tokens
	}
	if m.prefixes == nil {
		m.prefixes = make(map[string]bool)
	}
	m.prefixes[prefix] = true
	return 0
}

// addPriced is add at a price, which may be nil.
func (m *Meter) addPriced(role string, u llm.Usage, p Price, reused bool) {
	usd, known := p.Of(role, u)
	m.add(role, u, usd, known, reused)
}

// add notes what a call used; reused is set if it was a recorded one.
func (m *Meter) add(role string, u llm.Usage, usd float64, known, reused bool) {
	c := collected{usage: map[string]llm.Usage{role: u}, cost: dollars{usd, !known}, paid: Paid{USD: new(0.0)}}
	speaks := role != EmbedRole
	if speaks {
		c.language = c.cost
	}
	switch {
	case reused && speaks:
		c.paid.Reused = u.Calls
	case !reused:
		c.paid = Paid{Tokens: u.Total(), USD: c.cost.value()}
		if speaks {
			c.paid.Calls = u.Calls
		}
	}
	m.tally.Add(c.spent())
	m.collect(c)
}

// Waste records the usage of an attempt whose reply was unusable; its price is nil
// if unknown. Without a meter in ctx it does nothing.
func Waste(ctx context.Context, role string, u llm.Usage, usd *float64) {
	m := From(ctx)
	if m == nil || u == (llm.Usage{}) {
		return
	}
	if usd == nil {
		m.add(role, u, 0, false, false)
	} else {
		m.add(role, u, *usd, true, false)
	}
}

// reply notes where a reply came from and the tokens of its text.
func (m *Meter) reply(reply llm.Reply, c Call, text int) {
	if c.ID != "" {
		defer m.tell(Step{Stage: c.Stage, Call: c.ID, Done: true, Took: c.Took, Reused: c.Reused})
	}
	from := collected{text: map[string]int{c.Stage: text}, attempts: reply.Attempts}
	if c.ID != "" {
		from.calls = []Call{c}
	}
	if reply.Model != "" || reply.Fingerprint != "" {
		day := ""
		if !reply.Recorded.IsZero() {
			day = reply.Recorded.UTC().Format(time.DateOnly)
		}
		from.served = []Served{{c.Stage, reply.Model, reply.Fingerprint, day}}
	}
	m.collect(from)
}

// fail notes how often a call that failed was tried.
func (m *Meter) fail(err error) {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		m.collect(collected{attempts: e.Attempts})
	}
}
