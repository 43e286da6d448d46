package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"recallbench/internal/files/jsontree"
)

// objects returns the JSON objects in a text, in order, that are not part of
// one another. A brace that opens no object, as in \frac{1}{2}, is passed over.
// An object that is broken, or cut off, is an error, and so is none at all: a
// part of the broken one, or an example before it, taken for the reply, would
// be a wrong one. The search takes one pass.
func objects(text string) (found [][]byte, err error) {
	data := []byte(text)
	for at := 0; ; {
		next := bytes.IndexByte(data[at:], '{')
		if next < 0 {
			break
		}
		at += next
		if !opens(data[at:]) {
			at++
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(data[at:]))
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil {
			_, err = jsontree.Parse(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("the JSON object that begins with %s is broken: %w", start(text[at:]), err)
		}
		found = append(found, raw)
		at += int(dec.InputOffset())
	}
	switch {
	case len(found) > 0:
		return found, nil
	case strings.TrimSpace(text) == "":
		return nil, errors.New("it is empty")
	default:
		return nil, fmt.Errorf("there is no JSON object in it; it begins with %s", start(strings.TrimSpace(text)))
	}
}

// opens reports whether a brace is followed by what an object begins with.
func opens(data []byte) bool {
	rest := bytes.TrimLeft(data[1:], " \t\r\n")
	return len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
}

// start quotes how a text begins.
func start(text string) string { return fmt.Sprintf("%q", bounded(text, 40)) }
