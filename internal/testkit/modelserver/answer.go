package modelserver

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// digest stands for the contents of a request's messages.
func digest(contents []string) [32]byte {
	return sha256.Sum256([]byte(strings.Join(contents, "\n\n")))
}

var colours = [...]string{"amber", "blue", "copper", "green", "grey", "ivory", "scarlet", "violet"}

var things = [...]string{"anchor", "bridge", "candle", "drum", "engine", "feather", "garden", "harbour", "island", "kettle", "ladder", "mirror", "orchard", "pencil", "ribbon", "window"}

// Answer returns the text that answers messages with these contents, or a plain
// prompt, if no JSON is requested: two words and twelve digits that depend on
// every byte. The contents count as joined by an empty line.
func Answer(contents ...string) string {
	d := digest(contents)
	return colours[int(d[0])%len(colours)] + " " + things[int(d[1])%len(things)] + " " + hex.EncodeToString(d[2:8])
}

// A schema is the part of a JSON Schema of one type that answers fit.
type schema struct {
	Type       string            `json:"type"`
	Ref        string            `json:"$ref"`
	Const      json.RawMessage   `json:"const"`
	Enum       []json.RawMessage `json:"enum"`
	AnyOf      []schema          `json:"anyOf"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	MinItems   int               `json:"minItems"`
	Minimum    float64           `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	Defs       map[string]schema `json:"$defs"`
}

// answerJSON returns the JSON object that answers messages with these contents if a
// JSON Schema of an object is requested. It fits schemas made of objects, arrays,
// strings, numbers, booleans, enum, const, anyOf and $ref to $defs.
func answerJSON(asked json.RawMessage, contents []string) string {
	var root schema
	if json.Unmarshal(asked, &root) != nil {
		root = schema{}
	}
	f := filler{root.Defs, Answer(contents...), digest(contents)}
	v := f.fill(root, 0)
	if _, ok := v.(map[string]any); !ok {
		v = map[string]any{"answer": f.text}
	}
	return string(encode(v))
}

// A filler makes a value that fits a schema.
type filler struct {
	defs   map[string]schema
	text   string
	digest [32]byte
}

// maxDepth bounds the values of schemas that refer to themselves.
const maxDepth = 12

func (f *filler) fill(s schema, depth int) any {
	switch {
	case depth > maxDepth, s.Type == "null":
		return nil
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[int(f.digest[8])%len(s.Enum)]
	case s.Ref != "":
		return f.fill(f.defs[strings.TrimPrefix(s.Ref, "#/$defs/")], depth+1)
	case len(s.AnyOf) > 0:
		return f.fill(s.AnyOf[0], depth+1)
	}
	switch s.Type {
	case "object":
		object := make(map[string]any)
		for name, property := range s.Properties {
			object[name] = f.fill(property, depth+1)
		}
		return object
	case "array":
		items := cmp.Or(s.Items, new(schema))
		return slices.Repeat([]any{f.fill(*items, depth+1)}, min(max(s.MinItems, 1), 100))
	case "integer", "number":
		high := s.Minimum + 100
		if s.Maximum != nil {
			high = max(s.Minimum, *s.Maximum)
		}
		return s.Minimum + float64(int(f.digest[9])%(int(high-s.Minimum)+1))
	case "boolean":
		return f.digest[10]%2 == 0
	default:
		return f.text
	}
}

var piece = regexp.MustCompile(`[ \n\t]*[^ \n\t]+|[ \n\t]+$`)

// pieces splits a text into the server's tokens: words, each with the white
// space before it.
func pieces(text string) []string { return piece.FindAllString(text, -1) }

// tokens returns how many tokens the server counts in texts.
func tokens(texts ...string) (n int) {
	for _, text := range texts {
		n += len(pieces(text))
	}
	return n
}

// logprob returns the log-probability of the rank-th likeliest token in the
// i-th place of a text, counted from 0: the token that was sampled has rank 0.
func logprob(text string, i, rank int) float64 {
	d := sha256.Sum256([]byte(text))
	u := float64(binary.LittleEndian.Uint16(d[2*(i%16):])) / (1 << 16)
	return -0.05 - u/2 - float64(rank)
}

// Embedding returns the vector of a text: each of its words, in lowercase, adds
// a direction derived from its hash, and the sum has Euclidean length 1. So
// texts with common words are near each other. A text without words has the
// zero vector.
func Embedding(text string, dim int) []float32 {
	sum := make([]float64, dim)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte(w))
		x := h.Sum64()
		for i := range sum {
			x = mix(x + uint64(i) + 1)
			sum[i] += float64(x>>11)/(1<<52) - 1
		}
	}
	var norm float64
	for _, x := range sum {
		norm += x * x
	}
	vector := make([]float32, dim)
	if norm > 0 {
		for i, x := range sum {
			vector[i] = float32(x / math.Sqrt(norm))
		}
	}
	return vector
}

// mix spreads the bits of x: those of FNV alone depend too little on its last
// bytes. It is the finaliser of MurmurHash3.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// A prediction is the score of one label.
type prediction struct {
	Score float64 `json:"score"`
	Label string  `json:"label"`
}

// predictions returns the labels of a pair, the likeliest first. The probability of
// entailment is from 0.05 for no word of the hypothesis in the premise to 0.95 for all.
func predictions(premise, hypothesis string) []prediction {
	in, words := strings.Fields(strings.ToLower(premise)), strings.Fields(strings.ToLower(hypothesis))
	found := 0
	for _, w := range words {
		if slices.Contains(in, w) {
			found++
		}
	}
	p := 0.05 + 0.9*float64(found)/float64(max(len(words), 1))
	list := []prediction{{math.Log(p), "entailment"}, {math.Log((1 - p) * 0.4), "neutral"}, {math.Log((1 - p) * 0.6), "contradiction"}}
	slices.SortStableFunc(list, func(a, b prediction) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// Densest returns the largest number of times within any span, its end left out. It
// sorts times.
func Densest(times []time.Time, span time.Duration) (most int) {
	slices.SortFunc(times, time.Time.Compare)
	first := 0
	for i, t := range times {
		for t.Sub(times[first]) >= span {
			first++
		}
		most = max(most, i+1-first)
	}
	return most
}
