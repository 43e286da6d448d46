package calls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"time"
)

const (
	magic      = "RBC1"
	headerSize = 76
)

// The kinds of frames.
const (
	chatFrame byte = 1 + iota
	embedFrame
	entailFrame
	endFrame // of an exported file
)

// frameKind returns the frame kind of a kind of call.
func frameKind(k Kind) byte {
	switch k {
	case Embed:
		return embedFrame
	case Entail:
		return entailFrame
	default:
		return chatFrame
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(p []byte) uint32 { return crc32.Checksum(p, castagnoli) }

// A header begins a frame.
type header struct {
	kind       byte
	time       int64 // when the reply came, in ns since 1970
	key        Key
	identity   [8]byte
	reply      uint32 // length in bytes
	replySum   uint32
	request    uint32 // length in bytes
	requestSum uint32
}

// size is the length of the frame in bytes.
func (h *header) size() int64 { return headerSize + int64(h.reply) + int64(h.request) }

// Kind is the kind of call.
func (h *header) Kind() Kind {
	switch h.kind {
	case embedFrame:
		return Embed
	case entailFrame:
		return Entail
	default:
		return Chat
	}
}

// Time is when the reply came.
func (h *header) Time() time.Time { return time.Unix(0, h.time).UTC() }

// append puts the header behind b.
func (h *header) append(b []byte) []byte {
	start := len(b)
	b = append(b, magic...)
	b = append(b, h.kind, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.time))
	b = append(b, h.key[:]...)
	b = append(b, h.identity[:]...)
	for _, n := range []uint32{h.reply, h.replySum, h.request, h.requestSum} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return binary.LittleEndian.AppendUint32(b, checksum(b[start:]))
}

// parseHeader reads a header from the beginning of p; ok is false where there
// is none, or a damaged one.
func parseHeader(p []byte) (h header, ok bool) {
	if len(p) < headerSize || string(p[:4]) != magic {
		return h, false
	}
	p = p[:headerSize]
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(p[at:]) }
	if number(headerSize-4) != checksum(p[:headerSize-4]) {
		return h, false
	}
	h = header{
		kind: p[4], time: int64(binary.LittleEndian.Uint64(p[8:])),
		key: Key(p[16:48]), identity: [8]byte(p[48:56]),
		reply: number(56), replySum: number(60), request: number(64), requestSum: number(68),
	}
	return h, chatFrame <= h.kind && h.kind <= endFrame
}

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
