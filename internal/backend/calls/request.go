package calls

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A run is pieces of one frame that follow one another in a text.
type run struct {
	back         int64 // how far before this frame that one begins
	first, count uint64
}

// A packed is the request of a frame as it is stored.
type packed struct {
	texts    [][]run
	sizes    []int // of its new pieces
	raw      []byte
	deflated bool
}

// unpack reads the request of a frame.
func unpack(data []byte) (p packed, err error) {
	err = fields(data, func(num int, f field) error {
		switch num {
		case requestText:
			runs, err := decodeRuns(f.bytes)
			p.texts = append(p.texts, runs)
			return err
		case requestSizes:
			sizes, err := varints(f.bytes)
			for _, n := range sizes {
				if n > maxText {
					return fmt.Errorf("a piece of %d bytes", n)
				}
				p.sizes = append(p.sizes, int(n))
			}
			return err
		case requestPieces, requestDeflated:
			p.raw, p.deflated = f.bytes, num == requestDeflated
		}
		return nil
	})
	return p, err
}

func decodeRuns(data []byte) ([]run, error) {
	numbers, err := varints(data)
	if err != nil {
		return nil, err
	}
	if len(numbers)%3 != 0 {
		return nil, errors.New("a text that is not made of triples")
	}
	runs := make([]run, 0, len(numbers)/3)
	for i := 0; i < len(numbers); i += 3 {
		if numbers[i] > 1<<62 {
			return nil, errors.New("a piece before the segment's beginning")
		}
		runs = append(runs, run{int64(numbers[i]), numbers[i+1], numbers[i+2]})
	}
	return runs, nil
}

func varints(data []byte) (numbers []uint64, err error) {
	for len(data) > 0 {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errors.New("a number that is cut off")
		}
		numbers = append(numbers, v)
		data = data[n:]
	}
	return numbers, nil
}

// pieces returns the frame's new pieces.
func (p *packed) pieces() ([]string, error) {
	total := 0
	for _, n := range p.sizes {
		if total += n; total > maxText {
			return nil, fmt.Errorf("pieces of more than %d bytes", maxText)
		}
	}
	raw := p.raw
	if p.deflated {
		var b bytes.Buffer
		b.Grow(min(total, 1<<20)) // not more on the word of a damaged file
		r := flate.NewReader(bytes.NewReader(p.raw))
		if _, err := io.Copy(&b, io.LimitReader(r, int64(total)+1)); err != nil {
			return nil, err
		}
		raw = b.Bytes()
	}
	if len(raw) != total {
		return nil, fmt.Errorf("pieces of %d bytes, want %d", len(raw), total)
	}
	all := string(raw)
	pieces := make([]string, len(p.sizes))
	for i, n := range p.sizes {
		pieces[i], all = all[:n], all[n:]
	}
	return pieces, nil
}

// packed reads the request as it is stored.
func (r *Recording) packed() (packed, error) {
	return r.store.packed(r.segment, r.offset, &r.header)
}

// texts reads the first n texts that stand for the request; all for -1.
func (r *Recording) texts(n int) ([]string, error) {
	p, err := r.packed()
	if err != nil {
		return nil, r.fault("request", err)
	}
	if n >= 0 {
		p.texts = p.texts[:min(n, len(p.texts))]
	}
	texts, err := r.store.join(r.segment, r.offset, &p)
	return texts, r.fault("request", err)
}

// part reads a part of a frame.
func (s *Store) part(g *segment, offset int64, size, sum uint32) ([]byte, error) {
	p := make([]byte, size)
	if n, err := s.files.readAt(g, p, offset); n < len(p) {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	if checksum(p) != sum {
		return nil, fmt.Errorf("%w: its checksum is %08x, want %08x", errDamaged, checksum(p), sum)
	}
	return p, nil
}

func (s *Store) packed(g *segment, offset int64, h *header) (packed, error) {
	data, err := s.part(g, offset+headerSize+int64(h.reply), h.request, h.requestSum)
	if err != nil {
		return packed{}, err
	}
	return unpack(data)
}

// join puts texts together from their pieces.
func (s *Store) join(g *segment, offset int64, p *packed) ([]string, error) {
	texts := make([]string, 0, len(p.texts))
	var own []string
	total := 0
	for _, runs := range p.texts {
		var b strings.Builder
		for _, run := range runs {
			var pieces []string
			var err error
			switch {
			case run.back > 0:
				pieces, err = s.pieces.of(s, g, offset-run.back)
			case own == nil:
				own, err = p.pieces()
				pieces = own
			default:
				pieces = own
			}
			if err != nil {
				return nil, err
			}
			if run.first > uint64(len(pieces)) || run.count > uint64(len(pieces))-run.first {
				return nil, fmt.Errorf("%w: it names pieces that are not there", errDamaged)
			}
			for _, piece := range pieces[run.first : run.first+run.count] {
				if total += len(piece); total > maxText {
					return nil, fmt.Errorf("texts of more than %d bytes", maxText)
				}
				b.WriteString(piece)
			}
		}
		texts = append(texts, b.String())
	}
	return texts, nil
}

// maxCached bounds the unpacked pieces that are kept, in bytes.
const maxCached = 64 << 20

// A pieceCache keeps the new pieces of frames that others refer to.
type pieceCache struct {
	mu     sync.Mutex
	size   int
	frames map[frameID][]string
}

type frameID struct {
	segment *segment
	offset  int64
}

// of returns the new pieces of a frame.
func (c *pieceCache) of(s *Store, g *segment, offset int64) ([]string, error) {
	id := frameID{g, offset}
	c.mu.Lock()
	pieces, ok := c.frames[id]
	c.mu.Unlock()
	if ok {
		return pieces, nil
	}
	if offset < 0 {
		return nil, fmt.Errorf("%w: it refers to what is before the beginning", errDamaged)
	}
	h, err := s.header(g, offset)
	if err != nil {
		return nil, fmt.Errorf("it shares text with the recording at byte %d: %w", offset, err)
	}
	p, err := s.packed(g, offset, &h)
	if err == nil {
		pieces, err = p.pieces()
	}
	if err != nil {
		return nil, fmt.Errorf("it shares text with the recording at byte %d: %w", offset, err)
	}
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frames == nil || c.size+size > maxCached {
		c.frames, c.size = make(map[frameID][]string), 0
	}
	c.frames[id] = pieces
	c.size += size
	return pieces, nil
}
