package provider

import (
	"cmp"
	"reflect"
	"slices"

	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/annotate"
)

// provider names the server in recordings and its account.
func (s Server) provider() string { return cmp.Or(s.Provider, httpfault.Host(s.BaseURL)) }

// chatIdentity is what replies of the chat model depend on.
type chatIdentity struct {
	Use             ChatUse        `yaml:"use,omitempty"` // where it is not a server
	Provider        string         `yaml:"provider"`
	Model           string         `yaml:"model"`
	Completions     bool           `yaml:"completions"`
	Format          string         `yaml:"format"` // auto; runs have it
	System          System         `yaml:"system"`
	MaxTokensField  MaxTokensField `yaml:"max_tokens_field"`
	ReasoningTokens int            `yaml:"reasoning_tokens"`
	ReasoningEffort string         `yaml:"reasoning_effort"`
	Omit            []Parameter    `yaml:"omit"`
	SendSeed        bool           `yaml:"send_seed"`
	Extra           string         `yaml:"extra"`
}

// embedIdentity is what vectors depend on.
type embedIdentity struct {
	Use            EmbedUse `yaml:"use"`
	Provider       string   `yaml:"provider"`
	Model          string   `yaml:"model"`
	Dimensions     int      `yaml:"dimensions"`
	Dir            string   `yaml:"dir"`
	QueryPrefix    string   `yaml:"query_prefix"`
	DocumentPrefix string   `yaml:"document_prefix"`
}

// nliIdentity is what scores of entailment depend on.
type nliIdentity struct {
	Use        NLIUse `yaml:"use"`
	Provider   string `yaml:"provider"`
	Model      string `yaml:"model"`
	Dir        string `yaml:"dir"` // none; runs have it
	Hypothesis string `yaml:"hypothesis"`
	Over       string `yaml:"over"`
}

// identity returns the part of the options that replies depend on: keys,
// limits, batches, prices and how vectors travel are left out.
func identity(options any) any {
	o := options.(Options)
	n := o.NLI
	return struct {
		Chat      chatIdentity            `yaml:"chat"`
		Roles     map[string]chatIdentity `yaml:"roles,omitempty"`
		Embed     embedIdentity           `yaml:"embed"`
		NLI       nliIdentity             `yaml:"nli"`
		Prune     string                  `yaml:"prune,omitempty"`
		Annotate  *annotators.Identity    `yaml:"annotate,omitempty"`
		Tokenizer string                  `yaml:"tokenizer"`
	}{
		o.Chat.identity(), o.roles(o.Roles.names()), o.Embed.identity(),
		nliIdentity{n.Use, n.provider(), n.Model, "", n.Hypothesis, string(n.Over)},
		o.Prune.Dir, o.Annotate.Identity(), o.Tokenizer,
	}
}

// identityFor returns the part of it that calls of some roles, embeddings and
// annotations depend on; all of it for no roles. The chat model is in it where it
// serves one of these roles, or annotates.
func identityFor(options any, roles []string) any {
	if len(roles) == 0 {
		return identity(options)
	}
	o := options.(Options)
	if o.Annotate.UsesLLM() {
		roles = append(slices.Clone(roles), annotate.RoleAnnotate)
	}
	id := struct {
		Chat      *chatIdentity           `yaml:"chat,omitempty"`
		Roles     map[string]chatIdentity `yaml:"roles,omitempty"`
		Embed     embedIdentity           `yaml:"embed"`
		Annotate  *annotators.Identity    `yaml:"annotate,omitempty"`
		Tokenizer string                  `yaml:"tokenizer"`
	}{Roles: o.roles(roles), Embed: o.Embed.identity(), Annotate: o.Annotate.Identity(), Tokenizer: o.Tokenizer}
	if slices.ContainsFunc(roles, func(role string) bool { _, other := id.Roles[role]; return !other }) {
		id.Chat = new(o.Chat.identity())
	}
	return id
}

// roles returns the identities of the models that serve some roles in place of
// the chat model, those that are the same left out.
func (o Options) roles(names []string) map[string]chatIdentity {
	ids := make(map[string]chatIdentity)
	for _, role := range names {
		if c, ok := o.Roles[role]; ok && !reflect.DeepEqual(c.identity(), o.Chat.identity()) {
			ids[role] = c.identity()
		}
	}
	return ids
}

func (c Chat) identity() chatIdentity {
	use := c.Use
	if use == "openai" {
		use = ""
	}
	return chatIdentity{
		use, c.provider(), c.Model, c.Completions, "auto", c.System, c.MaxTokensField,
		c.ReasoningTokens, c.ReasoningEffort, c.Omit, c.SendSeed, c.Extra,
	}
}

func (e Embed) identity() embedIdentity {
	return embedIdentity{
		e.Use, e.provider(), e.Model, e.Dimensions, e.Dir, e.QueryPrefix, e.DocumentPrefix,
	}
}
