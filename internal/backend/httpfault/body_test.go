package httpfault

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"recallbench/internal/door/fault"
)

// endless is a body of the same text for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// However many replies are in flight and whatever they hold, each gets its turn, and the
// places of large ones are given back.
func TestManyReplies(t *testing.T) {
	const bytes = 1 << 20
	fitting := func(begin, part, end string) string {
		return begin + strings.Repeat(part, (bytes-len(begin)-len(end))/len(part)) + end
	}
	bodies := []func() io.Reader{
		func() io.Reader { return endless("{") },
		func() io.Reader { return strings.NewReader(fitting(`{"list":[`, "{},", "{}]}")) },
		func() io.Reader { return strings.NewReader(fitting(`{"list":[`, "{}, {\"a\": 1234567890}, ", "{}]}")) },
		func() io.Reader { return strings.NewReader(fitting(`{"text":"`, "a", `"}`)) },
		func() io.Reader { return strings.NewReader(`{"text": "short"}`) },
	}
	var wg sync.WaitGroup
	for i := range 256 {
		wg.Go(func() {
			resp := &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(bodies[i%len(bodies)]())}
			body, err := ReadBody(t.Context(), resp, Bound{Bytes: bytes, Why: "a test"})
			defer body.Release()
			var v struct {
				Text string
				List []struct{ A json.Number }
			}
			if err == nil {
				err = body.Decode(t.Context(), &v)
			}
			if long := i%len(bodies) < 2; (fault.KindOf(err) == fault.TooLong) != long || !long && err != nil {
				t.Errorf("body %d: %v", i%len(bodies), err)
			}
		})
	}
	wg.Wait()
	if n := len(larges); n > 0 {
		t.Errorf("%d places are not given back", n)
	}
}

// What a reply may not be is said with its bound.
func TestReadBody(t *testing.T) {
	for _, tt := range []struct {
		name string
		resp http.Response
		want string
	}{
		{"long", http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(endless("x"))}, "too-long: the reply is longer than 1000 bytes, the bound that follows from a test; ask for less"},
		{"said to be long", http.Response{StatusCode: http.StatusOK, ContentLength: 1 << 40, Body: io.NopCloser(endless("x"))}, "too-long: the reply is longer than 1000 bytes, the bound that follows from a test; ask for less"},
		{"encoded", http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Encoding": {"br"}}, Body: io.NopCloser(endless("x"))}, `bad-reply: the reply is encoded as "br", which nobody asked for`},
		{"exact", http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", 1000)))}, ""},
		{"a failure", http.Response{StatusCode: http.StatusInternalServerError, ContentLength: -1, Body: io.NopCloser(endless("x"))}, ""},
	} {
		body, err := ReadBody(t.Context(), &tt.resp, Bound{Bytes: 1000, Why: "a test", Remedy: "ask for less"})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want || len(body.Data) > maxRefusal || err == nil && len(body.Data) == 0 {
			t.Errorf("%s: %d bytes, error %q, want %q", tt.name, len(body.Data), got, tt.want)
		}
		body.Release()
		body.Release()
	}
	failing := &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(io.MultiReader(strings.NewReader("{"), failure{}))}
	body, err := ReadBody(t.Context(), failing, Bound{Bytes: 1000})
	if !errors.Is(err, errFailure) || string(body.Data) != "{" {
		t.Errorf("%q, %v", body.Data, err)
	}
	body.Release()
	if n := len(larges); n > 0 {
		t.Errorf("%d places are not given back", n)
	}
}

var errFailure = errors.New("cut off")

type failure struct{}

func (failure) Read([]byte) (int, error) { return 0, errFailure }
