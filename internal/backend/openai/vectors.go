package openai

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// An embeddingList is the reply to a request for embeddings.
type embeddingList struct {
	Data  []embedding `json:"data"`
	Usage struct {
		Prompt int `json:"prompt_tokens"`
		Total  int `json:"total_tokens"`
	} `json:"usage"`
}

type embedding struct {
	Index  int    `json:"index"`
	Vector vector `json:"embedding"`
}

// places returns the place of each vector: by its index, wherever it stands. Some servers
// leave 0 out; without any other index vectors are in order.
func (l embeddingList) places() ([]int, error) {
	places, taken := make([]int, len(l.Data)), make([]bool, len(l.Data))
	numbered := slices.ContainsFunc(l.Data, func(d embedding) bool { return d.Index != 0 })
	for i, d := range l.Data {
		at := i
		if numbered {
			at = d.Index
		}
		if at < 0 || at >= len(taken) || taken[at] {
			return nil, fmt.Errorf("the reply has a vector with the index %d, want 0 to %d, each once", at, len(taken)-1)
		}
		places[i], taken[at] = at, true
	}
	return places, nil
}

// tokens returns the tokens of all texts; 0 where they were not reported.
func (l embeddingList) tokens() int {
	n := l.Usage.Prompt
	if n <= 0 {
		n = l.Usage.Total
	}
	if n < 0 || n > maxTokens {
		return 0
	}
	return n
}

// A vector is a list of numbers, or the base64 of them as little-endian
// float32. Servers send either, whatever was asked for.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte(`"`)) {
		return v.parse(data)
	}
	var packed []byte // encoding/json decodes base64
	if err := json.Unmarshal(data, &packed); err != nil {
		return errVector
	}
	if len(packed)%4 != 0 {
		return errVector
	}
	*v = make(vector, len(packed)/4)
	for i := range *v {
		x := math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return errVector
		}
		(*v)[i] = x
	}
	return nil
}

// parse reads a JSON array of numbers. Replies hold a hundred thousand of them,
// too many to take each through reflection.
func (v *vector) parse(data []byte) error {
	inner, ok := bytes.CutPrefix(bytes.TrimSuffix(data, []byte("]")), []byte("["))
	if !ok {
		return errVector
	}
	if len(bytes.TrimSpace(inner)) == 0 {
		return nil
	}
	*v = make(vector, 0, bytes.Count(inner, []byte(","))+1)
	for number := range bytes.SplitSeq(inner, []byte(",")) {
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(number)), 32)
		if err != nil {
			return errVector
		}
		*v = append(*v, float32(x))
	}
	return nil
}

var errVector = errors.New("an embedding is not a list of finite numbers of 32 bits, nor the base64 of one")
