// Package openai talks to model servers with OpenAI's HTTP interface: OpenAI
// itself, Gemini's compatible endpoint, vLLM, Ollama, llama.cpp, OpenRouter and
// others.
//
// [Chat] implements llm.Generator and [Embedder] embed.Embedder. Each call is
// one request: limits, retries and recordings wrap them. [Quirks] describe how
// servers and models differ, so that no name of a model is in the code.
//
// Bodies are written here and replies read here: compatible servers leave out,
// rename and add fields, and a reply must be bounded before it is read.
//
// A failed call is a *fault.Error; a canceled one is the error of its context.
//
// The key never appears in a reply or an error, even if the server echoes it.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// Config describes a server and what its model accepts.
type Config struct {
	// BaseURL is the address before /chat/completions, such as
	// https://api.openai.com/v1. It contains neither user nor query: a key
	// belongs in Key.
	BaseURL string
	// Key is sent as a bearer token; empty for a server without keys. It is replaced
	// by [key] wherever a server echoes it. A key shorter than four bytes, or a
	// single word such as "ollama" or "EMPTY" for servers without keys, is not:
	// replacing it would spoil replies.
	Key string
	// Model is the server's name of the model.
	Model  string
	Quirks Quirks
	// Client sends the requests; nil makes one whose pool of idle connections
	// fits 256 calls in flight. Redirects are never followed, so that no key
	// and no prompt reaches another server.
	Client *http.Client
}

// Quirks are the options by which a server or a model departs from OpenAI's interface. The
// zero value has none.
type Quirks struct {
	// Completions says that the server of a chat model also has /completions,
	// which is used if a method asks for a plain continuation.
	Completions bool `yaml:"completions"`
	// System says how a system message is sent: as system, developer or user.
	System System `yaml:"system"`
	// MaxTokensField is the name of the limit on a reply's length: max_tokens,
	// or max_completion_tokens, which OpenAI's reasoning models require.
	MaxTokensField MaxTokensField `yaml:"max_tokens_field"`
	// ReasoningEffort is sent if it is not empty: none, minimal, low, medium, high, or
	// another value that the server knows.
	ReasoningEffort string `yaml:"reasoning_effort"`
	// Omit lists parameters that are never sent because the model rejects them:
	// temperature, seed, max_tokens, logprobs, top_logprobs, and response_format, without
	// which the prompt asks for JSON.
	Omit []Parameter `yaml:"omit"`
	// Extra has further keys of the request as a JSON object, such as '{"top_p": 0.9}'.
	Extra string `yaml:"extra"`
}

// A System is a way to send a system message. For user, it is put before the first user
// message.
type System string

// Values lists the choices.
func (System) Values() []string { return []string{"system", "developer", "user"} }

// A MaxTokensField is a name of the bound of a reply's length.
type MaxTokensField string

// Values lists the choices.
func (MaxTokensField) Values() []string { return []string{"max_tokens", maxCompletionTokens} }

// A Parameter is a parameter of a request that a model may refuse.
type Parameter string

// Values lists the choices.
func (Parameter) Values() []string {
	return []string{"temperature", "seed", "max_tokens", "logprobs", topLogprobs, responseFormat}
}

const (
	maxCompletionTokens = "max_completion_tokens"
	topLogprobs         = "top_logprobs"
	responseFormat      = "response_format"
)

// ours are the keys of a body that are set from elsewhere, and those that
// would make the reply another thing than what is read.
var ours = []string{
	"model", "messages", "prompt", "input", "temperature", "seed", "max_tokens", maxCompletionTokens,
	"logprobs", topLogprobs, responseFormat, "reasoning_effort", "dimensions", "encoding_format",
	"stream", "stream_options", "n", "echo",
}

