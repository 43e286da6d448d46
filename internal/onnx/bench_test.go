package onnx

import (
	"fmt"
	"testing"

	"recallbench/internal/embed"
	"recallbench/internal/nli"
)

// minilm has the sizes of a sentence model with 6 layers of 384 dimensions,
// and of each layer the part that costs most: the four projections of the
// attention and the two of the feed-forward part.
func minilm() net {
	const dim, wide = 384, 1536
	n := lookup(dim)
	n.nodes[0] = node("Gather", []string{"table", inputIDs}, "h0", attribute("axis", 0))
	matrix := func(name string, from, to int) {
		data := make([]float32, from*to)
		for i := range data {
			data[i] = float32(i%7-3) / 64
		}
		n.weights = append(n.weights, weight(name, data, int64(from), int64(to)))
	}
	for i := range 6 {
		last := fmt.Sprint("h", i)
		step := func(op, out string, in ...string) string {
			out = fmt.Sprint(out, i)
			n.nodes = append(n.nodes, node(op, in, out))
			return out
		}
		x := last
		for k := range 4 {
			name := fmt.Sprintf("w%d.%d", i, k)
			matrix(name, dim, dim)
			x = step("Tanh", fmt.Sprint("t", k, "."), step("MatMul", fmt.Sprint("p", k, "."), x, name))
		}
		matrix(fmt.Sprint("up", i), dim, wide)
		matrix(fmt.Sprint("down", i), wide, dim)
		x = step("Relu", "r", step("MatMul", "u", x, fmt.Sprint("up", i)))
		x = step("Tanh", "d", step("MatMul", "m", x, fmt.Sprint("down", i)))
		out := fmt.Sprint("h", i+1)
		if i == 5 {
			out = "last_hidden_state"
		}
		n.nodes = append(n.nodes, node("Add", []string{last, x}, out))
	}
	return n
}

// BenchmarkEmbed embeds sentences of 16 tokens with a model of the size of
// MiniLM, alone and in batches. An operation is one sentence.
func BenchmarkEmbed(b *testing.B) {
	files := sentenceFiles()
	files["onnx/model.onnx"] = minilm().bytes()
	files["1_Pooling/config.json"] = object{"pooling_mode_mean_tokens": true}
	files["sentence_bert_config.json"] = object{"max_seq_length": 16}
	for _, batch := range []int{1, 16} {
		b.Run(fmt.Sprint("batch=", batch), func(b *testing.B) {
			e := openEmbedder(b, files, EmbedOptions{Batch: batch})
			texts := make([]string, batch)
			for i := range texts {
				texts[i] = "a b c dog cat . a b c dog cat . a b"
			}
			for i := 0; b.Loop(); i++ {
				if i%batch > 0 {
					continue
				}
				if _, err := e.Embed(b.Context(), embed.Request{Texts: texts}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkToy measures what is around a graph: tokens, batches and the call.
func BenchmarkToy(b *testing.B) {
	b.Run("embed", func(b *testing.B) {
		e := openEmbedder(b, sentenceFiles(), EmbedOptions{})
		for b.Loop() {
			if _, err := e.Embed(b.Context(), embed.Request{Texts: []string{"a cc cat."}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("entail", func(b *testing.B) {
		c := openClassifier(b, entailFiles(), ClassifyOptions{})
		for b.Loop() {
			if _, err := c.Entail(b.Context(), []nli.Pair{{Premise: "a cc cat.", Hypothesis: "dog"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
