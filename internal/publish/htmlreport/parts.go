package htmlreport

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed page
var files embed.FS

// layout is what stands around the data and the script.
var layout = template.Must(template.New("").Funcs(template.FuncMap{"visible": visible}).ParseFS(files, "page/page.html.tmpl"))

type head struct{ Title, Policy string }

// policy is the content security policy: the script and the style sheet by their
// hashes, pictures that are part of the page, and nothing else. Trusted types let
// no script turn a text into markup.
func policy() string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + hash(script()),
		"style-src " + hash(style()),
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}

func hash(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// visible spells out what of a text cannot be seen or turns the text beside it
// around: control characters by their symbols, marks of direction and characters
// without width by their numbers. The script of the page does the same.
func visible(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, string(utf8.RuneError)), "\r\n", "\n")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('␀' + r)
		case r == 0x7f:
			b.WriteRune('␡')
		default:
			fmt.Fprintf(&b, "[%U]", r)
		}
	}
	return b.String()
}

// hidden reports whether a character is to be spelled out. The joiners stay: some
// scripts and many emoji are written with them.
func hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	switch r {
	case '\n', '\t', nonJoiner, joiner:
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
