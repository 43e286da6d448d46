package calls

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
