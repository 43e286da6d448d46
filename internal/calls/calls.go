// Package calls records calls of models and serves them again, so that nothing
// is paid for twice and a run can be repeated without a network.
package calls

import (
	"encoding/json"
	"log/slog"

	"recallbench/internal/embed"
	"recallbench/internal/llm"
	"recallbench/internal/nli"
)

// A Mode says what a run does with recordings.
type Mode string

// The modes.
const (
	Off    Mode = "off"    // neither read nor write them
	Record Mode = "record" // call for everything, and record it
	Reuse  Mode = "reuse"  // call for what is not recorded, and record it
	Replay Mode = "replay" // call for nothing; what is not recorded is an error
)

// Values lists the modes.
func (Mode) Values() []string {
	return []string{string(Off), string(Record), string(Reuse), string(Replay)}
}

// An Identity is what calls of one model have in common, as far as replies
// depend on it.
type Identity struct {
	Class    string          `json:"class"`    // of the provider, such as "openai", "onnx", "tei"
	Provider string          `json:"provider"` // host and port of the server, or a name that stands for them
	Model    string          `json:"model"`
	Fixed    json.RawMessage `json:"fixed,omitempty"` // parameters that every call has, as canonical JSON
}

// A Store holds recordings in a folder that many processes may share.
type Store struct{}

// Open opens the store in a folder, which it makes where there is none.
func Open(dir string, log *slog.Logger) (*Store, error) { return &Store{}, nil }

// Close lets go of the store.
func (*Store) Close() error { return nil }

// A Recorder wraps the doors to models. It is safe for concurrent use.
type Recorder struct{}

// NewRecorder returns a recorder; the store is nil in the mode [Off].
func NewRecorder(store *Store, mode Mode) *Recorder { return &Recorder{} }

// Mode returns the mode.
func (*Recorder) Mode() Mode { return Off }

// Generator wraps a generator; in the mode [Replay] g may be nil.
func (*Recorder) Generator(id Identity, g llm.Generator) llm.Generator { return g }

// Embedder wraps an embedder; in the mode [Replay] e may be nil. Each text is
// a recording of its own, so that a text is paid for once whatever it is
// embedded together with.
func (*Recorder) Embedder(id Identity, info embed.Info, e embed.Embedder) embed.Embedder { return e }

// Scorer wraps a scorer of entailment; in the mode [Replay] s may be nil.
func (*Recorder) Scorer(id Identity, s nli.Scorer) nli.Scorer { return s }
