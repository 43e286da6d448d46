package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"slices"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/token"
)

// An embedBody is the body of a request for embeddings.
type embedBody struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Dimensions *number         `json:"dimensions"`
	Encoding   string          `json:"encoding_format"`
}

// embeddings answers a request for the vectors of texts.
func (m *Memory) embeddings(r *http.Request, p *Phase, body []byte) (any, error) {
	var b embedBody
	texts, err := b.read(body)
	if err != nil {
		return p.refuse(err)
	}
	n := normaliser{rules: m.models.Normalise}
	for i, text := range texts {
		texts[i] = n.text(text)
	}
	dimensions := 0
	if b.Dimensions != nil {
		dimensions = int(*b.Dimensions) // which read has checked
	}
	key := bodyKey(sha256.Sum256(encode([]any{p.kind, texts, dimensions})))
	reply, err := p.do(r, key, func(ctx context.Context, _ int) (any, error) {
		return m.vectors(ctx, embed.Request{Kind: p.kind, Texts: texts}, dimensions)
	})
	if err != nil {
		return nil, err
	}
	return b.reply(reply.(embed.Reply), cmp.Or(b.Model, m.models.EmbedName)), nil //nolint:forcetypeassert // see above
}

// vectors embeds texts. A vector shorter than dimensions is padded with zeros,
// which changes no cosine.
func (m *Memory) vectors(ctx context.Context, r embed.Request, dimensions int) (embed.Reply, error) {
	if m.models.Embedder == nil {
		return embed.Reply{}, m.lacks("for embeddings", "an entry that has an embedder")
	}
	e, err := m.models.Embedder(ctx)
	if err != nil {
		return embed.Reply{}, err
	}
	if own := e.Dim(); dimensions > 0 && own > dimensions {
		return embed.Reply{}, tooLong(own, dimensions)
	}
	reply, err := e.Embed(ctx, r)
	if err != nil {
		return reply, err
	}
	padded := make([][]float32, len(reply.Vectors))
	for i, v := range reply.Vectors {
		if dimensions > 0 && len(v) > dimensions {
			return embed.Reply{}, tooLong(len(v), dimensions)
		}
		if slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 }) {
			return embed.Reply{}, fault.New(fault.BadReply, "vector %d has a value that is not finite", i)
		}
		padded[i] = append(slices.Clip(v), make([]float32, max(dimensions-len(v), 0))...)
	}
	reply.Vectors = padded
	return reply, nil
}

func tooLong(own, asked int) error {
	return invalid("the embedder's vectors have %d dimensions, and %d are asked for; set embed.dimensions of the model entry", own, asked)
}

// read reads a body: a text, a list of texts, the ids of a text's tokens, or a list
// of such.
func (b *embedBody) read(data []byte) ([]string, error) {
	if err := json.Unmarshal(data, b); err != nil {
		return nil, invalid("the body is not the JSON of a request for embeddings: %v", err)
	}
	if b.Encoding != "" && b.Encoding != "float" && b.Encoding != "base64" {
		return nil, invalid("encoding_format %.40q is not known; want float or base64", b.Encoding)
	}
	if b.Dimensions != nil && *b.Dimensions < 1 {
		return nil, invalid("dimensions is %d, want at least 1", *b.Dimensions)
	}
	var text *string
	var texts []string
	var ids []int
	var lists [][]int
	switch {
	case json.Unmarshal(b.Input, &text) == nil && text != nil:
		return []string{*text}, nil
	case json.Unmarshal(b.Input, &texts) == nil:
	case json.Unmarshal(b.Input, &ids) == nil:
		texts, lists = nil, [][]int{ids}
	case json.Unmarshal(b.Input, &lists) == nil:
		texts = nil
	default:
		return nil, invalid("input: want a text, a list of texts, ids of tokens or a list of such")
	}
	encoding, ok := token.ForModel(b.Model)
	if !ok {
		encoding = "cl100k_base"
	}
	for i, list := range lists {
		text, err := token.Decode(encoding, list)
		if err != nil {
			return nil, invalid("input[%d]: %v", i, err)
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil, invalid("input: there is none")
	}
	return texts, nil
}

// reply returns vectors as the interface has them.
func (b *embedBody) reply(reply embed.Reply, model string) any {
	data := make([]object, len(reply.Vectors))
	for i, v := range reply.Vectors {
		data[i] = object{"object": "embedding", "index": i, "embedding": v}
		if b.Encoding == "base64" {
			data[i]["embedding"], _ = binary.Append(nil, binary.LittleEndian, v) // bytes, which JSON has as base64
		}
	}
	usage := object{"prompt_tokens": reply.Tokens, "total_tokens": reply.Tokens}
	return object{"object": "list", "data": data, "model": model, "usage": usage}
}
