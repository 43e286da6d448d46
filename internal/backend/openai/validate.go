package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// validate returns all faults of the config. No message holds a secret.
func (c Config) validate() []error {
	var faults []error
	add := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	add(checkURL(c.BaseURL))
	if c.Model == "" {
		add(errors.New("model: there is none; want the name by which the server knows it"))
	}
	if !sendable(c.Key) {
		add(errors.New("key: it holds white space or control characters; want it as the provider gave it"))
	}
	return append(faults, c.Quirks.validate()...)
}

func checkURL(address string) error {
	u, err := url.Parse(address)
	const want = "want an address such as https://api.openai.com/v1"
	switch {
	case address == "":
		return errors.New("base_url: there is none; " + want)
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		// What is no address may hold a key anywhere, so it is not repeated.
		return errors.New("base_url: not an absolute http or https address; " + want)
	case u.User != nil:
		return errors.New("base_url: it holds a user or password; a key belongs into key")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("base_url: it holds a query or fragment; " + want + ", and a key belongs into key")
	}
	return nil
}

func (q Quirks) validate() []error {
	var faults []error
	add := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	for _, name := range q.Omit {
		add(oneOf("omit", name, Parameters()...))
	}
	q = q.withDefaults()
	add(oneOf("max_tokens_field", q.MaxTokens, "max_tokens", maxCompletionTokens))
	add(oneOf("format", q.Format, formatAuto, formatSchema, formatObject, formatPrompt))
	add(oneOf("system", q.System, "system", "developer", "user"))
	_, err := parseExtra(q.Extra)
	add(err)
	return faults
}

func oneOf(field, value string, want ...string) error {
	if slices.Contains(want, value) {
		return nil
	}
	return fmt.Errorf("%s: unknown value %q; want one of %s", field, value, strings.Join(want, ", "))
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

// sendable reports whether a key can stand in a header.
func sendable(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f })
}
