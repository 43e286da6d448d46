package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/realdata"
)

// short answers at once with a few words.
var shortModel = llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
	return llm.Reply{Text: "In March 2024.", Finish: "stop", Model: "m-1-2026", Usage: llm.Usage{Calls: 1, Input: 900, Output: 6}, Attempts: 1}, nil
})

// prompts of about some size in bytes, which share all but their end.
func prompts(n, size int) []llm.Request {
	base := history(size/80 + 1)
	base = base[:min(size, len(base))]
	all := make([]llm.Request, n)
	for i := range all {
		all[i] = ask(base + "\nQuestion: " + strconv.Itoa(i))
	}
	return all
}

// BenchmarkReplay replays chat calls with prompts of different sizes.
func BenchmarkReplay(b *testing.B) {
	for _, size := range []int{1 << 10, 16 << 10, 90 << 10} {
		b.Run(fmt.Sprintf("prompt=%dKB", size>>10), func(b *testing.B) {
			s := openStore(b, b.TempDir())
			all := prompts(500, size)
			live := NewRecorder(s, Record).Generator(testModel, shortModel)
			for _, r := range all {
				if _, err := live.Generate(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
			g := NewRecorder(s, Replay).Generator(testModel, nil)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, err := g.Generate(b.Context(), all[i%len(all)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkRecord records chat calls with 64 in flight, each synced before its
// reply is returned.
func BenchmarkRecord(b *testing.B) {
	for _, size := range []int{1 << 10, 90 << 10} {
		b.Run(fmt.Sprintf("prompt=%dKB", size>>10), func(b *testing.B) {
			g := NewRecorder(openStore(b, b.TempDir()), Record).Generator(testModel, shortModel)
			all := prompts(2000, size)
			var n atomic.Int64
			b.SetParallelism(64 / runtime.GOMAXPROCS(0))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := int(n.Add(1))
					r := all[i%len(all)]
					r.Repeat = i / len(all)
					if _, err := g.Generate(b.Context(), r); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkReplayEmbeddings replays batches of 100 vectors of 1,536 elements.
func BenchmarkReplayEmbeddings(b *testing.B) {
	s := openStore(b, b.TempDir())
	r := embed.Request{Kind: embed.Document}
	for i := range 100 {
		r.Texts = append(r.Texts, fmt.Sprintf("chunk %d: %s", i, history(10)))
	}
	if _, err := NewRecorder(s, Record).Embedder(testModel, embed.Info{}, random(1536)).Embed(b.Context(), r); err != nil {
		b.Fatal(err)
	}
	e := NewRecorder(s, Replay).Embedder(testModel, embed.Info{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Embed(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100*float64(b.N)/b.Elapsed().Seconds(), "texts/s")
}

// random embeds texts as vectors of some length.
type random int

func (n random) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	source := rand.New(rand.NewPCG(1, 1))
	var reply embed.Reply
	for range r.Texts {
		v := make([]float32, n)
		for i := range v {
			v[i] = source.Float32()
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}
func (random) Info() embed.Info { return embed.Info{} }

// BenchmarkOpen opens a store of 100,000 recordings.
func BenchmarkOpen(b *testing.B) {
	const n = 100_000
	dir := b.TempDir()
	s := openStore(b, dir)
	id, err := newIdentity(testModel)
	if err != nil {
		b.Fatal(err)
	}
	var entries []entry
	for i := range n {
		c := chat(id, ask(fmt.Sprint("question ", i)))
		k, err := c.key(id)
		if err != nil {
			b.Fatal(err)
		}
		entries = append(entries, entry{k, id, c, Reply{Chat: replyTo(strconv.Itoa(i))}})
		if len(entries) == 1000 {
			if err := s.record(b.Context(), entries); err != nil {
				b.Fatal(err)
			}
			entries = entries[:0]
		}
	}
	s.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s = openStore(b, dir)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(s.index) != n {
		b.Fatalf("%d recordings", len(s.index))
	}
	perRecording := float64(after.HeapAlloc-before.HeapAlloc) / n
	runtime.KeepAlive(s)
	for b.Loop() {
		if err := openStore(b, dir).Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(perRecording, "B/recording")
}

// BenchmarkLoCoMoRoom records prompts that show whole conversations, as
// in-context makes them, and reports how much smaller they are in the store.
func BenchmarkLoCoMoRoom(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(realdata.Datasets(b), "locomo", "locomo10.json"))
	if err != nil {
		b.Fatal(err)
	}
	var samples []struct {
		QA []struct {
			Question string `json:"question"`
			Category int    `json:"category"`
		} `json:"qa"`
		Conversation map[string]json.RawMessage `json:"conversation"`
	}
	if err := json.Unmarshal(data, &samples); err != nil {
		b.Fatal(err)
	}
	var all []llm.Request
	raw := 0
	for _, s := range samples {
		var text strings.Builder
		for n := 1; ; n++ {
			var turns []struct{ Speaker, Text string }
			session, ok := s.Conversation[fmt.Sprintf("session_%d", n)]
			if !ok {
				break
			}
			if err := json.Unmarshal(session, &turns); err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(&text, "Session %d, %s\n", n, s.Conversation[fmt.Sprintf("session_%d_date_time", n)])
			for _, t := range turns {
				fmt.Fprintf(&text, "%s: %s\n", t.Speaker, t.Text)
			}
		}
		for _, q := range s.QA {
			if q.Category < 5 {
				r := ask("The conversation:\n" + text.String() + "\nQuestion: " + q.Question + "\nAnswer in a few words:")
				all = append(all, r)
				raw += len(r.Messages[1].Content)
			}
		}
	}
	for b.Loop() {
		dir := b.TempDir()
		s := openStore(b, dir)
		g := NewRecorder(s, Record).Generator(testModel, shortModel)
		for _, r := range all {
			if _, err := g.Generate(b.Context(), r); err != nil {
				b.Fatal(err)
			}
		}
		stored := s.Stats().Bytes
		b.ReportMetric(float64(raw)/1e6, "raw-MB")
		b.ReportMetric(float64(stored)/1e6, "stored-MB")
		b.ReportMetric(float64(raw)/float64(stored), "ratio")
		b.ReportMetric(float64(stored)/float64(len(all)), "B/call")
	}
}
