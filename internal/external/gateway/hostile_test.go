package gateway

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// TestRecordingsAreClosed checks that a memory cannot read what others have recorded,
// such as the prompts of a judge, which hold gold answers: not by asking for nearly
// the same, not by the same messages, and not by any path.
func TestRecordingsAreClosed(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{Key: providerKey})
	store := try.Get(callsOpen(t.TempDir()))(t)
	defer store.Close()
	const question, gold = "Judge this answer to: where does Leila live?", "The right answer is Porto."
	judged := llm.Request{Role: "judge", Messages: []llm.Message{{Role: llm.User, Content: question + "\n" + gold}}}
	verdict := try.Get(doors(t, server, store, calls.Record).Chat.Generate(t.Context(), judged))(t)
	asked := server.Stats().Arrived
	for _, content := range []string{question, question + "\nThe right answer is", question + "\n" + gold} {
		r := newRig(t, doors(t, server, store, calls.Replay))
		p, _ := r.begin(t)
		body := try.Get(json.Marshal(map[string]any{"messages": []any{map[string]string{"role": "user", "content": content}}, "role": "judge"}))(t)
		got := r.post(t, "/v1/chat/completions", string(body))
		if got.status != http.StatusServiceUnavailable || strings.Contains(got.body, "Porto") || strings.Contains(got.body, verdict.Text) {
			t.Errorf("%q: %+v", content, got)
		}
		if err := p.End(); fault.KindOf(err) != fault.Miss {
			t.Errorf("%q: the run is told %v", content, err)
		}
	}
	r := newRig(t, doors(t, server, store, calls.Replay))
	for _, path := range []string{
		"/", "/v1", "/v1/", "/v1/files", "/v1/chat/completions/" + verdict.Call, "/v1/models/../../etc/passwd", "/v1/models/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
		"/calls", "/k/", "/k/" + r.m.Key() + "/v1/models", "/openai/deployments/../../v1/files?api-version=1", "/debug/pprof/",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
			request := try.Get(http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(r.URL(), "/v1")+path, strings.NewReader("{}")))(t)
			request.Header.Set("Authorization", "Bearer "+r.m.Key())
			resp, err := http.DefaultTransport.RoundTrip(request) // which follows no redirect
			try.Do(t, err)
			data := make([]byte, 4096)
			n, _ := resp.Body.Read(data)
			_ = resp.Body.Close()
			text := string(data[:n])
			if named := strings.HasPrefix(path, "/v1/models/") && method == http.MethodGet; !named && resp.StatusCode < 300 ||
				strings.Contains(text, "Porto") || strings.Contains(text, "root:") {
				t.Errorf("%s %s: %d %s", method, path, resp.StatusCode, text)
			}
		}
	}
	if n := server.Stats().Arrived - asked; n != 0 {
		t.Errorf("%d calls were sent", n)
	}
}
