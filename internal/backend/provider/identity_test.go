package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/price"
)

// The identity of an entry, of which a cell's id is made, has what replies depend on and
// nothing of transport. That of what some roles build has no part of other roles.
func TestIdentity(t *testing.T) {
	base := Defaults()
	base.Chat.BaseURL, base.Chat.Model = "https://host/v1", "m"
	other := base.Chat
	other.Model = "n"
	keyed := base.Chat
	keyed.Key.Env = "K"
	building := []string{"episode", "boundary"}
	role := func(role string, c Chat) func(*Options) { return func(o *Options) { o.Roles = Roles{role: c} } }
	all := func(o *Options) { o.Roles = Roles{"episode": other, "boundary": other} }
	corenlp := func(o *Options) { o.Annotate.Use, o.Annotate.CoreNLP.Model = annotators.CoreNLP, "a" }
	discourse := func(o *Options) {
		o.Roles, o.Annotate.LLM = Roles{"episode": other, "boundary": other}, []annotators.ChatLayer{"discourse"}
	}
	none := func(*Options) {}
	for _, tt := range []struct {
		name        string
		from        func(*Options) // nil for none
		change      func(*Options)
		whole, part bool // whether these identities stay the same
	}{
		{"transport", nil, func(o *Options) { o.Chat.Key.Env, o.Chat.Limits.Max, o.Chat.Price = "K", 1, &price.Listing{} }, true, true},
		{"batches", nil, func(o *Options) { o.Embed.BatchTexts = 1 }, true, true},
		{"prefix", nil, func(o *Options) { o.Embed.QueryPrefix = "query: " }, false, false},
		{"prober", nil, role(probe, other), false, true},
		{"the chat model as prober", nil, role(probe, base.Chat), true, true},
		{"the chat model for a role", nil, role("episode", base.Chat), true, true},
		{"another key for a role", nil, role("episode", keyed), true, true},
		{"another model for a role", nil, role("episode", other), false, false},
		{"another model of entailment", nil, func(o *Options) { o.NLI.Model = "x" }, false, true},
		{"a classifier of words", nil, func(o *Options) { o.Prune.Dir = "d" }, false, true},
		{"another chat model", nil, func(o *Options) { o.Chat.Model = "n" }, false, false},
		{"another embedder", nil, func(o *Options) { o.Embed.Model = "n" }, false, false},
		{"another reader where roles build", all, func(o *Options) { o.Chat.Model = "another reader" }, false, true},
		{"another parser", nil, corenlp, false, false},
		{"limits of the parser", corenlp, func(o *Options) { o.Annotate.CoreNLP.Limits.Max = 9 }, true, true},
		{"another model that annotates", discourse, func(o *Options) { o.Chat.Model = "n" }, false, false},
		{"stand-in", nil, func(o *Options) { o.Chat.Use, o.Embed.Use = standIn, standIn }, false, false},
	} {
		if tt.from == nil {
			tt.from = none
		}
		before, after := base, base
		tt.from(&before)
		tt.from(&after)
		tt.change(&after)
		whole, part := cmp.Equal(identity(before), identity(after)), cmp.Equal(identity(before, building...), identity(after, building...))
		if whole != tt.whole || part != tt.part {
			t.Errorf("%s: the same whole %t and part %t, want %t and %t", tt.name, whole, part, tt.whole, tt.part)
		}
	}
}
