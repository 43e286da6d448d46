package openai

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// Config says where a server is and what its model takes.
type Config struct {
	// BaseURL is the address before /chat/completions, such as
	// https://api.openai.com/v1. It holds neither user nor query: a key belongs
	// into Key.
	BaseURL string
	// Key is sent as bearer token; empty for a server without keys. It is replaced by
	// [key] wherever a server echoes it. Shorter than four bytes, or a single word
	// such as "ollama" or "EMPTY" for servers without keys, it stays: replacing that
	// would spoil replies.
	Key string
	// Model is the name of the model as the server knows it.
	Model  string
	Quirks Quirks
	// Client sends the requests; nil makes one whose pool of idle connections
	// fits 256 calls in flight. Redirects are never followed, so that no key
	// and no prompt reaches another server.
	Client *http.Client
}

// Quirks say how a server or a model departs from OpenAI's interface. The zero
// value has none.
type Quirks struct {
	// Omit lists parameters never to send. Without response_format a JSON reply is asked
	// for by the prompt, as it is once a server has refused a JSON Schema.
	Omit []string
	// MaxTokens is the field that bounds the reply: "max_tokens", the default,
	// or "max_completion_tokens".
	MaxTokens string
	// System is how system messages are sent: "system", the default,
	// "developer", or "user" for models without a system role, which put them
	// before the first user message.
	System string
	// ReasoningEffort is sent when it is not empty.
	ReasoningEffort string
	// Extra is a JSON object of further keys of the body, such as
	// {"top_p": 0.9} or {"chat_template_kwargs": {"enable_thinking": false}}.
	Extra json.RawMessage
	// Completions says that the server has /completions, so that requests with
	// Plain go there.
	Completions bool
}

// The types of response_format.
const (
	formatSchema = "json_schema"
	formatObject = "json_object"
)

const (
	maxCompletionTokens = "max_completion_tokens"
	topLogprobs         = "top_logprobs"
)

// withDefaults names the choices that are left open.
func (q Quirks) withDefaults() Quirks {
	q.MaxTokens, q.System = cmp.Or(q.MaxTokens, "max_tokens"), cmp.Or(q.System, "system")
	return q
}
