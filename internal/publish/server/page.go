package server

import (
	"net/http"

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

// Page returns what stands at / and below /a/: the shell of all pages, with script and
// styles at addresses that change with what they hold.
func Page() http.Handler {
	mux := http.NewServeMux()
	shell, err := htmlreport.Shell()
	if err != nil {
		panic(err) // it is embedded
	}
	serve(mux, "/{$}", "text/html; charset=utf-8", "no-store", shell)
	for _, a := range htmlreport.Assets() {
		serve(mux, a.Path, a.Type, immutable, a.Data)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "no such page; open /") })
	return mux
}
