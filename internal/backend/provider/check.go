package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/token"
	"recallbench/internal/text/suggest"
)

// A checkup is an entry whose doors are tried.
type checkup struct {
	*opening
	speed    backend.Speed // of the chat model
	findings []backend.Finding
}

// A tried is what came of a door that was tried: what it returned, and whether that
// is what a sound model returns.
type tried struct {
	detail string
	sound  bool
}

// check opens each door that an entry names as a run does, has it do a little, and
// goes on where one fails. It waits as long as an attempt of a run may take.
func (f Fallback) check(ctx context.Context, env backend.Env, options any) []backend.Finding {
	o := options.(Options) //nolint:forcetypeassert // a config has the options of its entry
	c := &checkup{opening: &opening{Options: o, fallback: f, env: env, settings: make(map[string]string)}}
	if err := o.Validate(); err != nil {
		for line := range strings.Lines(err.Error()) {
			c.missing("options", strings.TrimSuffix(line, "\n"), "")
		}
		return c.findings
	}
	c.env.Limits = limit.NewRegistry() // a trial must not change what a run measures
	for _, s := range []*Server{&c.Chat.Server, &c.Embed.Server, &c.NLI.Server} {
		s.Limits.Retries = 0
	}
	c.Roles = maps.Clone(c.Roles)
	defer func() { _ = c.close() }() // nothing was written
	c.checkTokens()
	var replied bool
	if c.Chat.Use == standIn {
		c.good("chat", "the stand-in; needs nothing from outside")
	} else {
		replied = c.checkModel(ctx, "chat", c.Chat, c.tryChat)
	}
	for _, role := range c.Roles.names() {
		o := c.Roles[role]
		o.Limits.Retries = 0
		c.Roles[role] = o
		c.checkModel(ctx, door(role), o, func(ctx context.Context, g llm.Generator) (tried, error) { return tryRole(ctx, g, role) })
	}
	if replied && c.openChat() == nil { // for what asks it
		_ = c.openRoles() // each was tried by itself
	}
	c.checkDoors(ctx, replied)
	c.findings = append(c.findings, annotators.Check(ctx, c.Annotate)...)
	return c.findings
}

func (c *checkup) add(status backend.FindingStatus, what, detail, remedy string) {
	c.findings = append(c.findings, backend.Finding{What: what, Status: status, Detail: detail, Remedy: remedy})
}

func (c *checkup) good(what, detail string) { c.add(backend.Good, what, detail, "") }

func (c *checkup) warn(what, detail, remedy string) { c.add(backend.Warning, what, detail, remedy) }

func (c *checkup) missing(what, detail, remedy string) { c.add(backend.Missing, what, detail, remedy) }

// report says what came of a door, and returns whether it did its work.
func (c *checkup) report(name string, t tried, err error, remedy string) bool {
	switch {
	case err != nil:
		c.missing(name, strings.ReplaceAll(err.Error(), "\n", "; "), remedyOf("options."+name, err))
	case !t.sound:
		c.warn(name, t.detail, remedy)
	default:
		c.good(name, t.detail)
	}
	return err == nil
}

// checkTokens opens the tokenizer.
func (c *checkup) checkTokens() {
	_, known := token.ForModel(c.Chat.Model)
	err := c.openTokens()
	switch {
	case err != nil:
		c.missing("tokenizer", strings.TrimPrefix(err.Error(), "tokenizer: tokenizer "), "correct options.tokenizer")
		c.Tokenizer = fallbackEncoding
		_ = c.openTokens() // one that is built in
	case c.Tokenizer == "" && !known && c.Chat.Use != standIn:
		c.warn("tokenizer", fmt.Sprintf("that of %s is not known; what is counted before a call is counted with %s", c.Chat.Model, c.tokens.Name()),
			"set options.tokenizer to the path of the model's tokenizer.json")
	default:
		c.good("tokenizer", c.tokens.Name())
	}
}

// checkModel tries a chat model, and says how much it takes and what it costs.
func (c *checkup) checkModel(ctx context.Context, name string, o Chat, try func(context.Context, llm.Generator) (tried, error)) bool {
	model, rates, err := c.openModel(o)
	var t tried
	if err == nil {
		t, err = try(ctx, model)
	}
	kind := fault.KindOf(err)
	if err != nil && kind != fault.NoModel || ctx.Err() != nil {
		return c.report(name, t, err, "")
	}
	client, failed := c.newChat(o)
	if failed != nil {
		return c.report(name, t, failed, "")
	}
	listing, cancel := context.WithTimeout(ctx, o.Limits.Attempt)
	defer cancel()
	models, unlisted := client.Models(listing)
	switch {
	case err != nil && unlisted == nil:
		c.missing(name, strings.ReplaceAll(err.Error(), "\n", "; "), "correct options."+name+".model: "+nearest(o.Model, models))
		return false
	case err == nil && unlisted == nil && !client.Listed(models):
		t.sound = false
		t.detail += "; the server does not list " + o.Model
	}
	if !c.report(name, t, err, "set options."+name+".model to the model that you mean") {
		return false
	}
	if name == "chat" {
		c.findings = append(c.findings, backend.Finding{
			What: "chat speed", Status: backend.Good, Speed: c.speed,
			Detail: fmt.Sprintf("about %.0f tokens read and %.0f written a second", c.speed.Read, c.speed.Written),
		})
	}
	if n := client.Context(); n > 0 {
		c.findings = append(c.findings, backend.Finding{What: name + " context", Detail: strconv.Itoa(n) + " tokens, as the server says", Status: backend.Good, Context: n})
	}
	if rates == nil {
		c.warn(name+" price", "that of "+o.Model+" is not known, nor will be what a run costs", "set options."+name+".price to {input: ..., output: ...}, in dollars for a million tokens")
	} else {
		c.good(name+" price", fmt.Sprintf("$%v for a million tokens read and $%v written", rates.Input, rates.Output))
	}
	return true
}

