package token

import (
	"bytes"
	"embed"
	"hash/maphash"
	"math/bits"
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
	"o200k_base":  {o200kPattern, sync.OnceValue(func() *vocabulary { return readVocabulary("o200k_base") })},
	"cl100k_base": {llamaPattern, sync.OnceValue(func() *vocabulary { return readVocabulary("cl100k_base") })},
}

// An embeddedEncoding is byte pair encoding in which any two neighbours whose union is a
// token may be joined, that with the lowest id first.
type embeddedEncoding struct {
	pattern    string
	vocabulary func() *vocabulary
}

// A vocabulary holds tokens by id. It has no pointers that a garbage collection would
// have to follow.
type vocabulary struct {
	text  string   // all tokens, one after the other
	ends  []uint32 // where each ends
	slots []uint32 // a hash table of the ids plus 1; 0 is a free slot
	seed  maphash.Seed
}

func readVocabulary(name string) *vocabulary {
	data, err := vocabularies.ReadFile(name + ".zst")
	if err != nil {
		panic(err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	defer d.Close()
	if data, err = d.DecodeAll(data, nil); err != nil {
		panic(err)
	}
	lengths, text, _ := bytes.Cut(data, []byte{0})
	v := &vocabulary{
		text: string(text), ends: make([]uint32, 0, len(lengths)),
		slots: make([]uint32, 1<<bits.Len(uint(2*len(lengths)))), seed: maphash.MakeSeed(),
	}
	end := uint32(0)
	for id, n := range lengths {
		end += uint32(n)
		v.ends = append(v.ends, end)
		v.slots[v.slot(v.token(id))] = uint32(id + 1)
	}
	return v
}

// token returns the token of an id.
func (v *vocabulary) token(id int) string {
	start := uint32(0)
	if id > 0 {
		start = v.ends[id-1]
	}
	return v.text[start:v.ends[id]]
}

// slot returns where a token stands in the table, or would.
func (v *vocabulary) slot(token string) int {
	at := int(maphash.String(v.seed, token) % uint64(len(v.slots)))
	for v.slots[at] != 0 && v.token(int(v.slots[at]-1)) != token {
		at = (at + 1) % len(v.slots)
	}
	return at
}

// id returns the id of a token, and whether it is one.
func (v *vocabulary) id(token string) (int32, bool) {
	id := v.slots[v.slot(token)]
	return int32(id) - 1, id != 0
}

// split implements [model].
func (e *embeddedEncoding) split(word string) []symbol {
	v := e.vocabulary()
	return pieces(word, func(piece string) []symbol {
		if id, ok := v.id(piece); ok {
			return []symbol{{id, len(piece)}}
		}
		symbols := make([]symbol, len(piece))
		for i := range symbols {
			id, _ := v.id(piece[i : i+1])
			symbols[i] = symbol{id, i + 1}
		}
		return join(symbols, func(start int, _, right symbol) (merge, bool) {
			id, ok := v.id(piece[start:right.end])
			return merge{id, id}, ok
		})
	})
}
