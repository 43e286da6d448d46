package openai

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// An embeddingList is the reply to a request for embeddings.
type embeddingList struct {
	Data []struct {
		Index  *int   `json:"index"`
		Vector vector `json:"embedding"`
	} `json:"data"`
	Usage struct {
		Prompt int `json:"prompt_tokens"`
		Total  int `json:"total_tokens"`
	} `json:"usage"`
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
		return json.Unmarshal(data, (*[]float32)(v))
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

var errVector = errors.New("an embedding is not the base64 of finite numbers of 32 bits")
