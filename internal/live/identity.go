package live

import "net/url"

// provider names the server in recordings and its account.
func (s Server) provider() string {
	if s.Provider != "" {
		return s.Provider
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// chatIdentity is what replies of the chat model depend on.
type chatIdentity struct {
	Provider        string         `yaml:"provider"`
	Model           string         `yaml:"model"`
	API             API            `yaml:"api"`
	Completions     bool           `yaml:"completions"`
	Format          Format         `yaml:"format"`
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
	Use            EmbedUse  `yaml:"use"`
	Provider       string    `yaml:"provider"`
	Model          string    `yaml:"model"`
	Dimensions     int       `yaml:"dimensions"`
	Dir            string    `yaml:"dir"`
	File           string    `yaml:"file"`
	Pooling        Pooling   `yaml:"pooling"`
	Normalise      Normalise `yaml:"normalise"`
	QueryPrefix    string    `yaml:"query_prefix"`
	DocumentPrefix string    `yaml:"document_prefix"`
}

// nliIdentity is what scores of entailment depend on.
type nliIdentity struct {
	Use           NLIUse `yaml:"use"`
	Provider      string `yaml:"provider"`
	Model         string `yaml:"model"`
	Dir           string `yaml:"dir"`
	File          string `yaml:"file"`
	Entailment    string `yaml:"entailment"`
	Contradiction string `yaml:"contradiction"`
	Hypothesis    string `yaml:"hypothesis"`
	Over          string `yaml:"over"`
}

// identity returns the part of the options that replies depend on: keys,
// limits, batches, prices and how vectors travel are left out.
func identity(options any) any {
	o := options.(Options)
	c, e, n := o.Chat, o.Embed, o.NLI
	return struct {
		Chat      chatIdentity  `yaml:"chat"`
		Embed     embedIdentity `yaml:"embed"`
		NLI       nliIdentity   `yaml:"nli"`
		Tokenizer string        `yaml:"tokenizer"`
	}{
		chatIdentity{
			c.provider(), c.Model, c.API, c.Completions, c.Format, c.System, c.MaxTokensField,
			c.ReasoningTokens, c.ReasoningEffort, c.Omit, c.SendSeed, c.Extra,
		},
		embedIdentity{
			e.Use, e.provider(), e.Model, e.Dimensions, e.Dir, e.File, e.Pooling, e.Normalise, e.QueryPrefix, e.DocumentPrefix,
		},
		nliIdentity{n.Use, n.provider(), n.Model, n.Dir, n.File, n.Entailment, n.Contradiction, n.Hypothesis, string(n.Over)},
		o.Tokenizer,
	}
}
