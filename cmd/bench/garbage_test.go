package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
)

// A server that answers 200 with garbage ends the run with what it said, within 100
// calls and with nothing saved, and the run goes on when the server is well.
func TestGarbage(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	for _, tt := range []struct{ name, method, reply, want string }{
		{"page", "stateless", "<html>Sign in to the \x1b[31mWi-Fi</html>", "the reply is not JSON (invalid character '<' looking for beginning of value); it is: <html>Sign in to the [31mWi-Fi</html>"},
		{"nothing", "stateless", "", "the reply has no body"},
		{"empty object", "stateless", "{}", "the reply has no choice; it is: {}"},
		{"cut off", "stateless", `{"choices": [{"message": {"con`, "the reply is not JSON (unexpected end of JSON input); it is: "},
		{"other types", "stateless", `{"choices": [{"message": {"content": 5}}]}`, "choices.message.content is of the type number"},
		{"other content", "stateless", `{"choices": [{"message": {"role": "assistant"}}]}`, "the reply has neither text nor a finish reason"},
		{"too long", "stateless", `{"choices": [{"message": {"content": "` + strings.Repeat("long ", 200_000), "the reply is longer than 532480 bytes, the limit for max_tokens"},
		{"no vectors", "flat-rag", "{}", "the reply has 0 vectors for 1 texts; it is: {}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked atomic.Int64
			well := false
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				switch {
				case !well:
					_, _ = io.WriteString(w, tt.reply) // a client hangs up on what is too long
				case strings.HasSuffix(r.URL.Path, "/embeddings"):
					_, _ = io.WriteString(w, `{"data": [{"index": 0, "embedding": [1]}]}`)
				default:
					_, _ = io.WriteString(w, `{"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "none"}}]}`)
				}
			}))
			defer s.Close()
			base := t.TempDir()
			dir, store := filepath.Join(base, "run"), filepath.Join(base, "calls")
			config := questions(t, 30, 4, fmt.Sprintf("concurrency: {samples: 64, requests: 64}\nmodels: [{use: live, label: a, options: {chat: {base_url: %[1]q, model: m}, embed: {use: openai, base_url: %[1]q, model: e}}}]\n", s.URL))
			r := run(t, "run", config, "--set", "methods=[{use: "+tt.method+"}]", "--out", dir, "--store", store)
			if r.code != exitUnavailable || !strings.Contains(r.stderr, tt.want) || strings.Contains(r.stderr, "paid for") {
				t.Errorf("exit %d, want %d and %q\n%s", r.code, exitUnavailable, tt.want, r.stderr)
			}
			if n := asked.Load(); n > 100 {
				t.Errorf("%d calls, want at most 100", n)
			}
			if all := recordsOf(t, dir); len(all) > 0 {
				t.Errorf("%d records, the first %+v", len(all), all[0])
			}
			well = true
			if r := run(t, "resume", dir, "--store", store); r.code != exitOK {
				t.Errorf("resume: exit %d\n%s", r.code, r.stderr)
			}
			all := recordsOf(t, dir)
			if len(all) != 120 {
				t.Errorf("%d records, want 120", len(all))
			}
			for _, rec := range all {
				if rec.Status != record.OK {
					t.Fatalf("record %+v", rec)
				}
			}
		})
	}
}
