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

// TestProxy checks that a process reaches no other host, and that the hosts that it asks
// for are counted.
func TestProxy(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is reached") }))
	defer elsewhere.Close()
	r := newRig(t, Models{})
	proxy := try.Get(url.Parse(r.ProxyURL()))(t)
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
	try.Equal(t, "asked for", want, r.AskedHosts())
	proxy.User = url.UserPassword("rb", "other")
	if got := get("http://a.example/x"); !strings.Contains(got, "proxy_key") {
		t.Errorf("with another key: %s", got)
	}
}
