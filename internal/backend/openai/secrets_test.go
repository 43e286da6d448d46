package openai

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

const testSecret = "hush-hush/4712" // another key

// forms are the ways in which a secret may be written.
func forms(secret string) map[string]string {
	var escapes strings.Builder
	for _, c := range []byte(secret) {
		fmt.Fprintf(&escapes, `\u%04X`, c)
	}
	return map[string]string{
		"plain":             secret,
		"escaped for JSON":  escapes.String(),
		"escaped for a URL": url.QueryEscape(secret),
		"escaped for HTML":  html.EscapeString(secret),
	}
}

// leaks fails the test where the text of v holds a secret, as it is or after
// the escapes that a reader would undo.
func leaks(t *testing.T, what string, v any) {
	t.Helper()
	text := fmt.Sprintf("%v %+v %#v", v, v, v)
	if e, ok := v.(error); ok {
		text += e.Error()
	}
	if data, err := json.Marshal(v); err == nil {
		text += string(data)
	}
	for _, secret := range []string{testKey, testSecret} {
		for form, s := range forms(secret) {
			if strings.Contains(text, s) {
				t.Errorf("%s: the secret %s, %s, is in %.300s", what, secret, form, text)
			}
		}
	}
}

func secretConfig(base string) Config {
	return Config{BaseURL: base, Key: testKey, Model: "m", Quirks: Quirks{Completions: true}}
}

// TestEchoedKey lets the test server repeat the key in text, model, name and
// tokens, each letter escaped, and in errors.
func TestEchoedKey(t *testing.T) {
	for _, f := range []modelserver.Fault{modelserver.EchoKey, modelserver.EchoKeyError} {
		s := modelserver.New(t, modelserver.Options{Rate: 1, Faults: []modelserver.Fault{f}})
		c := mustChat(t, secretConfig(s.URL))
		for _, plain := range []bool{false, true} {
			r := ask("hi")
			r.Plain, r.Params = plain, llm.Params{Logprobs: true, TopLogprobs: 3}
			reply, err := c.Generate(t.Context(), r)
			if err != nil {
				leaks(t, string(f), err)
				continue
			}
			leaks(t, string(f), reply)
			if want := modelserver.Answer("hi") + " [key]"; reply.Text != want || reply.Model != "m-[key]" || reply.Fingerprint != "fp_test[key]" {
				t.Errorf("got %+v, want the text %q", reply, want)
			}
			for _, lp := range reply.Logprobs {
				if lp.Token != "[key]" || lp.Top != nil {
					t.Errorf("the token %v may be a part of the key", lp)
				}
			}
		}
	}
}

// TestEchoes lets a server repeat secrets in every form and place.
func TestEchoes(t *testing.T) {
	for _, secret := range []string{testKey, testSecret} {
		for form, s := range forms(secret) {
			quoted := try.Get(json.Marshal(s))(t)
			inText := string(quoted[1 : len(quoted)-1])
			for _, body := range []string{
				`{"choices":[{"message":{"content":"` + inText + ` and more"}}],"model":"` + inText + `","system_fingerprint":"` + inText + `"}`,
				`{"choices":[{"message":{"content":"{\"a\": \"` + inText + `\"}"},"finish_reason":"` + inText + `"}]}`,
				`{"choices":[{"message":{"content":null,"refusal":"no ` + inText + `"}}]}`,
				`{"choices":[{"message":{"content":""},"finish_reason":"` + inText + `"}]}`,
				`{"choices":[],"error":{"message":"` + inText + `"}}`,
				`{"choices":[],"error":{"code":500,"message":"` + inText + `"}}`,
				`{"choices":"` + inText + `"}`,
				`{"` + inText + `":1,"data":[{"id":"` + inText + `"}]}`,
				`{"error":{"message":"bad ` + inText + `","code":"` + inText + `","param":"` + inText + `"}}`,
				`[{"error":{"message":"bad ` + inText + `"}}]`,
				`{"error":"` + inText + `"}`, `{"detail":"` + inText + `"}`,
				"<html>" + s + "</html>", s, s[:len(s)-2], strings.Repeat("x", 390) + s, `{"cut off": "` + s[:len(s)/2+4],
			} {
				header := http.Header{"X-Echo": {s}, "Retry-After": {s}, "Location": {"http://other/?key=" + s, s}}
				for _, status := range []int{200, 307, 400, 401, 404, 429, 500} {
					what := fmt.Sprintf("%s, status %d, %s", form, status, body)
					config := secretConfig("http://host/v1")
					config.Key = secret
					config.Client = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
						return &http.Response{StatusCode: status, Header: header, ContentLength: -1, Body: io.NopCloser(strings.NewReader(body))}, nil
					})}
					c := mustChat(t, config)
					r := ask("hi")
					r.Format = yesFormat
					reply, err := c.Generate(t.Context(), r)
					leaks(t, what, reply)
					leaks(t, what, err)
					if form == "plain" && len(reply.Text)+1 > len(s) && strings.Contains(reply.Text, s[:len(s)-2]) {
						t.Errorf("%s: text is %q", what, reply.Text)
					}
					models, err := c.Models(t.Context())
					leaks(t, what, models)
					leaks(t, what, err)
				}
			}
		}
	}
}

func TestRepliesStayAsTheyAre(t *testing.T) {
	// A mere word as key takes nothing from a reply; nor does the beginning of a key at
	// its end.
	const text = "ollama was released on 2023-06-01 in Bearer, with sk-test"
	for _, c := range []Config{
		{Key: "ollama"},
		{Key: testKey},
	} {
		c.BaseURL, c.Model = canned(t, 200, nil, `{"choices":[{"message":{"content":"`+text+`"}}]}`), "m"
		got, err := mustChat(t, c).Generate(t.Context(), ask("hi"))
		if err != nil || got.Text != text {
			t.Errorf("got %q, %v", got.Text, err)
		}
	}
}

// TestRedirect sends the client to another host, which must get nothing.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server got %s %v", r.URL, r.Header)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		base := canned(t, status, http.Header{"Location": {other.URL + "/v2?key=" + url.QueryEscape(testKey)}}, "")
		_, err := mustChat(t, secretConfig(base)).Generate(t.Context(), ask("hi"))
		leaks(t, "redirect", err)
		if e := faultOf(t, err); e.Kind != "no-model" || e.Status != status || !strings.HasSuffix(e.Error(), "to "+other.URL+"/v2, which must not get the key; is base_url right?") {
			t.Errorf("%d: %v", status, e)
		}
	}
}
