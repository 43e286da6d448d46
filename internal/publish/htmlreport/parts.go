package htmlreport

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"

	"recallbench/internal/text/termsafe"
)

//go:embed page
var files embed.FS

// layout is what stands around the data and the script.
var layout = template.Must(template.New("").Funcs(template.FuncMap{"visible": termsafe.Visible}).ParseFS(files, "page/page.html.tmpl"))

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
