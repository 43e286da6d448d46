package gateway

import (
	"encoding/base64"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
)

// maxHosts bounds the hosts that are counted by name.
const maxHosts = 1000

// An Out is the proxy of one process, which lets it reach no other host and counts
// whom it asks for.
type Out struct {
	server *Server
	key    string

	mu    sync.Mutex
	hosts map[string]int
}

// Out makes the proxy of one process.
func (s *Server) Out() *Out {
	o := &Out{server: s, key: newKey(), hosts: make(map[string]int)}
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

// Asked returns how often each host was asked for, by host and port.
func (o *Out) Asked() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.hosts)
}

// count counts a host.
func (o *Out) count(host string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.hosts[host]; !known && len(o.hosts) >= maxHosts {
		host = "others"
	}
	o.hosts[host]++
}

// refuse refuses a request to another host.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	basic, _ := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	user, _ := base64.StdEncoding.DecodeString(basic) // what is none has no key
	_, key, _ := strings.Cut(string(user), ":")
	s.mu.Lock()
	o := s.outs[key]
	s.mu.Unlock()
	if o == nil {
		w.Header().Set("Proxy-Authenticate", `Basic realm="recallbench"`)
		problem{http.StatusProxyAuthRequired, "proxy_key", "this proxy is for memories under test"}.send(w)
		return
	}
	host := r.URL.Host
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "80")
	}
	o.count(host)
	problem{http.StatusForbidden, "recallbench_network", "a memory reaches no other host; name those that it needs in NO_PROXY of its option set"}.send(w)
}
