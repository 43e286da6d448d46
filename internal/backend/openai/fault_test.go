package openai

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/internal/text/redact"
)

// TestFaults meets every fault of the server once, then the right answer.
func TestFaults(t *testing.T) {
	type want struct {
		kind   fault.Kind // empty for the right answer at once
		status int
		retry  time.Duration
	}
	wants := map[modelserver.Fault]want{
		modelserver.TooMany:           {fault.RateLimit, 429, 0},
		modelserver.TooManyRetryAfter: {fault.RateLimit, 429, 1500 * time.Millisecond},
		modelserver.Internal:          {fault.Server, 500, 0},
		modelserver.Unavailable:       {fault.Server, 503, 0},
		modelserver.EchoKeyError:      {fault.Server, 500, 0},
		modelserver.Hang:              {fault.Timeout, 0, 0},
		modelserver.Reset:             {fault.Connection, 0, 0},
		modelserver.Truncated:         {fault.Connection, 0, 0},
		modelserver.InvalidJSON:       {fault.BadReply, 0, 0},
		modelserver.WrongSchema:       {fault.BadReply, 0, 0},
		modelserver.EmptyChoices:      {fault.BadReply, 0, 0},
		modelserver.ContentFilter:     {fault.Refused, 0, 0},
		modelserver.OtherModel:        {},
		modelserver.EchoKey:           {},
	}
	for _, f := range modelserver.AllFaults() {
		w, ok := wants[f]
		if !ok {
			t.Errorf("%s has no test", f)
		}
		c, s := newChat(t, modelserver.Options{Rate: 1, Faults: []modelserver.Fault{f}, Times: 1, Key: testKey, RetryAfter: 1500 * time.Millisecond}, Quirks{})
		allowed := time.Minute
		if f == modelserver.Hang {
			allowed = 50 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), allowed)
		reply, err := c.Generate(ctx, ask("hi"))
		cancel()
		if w.kind == "" {
			if err != nil {
				t.Errorf("%s: %v", f, err)
			}
			if reply.Model == "m" {
				t.Errorf("%s: the model is %q", f, reply.Model)
			}
		} else {
			e := faultOf(t, err)
			if e.Kind != w.kind || e.Status != w.status || e.RetryAfter != w.retry {
				t.Errorf("%s: got %s, status %d, retry after %v; want %+v", f, e.Kind, e.Status, e.RetryAfter, w)
			}
			if !strings.Contains(e.Message, `model "m" at `+s.URL+": ") || strings.Contains(e.Message, "\n") || len(e.Message) > 1000 {
				t.Errorf("%s: message is %q", f, e.Message)
			}
		}
		if n := s.Stats().Arrived; n != 1 {
			t.Errorf("%s: %d requests for one call", f, n)
		}
		reply, err = c.Generate(t.Context(), ask("hi"))
		if err != nil || reply.Text != modelserver.Answer("hi") {
			t.Errorf("%s: the next call gives %q, %v", f, reply.Text, err)
		}
	}
}

