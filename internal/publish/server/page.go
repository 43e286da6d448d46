package server

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"path"
)

//go:embed page
var pageFiles embed.FS

// Page returns what stands at / and below /a/: the page, with its script and its
// style at addresses that change with what they hold.
func Page() http.Handler {
	mux := http.NewServeMux()
	address := make(map[string]string)
	for name, kind := range map[string]string{"app.js": "text/javascript; charset=utf-8", "app.css": "text/css; charset=utf-8"} {
		data, err := pageFiles.ReadFile(path.Join("page", name))
		if err != nil {
			panic(err) // it is embedded
		}
		sum := sha256.Sum256(data)
		address[name] = "/a/" + hex.EncodeToString(sum[:8]) + "/" + name
		mux.HandleFunc("GET "+address[name], func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			_, _ = w.Write(data) // who asked may be gone
		})
	}
	shell := template.Must(template.ParseFS(pageFiles, "page/index.html"))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = shell.Execute(w, map[string]string{"Script": address["app.js"], "Style": address["app.css"]}) // who asked may be gone
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "no such page; open /") })
	return mux
}
