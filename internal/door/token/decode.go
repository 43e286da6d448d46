package token

import (
	"fmt"
	"math"
	"strings"
	"sync"

	library "github.com/tiktoken-go/tokenizer/codec"
)

// decoders hold the vocabularies of the embedded encodings, by id.
var decoders = map[string]*decoder{
	o200kBase:  {open: sync.OnceValue(library.NewO200kBase)},
	cl100kBase: {open: sync.OnceValue(library.NewCl100kBase)},
}

type decoder struct {
	mu   sync.Mutex // the library fills its table at the first call
	open func() *library.Codec
}

// Decode returns the text that the ids of tokens stand for in an embedded encoding.
// Special tokens have no text.
func Decode(encoding string, ids []int) (string, error) {
	d, ok := decoders[encoding]
	if !ok {
		return "", fmt.Errorf("unknown token encoding %q; have %s", encoding, strings.Join(Encodings(), ", "))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var b strings.Builder
	for _, id := range ids {
		if id < 0 || id > math.MaxInt32 {
			return "", fmt.Errorf("%d is no token of %s", id, encoding)
		}
		piece, err := d.open().Decode([]uint{uint(id)})
		if err != nil {
			return "", fmt.Errorf("%d is no token of %s", id, encoding)
		}
		b.WriteString(piece)
	}
	return b.String(), nil
}
