package modelserver

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A Fault is a failure of a server or of the connection to it.
type Fault string

// The faults. After the last group an attempt still gets its right answer.
const (
	TooMany           Fault = "429"             // a rate limit that does not say how long
	TooManyRetryAfter Fault = "429-retry-after" // one that does
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

	OtherModel Fault = "other-model" // served by another model than the one asked for; not for /predict
	EchoKey    Fault = "echo-key"    // a reply that repeats the key wherever it can; chat and completions only
)

// AllFaults lists every fault.
func AllFaults() []Fault {
	return []Fault{
		TooMany, TooManyRetryAfter, Internal, Unavailable, EchoKeyError,
		Hang, Reset, Truncated,
		InvalidJSON, WrongSchema, EmptyChoices, ContentFilter,
		OtherModel, EchoKey,
	}
}

// early are the faults that come at once, before an answer is thought of.
var early = []Fault{TooMany, TooManyRetryAfter, Internal, Unavailable, EchoKeyError}

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
	faults := slices.DeleteFunc(slices.Clone(s.o.Faults), func(f Fault) bool { return !f.fits(path) })
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
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", seed, attempt, id))
	return float64(binary.LittleEndian.Uint64(sum[:])>>11) / (1 << 53), binary.LittleEndian.Uint64(sum[8:])
}

// spoil replies as the fault of the request has it. It returns false if the
// right answer is still to be sent.
func (s *Server) spoil(w http.ResponseWriter, r *http.Request, req request, reply []byte) bool {
	broken := func(status int, code, message string) {
		fail(w, req.path, &problem{status, "server_error", code, "", message})
	}
	switch req.fault {
	case TooMany:
		fail(w, req.path, rateLimited)
	case TooManyRetryAfter:
		s.tooMany(w, req.path)
	case Internal:
		broken(http.StatusInternalServerError, "", "The server had an error while processing your request.")
	case Unavailable:
		broken(http.StatusServiceUnavailable, "", "The engine is currently overloaded.")
	case EchoKeyError:
		w.Header().Set("X-Echo", req.key)
		broken(http.StatusInternalServerError, req.key, "Upstream failed with Authorization: Bearer "+req.key+" and /x?key="+req.key)
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
		none := []byte(`{"choices": [], "data": []}`)
		if req.path == "/predict" {
			none = []byte(`[]`)
		}
		send(w, none)
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

var rateLimited = &problem{
	status: http.StatusTooManyRequests, kind: "requests", code: "rate_limit_exceeded",
	message: "Rate limit reached for requests. Please slow down.",
}

// tooMany refuses a request and says how long to wait, in whole seconds rounded up and where
// that is more also in milliseconds.
func (s *Server) tooMany(w http.ResponseWriter, path string) {
	wait := cmp.Or(s.o.RetryAfter, time.Second)
	if wait%time.Second != 0 {
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
	}
	w.Header().Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	fail(w, path, rateLimited)
}
