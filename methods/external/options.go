package external

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recallbench/internal/external/adapter"
	"recallbench/internal/external/gateway"
	"recallbench/methods/internal/reader"
)

// Options are the options of the method.
type Options struct {
	// Adapter is the name of a ready adapter, or the folder of another one. Its
	// adapter.yaml gives what is not set here.
	Adapter string `yaml:"adapter"`
	// Command holds the words that start the adapter. No shell reads them; words
	// that name a file beside the run file become absolute.
	Command []string `yaml:"command"`
	// URL is the address of an adapter that serves HTTP, which others have started.
	URL string `yaml:"url"`
	// MCP says which tools of an MCP server make a memory. The server is started by
	// its command.
	MCP *adapter.Mapping `yaml:"mcp,omitempty"`
	// Options are handed to the adapter unread.
	Options map[string]any `yaml:"options"`
	// Mode says who answers: search, the harness's reader from the blocks that the
	// adapter finds, or answer, the adapter itself.
	Mode Mode `yaml:"mode"`
	// K is the largest number of blocks that reach the reader.
	K int `yaml:"k"`
	// Tokens is the largest number of tokens of all blocks; 0 is no bound.
	Tokens int `yaml:"tokens"`
	// Clock says what time the adapter's libraries read: session, that of the
	// conversation, for kits that can set it, or real.
	Clock Clock `yaml:"clock"`
	// Normalise lists what is replaced in prompts before they are recorded and sent,
	// because it differs from run to run: uuid.
	Normalise []gateway.Rule `yaml:"normalise"`
	// Models says how the adapter's model calls are answered.
	Models ModelOptions `yaml:"models"`
	// Reader asks for the answer in mode search.
	Reader reader.Options `yaml:"reader"`
	// Canary bounds the wait for a memory that is not ready when finish returns.
	Canary CanaryOptions `yaml:"canary"`
	// Env names the variables that the adapter gets from the environment.
	Env []string `yaml:"env"`
	// Set holds variables with their values.
	Set map[string]string `yaml:"set"`
	// Restarts is how often a memory is built again whose process was lost.
	Restarts int `yaml:"restarts"`
	// Timeout bounds each call of the adapter; finish may take six times as long.
	// Waiting for models does not count.
	Timeout time.Duration `yaml:"timeout"`
	// Key is the credential for URL, sent as the header Authorization.
	Key adapter.Credential `yaml:"key"`
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

// Clock says what time an adapter's libraries read.
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
	// MaxTokens is the largest number of tokens of a reply, also where the memory
	// asks for more or names no bound; 0 leaves what it asks for. A small model may
	// repeat itself until its context is full.
	MaxTokens int `yaml:"max_tokens"`
}

// CanaryOptions say how readiness is checked before the first request: by searching
// for turns of the conversation.
type CanaryOptions struct {
	// Within is how long the memory gets until something is found.
	Within time.Duration `yaml:"within"`
}

// canaryTurns is the number of turns that are searched for.
const canaryTurns = 3

// How long an adapter gets to start, and to close a memory.
const (
	startTimeout = 2 * time.Minute
	closeTimeout = 30 * time.Second
)

// Defaults are the options where nothing is set.
func Defaults() Options {
	return Options{
		Mode: Search, K: 20, Clock: SessionClock,
		Reader: reader.Defaults(), Canary: CanaryOptions{Within: 2 * time.Minute},
		Restarts: 2, Timeout: 10 * time.Minute,
	}
}

// Validate reports all that is wrong with the options.
func (o Options) Validate() error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	if o.MCP != nil {
		need(len(o.Command) == 0 && o.URL == "", "mcp stands beside command or url, want one of them")
		faults = append(faults, o.MCP.Validate())
		need(o.Mode != Answer, "mode is answer, which an MCP server cannot do; want search")
	}
	need(o.Adapter != "" || len(o.Command) > 0 || o.URL != "" || o.MCP != nil, "no adapter: want adapter, command, url or mcp")
	need(len(o.Command) == 0 || o.URL == "", "url stands beside command, want one of them")
	if o.URL != "" {
		faults = append(faults, adapter.CheckURL(o.URL))
	}
	for i, word := range o.Command {
		need(word != "", "command[%d] is empty", i)
	}
	need(o.K >= 1, "k is %d, want at least 1", o.K)
	need(o.Tokens >= 0, "tokens is %d, want 0 or more", o.Tokens)
	need(o.Restarts >= 0, "restarts is %d, want 0 or more", o.Restarts)
	need(o.Canary.Within >= 0, "canary.within is %s, want 0 or more", o.Canary.Within)
	need(o.Models.MaxTokens >= 0, "models.max_tokens is %d, want 0 or more", o.Models.MaxTokens)
	for _, name := range slices.Concat(o.Env, slices.Sorted(maps.Keys(o.Set))) {
		need(name != "" && !strings.ContainsAny(name, "= "), "env: %q is no name of a variable", name)
		need(!passes(name), "env: %s would let the adapter call models past the harness", name)
	}
	need(o.Timeout > 0, "timeout is %s, want more than 0", o.Timeout)
	return errors.Join(faults...)
}

// passes reports whether a variable is likely to let calls go past the harness.
func passes(name string) bool {
	upper := strings.ToUpper(name)
	return strings.HasPrefix(upper, "OPENAI_") || strings.HasSuffix(upper, "_API_KEY") || strings.HasSuffix(upper, "_TOKEN") || strings.HasSuffix(upper, "_SECRET")
}
