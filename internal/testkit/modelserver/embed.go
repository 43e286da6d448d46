package modelserver

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
	"unicode"
)

// defaultDim is the length of embeddings where nobody says another.
const defaultDim = 64

// Embedding returns the vector of a text: each of its words, in lower case,
// adds a direction that its hash gives, and the sum has Euclidean length 1. So
// texts with words in common are near each other. A text without words has the
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

func (s *Server) embeddings(r request) ([]byte, *problem) {
	var req struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions"`
		Encoding   string   `json:"encoding_format"`
	}
	bad := func(param, message string) ([]byte, *problem) {
		return nil, &problem{status: http.StatusBadRequest, kind: "invalid_request_error", param: param, message: message}
	}
	if err := json.Unmarshal(r.body, &req); err != nil {
		return bad("", "We could not parse the JSON body of your request: "+err.Error())
	}
	switch {
	case !s.known(req.Model):
		return nil, &problem{status: http.StatusNotFound, kind: "invalid_request_error", code: "model_not_found", message: "The model `" + req.Model + "` does not exist."}
	case s.o.NoDimensions && req.Dimensions != 0:
		return bad("dimensions", "This model does not support specifying dimensions.")
	}
	dim := defaultDim
	if s.o.Dim > 0 {
		dim = s.o.Dim
	}
	if req.Dimensions > 0 {
		dim = req.Dimensions
	}
	data := make([]any, len(req.Input))
	tokens := 0
	for i, text := range req.Input {
		if text == "" {
			return bad("input", "'$.input' is invalid: input cannot be an empty string.")
		}
		tokens += Tokens(text)
		// The last first: the index says which text a vector belongs to.
		data[len(data)-1-i] = map[string]any{"object": "embedding", "index": i, "embedding": encoded(Embedding(text, dim), req.Encoding)}
	}
	model := req.Model
	if r.fault == OtherModel {
		model += "-served"
	}
	reply := map[string]any{"object": "list", "data": data, "model": model}
	if !s.o.NoUsage {
		reply["usage"] = map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}
	}
	return encode(reply), nil
}

// encoded returns a vector as numbers, or as the base64 of little-endian
// float32.
func encoded(vector []float32, format string) any {
	if format != "base64" {
		return vector
	}
	data := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(data)
}
