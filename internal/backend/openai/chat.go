package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// A Chat is a language model behind a server. It implements [llm.Generator].
type Chat struct {
	server *server
	quirks Quirks
	fixed  json.RawMessage
	// prompted is set once the server has refused a JSON Schema, so that the
	// prompt asks for it from then on.
	prompted atomic.Bool
	// objectless is set once the server has refused JSON without a schema, which only
	// programs outside ask for.
	objectless atomic.Bool
}

// NewChat returns the model that a config names. It reaches for nothing yet.
func NewChat(c Config) (*Chat, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	q := c.Quirks.withDefaults()
	if q.omits("reasoning_effort") {
		q.ReasoningEffort = ""
	}
	fixed, err := q.fixed()
	if err != nil {
		return nil, err
	}
	return &Chat{server: s, quirks: q, fixed: fixed}, nil
}

func (q Quirks) omits(parameter string) bool { return slices.Contains(q.Omit, parameter) }

// fixed returns the canonical JSON of the quirks that replies depend on, those
// with their default value left out.
func (q Quirks) fixed() (json.RawMessage, error) {
	extra, err := parseExtra(q.Extra)
	if err != nil {
		return nil, err
	}
	format := ""
	if q.omits("response_format") {
		format = "prompt"
	}
	// The fields stand in the order of their names.
	return json.Marshal(struct {
		Effort    string                     `json:"effort,omitempty"`
		Extra     map[string]json.RawMessage `json:"extra,omitempty"`
		Format    string                     `json:"format,omitempty"`
		MaxTokens string                     `json:"max_tokens,omitempty"`
		System    string                     `json:"system,omitempty"`
	}{
		Effort:    q.ReasoningEffort,
		Extra:     extra,
		Format:    format,
		MaxTokens: unless(q.MaxTokens, "max_tokens"),
		System:    unless(q.System, "system"),
	})
}

// unless returns value, or nothing where it is the default.
func unless(value, def string) string {
	if value == def {
		return ""
	}
	return value
}

// Fixed returns the canonical JSON of what is sent with every request beside
// the request's own parameters, as far as replies depend on it. It holds
// neither key nor address.
func (c *Chat) Fixed() json.RawMessage { return slices.Clone(c.fixed) }

// Effective returns r without the parameters that are not sent, so that two
// requests that differ in these alone are the same recording.
func (c *Chat) Effective(r llm.Request) llm.Request {
	q, p := c.quirks, &r.Params
	if q.omits("temperature") {
		p.Temperature = nil
	}
	if q.omits("seed") {
		p.Seed = nil
	}
	if q.omits("max_tokens") {
		p.MaxTokens = 0
	}
	if q.omits("logprobs") {
		p.Logprobs = false
	}
	if q.omits("top_logprobs") || !p.Logprobs {
		p.TopLogprobs = 0
	}
	r.Plain = r.Plain && q.Completions
	return r
}

// Generate implements [llm.Generator]. Its errors are *fault.Error, except
// that a canceled call returns the error of its context. A reply without the
// log-probabilities that were asked for is one, of the kind
// [fault.NoLogprobs]: who asks for them can do nothing with the text. With an error
// comes what the server says that its reply used.
func (c *Chat) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	r = c.Effective(r)
	path, prompted := "chat/completions", c.prompts(r)
	if r.Plain {
		path = "completions"
	}
	resp, err := c.ask(ctx, path, r, prompted)
	if err != nil {
		return llm.Reply{}, err
	}
	defer func() { resp.body.Release() }()
	if refusable := c.refusable(r); !prompted && refusable != nil && readComplaint(resp.body.Data).refusesFormat(resp.status) {
		refusable.Store(true)
		again, err := c.ask(ctx, path, r, true)
		if err != nil {
			return llm.Reply{}, err
		}
		resp.body.Release()
		resp = again
	}
	if !resp.ok() {
		e := c.server.refusal(resp)
		if r.Params.Logprobs && readComplaint(resp.body.Data).refusesLogprobs(resp.status) {
			e.Kind, e.Remedy = fault.NoLogprobs, ""
		}
		return llm.Reply{Usage: resp.usage().of()}, e
	}
	reply, err := c.server.read(ctx, resp, r)
	if err != nil {
		return llm.Reply{Usage: resp.usage().of()}, err
	}
	resp.body.Release()
	reply.Fingerprint = c.server.fingerprint(ctx, resp, reply.Fingerprint)
	return reply, nil
}

// prompts reports whether the prompt has to ask for the format of the reply.
func (c *Chat) prompts(r llm.Request) bool {
	refusable := c.refusable(r)
	return r.Plain || c.quirks.omits("response_format") || refusable != nil && refusable.Load()
}

// refusable returns where the server's refusal of the format that a request asks
// for is noted; nil where there is nothing to refuse, or to do about it.
func (c *Chat) refusable(r llm.Request) *atomic.Bool {
	if c.quirks.omits("response_format") {
		return nil
	}
	if r.Wire == nil {
		if r.Format == nil {
			return nil
		}
		return &c.prompted
	}
	switch kind, _ := wireFormat(r.Wire); kind {
	case formatSchema:
		return &c.prompted
	case formatObject:
		return &c.objectless
	default:
		return nil
	}
}

// ask sends a request and returns the reply, whatever its status.
func (c *Chat) ask(ctx context.Context, path string, r llm.Request, prompted bool) (*response, error) {
	var body any
	var rest []byte
	if r.Plain {
		body = c.plainBody(r)
		rest = c.rest(r.Wire, false)
	} else {
		body = c.chatBody(r, prompted)
		rest = c.rest(r.Wire, prompted)
	}
	data, err := c.server.encode(body, rest)
	if err != nil {
		return nil, err
	}
	return c.server.send(ctx, http.MethodPost, path, data, bound(r.Params))
}

// What a token of a reply may take, in bytes: as text, escaped, and with its
// log-probability and each of those of the likeliest tokens. What a model thinks
// may come beside the tokens that a request allows, and so may what a server says
// of itself.
const (
	tokenBytes   = 128
	logprobBytes = 512
	freeBytes    = 512 << 10
	freeTokens   = 64 << 10 // of a reply whose tokens the request does not bound
)

// bound returns the bound of a reply to a request.
func bound(p llm.Params) httpfault.Bound {
	b := httpfault.Bound{
		Why:    "max_tokens, which is " + strconv.Itoa(p.MaxTokens),
		Remedy: "look at what the server sends; where that is what the model thinks, raise reasoning_tokens",
	}
	tokens := p.MaxTokens
	if tokens <= 0 {
		tokens = freeTokens
		b.Why, b.Remedy = "a request without max_tokens", "take max_tokens out of omit, or look at what the server sends"
	}
	each := tokenBytes
	if p.Logprobs {
		each += logprobBytes * (1 + max(0, p.TopLogprobs))
	}
	b.Bytes = freeBytes + min(tokens, 1<<20)*min(each, 1<<20)
	return b
}

// Models returns the names of the models that the server lists, sorted.
func (c *Chat) Models(ctx context.Context) ([]string, error) { return c.server.models(ctx) }

// Context returns how many tokens of prompt and reply the model takes, where the
// list of [Chat.Models] said so; else 0.
func (c *Chat) Context() int { return int(c.server.context.Load()) }

// Listed reports whether the model is among those that [Chat.Models] returned.
func (c *Chat) Listed(models []string) bool { return c.server.listed(models) }
