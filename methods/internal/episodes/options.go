package episodes

import "fmt"

// Options hold what a method chooses of construction. Memories that agree in them
// share their episodes and statements, whatever else differs.
type Options struct {
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
}

// Parameters of the released code of both methods.
const (
	hideLast = 11   // messages of an episode from which its last one is not shown to the model that looks for its end
	known    = 10   // closest statements that a prediction is made from
	closest  = 0.85 // cosine from which a statement counts as close
)

// Defaults are those of the released code of both methods.
func Defaults() Options { return Options{MaxTokens: 8192} }

// Validate reports values out of range.
func (o Options) Validate() error {
	if o.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d, want at least 1", o.MaxTokens)
	}
	return nil
}
