package calls

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"recallbench/internal/door/llm"
)

// This file reads what versions before 2026-12 recorded: files of frames, each a header, a
// reply and a request in the wire format of Protocol Buffers. [Store.Import] converts them.

const (
	oldExtension = ".calls"
	oldMagic     = "RBC1"
	oldHeader    = 76
	oldEnd       = 4 // the kind of the frame that ends an export
)

var oldKinds = map[byte]Kind{1: Chat, 2: Embed, 3: Entail, 6: Annotate}

func isOld(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(oldMagic))
	_, _ = io.ReadFull(f, head) // what is shorter is not old
	return string(head) == oldMagic, nil
}

// readOld calls do for each whole recording of a file, and adds what it found to c.
func readOld(ctx context.Context, path string, c *Check, do func(entry) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	c.Files++
	c.Bytes += int64(len(data))
	newest := make(map[Key]int64)
	for at := 0; at < len(data); {
		start := bytes.Index(data[at:], []byte(oldMagic))
		if start < 0 {
			c.Damages = append(c.Damages, Damage{filepath.Base(path), "", fmt.Sprintf("no recording can be read at byte %d", at)})
			break
		}
		start += at
		e, size, err := oldFrame(data, start)
		end := start + max(size, 1)
		if start > at || err != nil {
			c.Damages = append(c.Damages, Damage{filepath.Base(path), e.key.ID(), fmt.Sprintf("bytes %d to %d: %v", at, end, err)})
		}
		at = end
		if err != nil || e.call == nil || newest[e.key] > e.reply.Time.UnixNano() {
			continue
		}
		newest[e.key] = e.reply.Time.UnixNano()
		c.Recordings++
		if err := do(e); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// oldFrame reads the frame at an offset. It returns the frame's length, 0 where there is none; the end
// of an export is a frame without a call.
func oldFrame(data []byte, at int) (e entry, size int, err error) {
	reply, request, kind, err := oldParts(data, at)
	if err != nil {
		return e, 0, err
	}
	size = oldHeader + len(reply) + len(request)
	head := data[at:]
	e.key = Key(head[16:48])
	if kind == oldEnd {
		return e, size, nil
	}
	texts, err := oldTexts(data, at, request)
	if err != nil {
		return e, size, err
	}
	if len(texts) == 0 {
		return e, size, errors.New("a request without an identity")
	}
	if e.call, e.identity, err = restore([]byte(texts[0]), texts[1:], e.key); err != nil {
		return entry{key: e.key}, size, err
	}
	if e.call.Kind != oldKinds[kind] {
		return entry{key: e.key}, size, errors.New("its kind is another")
	}
	e.reply, err = oldReply(reply)
	e.reply.Time = time.Unix(0, int64(binary.LittleEndian.Uint64(head[8:]))).UTC()
	return e, size, err
}

// oldParts checks the sums of the frame at an offset and returns its parts.
func oldParts(data []byte, at int) (reply, request []byte, kind byte, err error) {
	errNone := errors.New("no recording")
	if at < 0 || len(data)-at < oldHeader {
		return nil, nil, 0, errNone
	}
	head := data[at : at+oldHeader]
	number := func(i int) int { return int(binary.LittleEndian.Uint32(head[i:])) }
	sum := func(b []byte) int { return int(crc32.Checksum(b, castagnoli)) }
	if string(head[:4]) != oldMagic || number(oldHeader-4) != sum(head[:oldHeader-4]) {
		return nil, nil, 0, errNone
	}
	rest := data[at+oldHeader:]
	n, m := number(56), number(64)
	if n+m > len(rest) {
		return nil, nil, 0, errors.New("it is cut off")
	}
	reply, request = rest[:n], rest[n:n+m]
	if number(60) != sum(reply) || number(68) != sum(request) {
		return nil, nil, 0, errors.New("its checksum is another")
	}
	return reply, request, head[4], nil
}

// oldTexts puts the texts of the request of a frame together from the pieces of this and
// earlier ones.
func oldTexts(data []byte, at int, request []byte) (texts []string, err error) {
	pieces := make(map[int][]string) // by offset of the frame
	err = oldFields(request, func(num int, f oldField) error {
		if num != 1 {
			return nil
		}
		var b bytes.Buffer
		for runs := f.bytes; len(runs) > 0; {
			var run [3]uint64 // bytes before this frame, first piece, number of pieces
			for i := range run {
				v, n := binary.Uvarint(runs)
				if n <= 0 {
					return errors.New("a list of pieces that is cut off")
				}
				run[i], runs = v, runs[n:]
			}
			frame := at - int(min(run[0], math.MaxInt32))
			all, ok := pieces[frame]
			if !ok {
				_, request, _, err := oldParts(data, frame)
				if err == nil {
					all, err = oldPieces(request)
				}
				if err != nil {
					return fmt.Errorf("it shares text with the recording at byte %d: %w", frame, err)
				}
				pieces[frame] = all
			}
			if run[1] > uint64(len(all)) || run[2] > uint64(len(all))-run[1] {
				return errors.New("it names pieces that are not there")
			}
			for _, piece := range all[run[1] : run[1]+run[2]] {
				b.WriteString(piece)
			}
			if b.Len() > maxRecording {
				return errors.New("its texts are too long")
			}
		}
		texts = append(texts, b.String())
		return nil
	})
	return texts, err
}

// oldPieces returns the pieces that a frame brought.
func oldPieces(request []byte) (pieces []string, err error) {
	var sizes, raw []byte
	err = oldFields(request, func(num int, f oldField) (err error) {
		switch num {
		case 2:
			sizes = f.bytes
		case 3:
			raw = f.bytes
		case 4:
			raw, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(f.bytes)), maxRecording))
		}
		return err
	})
	for len(sizes) > 0 && err == nil {
		size, n := binary.Uvarint(sizes)
		if n <= 0 || size > uint64(len(raw)) {
			return nil, errors.New("pieces that are cut off")
		}
		pieces = append(pieces, string(raw[:size]))
		sizes, raw = sizes[n:], raw[size:]
	}
	return pieces, err
}

