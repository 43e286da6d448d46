package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// The bounds of a batch where the config names none. Gemini takes 100 texts in
// a request, OpenAI 300,000 tokens.
const (
	defaultBatchTexts  = 100
	defaultBatchTokens = 100_000
)

// EmbedConfig says where an embedding model is and how it is used. Of the
// quirks only Extra has a meaning.
type EmbedConfig struct {
	Config

	// Dimensions is the length of vectors to ask for, from models that can give
	// several; 0 is the model's own.
	Dimensions int
	// BatchTexts and BatchTokens bound a request; 0 is 100 texts and 100,000
	// tokens. A text that is larger makes a request of its own.
	BatchTexts, BatchTokens int
	// Count counts the tokens of a text, for BatchTokens; nil takes four bytes
	// for a token.
	Count func(string) int
	// QueryPrefix and DocumentPrefix are put before texts, for models that want
	// to be told what a text is for.
	QueryPrefix, DocumentPrefix string
	// Normalise says whether vectors are scaled to Euclidean length 1: "auto",
	// the default, for those that have another length, so that the others stay
	// as they came; "always", or "never".
	Normalise string
	// Encoding is how vectors travel: "float", the default, or "base64", which
	// is smaller and faster where the server has it.
	Encoding string
}

func (c EmbedConfig) withDefaults() EmbedConfig {
	c.Normalise = cmp.Or(c.Normalise, "auto")
	c.Encoding = cmp.Or(c.Encoding, "float")
	c.BatchTexts = cmp.Or(c.BatchTexts, defaultBatchTexts)
	c.BatchTokens = cmp.Or(c.BatchTokens, defaultBatchTokens)
	if c.Count == nil {
		c.Count = func(text string) int { return len(text)/4 + 1 }
	}
	return c
}

// validate returns all faults of the config. No message holds a secret.
func (c EmbedConfig) validate() []error {
	faults := c.Config.validate()
	for _, err := range []error{
		oneOf("normalise", c.Normalise, "auto", "always", "never"),
		oneOf("encoding", c.Encoding, "float", "base64"),
		atLeast0("dimensions", c.Dimensions),
		atLeast0("batch_texts", c.BatchTexts),
		atLeast0("batch_tokens", c.BatchTokens),
	} {
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

func atLeast0(field string, n int) error {
	if n >= 0 {
		return nil
	}
	return fmt.Errorf("%s is %d; want at least 0", field, n)
}

// fixed returns the canonical JSON of the choices that vectors depend on, those
// with their default value left out.
func (c EmbedConfig) fixed() (json.RawMessage, error) {
	extra, err := parseExtra(c.Quirks.Extra)
	if err != nil {
		return nil, err
	}
	// The fields stand in the order of their names.
	return json.Marshal(struct {
		Dimensions     int                        `json:"dimensions,omitempty"`
		DocumentPrefix string                     `json:"document_prefix,omitempty"`
		Extra          map[string]json.RawMessage `json:"extra,omitempty"`
		Normalise      string                     `json:"normalise,omitempty"`
		QueryPrefix    string                     `json:"query_prefix,omitempty"`
	}{c.Dimensions, c.DocumentPrefix, extra, unless(c.Normalise, "auto"), c.QueryPrefix})
}
