package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"sync"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
)

// asks returns what answers a request to a chat model: read returns what a body asks
// for, and whole a completion as the interface has it.
func (x *exchange) asks(read func(body []byte, role string) (*chatBody, error), whole func(*completion) any) func(p *Phase, leave func(), body []byte) error {
	return func(p *Phase, leave func(), body []byte) error {
		b, err := read(body, p.role)
		if err != nil {
			p.judge(err)
			return err
		}
		complete := func() (*completion, error) {
			defer leave()
			return x.complete(p, b)
		}
		if b.stream {
			return x.stream(b, complete)
		}
		c, err := complete()
		if err == nil {
			send(x.w, http.StatusOK, whole(c))
		}
		return err
	}
}

// complete asks for a completion.
func (x *exchange) complete(p *Phase, b *chatBody) (*completion, error) {
	model := cmp.Or(b.model, x.memory.models.ChatName)
	if most := x.memory.models.MaxTokens; most > 0 && (b.request.Params.MaxTokens == 0 || b.request.Params.MaxTokens > most) {
		b.request.Params.MaxTokens = most
	}
	at := make([]*string, len(b.request.Messages))
	for i := range b.request.Messages {
		at[i] = &b.request.Messages[i].Content
	}
	back := x.memory.normalise(at)
	key := b.key()
	reply, err := p.do(x.r.Context(), key, x.again(), func(ctx context.Context, repeat int) (any, error) {
		return x.memory.chats(ctx, b, repeat)
	})
	if err != nil {
		return nil, err
	}
	return newCompletion(model, hex.EncodeToString(key[:8]), reply.([]llm.Reply), back), nil //nolint:forcetypeassert // see above
}

// key stands for what the body asks, whatever changes no reply.
func (b *chatBody) key() bodyKey {
	r := b.request
	h := sha256.New()
	form := []any{r.Params, r.Wire, b.choices}
	for _, m := range r.Messages {
		form = append(form, m.Role, len(m.Content))
		_, _ = io.WriteString(h, m.Content) // a hash never fails
	}
	h.Write(encode(form))
	return bodyKey(h.Sum(nil))
}

// chats asks for the choices of a request, at the same time.
func (m *Memory) chats(ctx context.Context, b *chatBody, repeat int) ([]llm.Reply, error) {
	replies, faults := make([]llm.Reply, b.choices), make([]error, b.choices)
	var wg sync.WaitGroup
	ask := func(i int) {
		r := b.request
		r.Repeat = repeat*b.choices + i
		replies[i], faults[i] = m.chat(ctx, r)
	}
	for i := range b.choices - 1 {
		wg.Go(func() { ask(i) })
	}
	ask(b.choices - 1)
	wg.Wait()
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	form, err := b.request.Wire.Form()
	if err == nil && slices.ContainsFunc(replies, func(r llm.Reply) bool { return !form.Fits(r) }) {
		meter.Degrade(ctx, b.request.Role) // such as JSON that was cut, which libraries pass over
	}
	return replies, nil
}