// TestRefusals holds what servers say against the fault it becomes. The
// bodies are in the forms of OpenAI, Gemini, vLLM, Ollama and llama.cpp.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: sk-te******c+def. See the docs.","type":"invalid_request_error","code":"invalid_api_key"}}`, "auth (HTTP 401): Incorrect API key provided: [key]. See the docs.; check the key"},
		{403, `{"error":{"message":"no access","code":"model_not_found"}}`, "no-model (HTTP 403): no access; check the name of the model and base_url"},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, "auth (HTTP 400): API key not valid. Please pass a valid API key.; check the key"},
		{404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, "no-model (HTTP 404): The model x does not exist.; check the name of the model and base_url"},
		{404, `{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, `no-model (HTTP 404): model "m" not found, try pulling it first; check the name of the model and base_url`},
		{404, `<html>not here</html>`, "no-model (HTTP 404): <html>not here</html>; check the name of the model and base_url"},
		{402, `{"error":{"message":"Insufficient credits"}}`, "quota (HTTP 402): Insufficient credits; the account has nothing left to spend"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, "quota (HTTP 429): You exceeded your current quota; the account has nothing left to spend"},
		{400, `{"error":{"message":"Billing hard limit has been reached","code":"billing_hard_limit_reached"}}`, "quota (HTTP 400): Billing hard limit has been reached; the account has nothing left to spend"},
		{429, `[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"23s"}]}}]`, "rate-limit (HTTP 429): You exceeded your current quota"},
		{400, `{"error":{"message":"filtered","code":"content_filter"}}`, "refused (HTTP 400): filtered"},
		{400, `{"error":{"message":"This is against the rules","code":"content_policy_violation"}}`, "refused (HTTP 400): This is against the rules"},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`, "rejected (HTTP 400): This model's maximum context length is 8192 tokens.; the prompt is longer than the model's context: shorten it, or use a model with a larger context"},
		{400, `{"error":{"code":400,"message":"the request exceeds the available one","type":"exceed_context_size_error"}}`, "rejected (HTTP 400): the request exceeds the available one; the prompt is longer than the model's context: shorten it, or use a model with a larger context"},
		{400, `{"error":{"code":400,"message":"request (871 tokens) exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":871,"n_ctx":512}}`, "rejected (HTTP 400): request (871 tokens) exceeds the available context size (512 tokens), try increasing it; the prompt is longer than the model's context: shorten it, or use a model with a larger context"},
		{400, `{"error":{"message":"This model's maximum context length is 512 tokens. However, you requested 879 tokens (871 in the messages, 8 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, "rejected (HTTP 400): This model's maximum context length is 512 tokens. However, you requested 879 tokens (871 in the messages, 8 in the completion). Please reduce the length of the messages or completion.; the prompt is longer than the model's context: shorten it, or use a model with a larger context"},
		{501, `{"error":{"code":501,"message":"This server does not support embeddings. Start it with ` + "`--embeddings`" + `","type":"not_supported_error"}}`, "rejected (HTTP 501): This server does not support embeddings. Start it with `--embeddings`"},
		{400, `{"error":{"message":"no","param":"temperature","code":"unsupported_value"}}`, "rejected (HTTP 400): no; add temperature to omit"},
		{400, `{"error":{"message":"no","param":"max_tokens","code":"unsupported_parameter"}}`, "rejected (HTTP 400): no; set max_tokens_field to max_completion_tokens"},
		{400, `{"error":{"message":"Unrecognized request argument 'max_completion_tokens'"}}`, "rejected (HTTP 400): Unrecognized request argument 'max_completion_tokens'; set max_tokens_field to max_tokens"},
		{400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"seed\": Cannot find field.","status":"INVALID_ARGUMENT"}}]`, `rejected (HTTP 400): Invalid JSON payload received. Unknown name "seed": Cannot find field.; add seed to omit`},
		{400, `{"error":"just a string"}`, "rejected (HTTP 400): just a string"},
		{422, `{"detail":[{"loc":["body"],"msg":"bad"}]}`, `rejected (HTTP 422): {"detail":[{"loc":["body"],"msg":"bad"}]}`},
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, "server (HTTP 503): Loading model"},
		{409, ``, "server (HTTP 409): conflict"},
		{204, ``, "bad-reply: the reply has no body"},
		{200, "<html>\nhello", "bad-reply: the reply is not JSON (invalid character '<' looking for beginning of value); it is: <html> hello"},
		{200, `{"error":{"code":429,"message":"slow down"}}`, "rate-limit (HTTP 429): slow down"},
		{200, `{"error":{"code":"odd","message":"slow down"},"choices":[]}`, `bad-reply: the reply is an error: {"code":"odd","message":"slow down"}`},
		{200, `{"choices":[{"message":{"content":5}}]}`, `bad-reply: the reply is not the JSON of a completion: choices.message.content is of the type number; it is: {"choices":[{"message":{"content":5}}]}`},
		{200, `[]`, "bad-reply: the reply is not the JSON of a completion: a value is of the type array; it is: []"},
		{200, `{}`, "bad-reply: the reply has no choice; it is: {}"},
		{200, `{"choices":[{}]}`, `bad-reply: the choice of the reply has neither a message nor a text; it is: {"choices":[{}]}`},
		{200, `{"choices":[{"message":{}}]}`, `bad-reply: the reply has neither text nor a finish reason; it is: {"choices":[{"message":{}}]}`},
		{200, `{"choices":[{"message":{"content":"par`, `bad-reply: the reply is not JSON (unexpected end of JSON input); it is: {"choices":[{"message":{"content":"par`},
		{200, `{"choices":[{"index":1,"message":{"content":"a"}},{"index":2,"message":{"content":"b"}}]}`, `bad-reply: the reply has no choice with the index 0; it is: {"choices":[{"index":1,"message":{"content":"a"}},{"index":2,"message":{"content":"b"}}]}`},
		{200, `{"choices":[{"index":"0","message":{"content":"a"}}]}`, `bad-reply: the reply is not the JSON of a completion: choices.index is of the type string; it is: {"choices":[{"index":"0","message":{"content":"a"}}]}`},
		{200, `{"choices":[{"index":` + strings.Repeat("9", 1000) + `}]}`, "bad-reply: the reply is not the JSON of a completion: choices.index is of the type number " + strings.Repeat("9", 33) + `; it begins: {"choices":[{"index":` + strings.Repeat("9", 179) + "..."},
		{200, strings.Repeat("[", 20000), "bad-reply: the reply is not JSON (invalid character '[' exceeded max depth); it begins: " + strings.Repeat("[", 200) + "..."},
		{200, `{"choices":[{"message":{"content":null,"refusal":"I will not"}}]}`, "refused: the model declined: I will not"},
		{200, `{"choices":[{"message":{"content":"half of"},"finish_reason":"content_filter: SAFETY"}]}`, "refused: the provider's content filter ended the reply"},
		{200, `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`, `empty: the reply has no text (finish reason "stop")`},
		{200, `{"choices":[{"message":{"content":" \n"},"finish_reason":"stop"}]}`, `empty: the reply has no text (finish reason "stop")`},
		{200, `{"choices":[{"message":{"content":null},"finish_reason":"length"}]}`, "empty: the reply has no text: reasoning used all of max_tokens, which is 9; raise reasoning_tokens, or lower reasoning_effort"},
		{200, `{"choices":[{"message":{"content":"<think>and so"},"finish_reason":"length"}]}`, "empty: the reply has no text: reasoning used all of max_tokens, which is 9; raise reasoning_tokens, or lower reasoning_effort"},
	} {
		url := canned(t, tt.status, nil, tt.body)
		c := mustChat(t, Config{BaseURL: url + "/v1/", Key: testKey, Model: "m"})
		r := ask("hi")
		r.Params.MaxTokens = 9
		_, err := c.Generate(t.Context(), r)
		got := strings.Replace(faultOf(t, err).Error(), `model "m" at `+url+`/v1: `, "", 1)
		if got != tt.want {
			t.Errorf("%d %.200s\ngot  %s\nwant %s", tt.status, tt.body, got, tt.want)
		}
	}
}

