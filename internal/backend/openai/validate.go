package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// check reports what shows only once the options are read: a key that an HTTP header
// cannot carry, and extra keys that would overwrite ours. No message holds a secret.
func (c Config) check() error {
	_, err := parseExtra(c.Quirks.Extra)
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		err = errors.Join(errors.New("key: it holds white space or control characters; want it as the provider gave it"), err)
	}
	return err
}

// ours are the keys of a body that are set from elsewhere, and those that
// would make the reply another thing than what is read.
var ours = []string{
	"model", "messages", "prompt", "input", "temperature", "seed", "max_tokens", maxCompletionTokens,
	"logprobs", "top_logprobs", "response_format", "reasoning_effort", "dimensions", "encoding_format",
	"stream", "stream_options", "n", "echo",
}

// parseExtra returns the further keys of a body, canonical: keys sorted, no
// white space.
func parseExtra(extra json.RawMessage) (map[string]json.RawMessage, error) {
	if len(extra) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(extra))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || object == nil {
		return nil, errors.New(`extra: not a JSON object; want one such as {"top_p": 0.9}`)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("extra: text after the JSON object")
	}
	canonical := make(map[string]json.RawMessage, len(object))
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(object)) {
		// Some servers match names whatever their case.
		if slices.ContainsFunc(ours, func(s string) bool { return strings.EqualFold(s, name) }) {
			faults = append(faults, fmt.Errorf("extra: %q is set by the program or would change the form of the reply", name))
			continue
		}
		value, err := json.Marshal(object[name])
		if err != nil {
			faults = append(faults, fmt.Errorf("extra: %q: %w", name, err))
			continue
		}
		canonical[name] = value
	}
	return canonical, errors.Join(faults...)
}
