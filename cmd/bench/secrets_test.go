package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/internal/testkit/try"
)

// A search looks for a secret in what verbs print and write.
type search struct {
	t      *testing.T
	forms  map[string]string // by the name of the form
	looked int
}

func newSearch(t *testing.T, secret string) *search {
	t.Helper()
	return &search{t: t, forms: map[string]string{
		"as it is": secret, "in a URL": url.QueryEscape(secret), "in base64": base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"in base64 of a user": base64.StdEncoding.EncodeToString([]byte("user:" + secret))[8:16], "in hexadecimal": hex.EncodeToString([]byte(secret)),
		"as in JSON": strings.ReplaceAll(secret, "/", `\/`), "less its end": secret[:len(secret)-3],
	}}
}

func (s *search) text(where, text string) {
	s.t.Helper()
	s.looked++
	text = strings.ToLower(text)
	for name, form := range s.forms {
		if i := strings.Index(text, strings.ToLower(form)); i >= 0 {
			s.t.Errorf("%s holds the secret %s: %.200s", where, name, text[max(0, i-80):])
		}
	}
}

func (s *search) verb(args ...string) ran {
	s.t.Helper()
	r := run(s.t, args...)
	s.text("stdout of "+strings.Join(args[:1], " "), r.stdout)
	s.text("stderr of "+strings.Join(args[:1], " "), r.stderr)
	return r
}

func (s *search) files(dir string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		s.text(path, string(data))
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

// A key or a password that is written into a config, anywhere, is refused by every
// verb, and neither printed nor written.
func TestLiteralSecrets(t *testing.T) {
	const known, hexes = "sk-proj-Abc123DEF456ghi789JKL", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	for _, tt := range []struct{ name, options, secret string }{
		{"in place of the mapping", "base_url: 'http://127.0.0.1:1/v1', model: m, key: " + known, known},
		{"a word", "base_url: 'http://127.0.0.1:1/v1', model: m, key: swordfish", "swordfish"},
		{"as a variable", "base_url: 'http://127.0.0.1:1/v1', model: m, key: {env: " + hexes + "}", hexes},
		{"as a file", "base_url: 'http://127.0.0.1:1/v1', model: m, key: {file: " + known + "}", known},
		{"by another name", "base_url: 'http://127.0.0.1:1/v1', model: m, api_key: " + hexes, hexes},
		{"in extra", `base_url: 'http://127.0.0.1:1/v1', model: m, extra: '{"route": [{"api_key": "` + hexes + `"}]}'`, hexes},
		{"user and password", "base_url: 'http://user:correct-horse@127.0.0.1:1/v1', model: m", "correct-horse"},
		{"parameter", "base_url: 'http://127.0.0.1:1/v1?key=correct-horse', model: m", "correct-horse"},
		{"in the path", "base_url: 'http://127.0.0.1:1/v1/" + known + "', model: m", known},
		{"as the address", "base_url: " + known + ", model: m", known},
		{"as the provider", "base_url: 'http://127.0.0.1:1/v1', model: m, provider: " + known, known},
		{"as the model", "base_url: 'http://127.0.0.1:1/v1', model: " + known, known},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := t.TempDir()
			s := newSearch(t, tt.secret)
			config := questions(t, 1, 1, "models: [{use: live, label: a, options: {chat: {"+tt.options+"}}}]\n")
			dir := filepath.Join(base, "run")
			for _, args := range [][]string{
				{"doctor", "--faults", config},
				{"doctor", "--print", config},
				{"run", config, "--plan"},
				{"doctor", config},
				{"run", config, "--out", dir, "--store", filepath.Join(base, "calls")},
			} {
				if r := s.verb(args...); r.code != exitUsage {
					t.Errorf("%s: exit %d, want %d\n%s", args, r.code, exitUsage, r.stderr)
				}
			}
			s.files(base)
		})
	}
	t.Run("assigned", func(t *testing.T) {
		s := newSearch(t, hexes)
		config := questions(t, 1, 1, "models: [{use: live, label: a, options: {chat: {base_url: 'http://127.0.0.1:1/v1', model: m}}}]\n")
		for _, path := range []string{"models.a.options.chat.key", "models.a.options.chat.key.env", "models.a.options.chat.password", "models.b.options.chat.key"} {
			if r := s.verb("doctor", "--faults", config, "--set", path+"="+hexes); r.code != exitUsage {
				t.Errorf("%s: exit %d\n%s", path, r.code, r.stderr)
			}
		}
	})
}

