package provider

import (
	"context"
	"errors"
	"fmt"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/openai"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/token"
)

// openChat opens the door to the language model.
func (b *opening) openChat() error {
	if b.Chat.Use == standIn {
		b.doors.LLM, b.doors.Reader, b.doors.LLMRates = b.stand.LLM, b.stand.Reader, free
		b.doors.Offline = true
		b.settings["tokens"] = b.tokens.Name()
		return nil
	}
	door, rates, err := b.openModel(b.Chat)
	if err != nil {
		return err
	}
	b.doors.LLM, b.doors.Reader, b.doors.LLMRates = door, b.Chat.Model, rates
	b.settings["provider"] = b.Chat.provider()
	b.settings["tokens"] = b.tokens.Name()
	if b.Chat.ReasoningEffort != "" {
		b.settings["reasoning_effort"] = b.Chat.ReasoningEffort
	}
	if b.Chat.Extra != "" {
		b.settings["extra"] = b.Chat.Extra
	}
	return nil
}

// openModel opens one chat model, and returns its price; nil if unknown.
func (b *opening) openModel(c Chat) (llm.Generator, *price.Rates, error) {
	client, err := b.newChat(c)
	if err != nil {
		return nil, nil, err
	}
	g, rates, err := b.gate(c.Server, c.Model, c.Price)
	if err != nil {
		return nil, nil, err
	}
	id := calls.Identity{Class: "openai", Provider: c.provider(), Model: c.Model, Fixed: client.Fixed()}
	var inner llm.Generator
	if b.calls() {
		inner = limitedChat{client, g}
	}
	door := b.env.Calls.Generator(id, inner)
	if b.env.Estimate {
		door = estimated{recorded: door, mode: b.env.Calls.Mode(), standIn: b.stand.LLM, tokens: b.tokens}
	}
	p := prepared{Generator: door, effective: client.Effective, extraTokens: c.ReasoningTokens, model: c.Model}
	if c.SendSeed {
		p.seed = new(int64(b.env.Seed & maxSeed))
	}
	return p, rates, nil
}

// maxSeed keeps a seed within the range of every server's JSON reader.
const maxSeed = 1<<31 - 1

// newChat returns the client of a chat model.
func (b *opening) newChat(c Chat) (*openai.Chat, error) {
	key, err := b.key(c.Server)
	chat, fault := openai.NewChat(openai.Config{BaseURL: c.BaseURL, Key: key, Model: c.Model, Quirks: c.Quirks})
	return chat, errors.Join(err, fault)
}

// key reads the key of a server; none where nothing is called.
func (b *opening) key(s Server) (string, error) {
	if !b.calls() {
		return "", nil
	}
	return s.Key.Read(b.env)
}

// prepared fills in what the options say of every request, and takes away what
// will not be sent, so that a recording's key holds what is asked and nothing
// else. Of log-probabilities it says at once that they will not come.
type prepared struct {
	llm.Generator
	effective   func(llm.Request) llm.Request
	seed        *int64
	extraTokens int
	model       string
}

func (p prepared) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if r.Params.Seed == nil && p.seed != nil {
		// A repeat is sampled anew, which the same seed would not do.
		r.Params.Seed = new((*p.seed + int64(r.Repeat)) & maxSeed)
	}
	if r.Params.MaxTokens > 0 {
		r.Params.MaxTokens += p.extraTokens
	}
	sent := p.effective(r)
	if r.Params.Logprobs && !sent.Params.Logprobs {
		return llm.Reply{}, &fault.Error{
			Kind: fault.NoLogprobs, Message: fmt.Sprintf("model %q gives no log-probabilities, as omit says", p.model), Remedy: needsProber,
		}
	}
	reply, err := p.Generator.Generate(ctx, sent)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.NoLogprobs {
		explained := *e // which others may hold, too
		explained.Remedy = needsProber
		return llm.Reply{}, &explained
	}
	return reply, err
}

// needsProber says what to do where a model gives no log-probabilities.
const needsProber = "give the model entry a prober that does: options.roles.probe"

// An estimated model answers for an estimate: from recordings, and if there is none
// with the stand-in.
type estimated struct {
	recorded llm.Generator
	mode     calls.Mode // replay, or off for no recordings
	standIn  llm.Generator
	tokens   token.Counter // of the model that will be asked
}

func (s estimated) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if s.mode == calls.Replay {
		reply, err := s.recorded.Generate(ctx, r)
		if fault.KindOf(err) != fault.Miss {
			return reply, err
		}
	}
	if r.Wire != nil {
		return llm.Reply{}, fault.New(fault.NoModel, "an adapter's model calls are not known before it runs, and this one is not recorded")
	}
	reply, err := s.standIn.Generate(ctx, r)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("estimate: %w", err)
	}
	reply.Usage = llm.Usage{} // the meter counts
	room := -1
	if r.Params.MaxTokens > 0 {
		room = max(0, r.Params.MaxTokens-s.tokens.Count(reply.Text))
	}
	meter.Pend(ctx, room)
	return reply, nil
}