// What a server says of the wait, and what is said of a key that there is none of.
func TestRefusalsWithoutKey(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		wait   time.Duration
		want   string
	}{
		{429, `[{"error":{"details":[{"retryDelay":"23.5s"}]}}]`, 23500 * time.Millisecond, ""},
		{401, `{"error":{"message":"no"}}`, 0, ": no; set a key; the server requires one"},
	} {
		c := mustChat(t, Config{BaseURL: canned(t, tt.status, nil, tt.body), Model: "m"})
		_, err := c.Generate(t.Context(), ask("hi"))
		if e := faultOf(t, err); e.RetryAfter != tt.wait || !strings.HasSuffix(e.Error(), tt.want) {
			t.Errorf("%v, to be tried after %v", e, e.RetryAfter)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		usage string
		want  llm.Usage
	}{
		{`null`, llm.Usage{}},
		{`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`, llm.Usage{Calls: 1, Input: 10, Output: 5}},
		{`{"prompt_tokens":10,"completion_tokens":5}`, llm.Usage{Calls: 1, Input: 10, Output: 5}},
		{`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":3}}`, llm.Usage{Calls: 1, Input: 10, Cached: 8, Output: 5, Reasoning: 3}},
		{`{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":null,"completion_tokens_details":null}`, llm.Usage{Calls: 1, Input: 10, Output: 5}},
		// Gemini: 405 tokens of thought in the total alone.
		{`{"prompt_tokens":20,"completion_tokens":198,"total_tokens":623}`, llm.Usage{Calls: 1, Input: 20, Output: 603, Reasoning: 405}},
		{`{"prompt_tokens":21,"completion_tokens":0,"total_tokens":81,"completion_tokens_details":{"reasoning_tokens":60}}`, llm.Usage{Calls: 1, Input: 21, Output: 60, Reasoning: 60}},
		{`{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":50}}`, llm.Usage{Calls: 1, Input: 10, Cached: 10, Output: 5, Reasoning: 5}},
		{`{"prompt_tokens":0,"completion_tokens":5,"total_tokens":5}`, llm.Usage{}},
		{`{"prompt_tokens":-1,"completion_tokens":5}`, llm.Usage{}},
		{`{"prompt_tokens":1,"completion_tokens":9000000000000}`, llm.Usage{}},
	} {
		c := mustChat(t, Config{BaseURL: canned(t, 200, nil, `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"y"},{"type":"text","text":"es"}]}}],"usage":`+tt.usage+`}`), Model: "m"})
		got, err := c.Generate(t.Context(), ask("hi"))
		if err != nil || got.Usage != tt.want || got.Text != "yes" {
			t.Errorf("%s: got %q, %+v, %v; want %+v", tt.usage, got.Text, got.Usage, err, tt.want)
		}
	}
}

