package gateway

import (
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/fault"
)

// A stream shows that it lives every 15 seconds, and from then on fails by an event.
func TestStreamWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := func(d time.Duration) (*httptest.ResponseRecorder, error) {
			x := &exchange{w: httptest.NewRecorder()}
			err := x.stream(&chatBody{}, func() (*completion, error) {
				time.Sleep(d)
				return nil, fault.New(fault.Server, "down")
			})
			return x.w.(*httptest.ResponseRecorder), err
		}
		w, err := stream(40 * time.Second)
		want := ": wait\n\n: wait\n\ndata: {\"error\":{\"code\":\"upstream_error\",\"message\":\"server: down\",\"param\":null,\"type\":\"server_error\"}}\n\n"
		if got := w.Body.String(); got != want || w.Code != 200 || err != nil {
			t.Errorf("%d %q, %v, want %q", w.Code, got, err, want)
		}
		if w, err := stream(time.Second); err == nil || w.Body.Len() > 0 {
			t.Errorf("%v, %q", err, w.Body)
		}
	})
}