// A secret that a server repeats, in whatever form, is nowhere: in no file and on
// no screen.
func TestEchoedSecret(t *testing.T) {
	const key = "SeCr3t/with+signs=42xyz"
	forms := []string{
		key, strings.ToUpper(key), strings.ToLower(key), url.QueryEscape(key), strings.ToLower(url.QueryEscape(key)), url.PathEscape(key),
		"Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+key)), base64.URLEncoding.EncodeToString([]byte(key)),
		hex.EncodeToString([]byte(key)), strings.ReplaceAll(key, "/", `\/`), "http://user:" + key + "@host/?key=" + url.QueryEscape(key),
		strings.Repeat("x", 150) + key, strings.Repeat("x", 390) + key, strings.Repeat("\n", 4090) + key,
	}
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked := int(requests.Add(1))
		form := forms[asked%len(forms)]
		quoted, err := json.Marshal(form)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Echo", strings.TrimSpace(strings.ReplaceAll(form, "\n", " ")))
		if strings.Contains(string(body), "number 1 ") { // what fails
			switch asked % 3 {
			case 0:
				w.WriteHeader(http.StatusBadRequest)
				_, err = fmt.Fprintf(w, `{"error": {"message": %s, "code": %s}}`, quoted, quoted)
			case 1:
				w.WriteHeader(http.StatusBadGateway)
				_, err = fmt.Fprint(w, "<html>", form)
			default:
				_, err = fmt.Fprint(w, `{"choices": `, string(quoted))
			}
		} else {
			_, err = fmt.Fprintf(w, `{"model": %[1]s, "system_fingerprint": %[1]s, "choices": [{"index": 0, "finish_reason": %[1]s, "message": {"content": %[1]s}}], "data": [{"id": %[1]s}]}`, quoted)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	t.Setenv("SECRET_KEY", key)
	base := t.TempDir()
	store, dir := filepath.Join(base, "calls"), filepath.Join(base, "run")
	config := questions(t, 8, 4, fmt.Sprintf("limits: {errors: 1}\nconcurrency: {requests: 1}\nmodels: [{use: live, label: a, options: {chat: {base_url: %q, model: m, key: {env: SECRET_KEY}, limits: {retries: 0}}}}]\n", server.URL+"/v1"))
	s := newSearch(t, key)
	if r := s.verb("run", config, "--out", dir, "--store", store); r.code != exitOK {
		t.Errorf("run: exit %d\n%s", r.code, r.stderr)
	}
	for _, args := range [][]string{
		{"resume", dir, "--retry-errors", "--store", store},
		{"score", dir},
		{"table", dir},
		{"table", dir, "--format", "csv"},
		{"export", dir, "--format", "csv"},
		{"export", dir, "--format", "jsonl"},
		{"report", dir, "--out", filepath.Join(base, "page.html")},
		{"calls", "list", "--store", store},
		{"calls", "export", filepath.Join(base, "exported"), "--store", store},
		{"doctor", config},
		{"run", config, "--plan", "--store", store},
		{"doctor", "--print", config},
		{"diff", dir, dir},
	} {
		s.verb(args...)
	}
	s.files(base)
	if s.looked < 40 {
		t.Errorf("looked at %d texts", s.looked)
	}
}

// The key of a memory service that repeats it, in what it says of itself, in blocks
// and notes, in errors and in what is no reply, is nowhere either.
func TestEchoedServiceKey(t *testing.T) {
	const key = "SeCr3t/with+signs=42xyz"
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		shown := r.Header.Get("Authorization")
		result := "{}"
		switch m.Method {
		case "initialize":
			result = fmt.Sprintf(`{"protocol": "recallbench-memory/1", "name": "svc", "version": %q, "capabilities": {"search": true}}`, shown)
		case "memory/search":
			switch asked.Add(1) % 4 {
			case 0:
				_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "error": {"code": 1, "message": %q, "data": {"kind": "internal", "trace": %[2]q}}}`, m.ID, shown)
				return
			case 1:
				w.WriteHeader(http.StatusTeapot)
				_, _ = fmt.Fprint(w, strings.Repeat("x", 110), shown)
				return
			default:
				result = fmt.Sprintf(`{"blocks": [{"id": %q, "text": %[1]q}], "notes": [%[1]q]}`, "of "+shown)
			}
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, result)
	}))
	defer server.Close()
	t.Setenv("SECRET_KEY", key)
	base := t.TempDir()
	store, dir := filepath.Join(base, "calls"), filepath.Join(base, "run")
	config := questions(t, 4, 4, "limits: {errors: 1}\nmodels: [{use: stand-in}]\n")
	text, err := os.ReadFile(config)
	if err == nil {
		service := fmt.Sprintf("{use: external, options: {url: %q, key: {env: SECRET_KEY}}}", server.URL)
		err = os.WriteFile(config, []byte(strings.Replace(string(text), "{use: stateless}", service, 1)), 0o600)
	}
	try.Do(t, err)
	s := newSearch(t, key)
	for _, args := range [][]string{
		{"run", config, "--out", dir, "--store", store},
		{"resume", dir, "--retry-errors", "--store", store},
		{"runs", "show", dir},
		{"table", dir},
		{"export", dir, "--format", "jsonl"},
		{"report", dir, "--out", filepath.Join(base, "page.html")},
		{"adapter", "check", config},
	} {
		s.verb(args...)
	}
	s.files(base)
	var found int
	for _, r := range runRecords(t, dir) {
		if strings.Contains(r, "[key]") {
			found++
		}
	}
	if found == 0 || asked.Load() < 16 {
		t.Errorf("%d records have the place of the key, %d searches", found, asked.Load())
	}
}

// runRecords returns the lines of the records of a run.
func runRecords(t *testing.T, dir string) []string {
	t.Helper()
	paths := try.Get(filepath.Glob(filepath.Join(dir, "cells", "*", "*.jsonl")))(t)
	var all []string
	for _, path := range paths {
		data := try.Get(os.ReadFile(path))(t)
		all = append(all, strings.Split(string(data), "\n")...)
	}
	return all
}
