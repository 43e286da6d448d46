package calls

import (
	"bytes"
	"compress/flate"
	"hash/maphash"
	"strings"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// minPiece and maxPiece bound the length of a piece in bytes, the last of
	// a text apart.
	minPiece = 256
	maxPiece = 16 << 10
	// minDeflated is the length from which new pieces are compressed: below, it
	// takes longer than all the rest and saves little.
	minDeflated = 1 << 10
	// cutMask picks one line of 8 as the last of a piece.
	cutMask = 7
	// maxText bounds the texts of one request together, and what is unpacked
	// of one frame.
	maxText = 256 << 20
	// maxPieces bounds how many pieces a writer remembers, at about 60 bytes
	// each.
	maxPieces = 1 << 19
)

// cut returns the length of the first piece of a text: it ends with a line
// that a hash of the line chooses, so that texts which share lines share
// pieces, wherever the lines stand in them.
func cut(text string) int {
	for at := 0; at < len(text); {
		line := strings.IndexByte(text[at:], '\n') + 1
		if line == 0 {
			line = len(text) - at
		}
		if at+line > maxPiece {
			if at >= minPiece {
				return at
			}
			return min(maxPiece, len(text))
		}
		chosen := checksum(bytesOf(text[at:at+line]))&cutMask == 0
		at += line
		if chosen && at >= minPiece {
			return at
		}
	}
	return len(text)
}

// bytesOf returns the bytes of s without a copy. They must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// A place is where a segment has a piece.
type place struct {
	frame int64 // offset of the frame whose new pieces it is among
	index uint64
}

// A pieceID tells pieces apart within a process, in 128 bits that nobody can
// foresee. It is not written.
type pieceID [2]uint64

var pieceSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func identify(piece string) pieceID {
	return pieceID{maphash.String(pieceSeeds[0], piece), maphash.String(pieceSeeds[1], piece)}
}

// An encoder makes the frames of a segment.
type encoder struct {
	offset int64 // of the next frame
	known  map[pieceID]place
	zip    *flate.Writer
	zipped bytes.Buffer
	fresh  []byte // new pieces of the frame at work
}

// The field numbers of a request.
const (
	requestText = 1 + iota
	requestSizes
	requestPieces
	requestDeflated
)

// frame puts a frame behind b. It fills in the header's lengths and sums.
func (e *encoder) frame(b []byte, h *header, reply []byte, texts []string) []byte {
	request := e.request(texts)
	h.reply, h.replySum = uint32(len(reply)), checksum(reply)
	h.request, h.requestSum = uint32(len(request)), checksum(request)
	b = append(append(h.append(b), reply...), request...)
	e.offset += h.size()
	return b
}

// request encodes the texts of a frame at the encoder's offset.
func (e *encoder) request(texts []string) []byte {
	if e.known == nil || len(e.known) > maxPieces {
		e.known = make(map[pieceID]place)
	}
	e.fresh = e.fresh[:0]
	var out, runs, sizes []byte
	var news uint64
	for _, text := range texts {
		runs = runs[:0]
		var next place // behind the run at work
		var first, count uint64
		flush := func() {
			if count > 0 {
				runs = protowire.AppendVarint(runs, uint64(e.offset-next.frame))
				runs = protowire.AppendVarint(runs, first)
				runs = protowire.AppendVarint(runs, count)
			}
		}
		for text != "" {
			n := cut(text)
			piece := text[:n]
			text = text[n:]
			id := identify(piece)
			at, ok := e.known[id]
			if !ok {
				at = place{e.offset, news}
				e.known[id] = at
				e.fresh = append(e.fresh, piece...)
				sizes = protowire.AppendVarint(sizes, uint64(n))
				news++
			}
			if count == 0 || at != next {
				flush()
				first, count = at.index, 0
			}
			count++
			next = place{at.frame, at.index + 1}
		}
		flush()
		out = appendBytes(out, requestText, runs)
	}
	if news == 0 {
		return out
	}
	out = appendBytes(out, requestSizes, sizes)
	if len(e.fresh) >= minDeflated {
		if zipped := e.deflate(); len(zipped) < len(e.fresh) {
			return appendBytes(out, requestDeflated, zipped)
		}
	}
	return appendBytes(out, requestPieces, e.fresh)
}

// deflate compresses the new pieces.
func (e *encoder) deflate() []byte {
	e.zipped.Reset()
	if e.zip == nil {
		e.zip, _ = flate.NewWriter(&e.zipped, flate.DefaultCompression) // fails for an unknown level only
	} else {
		e.zip.Reset(&e.zipped)
	}
	// A buffer takes everything.
	_, _ = e.zip.Write(e.fresh)
	_ = e.zip.Close()
	return e.zipped.Bytes()
}
