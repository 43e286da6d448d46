package htmlreport

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"

	"recallbench/internal/publish/report"
)

//go:generate go tool -modfile=../../../scripts/tools.mod esbuild app/main.js --bundle --format=iife --global-name=bench --target=es2022 --charset=utf8 --outfile=dist/app.js --log-level=warning
//go:generate go tool -modfile=../../../scripts/tools.mod esbuild app/page.css --outfile=dist/app.css --log-level=warning

// The bundle of app, which go generate writes.
//
//go:embed dist
var dist embed.FS

// An Asset is a file that the shell of a server refers to. Its path names its content,
// so a browser may keep it for ever.
type Asset struct {
	Path string // such as /a/0123456789abcdef/app.js
	Type string // media type
	Data []byte
}

// Assets returns the script and the style sheet of the page.
func Assets() []Asset {
	return []Asset{
		newAsset("app.js", "text/javascript; charset=utf-8", script()),
		newAsset("app.css", "text/css; charset=utf-8", style()),
	}
}

func newAsset(name, media, data string) Asset {
	sum := sha256.Sum256([]byte(data))
	return Asset{"/a/" + hex.EncodeToString(sum[:8]) + "/" + name, media, []byte(data)}
}

// ServerPolicy is the content security policy of pages that a server sends. It is that
// of files, but for script and styles, which come from the server with the data.
const ServerPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Shell returns the page that a server sends for /. It holds no data: its script takes
// the token from #token=TOKEN, shows it as a bearer's, and asks below /api/ for what a
// page shows. For a run that is what [Book.Part] and [Book.Request] return.
func Shell() ([]byte, error) {
	assets := Assets()
	var b bytes.Buffer
	err := layout.ExecuteTemplate(&b, "shell", struct{ Script, Style template.URL }{template.URL(assets[0].Path), template.URL(assets[1].Path)})
	return b.Bytes(), err
}

func script() string { return file(dist, "dist/app.js") }

func style() string { return file(dist, "dist/app.css") + report.TableStyle() }

func file(from embed.FS, name string) string {
	data, err := from.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
}
