package server

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"path"

	"recallbench/internal/publish/htmlreport"
)

// immutable is said of what another address would have if it were another.
const immutable = "public, max-age=31536000, immutable"

// serve answers a path with data.
func serve(mux *http.ServeMux, path, kind, caching string, data []byte) {
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", caching)
		_, _ = w.Write(data) // who asked may be gone
	})
}

//go:embed page
var pageFiles embed.FS

// Page returns what stands at /, /requests and below /a/: the page of runs and that
// of a run's requests, with scripts and styles at addresses that change with what they
// hold.
func Page() http.Handler {
	mux := http.NewServeMux()
	requests, err := htmlreport.Shell()
	if err != nil {
		panic(err) // it is embedded
	}
	serve(mux, "/requests", "text/html; charset=utf-8", "no-store", requests)
	for _, a := range htmlreport.Assets() {
		serve(mux, a.Path, a.Type, immutable, a.Data)
	}
	address := make(map[string]string)
	for name, kind := range map[string]string{"app.js": "text/javascript; charset=utf-8", "app.css": "text/css; charset=utf-8"} {
		data, err := pageFiles.ReadFile(path.Join("page", name))
		if err != nil {
			panic(err) // it is embedded
		}
		sum := sha256.Sum256(data)
		address[name] = "/a/" + hex.EncodeToString(sum[:8]) + "/" + name
		serve(mux, address[name], kind, immutable, data)
	}
	shell := template.Must(template.ParseFS(pageFiles, "page/index.html"))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = shell.Execute(w, map[string]string{"Script": address["app.js"], "Style": address["app.css"]}) // who asked may be gone
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "no such page; open /") })
	return mux
}