func TestConnectionFaults(t *testing.T) {
	l := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	closed := "http://" + l.Addr().String()
	try.Do(t, l.Close())
	noHost := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
	})}
	for _, tt := range []struct {
		c    Config
		want string
	}{
		{Config{BaseURL: closed}, "connection refused; is the server running, and base_url right?"},
		{Config{BaseURL: "http://nowhere.invalid", Client: noHost}, "lookup nowhere.invalid: no such host; is base_url right?"},
	} {
		tt.c.Model = "m"
		_, err := mustChat(t, tt.c).Generate(t.Context(), ask("hi"))
		if e := faultOf(t, err); e.Kind != fault.Connection || !strings.HasSuffix(e.Error(), tt.want) {
			t.Errorf("got %v, want ... %s", e, tt.want)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add(200, []byte(`{"choices":[{"message":{"content":"<think>a</think>{\"a\":1}"},"logprobs":{"content":[{"token":"a","logprob":-1}]}}],"usage":{"prompt_tokens":1}}`))
	f.Add(200, []byte(`{"choices":[{"text":"b","logprobs":{"tokens":["b"],"token_logprobs":[null],"top_logprobs":[{}]}}]}`))
	f.Add(429, []byte(`[{"error":{"code":429,"details":[{"retryDelay":"1s"}]}}]`))
	f.Add(400, []byte(`{"error":"sk-test-4711/abc+def"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		s := &server{clean: redact.New(testKey), model: "m", base: "http://host"}
		if status < 100 || status > 599 {
			return
		}
		read := try.Get(httpfault.ReadBody(&http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(body))}, mostBytes(llm.Params{})))(t)
		resp := &httpfault.Response{Data: read, Status: status, Header: http.Header{}}
		if !resp.OK() {
			if e := s.refusal(resp); strings.Contains(e.Error(), testKey) || strings.Contains(e.Message, "\n") || len(e.Message) > 3000 {
				t.Errorf("fault is %q", e.Error())
			}
			return
		}
		reply, err := s.read(resp, llm.Request{Format: yesFormat, Params: llm.Params{Logprobs: true, TopLogprobs: 2}})
		if err != nil && fault.KindOf(err) == "" {
			t.Errorf("%v is no fault", err)
		}
		if err == nil && (reply.Text == "" || strings.Contains(reply.Text, testKey)) {
			t.Errorf("text is %q", reply.Text)
		}
	})
}

// With an error comes what the reply used, whatever makes it one.
func TestUsedInVain(t *testing.T) {
	const used = `"usage": {"prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 15}`
	plain := ask("Well?")
	probe := plain
	probe.Params.Logprobs = true
	for name, tt := range map[string]struct {
		status int
		body   string
		r      llm.Request
	}{
		"empty":       {200, `{"choices": [{"message": {"content": ""}, "finish_reason": "length"}], ` + used + `}`, plain},
		"refused":     {200, `{"choices": [{"message": {"refusal": "No."}}], ` + used + `}`, plain},
		"filtered":    {200, `{"choices": [{"message": {"content": "a"}, "finish_reason": "content_filter"}], ` + used + `}`, plain},
		"no logprobs": {200, `{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], ` + used + `}`, probe},
		"no choice":   {200, `{"choices": [], ` + used + `}`, plain},
		"wrong type":  {200, `{"choices": "none", ` + used + `}`, plain},
		"an error":    {500, `{"error": "after the reply", ` + used + `}`, plain},
	} {
		chat := mustChat(t, Config{BaseURL: canned(t, tt.status, nil, tt.body), Model: "m"})
		reply, err := chat.Generate(t.Context(), tt.r)
		if u := reply.Usage; err == nil || u.Calls != 1 || u.Input != 11 || u.Output != 4 {
			t.Errorf("%s: used %+v, error %v", name, u, err)
		}
	}
	e := newEmbedder(t, canned(t, 200, nil, `{"data": [], `+used+`}`), 0)
	if reply, err := e.Embed(t.Context(), embed.Request{Texts: []string{"a"}}); err == nil || reply.Tokens != 11 {
		t.Errorf("embeddings: %d tokens, error %v", reply.Tokens, err)
	}
}
