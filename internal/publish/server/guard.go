package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A guard lets only the page of this server ask. The checks come in an order: the
// name that the browser called the server by, for every path; then, for data, where
// the request comes from, the token, and the type of the body.
type guard struct {
	hosts []string // authorities, in lower case
	token [sha256.Size]byte
	now   func() time.Time

	mu     sync.Mutex
	wrong  []time.Time // of tokens within the last minute
	locked time.Time   // until then no wrong token is looked at
}

// Wrong tokens in a minute after which others are refused for a minute.
const maxWrong = 10

func newGuard(c Config) *guard {
	g := &guard{token: sha256.Sum256([]byte(c.Token)), now: c.Now}
	for _, host := range c.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(host))
	}
	return g
}

// policy lets the page load what this server serves, and turn no text into markup.
var policy = strings.Join([]string{
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src data: 'self'",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
}, "; ")

// features are those that a page can be refused; it needs none.
var features = strings.Join([]string{
	"accelerometer=()", "autoplay=()", "camera=()", "display-capture=()", "encrypted-media=()", "fullscreen=()", "geolocation=()",
	"gyroscope=()", "magnetometer=()", "microphone=()", "midi=()", "payment=()", "publickey-credentials-get=()", "screen-wake-lock=()",
	"serial=()", "usb=()", "xr-spatial-tracking=()",
}, ", ")

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", features)
	h.Set("Cache-Control", "no-store")
}

// wrap returns a handler that passes on what the guard lets through.
func (g *guard) wrap(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		if !slices.Contains(g.hosts, strings.ToLower(r.Host)) {
			fail(w, http.StatusMisdirectedRequest, "this server goes by other names: %s", strings.Join(g.hosts, ", "))
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") && !g.data(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// data checks a request for data, and answers one that it refuses.
func (g *guard) data(w http.ResponseWriter, r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return fail(w, http.StatusForbidden, "another site asks; open the page that bench view prints")
	}
	if origin, there := r.Header["Origin"]; there && !strings.EqualFold(strings.Join(origin, " "), "http://"+r.Host) {
		return fail(w, http.StatusForbidden, "a page of another origin asks; open the page that bench view prints")
	}
	if !g.known(w, r) {
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost && r.Method != http.MethodDelete {
		w.Header().Set("Allow", "GET, HEAD, POST, DELETE")
		return fail(w, http.StatusMethodNotAllowed, "method %s, want GET or POST", r.Method)
	}
	if r.Method == http.MethodPost {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return fail(w, http.StatusUnsupportedMediaType, "the body's Content-Type is %q, want application/json", r.Header.Get("Content-Type"))
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	return true
}

// known checks the token. A right one is never refused: a page that was left open
// when the server started anew would lock out the new one.
func (g *guard) known(w http.ResponseWriter, r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return fail(w, http.StatusUnauthorized, "no token; open the address that bench view printed")
	}
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if now.Before(g.locked) {
		w.Header().Set("Retry-After", "60")
		return fail(w, http.StatusTooManyRequests, "%d wrong tokens within a minute; wait one", maxWrong)
	}
	g.wrong = slices.DeleteFunc(g.wrong, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if g.wrong = append(g.wrong, now); len(g.wrong) == maxWrong {
		g.wrong, g.locked = nil, now.Add(time.Minute)
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	return fail(w, http.StatusUnauthorized, "wrong token; open the address that bench view printed when it started")
}

// catch turns a panic into an answer, with an id that the log has too.
func catch(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler { //nolint:errorlint // the value itself is what net/http panics with
				panic(v)
			}
			id := newID()
			log.Error("internal error", "id", id, "path", r.URL.Path, "error", v, "stack", string(stack()))
			fail(w, http.StatusInternalServerError, "internal error %s; the log of bench view says more", id)
		}()
		next.ServeHTTP(w, r)
	})
}
