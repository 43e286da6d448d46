package modelserver

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A Fault is a way in which a server or the way to it goes wrong.
type Fault string

// The faults. After the last group an attempt gets its right answer all the
// same.
const (
	TooMany           Fault = "429"             // a rate limit that does not say how long
	TooManyRetryAfter Fault = "429-retry-after" // one that does
	ClockSkew         Fault = "clock-skew"      // one that does by a date, from a clock hours ahead
	Internal          Fault = "500"
	Unavailable       Fault = "503"
	EchoKeyError      Fault = "echo-key-error" // a 500 that repeats the key

	Hang      Fault = "hang"      // no reply until the client gives up or the server closes
	Reset     Fault = "reset"     // the connection is reset
	Truncated Fault = "truncated" // half a reply, then the connection ends

	InvalidJSON   Fault = "invalid-json"
	WrongSchema   Fault = "wrong-schema"   // JSON of other types than a reply has
	EmptyChoices  Fault = "empty-choices"  // a reply that holds none
	ContentFilter Fault = "content-filter" // a reply that the provider's filter cut off; chat and completions only

	SlowFirstByte Fault = "slow-first-byte"
	OtherModel    Fault = "other-model" // served by another model than the one asked for; not for /predict
	EchoKey       Fault = "echo-key"    // a reply that repeats the key wherever it can; chat and completions only
)

// AllFaults lists every fault.
func AllFaults() []Fault {
	return []Fault{
		TooMany, TooManyRetryAfter, ClockSkew, Internal, Unavailable, EchoKeyError,
		Hang, Reset, Truncated,
		InvalidJSON, WrongSchema, EmptyChoices, ContentFilter,
		SlowFirstByte, OtherModel, EchoKey,
	}
}

// fits reports whether a path can show the fault.
func (f Fault) fits(path string) bool {
	switch f {
	case ContentFilter, EchoKey:
		return path == "/v1/chat/completions" || path == "/v1/completions"
	case OtherModel:
		return path != "/predict"
	default:
		return true
	}
}

// early reports whether the fault comes at once, before an answer is thought
// of.
func (f Fault) early() bool {
	switch f {
	case TooMany, TooManyRetryAfter, ClockSkew, Internal, Unavailable, EchoKeyError:
		return true
	default:
		return false
	}
}

// meet counts an attempt and says which fault it meets; empty for none.
func (s *Server) meet(id identity, path string, inFlight int) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Arrived++
	s.stats.MaxInFlight = max(s.stats.MaxInFlight, inFlight)
	attempt := s.attempts[id]
	s.attempts[id]++
	if s.o.Times > 0 && attempt >= s.o.Times {
		return ""
	}
	var faults []Fault
	for _, f := range s.o.Faults {
		if f.fits(path) {
			faults = append(faults, f)
		}
	}
	met, which := draw(s.o.Seed, id, attempt)
	if len(faults) == 0 || met >= s.o.Rate {
		return ""
	}
	f := faults[which%uint64(len(faults))]
	s.stats.Faults[f]++
	return f
}

// draw returns a number in [0, 1) and another one for an attempt.
func draw(seed uint64, id identity, attempt int) (met float64, which uint64) {
	h := fnv.New128a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(attempt))
	_, _ = h.Write(b[:])
	_, _ = h.Write(id[:])
	sum := h.Sum(b[:0])
	return float64(mix(binary.LittleEndian.Uint64(sum[:8]))>>11) / (1 << 53), mix(binary.LittleEndian.Uint64(sum[8:]))
}

// mix spreads the bits of x: those of FNV alone depend too little on its last
// bytes. It is the finaliser of MurmurHash3.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// spoil replies as the fault of the request has it. It returns false when the
// right answer is still to be sent.
func (s *Server) spoil(w http.ResponseWriter, r *http.Request, req request, reply []byte) bool {
	switch req.fault {
	case TooMany, TooManyRetryAfter:
		s.tooMany(w, req.path, req.fault == TooManyRetryAfter)
	case ClockSkew:
		s.skewed(w, req.path)
	case Internal:
		fail(w, req.path, problem{status: http.StatusInternalServerError, kind: "server_error", message: "The server had an error while processing your request."})
	case Unavailable:
		fail(w, req.path, problem{status: http.StatusServiceUnavailable, kind: "server_error", message: "The engine is currently overloaded."})
	case EchoKeyError:
		w.Header().Set("X-Echo", req.key)
		fail(w, req.path, problem{status: http.StatusInternalServerError, kind: "server_error", code: req.key, message: "Upstream failed with Authorization: Bearer " + req.key + " and /x?key=" + req.key})
	case Hang:
		s.wait(r.Context(), math.MaxInt64)
		panic(http.ErrAbortHandler) // a return would be a reply
	case Reset:
		hangUp(w, nil)
	case Truncated:
		head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(reply)+1) + "\r\n\r\n"
		hangUp(w, append([]byte(head), reply[:len(reply)/2]...))
	case InvalidJSON:
		send(w, []byte("{\"choices\": [{\"message\": <html>"))
	case WrongSchema:
		send(w, []byte(`{"choices": "none", "data": "none"}`))
	case EmptyChoices:
		if req.path == "/predict" {
			send(w, []byte(`[]`))
			break
		}
		send(w, []byte(`{"choices": [], "data": []}`))
	default:
		return false
	}
	return true
}

// hangUp writes some bytes and ends the connection, with a reset where there
// are none.
func hangUp(w http.ResponseWriter, data []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // which ends it too
	}
	defer conn.Close()
	if data != nil {
		_, _ = conn.Write(data) // the client may be gone
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the client sees an end and no reset
	}
}

func (s *Server) tooMany(w http.ResponseWriter, path string, say bool) {
	if say {
		wait := orSecond(s.o.RetryAfter)
		if wait%time.Second != 0 {
			w.Header().Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
		}
		w.Header().Set("Retry-After", seconds(wait))
	}
	fail(w, path, rateLimited)
}

var rateLimited = problem{
	status: http.StatusTooManyRequests, kind: "requests", code: "rate_limit_exceeded",
	message: "Rate limit reached for requests. Please slow down.",
}

// skewed asks for a wait by a date that only makes sense beside the date of the
// reply itself.
func (s *Server) skewed(w http.ResponseWriter, path string) {
	now := time.Now().Add(3 * time.Hour).UTC().Truncate(time.Second)
	wait := max(orSecond(s.o.RetryAfter).Round(time.Second), time.Second)
	w.Header().Set("Date", now.Format(http.TimeFormat))
	w.Header().Set("Retry-After", now.Add(wait).Format(http.TimeFormat))
	fail(w, path, rateLimited)
}

// orSecond returns d, or a second for none.
func orSecond(d time.Duration) time.Duration {
	if d == 0 {
		return time.Second
	}
	return d
}

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// escape returns the JSON of a reply with every letter of the key written as
// an escape, as a server that escapes much might.
func escape(reply []byte, key string) []byte {
	if key == "" {
		return reply
	}
	var escaped []byte
	for i := range len(key) {
		escaped = append(escaped, `\u00`...)
		escaped = hex.AppendEncode(escaped, []byte{key[i]})
	}
	return bytes.ReplaceAll(reply, []byte(key), escaped)
}
