package token

import (
	"runtime"
	"strings"
	"testing"
)

// line is a turn as prompts show it.
const line = "[1:56 pm on 8 May, 2023] Ana: I went to the market and bought three melons!\n"

// BenchmarkOpen reads a file of the size of Llama 3's: 100,256 tokens.
func BenchmarkOpen(b *testing.B) {
	data := converted(b, "cl100k_base", asLlama(llamaPattern))
	dir := write(b, data)
	b.SetBytes(int64(len(data)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var c Codec
	for b.Loop() {
		var err error
		if c, err = Open(dir, ""); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/(1<<20), "MiB-kept")
	runtime.KeepAlive(c)
}

// BenchmarkCounters counts a prompt of which every line is known, and text
// that is new each time.
func BenchmarkCounters(b *testing.B) {
	embedded, err := New("cl100k_base")
	if err != nil {
		b.Fatal(err)
	}
	file, err := parse(converted(b, "cl100k_base", asLlama(llamaPattern)))
	if err != nil {
		b.Fatal(err)
	}
	other, err := parse(converted(b, "cl100k_base", asLlama(o200kPattern)))
	if err != nil {
		b.Fatal(err)
	}
	prompt := strings.Repeat(line, 1000)
	for _, c := range []struct {
		name string
		Codec
	}{{"embedded", embedded}, {"file", file}, {"file-other-pattern", other}} {
		b.Run(c.name+"/known", func(b *testing.B) {
			b.SetBytes(int64(len(prompt)))
			for b.Loop() {
				c.Count(prompt)
			}
		})
		b.Run(c.name+"/new", func(b *testing.B) {
			b.SetBytes(int64(len(prompt)))
			for b.Loop() {
				c.Split(prompt) // which remembers nothing
			}
		})
	}
}

// BenchmarkLongWord splits one word, 100 KB of it.
func BenchmarkLongWord(b *testing.B) {
	h, err := parse(converted(b, "cl100k_base", asLlama(llamaPattern)))
	if err != nil {
		b.Fatal(err)
	}
	word := strings.Repeat("antidisestablishmentarianism", 100<<10/28)
	b.SetBytes(int64(len(word)))
	for b.Loop() {
		h.model.split(word, nil)
	}
}
