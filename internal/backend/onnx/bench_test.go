package onnx

import (
	"fmt"
	"testing"

	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/try"
)

// BenchmarkEmbed embeds sentences of 16 tokens with the model of BENCH_MINILM,
// alone and in batches. An operation is a batch.
func BenchmarkEmbed(b *testing.B) {
	needLibrary(b)
	dir := need(b, "BENCH_MINILM", "the folder of a sentence embedder")
	for _, batch := range []int{1, 16, 256} {
		b.Run(fmt.Sprint("batch=", batch), func(b *testing.B) {
			e := try.Get(newEmbedder(Options{Dir: dir, Batch: batch}, testLibrary))(b)
			defer e.Close()
			texts := make([]string, batch)
			for i := range texts {
				texts[i] = "On Monday we went to the lake and saw two swans there again." // 16 tokens
			}
			for b.Loop() {
				reply, err := e.Embed(b.Context(), embed.Request{Texts: texts})
				if err != nil || reply.Tokens != 16*batch {
					b.Fatal(reply.Tokens, err)
				}
			}
			b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}
