package calls

import (
	"bytes"
	"errors"
	"io"
)

// A found is what a scan of a segment finds: a frame, or damage.
type found struct {
	header header
	offset int64
	length int64 // of the damage in bytes; 0 for a frame
}

// window is how much a scan reads at a time.
const window = 64 << 10

// A scanner goes through the frames of a segment by their headers.
type scanner struct {
	from io.ReaderAt
	size int64 // of the segment
	buf  []byte
	at   int64 // where buf begins
}

// scan calls do for the frames from an offset on and for the damage between
// them. It returns the end of the last frame: what follows, when anything does,
// is no whole frame.
func scan(r io.ReaderAt, offset, size int64, do func(found) error) (end int64, err error) {
	s := scanner{from: r, size: size, buf: make([]byte, 0, min(window, size-offset))}
	end = offset
	for pos := offset; pos < size; {
		p, err := s.peek(pos, headerSize)
		if err != nil {
			return end, err
		}
		h, ok := parseHeader(p)
		if ok && pos+h.size() > size {
			return end, nil // cut off
		}
		if !ok {
			if pos, err = s.next(pos + 1); err != nil {
				return end, err
			}
			continue
		}
		if pos > end {
			if err := do(found{offset: end, length: pos - end}); err != nil {
				return end, err
			}
		}
		if err := do(found{header: h, offset: pos}); err != nil {
			return end, err
		}
		pos += h.size()
		end = pos
	}
	return end, nil
}

// peek returns up to n bytes at an offset: fewer only at the segment's end.
func (s *scanner) peek(offset int64, n int) ([]byte, error) {
	if offset < s.at || offset+int64(n) > s.at+int64(len(s.buf)) {
		want := min(int64(window), s.size-offset)
		s.buf, s.at = s.buf[:want], offset
		got, err := s.from.ReadAt(s.buf, offset)
		s.buf = s.buf[:got]
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	p := s.buf[offset-s.at:]
	return p[:min(n, len(p))], nil
}

// next returns the offset of the next whole header from an offset on, or the
// segment's end.
func (s *scanner) next(offset int64) (int64, error) {
	for s.size-offset >= headerSize {
		p, err := s.peek(offset, window)
		if err != nil {
			return 0, err
		}
		if len(p) < window && offset+int64(len(p)) < s.size {
			// The window ends before the segment does: read on from here.
			s.buf = s.buf[:0]
			continue
		}
		// Headers that begin in the last bytes are seen whole the next time.
		whole := len(p) - headerSize + 1
		for i := 0; i < whole; i++ {
			skip := bytes.Index(p[i:], []byte(magic))
			if skip < 0 || i+skip >= whole {
				break
			}
			i += skip
			if _, ok := parseHeader(p[i:]); ok {
				return offset + int64(i), nil
			}
		}
		offset += int64(whole)
	}
	return s.size, nil
}
