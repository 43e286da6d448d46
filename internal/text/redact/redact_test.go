package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

func TestRedact(t *testing.T) {
	const key = `sk-"a/b<c>&d+e f'\é`
	inJSON := try.Get(json.Marshal(key))(t)
	r := New(key, "", "abc", "  other-key\n", "other-key-2")
	for _, tt := range []struct{ text, want string }{
		{"nothing here", "nothing here"},
		{"a " + key + " b", "a [key] b"},
		{"a " + string(inJSON) + " b", `a "[key]" b`},
		{strings.ReplaceAll(string(inJSON), "/", `\/`), `"[key]"`},
		{url.QueryEscape(key) + " " + url.PathEscape(key), "[key] [key]"},
		{strings.ReplaceAll(url.QueryEscape(key), "%3C", "%3c"), "[key]"},
		{"OTHER-KEY Other-Key", "[key] [key]"},
		{"Basic " + base64.StdEncoding.EncodeToString([]byte("other-key")), "Basic [key]"},
		{hex.EncodeToString([]byte(key)), "[key]"},
		{`\u006f\u0074\u0068\u0065\u0072\u002d\u006B\u0065\u0079`, "[key]"},
		{html.EscapeString(key), "[key]"},
		{"other-key other-key-2 abc", "[key] [key] abc"},
		{"cut off: othe", "cut off: [key]"},
		{"cut off: oth", "cut off: oth"},
	} {
		if got := r.Beginning(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := (*Redactor)(nil).Beginning(key); got != key {
		t.Errorf("nil replaces something: %q", got)
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{" a\r\n\tb\x1b[31m\u200bc ", "a b [31m c"},
		{strings.Repeat("é", maxLine), strings.Repeat("é", maxLine)},
		{strings.Repeat("é", maxLine+1), strings.Repeat("é", maxLine) + "..."},
		{strings.Repeat("x", maxLine) + " \n", strings.Repeat("x", maxLine)},
		// The key is replaced before the line is cut, so that no part is left.
		{strings.Repeat("x", maxLine-6) + "secret-key", strings.Repeat("x", maxLine-6) + "[key]"},
	} {
		if got := New("secret-key").Line(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a secret-key\nb")
	f.Add("secret-secret-key-key")
	f.Add("\xffsecret-keysecre")
	f.Fuzz(func(t *testing.T, text string) {
		got := New("secret-key").Line(text)
		if n := len([]rune(got)); strings.ContainsAny(got, "\r\n") || n > maxLine+len("...") {
			t.Errorf("%q is no short line", got)
		}
		if strings.Contains(got, "secret-key") {
			t.Errorf("%q holds the key", got)
		}
	})
}

// In base64 of a user and a password nothing of either is left that would give
// one away, wherever it begins.
func TestBasic(t *testing.T) {
	const password = "correct-horse/battery"
	r := New(password)
	for _, user := range []string{"", "a", "an", "ann", "anna"} {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			text := enc.EncodeToString([]byte(user + ":" + password))
			got := r.Text("Basic " + text + " end")
			before, after, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(got, "Basic "), " end"), Hidden)
			if !ok || len(after) > 4 || len(before) > (len(user)+1)*8/6+1 {
				t.Errorf("%s becomes %s", text, got)
			}
		}
	}
}

func TestWords(t *testing.T) {
	if got := New("ollama", "EMPTY", "none").Text("ollama is not EMPTY"); got != "ollama is not EMPTY" {
		t.Errorf("got %q", got)
	}
}

// An excerpt ends within the key, in every place.
func TestExcerpt(t *testing.T) {
	const key = "sk-secret-4711"
	for before := range len(key) {
		text := strings.Repeat("\n", maxExcerpt-before) + key + " and more"
		if got := New(key).Excerpt([]byte(text)); before >= minSecret && got != Hidden || before < minSecret && got != key[:before] {
			t.Errorf("%d bytes of the key: got %q", before, got)
		}
	}
}

// What is registered passes no writer, in any of its forms; what stands in too much
// else is let through.
func TestRegister(t *testing.T) {
	const secret = "a-registered/secret-4711"
	for _, s := range []string{secret, "longerword", "1234567", secret} {
		Register(s)
	}
	var b strings.Builder
	text := "longerword 1234567 " + secret + " " + strings.ToUpper(secret) + " " + hex.EncodeToString([]byte(secret))
	if n, err := (Writer{&b}).Write([]byte(text)); n != len(text) || err != nil || b.String() != "longerword 1234567 [key] [key] [key]" {
		t.Errorf("wrote %d, %v: %s", n, err, b.String())
	}
}
