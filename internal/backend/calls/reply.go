package calls

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"recallbench/internal/door/llm"
)

// A Reply is what was recorded of a reply: of a chat model, the vector of a
// text, the probability of entailment of a pair, or an annotation.
type Reply struct {
	Chat   llm.Reply
	Vector []float32
	Tokens int // of an embedded text; 0 where the provider reported none
	Score  float64
	// Annotation is an [annotate.Document] as JSON.
	Annotation []byte
	Latency    time.Duration // of the attempt that was answered, where that was measured, else of the whole call; 0 where neither was
	Time       time.Time     // when it was recorded; zero where it was not
}

// own returns the reply with a vector of its own, because callers may write to
// theirs.
func (r Reply) own() Reply {
	r.Vector = slices.Clone(r.Vector)
	return r
}

// The field numbers of a reply.
const (
	replyText = 1 + iota
	replyFinish
	replyModel
	replyFingerprint
	replyUsage
	replyLogprob
	replyAttempts
	replyLatency
	_ // remarks of a backend that is gone
	replyVector
	replyTokens
	replyScore
	_ // was that of pruned texts
	replyAnnotation
	replyWire
)

// encode returns the reply in the wire format.
func (r Reply) encode() []byte {
	var b []byte
	b = appendString(b, replyText, r.Chat.Text)
	b = appendString(b, replyFinish, r.Chat.Finish)
	b = appendString(b, replyModel, r.Chat.Model)
	b = appendString(b, replyFingerprint, r.Chat.Fingerprint)
	if u := r.Chat.Usage; u != (llm.Usage{}) {
		b = appendBytes(b, replyUsage, encodeUsage(u))
	}
	for _, p := range r.Chat.Logprobs {
		b = appendBytes(b, replyLogprob, encodeLogprob(p, true))
	}
	b = appendInt(b, replyAttempts, r.Chat.Attempts)
	b = appendInt(b, replyLatency, int(r.Latency))
	if r.Vector != nil {
		values := make([]byte, 0, 4*len(r.Vector))
		for _, x := range r.Vector {
			values = binary.LittleEndian.AppendUint32(values, math.Float32bits(x))
		}
		b = appendBytes(b, replyVector, values)
	}
	b = appendInt(b, replyTokens, r.Tokens)
	if r.Score != 0 {
		b = appendDouble(b, replyScore, r.Score)
	}
	if r.Annotation != nil {
		b = appendBytes(b, replyAnnotation, r.Annotation)
	}
	if r.Chat.Wire != nil {
		b = appendBytes(b, replyWire, r.Chat.Wire)
	}
	return b
}

func encodeUsage(u llm.Usage) []byte {
	var b []byte
	for i, n := range []int{u.Calls, u.Input, u.Cached, u.Output, u.Reasoning} {
		b = appendInt(b, protowire.Number(i+1), n)
	}
	if u.Counted {
		b = appendInt(b, 6, 1)
	}
	return b
}

func encodeLogprob(p llm.Logprob, top bool) []byte {
	b := appendString(nil, 1, p.Token)
	b = appendDouble(b, 2, p.Logprob)
	if top {
		for _, t := range p.Top {
			b = appendBytes(b, 3, encodeLogprob(t, false))
		}
	}
	return b
}

// decodeReply is the inverse of encode. Fields that it does not know are left
// out.
func decodeReply(data []byte) (r Reply, err error) {
	err = fields(data, func(num int, f field) error {
		switch num {
		case replyText:
			r.Chat.Text = f.text()
		case replyFinish:
			r.Chat.Finish = f.text()
		case replyModel:
			r.Chat.Model = f.text()
		case replyFingerprint:
			r.Chat.Fingerprint = f.text()
		case replyUsage:
			return decodeUsage(f.bytes, &r.Chat.Usage)
		case replyLogprob:
			p, err := decodeLogprob(f.bytes, true)
			r.Chat.Logprobs = append(r.Chat.Logprobs, p)
			return err
		case replyAttempts:
			r.Chat.Attempts = f.int()
		case replyLatency:
			r.Latency = time.Duration(f.int())
		case replyVector:
			if len(f.bytes)%4 != 0 {
				return fmt.Errorf("a vector of %d bytes, want a multiple of 4", len(f.bytes))
			}
			r.Vector = make([]float32, len(f.bytes)/4)
			for i := range r.Vector {
				r.Vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(f.bytes[4*i:]))
			}
		case replyTokens:
			r.Tokens = f.int()
		case replyScore:
			r.Score = f.double()
		case replyAnnotation:
			r.Annotation = slices.Clone(f.bytes)
		case replyWire:
			r.Chat.Wire = slices.Clone(f.bytes)
		}
		return nil
	})
	return r, err
}

func decodeUsage(data []byte, u *llm.Usage) error {
	return fields(data, func(num int, f field) error {
		switch num {
		case 1:
			u.Calls = f.int()
		case 2:
			u.Input = f.int()
		case 3:
			u.Cached = f.int()
		case 4:
			u.Output = f.int()
		case 5:
			u.Reasoning = f.int()
		case 6:
			u.Counted = f.int() != 0
		}
		return nil
	})
}

func decodeLogprob(data []byte, top bool) (p llm.Logprob, err error) {
	err = fields(data, func(num int, f field) error {
		switch num {
		case 1:
			p.Token = f.text()
		case 2:
			p.Logprob = f.double()
		case 3:
			if !top {
				return errors.New("log-probabilities within those of a likeliest token")
			}
			t, err := decodeLogprob(f.bytes, false)
			p.Top = append(p.Top, t)
			return err
		}
		return nil
	})
	return p, err
}

// A field is the value of a field, in the form that its type has.
type field struct {
	number uint64
	bytes  []byte
}

func (f field) int() int        { return int(f.number) }
func (f field) double() float64 { return math.Float64frombits(f.number) }
func (f field) text() string    { return string(f.bytes) }

// fields calls do for each field of a message.
func fields(data []byte, do func(num int, f field) error) error {
	for len(data) > 0 {
		num, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		var f field
		switch typ {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(num, typ, data)
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

func appendBytes(b []byte, num protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
}

// appendString leaves out an empty string.
func appendString(b []byte, num protowire.Number, v string) []byte {
	if v == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), v)
}

// appendInt leaves out a 0.
func appendInt(b []byte, num protowire.Number, v int) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
}

func appendDouble(b []byte, num protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), math.Float64bits(v))
}
