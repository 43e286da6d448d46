package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recallbench/internal/backend"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/token"
)

// check tries what an entry names, door by door, and goes on where one fails.
// It asks a chat model for a few short replies.
func (f Fallback) check(ctx context.Context, env backend.Env, options any) []backend.Finding {
	c := &checkup{env: env}
	o, ok := options.(Options)
	if !ok {
		c.missing("options", fmt.Sprintf("they are a %T, want live.Options", options), "")
		return c.findings
	}
	c.Options = o
	if err := o.Validate(); err != nil {
		for line := range strings.Lines(err.Error()) {
			c.missing("options", strings.TrimSuffix(line, "\n"), "")
		}
		return c.findings
	}
	c.checkTokens()
	c.checkChat(ctx)
	c.checkDoors(ctx, f)
	return c.findings
}

// A checkup is an entry that is being tried. What a failed try makes
// impossible is not tried.
type checkup struct {
	Options
	env      backend.Env
	tokens   token.Codec // nil where the tokenizer cannot be opened
	replied  bool        // the chat model has
	findings []backend.Finding
}

func (c *checkup) add(status backend.FindingStatus, what, detail, remedy string) {
	c.findings = append(c.findings, backend.Finding{What: what, Status: status, Detail: detail, Remedy: remedy})
}

func (c *checkup) good(what, detail string) { c.add(backend.Good, what, detail, "") }

func (c *checkup) warn(what, detail, remedy string) { c.add(backend.Warning, what, detail, remedy) }

func (c *checkup) missing(what, detail, remedy string) { c.add(backend.Missing, what, detail, remedy) }

// checkTokens tries the tokenizer.
func (c *checkup) checkTokens() {
	const what = "tokenizer"
	name, whose := c.Tokenizer, "as the option says"
	if name == "" {
		name, whose = fallbackEncoding, ""
		if own, known := token.ForModel(c.Chat.Model); known {
			name, whose = own, "the model's own"
		} else if c.Chat.Use == "offline" {
			whose = "as offline"
		}
	}
	codec, err := token.Open(name, c.env.Base)
	switch {
	case err != nil:
		c.missing(what, inLine(strings.TrimPrefix(err.Error(), "tokenizer ")), "correct options.tokenizer")
		return
	case whose == "":
		c.warn(what, fmt.Sprintf("that of %s is not known; what is counted before a call is counted with %s", c.Chat.Model, name),
			"set options.tokenizer to the path of the model's tokenizer.json")
	default:
		c.good(what, codec.Name()+", "+whose)
	}
	c.tokens = codec
}

// The times that a check waits for a reply: for the list of models, which any
// server has at hand, and for what a model has to do, which a local server may
// have to load first. An attempt of a run may take less.
const (
	listTime  = 10 * time.Second
	replyTime = time.Minute
)

// The waits before the one further try.
const (
	minWait = 100 * time.Millisecond
	maxWait = 5 * time.Second
)

// try calls f within a time, and once more where its fault may have passed.
func try(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	once := func() error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fault.New(fault.Timeout, "no whole reply within %s", limit))
		defer cancel()
		err := f(ctx)
		if kind := fault.KindOf(context.Cause(ctx)); err != nil && kind == fault.Timeout {
			return context.Cause(ctx)
		}
		return err
	}
	err := once()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || !e.Kind.Passes() || e.Kind == fault.Timeout {
		return err
	}
	select {
	case <-time.After(min(max(e.RetryAfter, minWait), maxWait)):
		return once()
	case <-ctx.Done():
		return err
	}
}

// inLine writes a message of several lines as one.
func inLine(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
