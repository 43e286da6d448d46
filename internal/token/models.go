package token

import (
	"regexp"
	"strings"
)

// The models of each encoding: those that OpenAI's tiktoken lists, and what
// has come since. A dated snapshot or a variant is named after its model, with
// a hyphen between, or a colon as Ollama writes it.
var (
	o200kModels  = regexp.MustCompile(`^(gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-5(\.\d+)?|gpt-oss|o[134])([-:].*)?$`)
	cl100kModels = regexp.MustCompile(`^(gpt-4|gpt-3\.5|gpt-35|text-embedding-3|text-embedding-ada-002)([-:].*)?$`)
)

// ForModel returns the embedded encoding that a hosted model counts with, and
// whether that is known. Snapshots ("gpt-4o-2024-08-06"), fine-tuned models
// ("ft:gpt-4o-mini:...") and names with their maker ("openai/gpt-4o") are
// their model's.
//
// The encoding of gpt-oss is named o200k_harmony; it differs from o200k_base
// in its special tokens only.
func ForModel(model string) (encoding string, ok bool) {
	model = strings.TrimPrefix(strings.TrimPrefix(model, "openai/"), "ft:")
	switch {
	case o200kModels.MatchString(model):
		return "o200k_base", true
	case cl100kModels.MatchString(model):
		return "cl100k_base", true
	}
	return "", false
}
