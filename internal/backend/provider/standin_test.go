package provider

import (
	"testing"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
)

// The stand-in answers for the chat model without a server, costs nothing and is marked.
func TestStandIn(t *testing.T) {
	o := Defaults()
	o.Chat.Use, o.Embed.Use = standIn, standIn
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
	for _, f := range spec.Check(t.Context(), surroundings(t, "", calls.Off), o) {
		if f.Status != backend.Good {
			t.Errorf("%+v", f)
		}
	}
}