// ParseExtra reads further keys of a body from a JSON object, such as {"top_p": 0.9}
// or {"chat_template_kwargs": {"enable_thinking": false}}; none from an empty text.
// Keys that are set elsewhere are rejected.
func ParseExtra(text string) (map[string]any, error) {
	if text == "" {
		return nil, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var object map[string]any
	err := dec.Decode(&object)
	if _, end := dec.Token(); err != nil || object == nil || !errors.Is(end, io.EOF) {
		return nil, errors.New(`extra: not a JSON object; want one such as {"top_p": 0.9}`)
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(object)) {
		// Some servers match names whatever their case.
		if slices.ContainsFunc(ours, func(s string) bool { return strings.EqualFold(s, name) }) {
			faults = append(faults, fmt.Errorf("extra: %q is set by the program or would change the form of the reply", name))
		}
	}
	return object, errors.Join(faults...)
}

// A server is where requests of one model go.
type server struct {
	http   *httpfault.Client
	clean  *redact.Redactor
	base   string // the address, for messages
	model  string
	hasKey bool
	extra  map[string]any
	// length is how many tokens the model takes, where a list of models has said so.
	length atomic.Int64
	// weights says which weights the server has loaded, where it does; else nil.
	weights atomic.Pointer[string]
}

func newServer(c Config) (*server, error) {
	client, err := httpfault.NewClient(c.BaseURL, c.Key, c.Client)
	if err != nil {
		return nil, err
	}
	s := &server{http: client, clean: client.Redactor(), model: c.Model, hasKey: c.Key != ""}
	s.base = s.clean.Name(strings.TrimSuffix(c.BaseURL, "/"))
	s.extra, err = ParseExtra(c.Quirks.Extra)
	return s, err
}

// post sends a body with the further keys, and reads a reply of at most so many bytes.
// Its error is that of the way to the server and back; a reply that reports an error is
// for [server.refusal].
func (s *server) post(ctx context.Context, path string, body map[string]any, most int) (*httpfault.Response, error) {
	maps.Copy(body, s.extra)
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, s.bad(fault.Rejected, "the request has no form in JSON: %v", err)
	}
	return s.send(ctx, httpfault.Request{Path: path, Body: bytes.TrimSpace(data.Bytes()), Most: most})
}

func (s *server) send(ctx context.Context, r httpfault.Request) (*httpfault.Response, error) {
	resp, err := s.http.Send(ctx, r)
	// A canceled call has another error, whose cause may well be a fault.
	if e, ok := err.(*fault.Error); ok { //nolint:errorlint // not one that is wrapped
		lost := s.explain(e)
		lost.Remedy = cmp.Or(e.Remedy, remedyOfLost(err))
		return nil, lost
	}
	return resp, err
}

// remedyOfLost says what would be right where the server was not reached.
func remedyOfLost(err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "is the server running, and base_url right?"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "is base_url right?"
	}
	return ""
}

// decode reads the JSON of a response.
func (s *server) decode(resp *httpfault.Response, v any, what string) error {
	if e := resp.Decode(v, what, s.clean); e != nil {
		return s.explain(e)
	}
	return nil
}

// refusal returns the fault that a reply with a status of no success reports.
func (s *server) refusal(r *httpfault.Response) *fault.Error {
	if r.Status < 400 {
		message := "the server replied only with the status " + strconv.Itoa(r.Status)
		if to, _, _ := strings.Cut(s.clean.Line(r.Header.Get("Location")), "?"); to != "" {
			message = "the server redirects the request to " + to + ", which must not get the key"
		}
		return s.explain(&fault.Error{Kind: fault.NoModel, Status: r.Status, Message: message, Remedy: "is base_url right?"})
	}
	e := httpfault.FromResponse(r.Status, r.Header, []byte(s.clean.Text(string(r.Data))), s.clean)
	e.Message = s.clean.Line(e.Message) // a body's strings may hold escapes of their own
	s.refine(e, httpfault.ReadComplaint(r.Data))
	return s.explain(e)
}

// bad returns the fault of a reply that is not what it should be.
func (s *server) bad(kind fault.Kind, format string, args ...any) *fault.Error {
	return s.explain(&fault.Error{Kind: kind, Message: s.clean.Line(fmt.Sprintf(format, args...))})
}

// garbled is bad for a reply that is shown.
func (s *server) garbled(resp *httpfault.Response, format string, args ...any) *fault.Error {
	return s.explain(resp.Garbled(s.clean, format, args...))
}

// explain returns e with what was asked of whom before its message.
func (s *server) explain(e *fault.Error) *fault.Error {
	explained := *e // which may be the cause of a context that others share
	explained.Message = "model " + strconv.Quote(s.model) + " at " + s.base + ": " + e.Message
	return &explained
}
