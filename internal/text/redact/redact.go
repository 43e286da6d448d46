// Package redact replaces secrets in text, however they are written there.
//
// Servers echo keys: as they are, in another case, escaped for JSON, URLs or
// HTML, as base64 of a header, as hexadecimal digits, split into tokens, or
// truncated at the end of a text. Everything that comes from a server, and is
// printed or stored, passes a [Redactor].
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// Hidden replaces a secret.
const Hidden = "[key]"

const (
	// A secret of fewer bytes protects nothing, and to replace it would spoil the
	// text around it.
	minSecret = 4
	// Base64 and hexadecimal digits of a secret of fewer bytes stand for much else.
	minEncoded = 8
	// maxLine is the largest number of runes of a line.
	maxLine = 400
	// maxExcerpt is how many bytes an excerpt is taken from.
	maxExcerpt = 4 << 10
)

// A Redactor replaces secrets in text. The zero value and nil replace nothing.
// It is safe for concurrent use.
type Redactor struct {
	forms []string // of all secrets, ASCII in lowercase, long before short
}

// New returns a redactor of secrets. A secret of fewer than four bytes is left
// alone, and so is a mere word such as "ollama" or "EMPTY", as used for servers
// without keys: replacing it would spoil their replies.
func New(secrets ...string) *Redactor {
	return Exact(slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return word.MatchString(strings.TrimSpace(s)) })...)
}

var word = regexp.MustCompile(`^[A-Za-z]{0,11}$`)

// Exact is New for secrets that may be mere words.
func Exact(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= minSecret {
			for _, f := range forms(s) {
				r.forms = append(r.forms, lower(f))
			}
		}
	}
	slices.SortFunc(r.forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	r.forms = slices.Compact(r.forms)
	return r
}

// forms returns the ways in which a secret may be written.
func forms(s string) []string {
	all := []string{s, url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s)}
	var b strings.Builder
	for _, escapeHTML := range []bool{true, false} {
		b.Reset()
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escapeHTML)
		if enc.Encode(s) == nil {
			quoted := strings.TrimSpace(b.String())
			inner := quoted[1 : len(quoted)-1]
			all = append(all, inner, strings.ReplaceAll(inner, "/", `\/`))
		}
	}
	if len(s) < minEncoded {
		return all
	}
	all = append(all, hex.EncodeToString([]byte(s)))
	// In base64 of a text, such as of a user and a password, the digits of a
	// secret depend on where it begins; those of its ends on what is beside it.
	for before := range 3 {
		data := append(make([]byte, before), s...)
		first := (before*8 + 5) / 6
		last := len(data) * 8 / 6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, enc.EncodeToString(data)[first:last])
		}
	}
	return all
}

// lower returns s with the letters of ASCII in lowercase; other bytes stay
// where they are.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// A span is the place of a secret in a text.
type span struct{ from, to int }

// find returns where secrets stand in a text, in order and apart.
func (r *Redactor) find(text string) []span {
	text = lower(text)
	var all []span
	for _, f := range r.forms {
		for at := 0; ; {
			i := strings.Index(text[at:], f)
			if i < 0 {
				break
			}
			all = append(all, span{at + i, at + i + len(f)})
			at += i + 1
		}
	}
	return joined(all)
}

// joined puts spans in order and joins those that overlap.
func joined(all []span) []span {
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	joined := all[:0]
	for _, s := range all {
		if n := len(joined); n > 0 && s.from < joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, s.to)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// letters are escapes of JSON that stand for printable ASCII, the quotation
// mark and the backslash left out.
var letters = regexp.MustCompile(`\\u00(2[013-9a-fA-F]|[346][0-9a-fA-F]|5[0-9abABd-fD-F]|7[0-9a-eA-E])`)

// Text returns text with every secret replaced, even if its letters are escaped
// as in JSON.
func (r *Redactor) Text(text string) string {
	if r == nil || len(r.forms) == 0 {
		return text
	}
	text = hide(text, r.find(text))
	if !strings.Contains(text, `\u00`) {
		return text
	}
	spelt := letters.ReplaceAllStringFunc(text, func(escape string) string {
		code, _ := hex.DecodeString(escape[len(`\u00`):]) // it is hexadecimal
		return string(code)
	})
	if found := r.find(spelt); len(found) > 0 {
		return hide(spelt, found)
	}
	return text
}

func hide(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(Hidden)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// Beginning is Text for a text that may have been truncated: four bytes of a
// secret at its end are enough.
func (r *Redactor) Beginning(text string) string {
	text = r.Text(text)
	if r == nil {
		return text
	}
	end := lower(text)
	for _, f := range r.forms {
		for n := min(len(f)-1, len(end)); n >= minSecret; n-- {
			if strings.HasSuffix(end, f[:n]) {
				return text[:len(text)-n] + Hidden
			}
		}
	}
	return text
}

// Line returns text, which may have been truncated, as one line of at most 400
// runes, without secrets and control characters.
func (r *Redactor) Line(text string) string { return inLine(r.Beginning(text)) }

// Name is Line for a text that was not truncated, whose end may look like the
// beginning of a secret.
func (r *Redactor) Name(text string) string { return inLine(r.Text(text)) }

// Excerpt returns the beginning of a server's text as Line does.
func (r *Redactor) Excerpt(data []byte) string {
	return r.Line(string(data[:min(len(data), maxExcerpt)]))
}

func inLine(text string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(text, "\ufffd"), func(c rune) bool { return !unicode.IsPrint(c) || c == ' ' })
	text = strings.Join(words, " ")
	if runes := []rune(text); len(runes) > maxLine {
		return strings.TrimRight(string(runes[:maxLine]), " ") + "..."
	}
	return text
}

// registered holds the secrets that the program has read.
var registered struct {
	mu      sync.Mutex
	secrets []string
	all     atomic.Pointer[Redactor]
}

// Register notes a secret that was read, so that no writer lets it through. Mere
// words and secrets of fewer than eight bytes are ignored because they occur in
// too much else, as in [New].
func Register(secret string) {
	registered.mu.Lock()
	defer registered.mu.Unlock()
	if secret = strings.TrimSpace(secret); len(secret) < minEncoded || slices.Contains(registered.secrets, secret) {
		return
	}
	registered.secrets = append(registered.secrets, secret)
	registered.all.Store(New(registered.secrets...))
}

// Clean returns data without the secrets that are registered.
func Clean(data []byte) []byte {
	r := registered.all.Load()
	if r == nil || len(r.forms) == 0 {
		return data
	}
	text := string(data)
	if clean := r.Text(text); clean != text {
		return []byte(clean)
	}
	return data
}

// A Writer writes without the registered secrets. A secret must not be split over
// two Writes.
type Writer struct{ io.Writer }

// Write implements [io.Writer].
func (w Writer) Write(p []byte) (int, error) {
	if _, err := w.Writer.Write(Clean(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
