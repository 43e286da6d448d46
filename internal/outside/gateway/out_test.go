package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// TestOut checks that a process reaches no other host, and that the hosts that it asks
// for are counted.
func TestOut(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is reached") }))
	defer elsewhere.Close()
	r := newRig(t, Models{})
	o := r.Out()
	proxy := try.Get(url.Parse(o.URL()))(t)
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}
	client := &http.Client{Transport: transport}
	get := func(address string) string {
		t.Helper()
		req := try.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody))(t)
		resp, err := client.Do(req)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	want := map[string]int{"a.example:80": 2, "b.example:8443": 1, strings.TrimPrefix(elsewhere.URL, "http://"): 1}
	for address, refused := range map[string]string{elsewhere.URL: "recallbench_network", "http://a.example/x": "recallbench_network", "http://a.example:80/y": "recallbench_network", "https://b.example:8443/x": "Forbidden"} {
		if got := get(address); !strings.Contains(got, refused) {
			t.Errorf("%s: got %s, want %s", address, got, refused)
		}
	}
	try.Equal(t, "asked for", want, o.Asked())
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if got := get("http://a.example/x"); !strings.Contains(got, "proxy_key") {
		t.Errorf("after the end: %s", got)
	}
}

// Hosts are counted by name up to a bound.
func TestManyHosts(t *testing.T) {
	r := newRig(t, Models{})
	o := r.Out()
	for i := range 3 * maxHosts {
		o.count(strings.Repeat("x", 1+i%(2*maxHosts)) + ":1")
	}
	if n := len(o.Asked()); n != maxHosts+1 {
		t.Errorf("%d hosts", n)
	}
}
