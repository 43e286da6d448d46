package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net/http"
	"slices"
	"strings"

	"recallbench/internal/publish/htmlreport"
)

// headers are those of every answer: the page loads what this server serves, turns no
// text into markup, and needs none of the features that it can be refused.
var headers = map[string]string{
	"Content-Security-Policy":      htmlreport.ServerPolicy,
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
	"Cache-Control":                "no-store",
}

// maxBody is the most bytes that the body of a request may have.
const maxBody = 1 << 20

// guard lets only the page of this server ask. The checks come in an order: the name
// that the browser called the server by, for every path; then, for data, where the
// request comes from, the token, and the type of the body.
func (s *Server) guard(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	token := sha256.Sum256([]byte(s.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		if !slices.ContainsFunc(s.Hosts, func(host string) bool { return strings.EqualFold(host, r.Host) }) {
			fail(w, http.StatusMisdirectedRequest, "this server goes by other names: %s", strings.Join(s.Hosts, ", "))
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") && !admit(w, r, token) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit checks a request for data, and answers one that it refuses.
func admit(w http.ResponseWriter, r *http.Request, want [sha256.Size]byte) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return fail(w, http.StatusForbidden, "the request comes from another site; open the address that bench view prints")
	}
	if origin, there := r.Header["Origin"]; there && !strings.EqualFold(strings.Join(origin, " "), "http://"+r.Host) {
		return fail(w, http.StatusForbidden, "the request comes from a page of another origin; open the address that bench view prints")
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(token))
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		w.Header().Set("WWW-Authenticate", "Bearer")
		return fail(w, http.StatusUnauthorized, "no token; open the address that bench view printed")
	case subtle.ConstantTimeCompare(sum[:], want[:]) != 1:
		w.Header().Set("WWW-Authenticate", "Bearer")
		return fail(w, http.StatusUnauthorized, "wrong token; open the address that bench view printed when it started")
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
	case http.MethodPost:
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return fail(w, http.StatusUnsupportedMediaType, "the body's Content-Type is %q, want application/json", r.Header.Get("Content-Type"))
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, DELETE")
		return fail(w, http.StatusMethodNotAllowed, "method %s, want GET or POST", r.Method)
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	return true
}
