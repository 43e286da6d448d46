package token

import (
	"bytes"
	"embed"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// vocabularies has for each encoding the lengths of its tokens in the order of their
// ids, a zero, and the tokens.
//
//go:embed *.zst
var vocabularies embed.FS

// The embedded encodings. Reading a vocabulary takes some 30 ms, so it is put off until
// the first text.
var embedded = map[string]*embeddedEncoding{
	"o200k_base":  {o200kPattern, sync.OnceValue(func() vocabulary { return readVocabulary("o200k_base") })},
	"cl100k_base": {llamaPattern, sync.OnceValue(func() vocabulary { return readVocabulary("cl100k_base") })},
}

// An embeddedEncoding is byte pair encoding in which any two neighbours whose union is a
// token may be joined, that with the lowest id first.
type embeddedEncoding struct {
	pattern    string
	vocabulary func() vocabulary
}

type vocabulary struct {
	tokens []string
	ids    map[string]int32
}

func readVocabulary(name string) vocabulary {
	data, err := vocabularies.ReadFile(name + ".zst")
	if err != nil {
		panic(err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	defer d.Close()
	if data, err = d.DecodeAll(data, nil); err != nil {
		panic(err)
	}
	lengths, joined, _ := bytes.Cut(data, []byte{0})
	rest := string(joined)
	v := vocabulary{make([]string, len(lengths)), make(map[string]int32, len(lengths))}
	for id, n := range lengths {
		v.tokens[id], rest = rest[:n], rest[n:]
		v.ids[v.tokens[id]] = int32(id)
	}
	return v
}

// split implements [model].
func (e *embeddedEncoding) split(word string) []symbol { return pieces(word, e.merge) }

func (e *embeddedEncoding) merge(piece string) []symbol {
	ids := e.vocabulary().ids
	if id, ok := ids[piece]; ok {
		return []symbol{{id, len(piece)}}
	}
	symbols := make([]symbol, len(piece))
	for i := range symbols {
		symbols[i] = symbol{ids[piece[i:i+1]], i + 1}
	}
	unions := make([]int32, len(piece)) // of a symbol and the next: its id
	unite := func(i int) {
		start := 0
		if i > 0 {
			start = symbols[i-1].end
		}
		unions[i] = math.MaxInt32
		if i+1 < len(symbols) {
			if id, ok := ids[piece[start:symbols[i+1].end]]; ok {
				unions[i] = id
			}
		}
	}
	for i := range symbols {
		unite(i)
	}
	for {
		i, lowest := -1, int32(math.MaxInt32)
		for j, id := range unions {
			if id < lowest {
				i, lowest = j, id
			}
		}
		if i < 0 {
			return symbols
		}
		symbols[i] = symbol{lowest, symbols[i+1].end}
		symbols, unions = slices.Delete(symbols, i+1, i+2), slices.Delete(unions, i+1, i+2)
		unite(i)
		if i > 0 {
			unite(i - 1)
		}
	}
}
