package openai

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/httpfault"
)

// public are headers whose values hold no secret, but may well hold words or
// dates that replies hold too.
var public = map[string]bool{
	"Accept": true, "Accept-Language": true, "Anthropic-Beta": true, "Anthropic-Version": true, "Content-Type": true,
	"Http-Referer": true, "Openai-Beta": true, "Referer": true, "User-Agent": true, "X-Title": true,
}

// masked is a key of which a server shows the ends only, such as sk-ab***yz.
var masked = regexp.MustCompile(`[^\s"'\x60]*\*{3,}[^\s"'\x60.]*`)

// A cleaner replaces what a server echoes of the key and of secret headers.
type cleaner struct {
	redactor *httpfault.Redactor
	secrets  []string
}

// hidden is what the redactor puts where a secret stood.
const hidden = "[key]"

func newCleaner(c Config) cleaner {
	var secrets []string
	add := func(s string) {
		if s = strings.TrimSpace(s); len(s) >= minSecret && !placeholder(s) {
			secrets = append(secrets, s)
		}
	}
	add(c.Key)
	for name, value := range c.Headers {
		if public[http.CanonicalHeaderKey(name)] {
			continue
		}
		// A server may echo the token without the scheme before it.
		if scheme, token, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
			value = strings.TrimSpace(token)
		}
		add(value)
	}
	// The longer first: one may hold another.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return cleaner{httpfault.NewRedactor(secrets...), secrets}
}

// minSecret is the length from which the redactor replaces secrets, in bytes.
const minSecret = 4

// placeholder reports whether a key is a mere word: servers without keys are
// given one, and replacing it would spoil replies.
func placeholder(s string) bool {
	return len(s) < 12 && strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) < 0
}

// letters are escapes of JSON that stand for printable ASCII, the quotation
// mark and the backslash left out.
var letters = regexp.MustCompile(`\\u00(2[013-9a-fA-F]|[346][0-9a-fA-F]|5[0-9abABd-fD-F]|7[0-9a-eA-E])`)

// text returns s without secrets, also those in JSON that s holds and whose
// letters are escaped there.
func (c cleaner) text(s string) string {
	s = c.whole(s)
	if !strings.Contains(s, `\u00`) {
		return s
	}
	plain := letters.ReplaceAllStringFunc(s, func(escape string) string {
		return string(rune(hex(escape[4])<<4 | hex(escape[5])))
	})
	if clean := c.whole(plain); clean != plain {
		return clean
	}
	return s
}

// whole replaces whole secrets only. The redactor takes the end of a text for
// the beginning of a secret that was cut off, which a reply that ends in a
// common syllable must not suffer; no secret holds a line feed, so with one
// behind it the text has no such end.
func (c cleaner) whole(s string) string {
	return strings.TrimSuffix(c.redactor.Redact(s+"\n"), "\n")
}

// line returns s as one short line without secrets, for names and messages.
func (c cleaner) line(s string) string {
	return c.redactor.Line(c.text(s) + "\n")
}

func hex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	default:
		return c - 'a' + 10
	}
}

// pieces returns a text that is cut into pieces without secrets: one may begin
// in a piece and end in another. Then [key] takes the place of its first part
// and nothing that of the others.
func (c cleaner) pieces(pieces []string) []string {
	joined := strings.Join(pieces, "")
	if c.text(joined) == joined {
		return pieces // as nearly always
	}
	for _, secret := range c.secrets {
		pieces = cut(pieces, secret)
	}
	for i, p := range pieces {
		pieces[i] = c.text(p)
	}
	return pieces
}

// cut returns pieces with each occurrence of a secret in the whole replaced.
func cut(pieces []string, secret string) []string {
	joined := strings.Join(pieces, "")
	clean := make([]string, len(pieces))
	// The next occurrence is at [from, to) of joined.
	from, to := next(joined, 0, secret)
	at := 0
	for i, p := range pieces {
		var b strings.Builder
		end := at + len(p)
		for pos := at; pos < end; {
			switch {
			case pos < from:
				stop := min(from, end)
				b.WriteString(joined[pos:stop])
				pos = stop
			case pos == from:
				b.WriteString(hidden)
				fallthrough
			default:
				pos = min(to, end)
				if pos == to {
					from, to = next(joined, to, secret)
				}
			}
		}
		clean[i] = b.String()
		at = end
	}
	return clean
}

// next returns where a secret stands in s after start; behind s for nowhere.
func next(s string, start int, secret string) (from, to int) {
	i := strings.Index(s[start:], secret)
	if i < 0 {
		return len(s) + 1, len(s) + 1
	}
	return start + i, start + i + len(secret)
}
