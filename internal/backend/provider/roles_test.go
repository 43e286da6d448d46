package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/openai"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// withProber returns an entry whose chat model gives no log-probabilities, at a
// server of its own, and whose prober does.
func withProber(reader, prober *modelserver.Server) Options {
	o := options(reader)
	o.Embed.Use, o.NLI.Use = "none", "none"
	o.Chat.Model, o.Chat.Omit = "gpt-5-nano", []openai.Parameter{"temperature", "logprobs", "top_logprobs"}
	c := Defaults().Chat
	c.BaseURL, c.Model, c.Provider = prober.URL, "gpt-4.1-mini", "prober"
	o.Roles = Roles{probe: c}
	return o
}

// measure is a call as a method makes it to see how sure a model is.
func measure(text string) llm.Request {
	return llm.Request{
		Role: probe, Messages: []llm.Message{{Role: llm.User, Content: text}}, Plain: true,
		Params: llm.Params{Temperature: new(0.0), MaxTokens: 20, Logprobs: true},
	}
}

// Calls of a role go to its model, with its recordings, its price and its key,
// and all others to the chat model.
func TestRoles(t *testing.T) {
	keys := make(map[string]string)
	observe := func(name string) func(*http.Request, []byte) {
		return func(r *http.Request, _ []byte) { keys[name] = r.Header.Get("Authorization") }
	}
	reader := modelserver.New(t, modelserver.Options{NoLogprobs: true, NoTemperature: true, Observe: observe("reader")})
	prober := modelserver.New(t, modelserver.Options{NoCompletions: true, Observe: observe("prober")})
	o, dir := withProber(reader, prober), t.TempDir()
	o.Chat.Key.Env = "READER"
	c := o.Roles[probe]
	c.Key.Env, c.Price = "PROBER", &price.Listing{Input: new(1000.0), Output: new(0.0)}
	o.Roles[probe] = c
	use := func(mode calls.Mode) (said, sure llm.Reply, m *meter.Meter) {
		env := surroundings(t, dir, mode)
		env.Getenv = func(name string) string { return "sk-" + name + "-of-the-test" }
		d := doors(t, env, o)
		ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
		g := meter.Generator(d.LLM, d.Tokens, d.Price)
		said, err := g.Generate(ctx, ask(nil, "who"))
		try.Do(t, err)
		if sure, err = g.Generate(ctx, measure("who")); err != nil {
			t.Fatal(err)
		}
		if got := d.ModelOf(probe) + " " + d.ModelOf("reader") + " " + d.Settings["roles.probe"]; got != "gpt-4.1-mini gpt-5-nano gpt-4.1-mini at prober" {
			t.Errorf("models %s", got)
		}
		return said, sure, m
	}
	said, sure, m := use(calls.Reuse)
	if said.Model != "gpt-5-nano" || sure.Model != "gpt-4.1-mini" || len(sure.Logprobs) == 0 {
		t.Errorf("reader served by %s, probe by %s with %d log-probabilities", said.Model, sure.Model, len(sure.Logprobs))
	}
	try.Equal(t, "keys", map[string]string{"reader": "Bearer sk-READER-of-the-test", "prober": "Bearer sk-PROBER-of-the-test"}, keys)
	usage := m.Seen().Usage
	rates, _ := price.Builtin().Find("gpt-5-nano")
	want := rates.Cost(usage["reader"]) + float64(usage[probe].Input)/1000
	if got := m.Seen().Cost; got == nil || *got != want {
		t.Errorf("cost %v, want %v", got, want)
	}
	reader.Close()
	prober.Close()
	if _, again, _ := use(calls.Replay); !again.Reused || !cmp.Equal(again.Logprobs, sure.Logprobs) {
		t.Errorf("replayed %+v, recorded %+v", again, sure)
	}
}

// A model without log-probabilities is not even asked for them where the options
// say that it has none, and the error says what would be right.
func TestNoProber(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{NoLogprobs: true})
	o := options(s)
	for _, omit := range [][]openai.Parameter{nil, {"logprobs"}} {
		o.Chat.Omit = omit
		d := doors(t, surroundings(t, t.TempDir(), calls.Reuse), o)
		before := s.Stats().Arrived
		_, err := d.LLM.Generate(t.Context(), measure("who"))
		if fault.KindOf(err) != fault.NoLogprobs || !strings.HasSuffix(err.Error(), needsProber) || strings.Contains(err.Error(), "tried") {
			t.Errorf("omit %v: %v", omit, err)
		}
		if made := s.Stats().Arrived - before; made != 1-len(omit) {
			t.Errorf("omit %v: %d calls, want %d", omit, made, 1-len(omit))
		}
		if _, err := d.LLM.Generate(t.Context(), ask(nil, "who")); err != nil {
			t.Errorf("omit %v: without log-probabilities: %v", omit, err)
		}
	}
}

