package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A process reaches the local host, and others as its policy says; they are counted.
func TestOut(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the proxy's key is sent on")
		}
		_, _ = io.WriteString(w, "plain "+r.Header.Get("X-Of"))
	}))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secure") }))
	defer secure.Close()
	r := newRig(t, Models{})
	for _, policy := range []Policy{Deny, Report} {
		o := r.Out(policy)
		client := secure.Client()
		transport := client.Transport.(*http.Transport).Clone()
		proxy, err := url.Parse(o.URL())
		if err != nil {
			t.Fatal(err)
		}
		transport.Proxy = http.ProxyURL(proxy)
		client.Transport = transport
		get := func(address string) string {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Of", "header")
			resp, err := client.Do(req)
			if err != nil {
				return err.Error()
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			return string(body)
		}
		if got := get(plain.URL); got != "plain header" {
			t.Errorf("%s: %s", policy, got)
		}
		if got := get(secure.URL); got != "secure" {
			t.Errorf("%s: %s", policy, got)
		}
		if hosts := o.Reached(); len(hosts) > 0 {
			t.Errorf("%s: reached %v", policy, hosts)
		}
		// No name ends in .invalid.
		wantPlain, wantSecure := "unreachable", "Bad Gateway"
		if policy == Deny {
			wantPlain, wantSecure = "recallbench_network", "Forbidden"
		}
		for range 2 {
			if got := get("http://a.invalid/x"); policy == Deny && !strings.Contains(got, wantPlain) {
				t.Errorf("%s: %s", policy, got)
			}
		}
		if got := get("https://b.invalid:8443/x"); !strings.Contains(got, wantSecure) {
			t.Errorf("%s: %s", policy, got)
		}
		if diff := cmp.Diff(map[string]int{"a.invalid:80": 2, "b.invalid:8443": 1}, o.Reached()); diff != "" {
			t.Errorf("%s: reached (-want +got):\n%s", policy, diff)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		transport.CloseIdleConnections()
		if got := get(plain.URL); !strings.Contains(got, "proxy_key") {
			t.Errorf("%s: after the end: %s", policy, got)
		}
		transport.CloseIdleConnections()
	}
}

// Hosts are counted by name up to a bound.
func TestManyHosts(t *testing.T) {
	r := newRig(t, Models{})
	o := r.Out(Deny)
	for i := range 3 * maxHosts {
		o.allows(strings.Repeat("x", 1+i%(2*maxHosts)) + ":1")
	}
	if n := len(o.Reached()); n != maxHosts+1 {
		t.Errorf("%d hosts", n)
	}
}
