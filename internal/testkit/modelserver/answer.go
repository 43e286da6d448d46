package modelserver

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// digest stands for the contents of a request's messages.
func digest(contents []string) [32]byte {
	return sha256.Sum256([]byte(strings.Join(contents, "\n\n")))
}

var colours = [...]string{"amber", "blue", "copper", "green", "grey", "ivory", "scarlet", "violet"}

var things = [...]string{"anchor", "bridge", "candle", "drum", "engine", "feather", "garden", "harbour", "island", "kettle", "ladder", "mirror", "orchard", "pencil", "ribbon", "window"}

// Answer returns the text that answers messages with these contents, or a
// plain prompt, where no JSON is asked for: two words and twelve digits that
// depend on every byte. The contents count as joined by an empty line.
func Answer(contents ...string) string {
	d := digest(contents)
	return colours[int(d[0])%len(colours)] + " " + things[int(d[1])%len(things)] + " " + hex.EncodeToString(d[2:8])
}

// AnswerJSON returns the JSON object that answers messages with these contents
// where a JSON Schema of an object is asked for. It fits schemas made of
// objects, arrays, strings, numbers, booleans, enum, const, anyOf and local
// $ref.
func AnswerJSON(schema json.RawMessage, contents ...string) string {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil {
		root = nil
	}
	f := filler{root: root, text: Answer(contents...), digest: digest(contents)}
	v := f.fill(root, 0)
	if _, ok := v.(map[string]any); !ok {
		v = map[string]any{"answer": f.text}
	}
	return string(encode(v))
}

// A filler makes a value that fits a schema.
type filler struct {
	root   map[string]any
	text   string
	digest [32]byte
}

// maxDepth bounds the values of schemas that refer to themselves.
const maxDepth = 12

func (f *filler) fill(schema map[string]any, depth int) any {
	if depth > maxDepth {
		return nil
	}
	if c, ok := schema["const"]; ok {
		return c
	}
	if values, ok := schema["enum"].([]any); ok && len(values) > 0 {
		return values[int(f.digest[8])%len(values)]
	}
	if ref, ok := schema["$ref"].(string); ok {
		return f.fill(f.resolve(ref), depth+1)
	}
	if choices, ok := schema["anyOf"].([]any); ok && len(choices) > 0 {
		first, _ := choices[0].(map[string]any)
		return f.fill(first, depth+1)
	}
	switch kind(schema["type"]) {
	case "object":
		object := make(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			property, _ := p.(map[string]any)
			object[name] = f.fill(property, depth+1)
		}
		return object
	case "array":
		items, _ := schema["items"].(map[string]any)
		list := []any{f.fill(items, depth+1)}
		for least := number(schema["minItems"], 0); float64(len(list)) < min(least, 100); {
			list = append(list, list[0])
		}
		return list
	case "integer", "number":
		low := number(schema["minimum"], 0)
		high := max(low, number(schema["maximum"], low+100))
		return low + float64(int(f.digest[9])%(int(high-low)+1))
	case "boolean":
		return f.digest[10]%2 == 0
	case "null":
		return nil
	default:
		return f.text
	}
}

// resolve follows a reference such as #/$defs/name.
func (f *filler) resolve(ref string) map[string]any {
	at := f.root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at, _ = at[name].(map[string]any)
	}
	return at
}

// kind returns the type of a schema, the first where there are several.
func kind(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	s, _ := v.(string)
	return s
}

func number(v any, otherwise float64) float64 {
	if n, ok := v.(float64); ok {
		return n
	}
	return otherwise
}

// Tokens returns how many tokens the server counts in a text: one for each
// piece that [Pieces] gives.
func Tokens(text string) int {
	n := 0
	for range pieces(text) {
		n++
	}
	return n
}

// Pieces cuts a text into the server's tokens: words, each with the white
// space before it.
func Pieces(text string) []string { return slices.Collect(pieces(text)) }

func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, word := 0, false
		for i := range len(text) {
			space := text[i] == ' ' || text[i] == '\n' || text[i] == '\t'
			if space && word {
				if !yield(text[start:i]) {
					return
				}
				start = i
			}
			word = !space
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// Logprob returns the log-probability of the rank-th likeliest token in the
// i-th place of a text, counted from 0: the token that was sampled has rank 0.
func Logprob(text string, i, rank int) float64 {
	d := sha256.Sum256([]byte(text))
	u := float64(binary.LittleEndian.Uint16(d[2*(i%16):])) / (1 << 16)
	return -0.05 - u/2 - float64(rank)
}
