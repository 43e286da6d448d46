package gateway

import (
	"encoding/base64"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"
)

// A Policy says whether a process may reach other hosts.
type Policy string

// The policies.
const (
	Deny   Policy = "deny"   // it may not
	Report Policy = "report" // it may, and a run says which it reached
	Allow  Policy = "allow"  // it may
)

// Values lists the policies.
func (Policy) Values() []string { return []string{string(Deny), string(Report), string(Allow)} }

// maxHosts bounds the hosts that are counted by name.
const maxHosts = 1000

// An Out is a proxy by which one process reaches other hosts. It counts whom it asks
// for, reached or not; the local host does not count.
type Out struct {
	server *Server
	policy Policy
	key    string

	mu    sync.Mutex
	hosts map[string]int
}

// Out makes the way out of one process.
func (s *Server) Out(policy Policy) *Out {
	o := &Out{server: s, policy: policy, key: newKey(), hosts: make(map[string]int)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outs[o.key] = o
	return o
}

// URL is the address for HTTP_PROXY and the like. It holds a key.
func (o *Out) URL() string { return "http://rb:" + o.key + "@" + o.server.addr }

// Close revokes the key.
func (o *Out) Close() error {
	o.server.revoke(o.key)
	return nil
}

// Reached returns how often each host was asked for, by host and port.
func (o *Out) Reached() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.hosts)
}

// allows counts a host and reports whether it may be reached.
func (o *Out) allows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		if ip := net.ParseIP(name); name == "localhost" || ip != nil && ip.IsLoopback() {
			return true
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.hosts[host]; !known && len(o.hosts) >= maxHosts {
		host = "others"
	}
	o.hosts[host]++
	return o.policy != Deny
}

// forward takes a request to another host.
func (s *Server) forward(w http.ResponseWriter, r *http.Request) {
	o := s.outOf(r)
	if o == nil {
		w.Header().Set("Proxy-Authenticate", `Basic realm="recallbench"`)
		problem{http.StatusProxyAuthRequired, "proxy_key", "this proxy is for memories under test"}.send(w)
		return
	}
	host := r.URL.Host
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "80")
	}
	if !o.allows(host) {
		problem{http.StatusForbidden, "recallbench_network", "the run lets a memory reach no other host (network: deny)"}.send(w)
		return
	}
	if r.Method == http.MethodConnect {
		s.proxy.tunnel(w, r, host)
		return
	}
	s.proxy.http.ServeHTTP(w, r)
}

// outOf returns the way out whose key a request brings.
func (s *Server) outOf(r *http.Request) *Out {
	basic, _ := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	user, _ := base64.StdEncoding.DecodeString(basic) // what is none has no key
	_, key, _ := strings.Cut(string(user), ":")
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outs[key]
}

// A forwarder takes requests to other hosts, and knows the tunnels that are open.
type forwarder struct {
	http      *httputil.ReverseProxy
	transport *http.Transport
	dialer    net.Dialer

	mu      sync.Mutex
	closed  bool
	tunnels map[net.Conn]bool
}

func newForwarder() *forwarder {
	f := &forwarder{dialer: net.Dialer{Timeout: 30 * time.Second}, tunnels: make(map[net.Conn]bool)}
	f.transport = &http.Transport{DialContext: f.dialer.DialContext, IdleConnTimeout: time.Minute, DisableCompression: true}
	f.http = &httputil.ReverseProxy{
		Transport: f.transport,
		Rewrite:   func(*httputil.ProxyRequest) {}, // the address is that of the other host already
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
	return f
}

// tunnel joins the connection of a request with one to a host.
func (f *forwarder) tunnel(w http.ResponseWriter, r *http.Request, host string) {
	there, err := f.dialer.DialContext(r.Context(), "tcp", host)
	if err != nil {
		problem{http.StatusBadGateway, "unreachable", err.Error()}.send(w)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the caller is gone
	}
	defer here.Close()
	if !f.add(here, there) {
		return
	}
	defer f.remove(here, there)
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { pipe(there, buffered) })
	pipe(here, there)
	wg.Wait()
}

// pipe copies until the source ends, and tells so to the other side.
func pipe(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from) // a lost connection is an end
	if c, ok := to.(*net.TCPConn); ok && c.CloseWrite() == nil {
		return
	}
	_ = to.Close() // it may be closed
}

func (f *forwarder) add(conns ...net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range conns {
		f.tunnels[c] = true
	}
	return !f.closed
}

func (f *forwarder) remove(conns ...net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range conns {
		delete(f.tunnels, c)
	}
}

// close ends all tunnels.
func (f *forwarder) close() {
	f.mu.Lock()
	f.closed = true
	for c := range f.tunnels {
		_ = c.Close() // it may be closed
	}
	f.mu.Unlock()
	f.transport.CloseIdleConnections()
}
