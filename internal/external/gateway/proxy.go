package gateway

import (
	"encoding/base64"
	"maps"
	"net"
	"net/http"
	"strings"
)

// maxHosts bounds the hosts that are counted by name.
const maxHosts = 1000

// ProxyURL is the address for HTTP_PROXY and the like: a proxy that blocks other hosts
// and counts the attempts. It contains a key.
func (s *Server) ProxyURL() string { return "http://rb:" + s.proxyKey + "@" + s.addr }

// AskedHosts returns how often each other host was requested, by host and port.
func (s *Server) AskedHosts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.hosts)
}

// refuse refuses a request to another host.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	basic, _ := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	user, _ := base64.StdEncoding.DecodeString(basic) // what is none has no key
	if string(user) != "rb:"+s.proxyKey {
		w.Header().Set("Proxy-Authenticate", `Basic realm="recallbench"`)
		problem{http.StatusProxyAuthRequired, "proxy_key", "this proxy is for memories under test"}.send(w)
		return
	}
	host := r.URL.Host
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "80")
	}
	s.mu.Lock()
	if _, known := s.hosts[host]; !known && len(s.hosts) >= maxHosts {
		host = "others"
	}
	s.hosts[host]++
	first := s.hosts[host] == 1
	s.mu.Unlock()
	if first {
		s.log.Warn("an adapter was refused another host", "host", host)
	}
	problem{http.StatusForbidden, "recallbench_network", "a memory may not connect to other hosts; if it needs one, name it in NO_PROXY of the option set"}.send(w)
}
