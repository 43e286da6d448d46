package calls

import (
	"bytes"
	"encoding/json"
)

// A Mode says what a run does with recordings.
type Mode string

// The modes.
const (
	Off    Mode = "off"    // neither read nor write recordings
	Record Mode = "record" // call for everything, and record it
	Reuse  Mode = "reuse"  // call for what is not recorded, and record it
	Replay Mode = "replay" // make no calls; a missing recording is an error
)

// Values lists the modes.
func (Mode) Values() []string {
	return []string{string(Off), string(Record), string(Reuse), string(Replay)}
}

// A Kind is the kind of a call.
type Kind string

// The kinds of calls.
const (
	Chat   Kind = "chat"
	Embed  Kind = "embed"  // one text
	Entail Kind = "entail" // one pair
	// Annotate is the annotation of a session.
	Annotate Kind = "annotate"
)

// An Identity is what calls of one model have in common, as far as replies
// depend on it.
type Identity struct {
	Class    string          `json:"class,omitempty"`    // of the provider, such as "openai", "onnx", "tei"
	Provider string          `json:"provider,omitempty"` // host and port of the server, or a name for them
	Model    string          `json:"model,omitempty"`
	Fixed    json.RawMessage `json:"fixed,omitempty"` // parameters that every call has, as JSON
}

// marshal writes v as JSON without HTML escapes and white space.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
