package gateway

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/fault"
)

// A stream shows that it lives every 15 seconds, and from then on fails by an event.
func TestStreamWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		s := startStream(w)
		time.Sleep(40 * time.Second)
		if err := s.fail(fault.New(fault.Server, "down")); err != nil {
			t.Error(err)
		}
		want := ": wait\n\n: wait\n\ndata: {\"error\":{\"code\":\"upstream_error\",\"message\":\"server: down\",\"param\":null,\"type\":\"server_error\"}}\n\n"
		if got := w.Body.String(); got != want || w.Code != 200 {
			t.Errorf("%d %q, want %q", w.Code, got, want)
		}

		w = httptest.NewRecorder()
		s = startStream(w)
		time.Sleep(time.Second)
		if err := s.fail(fault.New(fault.Server, "down")); err == nil || w.Body.Len() > 0 {
			t.Errorf("%v, %q", err, w.Body)
		}
	})
}

// Long texts come in pieces that are cut at characters.
func TestPieces(t *testing.T) {
	text := strings.Repeat("é", 3000) + "x" + strings.Repeat("日", 1000)
	var all strings.Builder
	for p := range pieces(text) {
		if len(p) > maxPiece || strings.ToValidUTF8(p, "?") != p {
			t.Errorf("a piece of %d bytes", len(p))
		}
		all.WriteString(p)
	}
	if all.String() != text {
		t.Error("the pieces are not the text")
	}
}
