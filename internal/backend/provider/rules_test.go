package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/calls"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
)

// withRules returns an entry in which rules answer.
func withRules(change func(*Options)) Options {
	o := Defaults()
	o.Chat.Use, o.Embed.Use = standIn, standIn
	change(&o)
	return o
}

// Rules answer for the chat model without a server, cost nothing, are marked as
// rules, and have an identity of their own.
func TestRules(t *testing.T) {
	o := withRules(func(*Options) {})
	for _, mode := range []calls.Mode{calls.Off, calls.Replay} {
		d := doors(t, surroundings(t, t.TempDir(), mode), o)
		reply, err := d.LLM.Generate(t.Context(), ask(nil, "who was it"))
		if err != nil || reply.Model != standIn || reply.Text == "" {
			t.Errorf("%s: %+v, %v", mode, reply, err)
		}
		if _, err := d.Embed.Fit(t.Context(), []string{"a red lamp"}); err != nil {
			t.Error(err)
		}
		for _, role := range []string{"reader", meter.EmbedRole} {
			if usd, known := d.Price(role, llm.Usage{Input: 1e6}); usd != 0 || !known {
				t.Errorf("a million tokens of %s cost %v, known: %t", role, usd, known)
			}
		}
		if d.Reader != standIn || !d.Offline || d.Tokens.Name() != fallbackEncoding || d.Settings["tokenizer"] != "" {
			t.Errorf("%+v", d)
		}
	}
	if cmp.Equal(identity(o), identity(withRules(func(o *Options) { o.Chat.Use = "openai" }))) {
		t.Error("rules have the identity of a server's model")
	}
	for _, f := range spec.Check(t.Context(), surroundings(t, "", calls.Off), o) {
		if f.Status != backend.Good {
			t.Errorf("%+v", f)
		}
	}
}

func TestRulesOptions(t *testing.T) {
	for _, tt := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Chat.Model = "m" }, "chat has options of a server, and chat.use is stand-in, which asks none; leave one of them out"},
		{func(o *Options) { o.Roles = Roles{probe: Defaults().Chat} }, "roles has models for some calls, "},
		{func(o *Options) { o.Embed.Use, o.Embed.BaseURL, o.Embed.Model = "openai", "http://h/v1", "m" }, "embed.use is openai, "},
		{func(o *Options) { o.Annotate.LLM = []annotators.ChatLayer{"discourse"} }, "annotate.llm names layers, "},
		{func(o *Options) {
			*o = Defaults()
			o.Chat.BaseURL, o.Chat.Model = "http://h/v1", "m"
			o.Roles = Roles{probe: withRules(func(*Options) {}).Chat}
		}, "roles.probe.use is stand-in, and only that of chat can be"},
	} {
		if err := withRules(tt.change).Validate(); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	if err := withRules(func(*Options) {}).Validate(); err != nil {
		t.Error(err)
	}
}