// A role's model is decoded over the same defaults as the chat model, and its
// faults are named where they stand.
func TestRolesOptions(t *testing.T) {
	decode := func(data string) (Options, error) {
		doc, err := strictyaml.Parse("x.yaml", []byte(data))
		if err != nil {
			return Options{}, err
		}
		o := Defaults()
		doc.Root().Decode(&o)
		return o, doc.Err()
	}
	const chat = "chat: {base_url: http://h/v1, model: m}\n"
	o := try.Get(decode(chat + "roles: {probe: {base_url: http://g/v1, model: n, limits: {max: 3}}}"))(t)
	want := Defaults().Chat
	want.BaseURL, want.Model, want.Limits.Max = "http://g/v1", "n", 3
	try.Equal(t, "", Roles{probe: want}, o.Roles)
	for data, want := range map[string]string{
		"roles: {probes: {base_url: http://g/v1, model: n}}":                  "x.yaml:2:17: roles.probes: no calls have this role; did you mean probe?",
		"roles: {answering: {base_url: http://g/v1, model: n}}":               "x.yaml:2:20: roles.answering: no calls have this role; have boundary, ",
		"roles: {reader: {base_url: http://g/v1, model: n}}":                  "x.yaml:2:17: roles.reader: its calls give the answer, which comes from the model of options.chat",
		"roles: {external-answer: {base_url: http://g/v1, model: n}}":         "x.yaml:2:26: roles.external-answer: its calls give the answer, which comes from the model of options.chat",
		"roles: {probe: {model: n}}":                                          "x.yaml:2:16: roles.probe.base_url: is empty, want the address of a server",
		"roles: {probe: {base_url: 'http://u:pass@g/v1', model: n}}":          "roles.probe.base_url: contains a user",
		"roles: {probe: {base_url: http://g/v1, model: n, omit: [top]}}":      `roles.probe.omit[0]: `,
		"roles: {probe: {base_url: http://g/v1, model: n, modell: n}}":        `unknown key "modell"; did you mean "model"?`,
		"roles: {probe: {base_url: http://g/v1, model: n, limits: {max: 0}}}": "roles.probe.limits.max: ",
	} {
		if _, err := decode(chat + data); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%s:\ngot  %v\nwant %s", data, err, want)
		}
	}
}

// A check tries each role's model under its own name, and wants
// log-probabilities of a prober.
func TestCheckRoles(t *testing.T) {
	with := modelserver.New(t, modelserver.Options{Models: []string{"gpt-4.1-mini", "gpt-5-nano"}})
	without := modelserver.New(t, modelserver.Options{NoLogprobs: true})
	find := func(o Options, what string) backend.Finding {
		t.Helper()
		for _, f := range spec.Check(t.Context(), surroundings(t, "", calls.Off), o) {
			if f.What == what {
				return f
			}
		}
		t.Errorf("nothing is said of %s", what)
		return backend.Finding{}
	}
	if f := find(withProber(without, with), "roles.probe"); f.Status != backend.Good {
		t.Errorf("a prober: %+v", f)
	}
	if f := find(withProber(with, without), "roles.probe"); f.Status != backend.Missing || !strings.HasPrefix(f.Detail, string(fault.NoLogprobs)) {
		t.Errorf("a prober without log-probabilities: %+v", f)
	}
	o := withProber(without, with)
	c := o.Roles[probe]
	c.Key.Env = "UNSET"
	o.Roles[probe] = c
	if f := find(o, "roles.probe"); f.Status != backend.Missing || !strings.Contains(f.Detail, "UNSET is not set") {
		t.Errorf("%+v", f)
	}
}

// An estimate counts calls of a role at the price of its model.
func TestEstimateRoles(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	o, env := withProber(s, s), surroundings(t, "", calls.Off)
	env.Estimate = true
	d := doors(t, env, o)
	ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
	r := ask(nil, "who")
	r.Role = probe
	try.Get(meter.Generator(d.LLM, d.Tokens, d.Price).Generate(ctx, r))(t)
	rates, _ := price.Builtin().Find("gpt-4.1-mini")
	if got, want := m.Seen().Cost, rates.Cost(m.Seen().Usage[probe]); got == nil || *got != want {
		t.Errorf("cost %v, want %v", got, want)
	}
	if n := s.Stats().Arrived; n != 0 {
		t.Errorf("%d calls for an estimate", n)
	}
}