// What the checks allow a reply, in tokens. A reply that ends there is good enough.
const (
	shortTokens = 16
	longTokens  = 64
)

// question is a request with the parameters that methods set.
func question(text string, tokens int) llm.Request {
	return llm.Request{
		Role:     "check",
		Messages: []llm.Message{{Role: llm.User, Content: text}},
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: tokens},
	}
}

// tryRole asks the model of a role as its calls do: a prober for log-probabilities.
func tryRole(ctx context.Context, g llm.Generator, role string) (tried, error) {
	r := question("Reply with one word: ready", shortTokens)
	if role == probe {
		r.Plain, r.Params.Logprobs = true, true
	}
	reply, err := g.Generate(ctx, r)
	return tried{fmt.Sprintf("%.40q", reply.Text), true}, err
}

// tryChat has the chat model write, and read, and measures how fast it is.
func (c *checkup) tryChat(ctx context.Context, g llm.Generator) (tried, error) {
	wrote, err := g.Generate(ctx, question("Write the numbers from one to sixty in words.", longTokens))
	if err != nil {
		return tried{}, err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "List %d.\n", time.Now().UnixNano()) // no server has read it before
	for i := range 60 {
		fmt.Fprintf(&text, "Parcel %d left warehouse %d and belongs to nobody so far.\n", 7*i, i%9)
	}
	text.WriteString("Reply with one word: ready")
	read, err := g.Generate(ctx, question(text.String(), shortTokens))
	if err != nil {
		return tried{}, err
	}
	own := c.tokens.Count(text.String())
	detail, sound := fmt.Sprintf("%.40q", wrote.Text), true
	if wrote.Model != "" && wrote.Model != c.Chat.Model {
		detail += ", served by " + wrote.Model
		sound = snapshot(wrote.Model, c.Chat.Model)
	}
	if read.Usage.Calls > 0 {
		detail += fmt.Sprintf("; it reads %d tokens where %s counts %d", read.Usage.Input, c.tokens.Name(), own)
	} else {
		detail += "; it reports no usage"
		for _, r := range []*llm.Reply{&wrote, &read} {
			r.Usage.Input, r.Usage.Output = own, c.tokens.Count(r.Text)
		}
		wrote.Usage.Input = shortTokens
	}
	c.speed = speedOf(wrote, read)
	return tried{detail, sound}, nil
}

// speedOf returns how fast a model is that took its time for two replies. Where one
// of the parts is lost in the other, the whole time counts for it.
func speedOf(wrote, read llm.Reply) backend.Speed {
	in, out, took := float64(wrote.Usage.Input), float64(wrote.Usage.Output), wrote.Took.Seconds()
	in2, out2, took2 := float64(read.Usage.Input), float64(read.Usage.Output), read.Took.Seconds()
	s := backend.Speed{Read: in2 / max(took2, 1e-6), Written: out / max(took, 1e-6)}
	whole := in*out2 - in2*out
	perRead, perWritten := (took*out2-took2*out)/whole, (in*took2-in2*took)/whole
	if perRead > 0 && perWritten > 0 { // false for no number
		s = backend.Speed{Read: 1 / perRead, Written: 1 / perWritten}
	}
	return s
}

// snapshot reports whether a name is that of a dated snapshot of a model, such
// as gpt-5-nano-2025-08-07.
func snapshot(name, model string) bool {
	date, ok := strings.CutPrefix(name, model+"-")
	return ok && strings.Trim(date, "0123456789-") == ""
}

// remedyOf says what to do about an error of a door, whose options are named, where
// the error does not say it.
func remedyOf(options string, err error) string {
	e, ok := errors.AsType[*fault.Error](err)
	_, noHost := errors.AsType[*net.DNSError](err)
	switch {
	case !ok || e.Remedy != "":
		return ""
	case errors.Is(err, syscall.ECONNREFUSED):
		return "start the server, or correct " + options + ".base_url"
	case noHost:
		return "correct " + options + ".base_url"
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "begin " + options + ".base_url with http://"
	}
	switch e.Kind {
	case fault.Timeout:
		return "raise " + options + ".limits.attempt, or look whether the server is well"
	case fault.Connection, fault.Server, fault.BadReply:
		return "look whether the server is well, and " + options + ".base_url right"
	case fault.RateLimit:
		return "wait, or set " + options + ".limits to what the account takes"
	case fault.Auth, fault.Rejected:
		return "correct " + options
	default:
		return ""
	}
}

// maxListed is how many models a remedy names.
const maxListed = 12

// nearest says which models a server has: the one with a near name, or the first.
func nearest(model string, names []string) string {
	if found, ok := suggest.Find(model, names); ok {
		return "did you mean " + found + "?"
	}
	return "the server has " + strings.Join(names[:min(len(names), maxListed)], ", ")
}
