package external

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"recallbench/internal/backend"
	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/external/adapter"
	"recallbench/internal/external/gateway"
	"recallbench/methods/internal/reader"
)

// Options are the options of the method.
type Options struct {
	// Adapter is the name of a ready adapter, or the folder of another one. Its
	// adapter.yaml supplies what is not set here.
	Adapter string `yaml:"adapter"`
	// Command has the words that start the adapter, without a shell; words that
	// name a file next to the run file become absolute.
	Command []string `yaml:"command"`
	// URL is the address of an HTTP adapter that is already running.
	URL string `yaml:"url"`
	// MCP names the tools of an MCP server that make a memory. The server is
	// started by its command.
	MCP *adapter.Mapping `yaml:"mcp,omitempty"`
	// Options are passed to the adapter unread.
	Options map[string]any `yaml:"options"`
	// Mode says who answers: search, the harness's reader from the blocks that the
	// adapter finds; or answer, the adapter itself.
	Mode Mode `yaml:"mode"`
	// K is the largest number of blocks that reach the reader.
	K int `yaml:"k"`
	// Tokens is the largest number of tokens of all blocks; 0 is unlimited.
	Tokens int `yaml:"tokens"`
	// Clock says which time the adapter's libraries read: session, that of the
	// conversation, for kits that can set it, or real.
	Clock Clock `yaml:"clock"`
	// Normalise lists what to replace in prompts before they are recorded and sent
	// because it differs from run to run: uuid.
	Normalise []gateway.Rule `yaml:"normalise"`
	// Models says how the adapter's model calls are answered.
	Models ModelOptions `yaml:"models"`
	// Reader configures the reader in mode search.
	Reader reader.Options `yaml:"reader"`
	// Canary limits the wait for a memory that is not ready when finish returns.
	Canary CanaryOptions `yaml:"canary"`
	// Env names the environment variables to pass to the adapter.
	Env []string `yaml:"env"`
	// Set has variables with their values.
	Set map[string]string `yaml:"set"`
	// Restarts is how often a memory is rebuilt after its process was lost.
	Restarts int `yaml:"restarts"`
	// Timeout limits each call of the adapter; finish may take six times as long.
	// Waiting for models does not count.
	Timeout time.Duration `yaml:"timeout"`
	// Key is the credential for URL, sent as the header Authorization.
	Key backend.Key `yaml:"key"`
}

// Mode says who answers.
type Mode string

// The modes.
const (
	Search Mode = "search"
	Answer Mode = "answer"
)

// Values lists the modes.
func (Mode) Values() []string { return []string{string(Search), string(Answer)} }

// Clock says which time an adapter's libraries read.
type Clock string

// The clocks.
const (
	SessionClock Clock = "session"
	RealClock    Clock = "real"
)

// Values lists the clocks.
func (Clock) Values() []string { return []string{string(SessionClock), string(RealClock)} }

// ModelOptions say how an adapter's model calls are answered.
type ModelOptions struct {
	// MaxTokens is the largest number of tokens of a reply, even if the memory asks
	// for more or sets no limit; 0 leaves the memory's own limit. A small model may
	// repeat itself until its context is full.
	MaxTokens int `yaml:"max_tokens"`
}

// CanaryOptions say how readiness is checked before the first question: by
// searching for turns of the conversation.
type CanaryOptions struct {
	// Within is how long the memory may take until something is found.
	Within time.Duration `yaml:"within"`
}

// canaryTurns is the number of turns that are searched for.
const canaryTurns = 3

// Time limits for an adapter to start, and to close a memory.
const (
	startTimeout = 2 * time.Minute
	closeTimeout = 30 * time.Second
)

// Defaults are the options that are used if nothing is set.
func Defaults() Options {
	return Options{
		Mode: Search, K: 20, Clock: SessionClock,
		Reader: reader.Defaults(), Canary: CanaryOptions{Within: 2 * time.Minute},
		Restarts: 2, Timeout: 10 * time.Minute,
	}
}

// Validate reports everything that is wrong with the options.
func (o Options) Validate() error {
	var faults fault.List
	if o.MCP != nil {
		faults.Want(len(o.Command) == 0 && o.URL == "", "mcp is set together with command or url, want one of them")
		faults = append(faults, o.MCP.Validate())
		faults.Want(o.Mode != Answer, "mode is answer, which an MCP server does not support; want search")
	}
	faults.Want(o.Adapter != "" || len(o.Command) > 0 || o.URL != "" || o.MCP != nil, "no adapter: want adapter, command, url or mcp")
	faults.Want(len(o.Command) == 0 || o.URL == "", "url is set together with command, want one of them")
	if o.URL != "" {
		err := httpfault.CheckAddress(o.URL)
		faults.Want(err == nil, "url %w", err)
	}
	for i, word := range o.Command {
		faults.Want(word != "", "command[%d] is empty", i)
	}
	faults.Want(o.K >= 1, "k is %d, want at least 1", o.K)
	faults.Want(o.Tokens >= 0, "tokens is %d, want 0 or more", o.Tokens)
	faults.Want(o.Restarts >= 0, "restarts is %d, want 0 or more", o.Restarts)
	faults.Want(o.Canary.Within >= 0, "canary.within is %s, want 0 or more", o.Canary.Within)
	faults.Want(o.Models.MaxTokens >= 0, "models.max_tokens is %d, want 0 or more", o.Models.MaxTokens)
	for _, name := range slices.Concat(o.Env, slices.Sorted(maps.Keys(o.Set))) {
		faults.Want(name != "" && !strings.ContainsAny(name, "= "), "env: %q is not the name of a variable", name)
		faults.Want(!passes(name), "env: %s would let the adapter call models without the harness", name)
	}
	faults.Want(o.Timeout > 0, "timeout is %s, want more than 0", o.Timeout)
	return errors.Join(faults...)
}

// passes reports whether a variable is likely to let calls bypass the harness.
func passes(name string) bool {
	upper := strings.ToUpper(name)
	return strings.HasPrefix(upper, "OPENAI_") || strings.HasSuffix(upper, "_API_KEY") || strings.HasSuffix(upper, "_TOKEN") || strings.HasSuffix(upper, "_SECRET")
}
