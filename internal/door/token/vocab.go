package token

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// ids checks the vocabulary of a model. Ids may have gaps, which say nothing
// about a count; real files have them.
func (c *compiler) ids(m *modelFile) {
	if len(m.Vocab) == 0 {
		c.fault("model.vocab", "missing or empty")
	}
	tokens := make(map[int32]string, len(m.Vocab))
	for _, token := range slices.Sorted(maps.Keys(m.Vocab)) {
		id := m.Vocab[token]
		other, taken := tokens[id]
		if tokens[id] = token; id < 0 || taken {
			c.fault("model.vocab", "token %q has the id %d, want one of its own of at least 0%s", token, id, map[bool]string{true: "; " + strconv.Quote(other) + " has it"}[taken])
			return
		}
	}
}

func (c *compiler) bpe(m *modelFile) *bpe {
	c.ids(m)
	if given(m.Dropout, 0) != 0 {
		c.fault("model.dropout", "%v, want null or 0: counts would be random", *m.Dropout)
	}
	if given(m.Prefix, "") != "" {
		c.fault("model.continuing_subword_prefix", "%q is not supported for BPE, want null", *m.Prefix)
	}
	if given(m.Suffix, "") != "" {
		c.fault("model.end_of_word_suffix", "%q is not supported, want null", *m.Suffix)
	}
	b := new(bpe)
	if m.IgnoreMerges {
		b.whole = m.Vocab
	}
	c.spellBytes(m, b)
	c.merges(m, b)
	return b
}

// known returns the id of a token that must be in the vocabulary.
func (c *compiler) known(m *modelFile, where, token string) int32 {
	id, ok := m.Vocab[token]
	if !ok {
		c.fault(where, "%.40q is not in model.vocab", token)
		return -1
	}
	return id
}

// spellBytes finds the tokens of the single bytes.
func (c *compiler) spellBytes(m *modelFile, b *bpe) {
	var missing []string
	for i, r := range byteRunes {
		id, ok := m.Vocab[string(r)]
		if !ok {
			id = -1
			// 0xc0, 0xc1 and from 0xf5 on are not in UTF-8.
			if i != 0xc0 && i != 0xc1 && i < 0xf5 {
				missing = append(missing, fmt.Sprintf("%q (byte %#02x)", string(r), i))
			}
		}
		b.bytes[i] = id
	}
	if n := len(missing); n > 0 && len(m.Vocab) > 0 {
		c.fault("model.vocab", "no token for %d of the bytes, first %s; without them some text would count as nothing",
			n, missing[0])
	}
}

func (c *compiler) merges(m *modelFile, b *bpe) {
	if len(m.Merges) > math.MaxInt32 {
		c.fault("model.merges", "%d of them, want at most %d", len(m.Merges), math.MaxInt32)
		return
	}
	b.merges = make(map[pair]merge, len(m.Merges))
	var buf []byte
	faults := 0
	for rank, parts := range m.Merges {
		buf = append(append(buf[:0], parts[0]...), parts[1]...)
		left, ok1 := m.Vocab[parts[0]]
		right, ok2 := m.Vocab[parts[1]]
		token, ok3 := m.Vocab[string(buf)]
		if ok1 && ok2 && ok3 {
			b.merges[pair{left, right}] = merge{int32(rank), token}
			continue
		}
		if faults++; faults > 1 {
			continue
		}
		missing := string(buf)
		switch {
		case !ok1:
			missing = parts[0]
		case !ok2:
			missing = parts[1]
		}
		c.fault(fmt.Sprintf("model.merges[%d]", rank), "%.40q is not in model.vocab", missing)
	}
	if faults > 1 {
		c.fault("model.merges", "%d more name tokens that are not in model.vocab", faults-1)
	}
}

func (c *compiler) wordPiece(m *modelFile) *wordPiece {
	c.ids(m)
	unk := given(m.UnkToken, "[UNK]")
	w := &wordPiece{vocab: m.Vocab, prefix: given(m.Prefix, "##"), chars: given(m.MaxChars, 100)}
	w.unknown = c.known(m, "model.unk_token", unk)
	if w.chars < 1 {
		c.fault("model.max_input_chars_per_word", "%d, want at least 1", w.chars)
	}
	for token := range m.Vocab {
		w.bytes = max(w.bytes, len(token))
	}
	return w
}
