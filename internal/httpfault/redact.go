package httpfault

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// hidden stands where a secret stood.
const hidden = "[key]"

// A secret of fewer bytes protects nothing, and to replace it would spoil the
// text around it.
const minSecret = 4

// maxLine is the largest number of runes of a line.
const maxLine = 400

// A Redactor replaces secrets in text. The zero value and nil replace nothing.
// It is safe for concurrent use.
type Redactor struct {
	secrets  []string // with their escaped forms, long before short
	replacer *strings.Replacer
}

// NewRedactor returns a redactor of secrets, as they are and escaped for JSON,
// URLs and HTML. A secret of fewer than four bytes is left alone.
func NewRedactor(secrets ...string) *Redactor {
	var forms []string
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= minSecret {
			forms = append(forms, escaped(s)...)
		}
	}
	slices.SortFunc(forms, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	forms = slices.Compact(forms)
	var pairs []string
	for _, f := range forms {
		pairs = append(pairs, f, hidden)
	}
	return &Redactor{forms, strings.NewReplacer(pairs...)}
}

var upperHex = regexp.MustCompile(`%[0-9A-F]{2}`)

// escaped returns the forms in which a secret may be echoed.
func escaped(s string) []string {
	forms := []string{s, url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s)}
	for _, f := range forms[1:3] {
		forms = append(forms, upperHex.ReplaceAllStringFunc(f, strings.ToLower))
	}
	var b strings.Builder
	for _, escapeHTML := range []bool{true, false} {
		b.Reset()
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escapeHTML)
		if enc.Encode(s) == nil {
			quoted := strings.TrimSpace(b.String())
			inner := quoted[1 : len(quoted)-1]
			forms = append(forms, inner, strings.ReplaceAll(inner, "/", `\/`))
		}
	}
	return forms
}

// Redact returns text with every secret replaced, also one that the end of the
// text cuts off after four bytes or more.
func (r *Redactor) Redact(text string) string {
	if r == nil || len(r.secrets) == 0 {
		return text
	}
	text = r.replacer.Replace(text)
	for _, s := range r.secrets {
		for n := min(len(s)-1, len(text)); n >= minSecret; n-- {
			if strings.HasSuffix(text, s[:n]) {
				return text[:len(text)-n] + hidden
			}
		}
	}
	return text
}

// Line returns text as one line of at most 400 runes, without secrets and
// control characters.
func (r *Redactor) Line(text string) string {
	text = strings.ToValidUTF8(r.Redact(text), string(unicode.ReplacementChar))
	var b strings.Builder
	n, space := 0, false
	for _, c := range text {
		if unicode.IsSpace(c) || !unicode.IsPrint(c) {
			space = n > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			n++
		}
		if n >= maxLine {
			return strings.TrimRight(b.String(), " ") + "..."
		}
		space = false
		b.WriteRune(c)
		n++
	}
	return b.String()
}
