package httpfault

import (
	"errors"
	"io"
	"net/http"
	"strings"
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

// What a reply may not be is said with its bound.
func TestReadBody(t *testing.T) {
	for _, tt := range []struct {
		name string
		resp http.Response
		want string
	}{
		{"long", http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(endless("x"))}, "too-long: the reply is longer than 1000 bytes"},
		{"said to be long", http.Response{StatusCode: http.StatusOK, ContentLength: 1 << 40, Body: io.NopCloser(endless("x"))}, "too-long: the reply is longer than 1000 bytes"},
		{"encoded", http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Encoding": {"br"}}, Body: io.NopCloser(endless("x"))}, `bad-reply: the reply is encoded as "br", which was not requested`},
		{"exact", http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", 1000)))}, ""},
		{"a failure", http.Response{StatusCode: http.StatusInternalServerError, ContentLength: -1, Body: io.NopCloser(endless("x"))}, ""},
	} {
		body, err := ReadBody(&tt.resp, 1000)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want || len(body) > maxRefusal || err == nil && len(body) == 0 {
			t.Errorf("%s: %d bytes, error %q, want %q", tt.name, len(body), got, tt.want)
		}
	}
	failing := &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(io.MultiReader(strings.NewReader("{"), failure{}))}
	body, err := ReadBody(failing, 1000)
	if !errors.Is(err, errFailure) || string(body) != "{" {
		t.Errorf("%q, %v", body, err)
	}
}

// JSON of many small values is refused before it is decoded.
func TestDecodeBound(t *testing.T) {
	r := Response{Data: []byte(`{"list":[` + strings.Repeat("{},", 1<<20) + `{}]}`)}
	if err := r.Decode(new(any), "a list", nil); err == nil || err.Kind != fault.TooLong {
		t.Errorf("error %v, want %s", err, fault.TooLong)
	}
}

var errFailure = errors.New("cut off")

type failure struct{}

func (failure) Read([]byte) (int, error) { return 0, errFailure }
