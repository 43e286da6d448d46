package calls

import (
	"encoding/binary"
	"hash/crc32"
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
	_        // was that of pruned texts
	annotateFrame
)

// frameKind returns the frame kind of a kind of call.
func frameKind(k Kind) byte {
	switch k {
	case Embed:
		return embedFrame
	case Entail:
		return entailFrame
	case Annotate:
		return annotateFrame
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
	case annotateFrame:
		return Annotate
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
	return h, chatFrame <= h.kind && h.kind <= annotateFrame
}