func oldReply(data []byte) (r Reply, err error) {
	err = oldFields(data, func(num int, f oldField) (err error) {
		switch num {
		case 1:
			r.Chat.Text = string(f.bytes)
		case 2:
			r.Chat.Finish = string(f.bytes)
		case 3:
			r.Chat.Model = string(f.bytes)
		case 4:
			r.Chat.Fingerprint = string(f.bytes)
		case 5:
			u := &r.Chat.Usage
			return oldFields(f.bytes, func(num int, f oldField) error {
				if to := map[int]*int{1: &u.Calls, 2: &u.Input, 3: &u.Cached, 4: &u.Output, 5: &u.Reasoning}[num]; to != nil {
					*to = int(f.number)
				}
				u.Counted = u.Counted || num == 6 && f.number != 0
				return nil
			})
		case 6:
			var p llm.Logprob
			p, err = oldLogprob(f.bytes)
			r.Chat.Logprobs = append(r.Chat.Logprobs, p)
		case 7:
			r.Chat.Attempts = int(f.number)
		case 8:
			r.Latency = time.Duration(f.number)
		case 10:
			for b := f.bytes; len(b) >= 4; b = b[4:] {
				r.Vector = append(r.Vector, math.Float32frombits(binary.LittleEndian.Uint32(b)))
			}
		case 11:
			r.Tokens = int(f.number)
		case 12:
			r.Score = math.Float64frombits(f.number)
		case 14:
			r.Annotation = bytes.Clone(f.bytes)
		case 15:
			r.Chat.Wire = bytes.Clone(f.bytes)
		}
		return err
	})
	return r, err
}

func oldLogprob(data []byte) (p llm.Logprob, err error) {
	err = oldFields(data, func(num int, f oldField) error {
		switch num {
		case 1:
			p.Token = string(f.bytes)
		case 2:
			p.Logprob = math.Float64frombits(f.number)
		case 3:
			t, err := oldLogprob(f.bytes)
			p.Top = append(p.Top, t)
			return err
		}
		return nil
	})
	return p, err
}

// An oldField is the value of a field, in the form that its type has.
type oldField struct {
	number uint64
	bytes  []byte
}

// oldFields calls do for each field of a message.
func oldFields(data []byte, do func(num int, f oldField) error) error {
	for len(data) > 0 {
		num, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		var f oldField
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(data)
		default:
			f.bytes, n = protowire.ConsumeBytes(data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := do(int(num), f); err != nil {
			return err
		}
	}
	return nil
}
