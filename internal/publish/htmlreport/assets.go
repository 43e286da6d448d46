package htmlreport

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"html/template"
	"strings"

	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
)

//go:generate go tool -modfile=../../../scripts/tools.mod esbuild app/main.js --bundle --format=iife --global-name=bench --target=es2022 --charset=utf8 --outfile=dist/app.js --log-level=warning
//go:generate go tool -modfile=../../../scripts/tools.mod esbuild app/page.css --outfile=dist/app.css --log-level=warning

// The bundle of app, which go generate writes, and what stands around it.
//
//go:embed dist page
var embedded embed.FS

// layout is what stands around the data and the script.
var layout = template.Must(template.New("").Funcs(template.FuncMap{"visible": termsafe.Visible}).ParseFS(embedded, "page/page.html.tmpl"))

// An Asset is a file that the shell of a server refers to. Its path names its content,
// so a browser may keep it for ever.
type Asset struct {
	Path string // such as /a/0123456789abcdef/app.js
	Type string // media type
	Data []byte
}

// Assets returns the script and the style sheet of the page.
func Assets() []Asset {
	asset := func(name, media, data string) Asset {
		sum := sha256.Sum256([]byte(data))
		return Asset{"/a/" + hex.EncodeToString(sum[:8]) + "/" + name, media, []byte(data)}
	}
	return []Asset{asset("app.js", "text/javascript; charset=utf-8", script()), asset("app.css", "text/css; charset=utf-8", style())}
}

// Shell returns the page that a server sends for /. It holds no data: its script takes
// the token from #token=TOKEN, shows it as a bearer's, and asks below /api/ for what a
// page shows. For a run that is what [Book.Part] and [Book.Request] return.
func Shell() ([]byte, error) {
	assets := Assets()
	var b bytes.Buffer
	err := layout.ExecuteTemplate(&b, "shell", struct{ Script, Style template.URL }{template.URL(assets[0].Path), template.URL(assets[1].Path)})
	return b.Bytes(), err
}

// ServerPolicy is the content security policy of pages that a server sends. It is that
// of files, but for script and styles, which come from the server with the data.
var ServerPolicy = policy("'self'", "'self'", "img-src data: 'self'", "connect-src 'self'", "frame-ancestors 'none'")

// filePolicy allows the script and the style sheet by their hashes and pictures that are
// part of the page.
func filePolicy() string {
	hash := func(source string) string {
		sum := sha256.Sum256([]byte(source))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return policy(hash(script()), hash(style()), "img-src data:")
}

// policy is a content security policy that allows scripts, styles and what more says, and
// nothing else. Trusted types let no script turn a text into markup.
func policy(scripts, styles string, more ...string) string {
	return strings.Join(append([]string{
		"default-src 'none'", "script-src " + scripts, "style-src " + styles, "base-uri 'none'", "form-action 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	}, more...), "; ")
}

func script() string { return file("dist/app.js") }

func style() string { return file("dist/app.css") + report.TableStyle }

func file(name string) string {
	data, err := embedded.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
}
