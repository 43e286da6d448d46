package tokenclassifier

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/compress"
	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/modelserver"
)

const key = "sk-not-a-real-key"

func mustNew(t *testing.T, c Config) *Classifier {
	t.Helper()
	classifier, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return classifier
}

func TestClassify(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{Key: key, MaxBatch: 2})
	c := mustNew(t, Config{BaseURL: s.Root, Key: key, Batch: 2})
	texts := []string{"Zoë moved", "", "我 🙂 x", "a\xff b", "last"}
	got, err := c.Classify(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	token := func(start, end int, word string) compress.Token {
		return compress.Token{Start: start, End: end, Keep: modelserver.Keep(word)}
	}
	want := [][]compress.Token{
		{token(0, 4, "Zoë"), token(5, 10, "moved")},
		nil,
		{token(0, 3, "我"), token(4, 8, "🙂"), token(9, 10, "x")},
		{token(0, 2, "a\ufffd"), token(3, 4, "b")}, // as JSON has it
		{token(0, 4, "last")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := s.Stats().Answered; n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if got, err := c.Classify(t.Context(), nil); err != nil || len(got) != 0 || s.Stats().Answered != 3 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

func TestFaults(t *testing.T) {
	const text = "Zoë moved"
	tokens := func(list string) string { return `{"tokens":[` + list + `]}` }
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   fault.Kind
		want   string
	}{
		{"no JSON", 200, "<html>", fault.BadReply, "the reply is no JSON"},
		{"another reply", 200, `[[{"entity":"LABEL_1"}]]`, fault.BadReply, "the reply is not the JSON of a reply to keep"},
		{"no tokens", 200, `{}`, fault.BadReply, "tokens of 0 texts, want of 1"},
		{"too many", 200, tokens(`[],[]`), fault.BadReply, "tokens of 2 texts, want of 1"},
		{"a token without a place", 200, tokens(`[{"keep":0.5}]`), fault.BadReply, "text 1 of 1: token 0 has no start, end or keep"},
		{"a place outside", 200, tokens(`[{"start":0,"end":10,"keep":0.5}]`), fault.BadReply, "token 0 is from character 0 to 10 of a text of 9"},
		{"a place before", 200, tokens(`[{"start":-1,"end":1,"keep":0.5}]`), fault.BadReply, "token 0 is from character -1"},
		{"no probability", 200, tokens(`[{"start":0,"end":9,"keep":-3.5}]`), fault.BadReply, "token 0 is kept with -3.5, want a probability"},
		{"a text that was cut", 200, tokens(`[{"start":0,"end":3,"keep":0.5}]`), fault.BadReply, "no token has 'm' at byte 5"},
		{"bytes for characters", 200, tokens(`[{"start":0,"end":4,"keep":0.5},{"start":5,"end":10,"keep":0.5}]`), fault.BadReply, "character 5 to 10 of a text of 9"},
		{"key", 401, `{"error":"` + key + ` is no key"}`, fault.Auth, "[key] is no key"},
		{"no such server", 404, `{"error":"not here"}`, fault.NoModel, "not here"},
		{"busy", 503, `{"error":"loading"}`, fault.Server, "loading"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body keepRequest
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/base/keep" || len(body.Texts) != 1 || body.Texts[0] != text {
				t.Errorf("%s %s: %+v, %v", r.Method, r.URL, body, err)
			}
			w.WriteHeader(tt.status)
			if _, err := w.Write([]byte(tt.body)); err != nil {
				t.Error(err)
			}
		}))
		_, err := mustNew(t, Config{BaseURL: s.URL + "/base/", Key: key}).Classify(t.Context(), []string{text})
		s.Close()
		if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want %s with %q", tt.name, err, tt.kind, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mustNew(t, Config{BaseURL: "http://127.0.0.1:1"}).Classify(ctx, []string{text}); err == nil || fault.KindOf(err) != "" {
		t.Errorf("canceled: %v", err)
	}
}

func TestNewFaults(t *testing.T) {
	for want, c := range map[string]Config{
		"base_url: ":                     {},
		"base_url: holds a user":         {BaseURL: "http://u:secret@h"},
		"batch: -1, want at least 1":     {BaseURL: "http://h", Batch: -1},
		"key: holds a control character": {BaseURL: "http://h", Key: "secret\n"},
		"one like http://localhost:8080": {BaseURL: "ftp://h"},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

// Whatever a server says, a reply is tokens that fit their text, or a fault.
func FuzzReply(f *testing.F) {
	f.Add("Zoë moved", []byte(`[{"start":0,"end":3,"keep":1},{"start":4,"end":9,"keep":0}]`))
	f.Add("a", []byte(`[{"start":9223372036854775807,"end":-1,"keep":1e999}]`))
	f.Fuzz(func(t *testing.T, text string, reply []byte) {
		var tokens []keepToken
		if json.Unmarshal(reply, &tokens) != nil {
			return
		}
		all, err := inBytes(text, tokens)
		if err == nil {
			err = compress.Check(text, all)
			if err != nil {
				t.Error(err)
			}
		}
	})
}
