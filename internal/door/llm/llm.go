// Package llm is the one door to chat models.
//
// A method describes a call as a [Request]: the rendered messages and the form of the
// reply. Metering, limits, retries and recording wrap a [Generator]; a method sees none
// of them.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// A Role is the author of a message in a chat.
type Role string

// The roles of chat messages.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Message is one message of a chat.
type Message struct {
	Role    Role
	Content string
}

// Params are the sampling parameters of a request. A nil pointer leaves the
// choice to the server. Their JSON is part of the keys of recordings, and so is that of
// [Format] and [Wire].
type Params struct {
	Temperature *float64 `json:"temperature,omitempty"` // 0 is greedy
	MaxTokens   int      `json:"max_tokens,omitempty"`  // largest number of tokens to generate; 0 is the server's own limit
	Seed        *int64   `json:"seed,omitempty"`
	// Logprobs asks for the log-probability of each sampled token, and
	// TopLogprobs for that many of the likeliest tokens in its place, from 0 to
	// 20.
	Logprobs    bool `json:"logprobs,omitempty"`
	TopLogprobs int  `json:"top_logprobs,omitempty"`
}

// A Format asks for a reply that is one JSON object. [JSON] asks for one and
// checks it.
type Format struct {
	Name string `json:"name,omitempty"` // letters, digits, hyphens and underscores
	// Schema is a JSON Schema of an object, in which every property is required and no
	// other allowed.
	Schema json.RawMessage `json:"schema,omitempty"`
}

// A Request is one call of a model.
type Request struct {
	// Role names the purpose of the call, such as "reader" or "judge". Usage is
	// reported by role.
	Role     string
	Messages []Message
	Params   Params
	// Format asks for JSON; nil asks for text.
	Format *Format
	// Plain asks for the likeliest continuation of the messages' contents without a chat
	// template, if the server supports that.
	Plain bool
	// Prefix is the number of bytes that the joined contents of the messages
	// share with those of the request's other calls. It changes no reply: the
	// paper's accounting counts shared text once.
	Prefix int
	// Repeat distinguishes calls that are otherwise equal but meant to be sampled anew.
	Repeat int
	// Wire is set if a program outside made the request; it has what the other
	// fields cannot express.
	Wire *Wire
}

// A Wire is what a request from outside has in addition to messages and parameters.
type Wire struct {
	// Rest is a JSON object of the other members of its body, such as tools: keys
	// sorted, no white space, numbers as written.
	Rest json.RawMessage `json:"rest,omitempty"`
	// Raw lists the messages, by index, that are more than a role and a text. Their
	// Content is the JSON object of everything except the role, in the form of
	// Rest.
	Raw []int `json:"raw,omitempty"`
}

// Usage counts the tokens of calls. Counted is set if they were counted here
// from the text instead of reported by a provider.
type Usage struct {
	Calls     int  `json:"calls"`
	Input     int  `json:"input"`
	Cached    int  `json:"cached,omitzero"`
	Output    int  `json:"output"`
	Reasoning int  `json:"reasoning,omitzero"`
	Counted   bool `json:"counted,omitzero"`
}

// Add returns the sum of u and v. The sum is Counted if either part is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Calls:     u.Calls + v.Calls,
		Input:     u.Input + v.Input,
		Cached:    u.Cached + v.Cached,
		Output:    u.Output + v.Output,
		Reasoning: u.Reasoning + v.Reasoning,
		Counted:   u.Counted || v.Counted,
	}
}

// Total is the number of tokens read and written.
func (u Usage) Total() int { return u.Input + u.Output }

// A Logprob is a token with its natural log-probability.
type Logprob struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
	// Top has the likeliest tokens in this place, the likeliest first, as many as
	// requested. Theirs is empty.
	Top []Logprob `json:"top,omitempty"`
}

// Weights precedes, in a fingerprint, the server's description of the loaded
// weights.
const Weights = "; weights: "

// A Reply is what a model returned.
type Reply struct {
	Text string
	// Finish says why generation ended: "stop" or "length", or the server's
	// own word.
	Finish string
	// Model is the model that served the request, which may differ from the requested
	// one.
	Model string
	// Fingerprint is the server's name for its configuration; empty if it gives
	// none.
	Fingerprint string
	// Usage is what the provider reported. Its Calls is 0 if the provider reported
	// nothing; the meter then counts from the text.
	Usage    Usage
	Logprobs []Logprob
	// Attempts is how often the call was tried; 0 counts as 1.
	Attempts int
	// Took is how long the server worked on the successful attempt, without earlier
	// waiting, such as in a queue. 0 if nobody measured it.
	Took time.Duration
	// Call identifies the recording of this call; empty if none was made.
	Call string
	// Reused is set if the reply is a recorded one, so that nothing was paid
	// for it now.
	Reused bool
	// Recorded is when the reply was recorded; zero if it was not.
	Recorded time.Time
	// Wire is the list of choices as the server sent it, JSON, if the request
	// has a Wire. A reply that calls a tool may have no Text.
	Wire json.RawMessage
}

// Written is what the model wrote: the text or, if there is none, the choices.
func (r Reply) Written() string {
	if r.Text == "" {
		return string(r.Wire)
	}
	return r.Text
}

// A Generator answers requests. It is safe for concurrent use.
type Generator interface {
	Generate(ctx context.Context, r Request) (Reply, error)
}

// A GeneratorFunc is a function that serves as a [Generator].
type GeneratorFunc func(ctx context.Context, r Request) (Reply, error)

// Generate calls f.
func (f GeneratorFunc) Generate(ctx context.Context, r Request) (Reply, error) { return f(ctx, r) }

// Echo returns a Generator that answers each request with the content of its
// last message. It is a fake for tests.
func Echo() Generator {
	return GeneratorFunc(func(_ context.Context, r Request) (Reply, error) {
		var text string
		if n := len(r.Messages); n > 0 {
			text = r.Messages[n-1].Content
		}
		return Reply{Text: text, Finish: "stop", Model: "echo"}, nil
	})
}
