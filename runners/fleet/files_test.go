package fleet

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"recallbench/internal/result/record"
)

// No message is read that is too long or does not say how long it is.
func TestLongMessage(t *testing.T) {
	for size, wants := range map[int64]bool{-1: false, maxMessage + 1: false, 2: true} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/join", strings.NewReader("{}"))
		r.ContentLength = size
		if err := read(httptest.NewRecorder(), r, &struct{}{}); (err == nil) != wants {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A build is known by its release or its commit, or where that does not say all by its
// file, on any kind of machine.
func TestProgram(t *testing.T) {
	for b, file := range map[record.Binary]bool{
		{Version: "devel", Commit: "c0ffee", Host: "plan9/mips"}: false,
		{Version: "devel", Commit: "c0ffee", Dirty: true}:        true,
		{Version: "v1.0.0"}: false,
		{Version: "devel"}:  true,
	} {
		text := Program(b)
		if !strings.Contains(text, b.Version) || !strings.Contains(text, b.Commit) || strings.Contains(text, "mips") || strings.Contains(text, ownSum()) != file {
			t.Errorf("%+v is %q", b, text)
		}
	}
}
