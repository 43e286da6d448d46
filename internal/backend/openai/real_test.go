package openai

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/fault"
)

// What llama.cpp's server, as xllamacpp 2026.10.11549 has it, said of
// SmolLM2-135M-Instruct, and what llama-cpp-python 0.3.36 said of requests that it
// could not read.
const (
	llamaModels = `{"models":[{"name":"smollm2","model":"smollm2","modified_at":"","size":"","digest":"","type":"model","description":"","tags":[""],"capabilities":["completion"],"parameters":"","details":{"parent_model":"","format":"gguf","family":"","families":[""],"parameter_size":"","quantization_level":""}}],"object":"list","data":[{"id":"smollm2","aliases":["smollm2"],"tags":[],"object":"model","architecture":{"input_modalities":["text"],"output_modalities":["text"]},"created":1795364743,"owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":49152,"n_ctx":4096,"n_ctx_train":8192,"n_embd":576,"n_params":134515008,"size":96576768,"ftype":"Q4_1"}}]}`
	llamaReply  = `{"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":"I'm ready to help with your request"}}],"created":1795364916,"model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion","usage":{"completion_tokens":8,"prompt_tokens":37,"total_tokens":45,"prompt_tokens_details":{"cached_tokens":0}},"id":"chatcmpl-5IXi3JRw5uqMD13TQnt0FvvIi0Cf5l9q","timings":{"cache_n":0,"prompt_n":37,"prompt_ms":1976.782,"prompt_per_token_ms":53.426540540540536,"prompt_per_second":18.717289008094976,"predicted_n":8,"predicted_ms":583.63,"predicted_per_token_ms":83.37571428571428,"predicted_per_second":11.993900245018247}}`
	pythonNo    = `{"error":{"message":"8 validation errors:\n  {'type': 'literal_error', 'loc': ('body', 'messages', 0, 'ChatCompletionRequestSystemMessage', 'role'), 'msg': \"Input should be 'system'\", 'input': 'developer', 'ctx': {'expected': \"'system'\"}}\n  {'type': 'literal_error', 'loc': ('body', 'messages', 0, 'ChatCompletionRequestUserMessage', 'role'), 'msg': \"Input should be 'user'\", 'input': 'developer', 'ctx': {'expected': \"'user'\"}}","type":"internal_server_error","param":null,"code":null}}`
	pythonJSON  = `{"error":{"message":"1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or 'json_object'\"}}","type":"internal_server_error","param":null,"code":null}}`
)

// TestLlamaWeights swaps the weights behind a server of llama.cpp, which replies
// under the same name: the fingerprint tells. Another server is not asked.
func TestLlamaWeights(t *testing.T) {
	const small, large = "b0-unknown; weights: 134515008 parameters as Q4_1 in 96576768 bytes", "b0-unknown; weights: 494032768 parameters as Q4_1 in 96576768 bytes"
	for _, tt := range []struct {
		server string
		want   []string // fingerprints before and after a new start with other weights
		lists  int
	}{
		{"llama.cpp", []string{small, small, large}, 2},
		{"uvicorn", []string{"b0-unknown", "b0-unknown", "b0-unknown"}, 0},
	} {
		lists, list := 0, llamaModels
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Server", tt.server)
			body := llamaReply
			if strings.HasSuffix(r.URL.Path, "/models") {
				lists++
				body = list
			}
			_, _ = w.Write([]byte(body))
		})
		s := httptest.NewServer(handler)
		t.Cleanup(s.Close)
		c := mustChat(t, Config{BaseURL: s.URL + "/v1", Model: "another name"})
		for i, want := range tt.want {
			if i == 2 {
				s.CloseClientConnections()
				list = strings.Replace(list, "134515008", "494032768", 1)
			}
			reply, err := c.Generate(t.Context(), ask("ready?"))
			if fault.KindOf(err) == fault.Connection { // the one that is gone
				reply, err = c.Generate(t.Context(), ask("ready?"))
			}
			if err != nil || reply.Fingerprint != want {
				t.Errorf("%s: fingerprint %d is %q, want %q; %v", tt.server, i, reply.Fingerprint, want, err)
			}
		}
		if lists != tt.lists {
			t.Errorf("%s: asked for its models %d times, want %d", tt.server, lists, tt.lists)
		}
	}
}

// TestLlamaContext reads the context of one slot, whatever name is asked for.
func TestLlamaContext(t *testing.T) {
	for _, model := range []string{"smollm2", "another name"} {
		c := mustChat(t, Config{BaseURL: canned(t, 200, nil, llamaModels), Model: model})
		names, err := c.Models(t.Context())
		if err != nil || len(names) != 1 || c.Context() != 4096 || c.Listed(names) != (model == "smollm2") {
			t.Errorf("%s: models %q, context %d, %v", model, names, c.Context(), err)
		}
	}
	aliases := strings.Replace(llamaModels, `"aliases":["smollm2"]`, `"aliases":["smollm2","tiny"]`, 1)
	c := mustChat(t, Config{BaseURL: canned(t, 200, nil, aliases), Model: "tiny"})
	if names, err := c.Models(t.Context()); err != nil || !c.Listed(names) || len(names) != 2 {
		t.Errorf("models %q, %v", names, err)
	}
}

// llama-cpp-python answers a request that it cannot serve with status 500. Such a
// request is not retried; one for JSON by a schema is sent again without the schema.
func TestLlamaCppPython(t *testing.T) {
	c := mustChat(t, Config{BaseURL: canned(t, 500, nil, pythonNo), Model: "m"})
	_, err := c.Generate(t.Context(), ask("hi"))
	if e := faultOf(t, err); e.Kind != fault.Rejected || e.RetryAfter != time.Duration(0) {
		t.Errorf("got %v", e)
	}
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(pythonJSON))
			return
		}
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"{\"yes\":\"a\"}"}}]}`))
	}))
	t.Cleanup(s.Close)
	c = mustChat(t, Config{BaseURL: s.URL, Model: "m"})
	r := ask("hi")
	r.Format = yesFormat
	if reply, err := c.Generate(t.Context(), r); err != nil || reply.Text != `{"yes":"a"}` || asked != 2 {
		t.Errorf("got %q after %d requests, %v", reply.Text, asked, err)
	}
}
