package external

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/gateway"
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
	// URL is the address of an adapter that serves HTTP. With Command too, the
	// command starts that service.
	URL string `yaml:"url"`
	// MCP says which tools of an MCP server make a memory. The server is started by
	// its command, or reached by URL over streamable HTTP.
	MCP *adapter.Mapping `yaml:"mcp,omitempty"`
	// Files are hashed into the identity of results: an adapter that changed is
	// another one. Empty takes the words of Command that are files.
	Files []string `yaml:"files"`
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
	// Normalise replaces in prompts what differs from run to run, before they
	// are recorded and sent: uuid, epoch, today, or {match: EXPRESSION, as: TEXT}.
	Normalise []gateway.Rule `yaml:"normalise"`
	// Models says how the adapter's model calls are answered.
	Models ModelOptions `yaml:"models"`
	// Reader asks for the answer in mode search.
	Reader reader.Options `yaml:"reader"`
	// Canary searches for turns of the conversation before the first request.
	Canary CanaryOptions `yaml:"canary"`
	// Process says how many memories a process holds: memory, one, or shared, as
	// many as the adapter declares.
	Process Sharing `yaml:"process"`
	// Queries is the largest number of requests of one memory at once, within what
	// the adapter declares.
	Queries int `yaml:"queries"`
	// Env names the variables that the adapter gets from the environment.
	Env []string `yaml:"env"`
	// Set holds variables with their values.
	Set map[string]string `yaml:"set"`
	// Network says what happens to connections that the adapter makes past the
	// harness, as far as its libraries heed a proxy: deny, report or allow.
	// A replay denies them.
	Network Network `yaml:"network"`
	// Restarts is how often a memory is built again whose process was lost.
	Restarts int `yaml:"restarts"`
	// Timeouts bound the calls of the adapter. What it waits for models does not
	// count.
	Timeouts Timeouts `yaml:"timeouts"`
	// Key is the credential for URL.
	Key adapter.Credential `yaml:"key"`
	// Dump writes what each memory holds, where the adapter can tell, to the folder
	// adapters of the run: one item a line.
	Dump bool `yaml:"dump"`
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

// Sharing says how many memories a process holds.
type Sharing string

// The ways to share processes.
const (
	OneMemory Sharing = "memory"
	Shared    Sharing = "shared"
)

// Values lists the ways to share processes.
func (Sharing) Values() []string { return []string{string(OneMemory), string(Shared)} }

// Network says what happens to connections past the harness.
type Network string

// Values lists what can happen.
func (Network) Values() []string {
	return []string{string(gateway.Deny), string(gateway.Report), string(gateway.Allow)}
}

// ModelOptions say how an adapter's model calls are answered.
type ModelOptions struct {
	// Dimensions is the length that vectors are padded to; 0 leaves them.
	Dimensions int `yaml:"dimensions"`
	// MaxTokens is the largest number of tokens of a reply, also where the memory
	// asks for more or names no bound; 0 leaves what it asks for. A small model may
	// repeat itself until its context is full.
	MaxTokens int `yaml:"max_tokens"`
	// Tolerate lists the kinds of errors of models after which an adapter may go
	// on. After others the request fails, whatever the adapter makes of them.
	Tolerate []string `yaml:"tolerate"`
}

// CanaryOptions say how readiness is checked before the first request.
type CanaryOptions struct {
	// Queries is the number of turns that are searched for; 0 turns the check off.
	Queries int `yaml:"queries"`
	// Within is how long the memory gets until something is found.
	Within time.Duration `yaml:"within"`
}

// Timeouts bound the calls of an adapter.
type Timeouts struct {
	// Start bounds the start of a process until it has said what it is.
	Start time.Duration `yaml:"start"`
	// Add bounds the adding of a session.
	Add time.Duration `yaml:"add"`
	// Finish bounds what comes after the last session.
	Finish time.Duration `yaml:"finish"`
	// Search bounds a search.
	Search time.Duration `yaml:"search"`
	// Answer bounds an answer.
	Answer time.Duration `yaml:"answer"`
	// Close bounds the closing of a memory.
	Close time.Duration `yaml:"close"`
}

// Defaults are the options where nothing is set.
func Defaults() Options {
	return Options{
		Mode: Search, K: 20, Clock: SessionClock,
		Models: ModelOptions{Tolerate: kindNames(gateway.Tolerated())},
		Reader: reader.Defaults(), Canary: CanaryOptions{Queries: 3, Within: 2 * time.Minute},
		Process: OneMemory, Queries: 1, Network: Network(gateway.Report), Restarts: 2,
		Timeouts: Timeouts{Start: 2 * time.Minute, Add: 10 * time.Minute, Finish: time.Hour, Search: 5 * time.Minute, Answer: 10 * time.Minute, Close: 30 * time.Second},
		Key:      adapter.Credential{Header: "Authorization"},
	}
}

func kindNames(kinds []fault.Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return names
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
		need(len(o.Command) == 0, "mcp stands beside command, want one of them")
		need((len(o.MCP.Command) == 0) != (o.URL == ""), "mcp: want either mcp.command, which starts the server, or url, which reaches one")
		faults = append(faults, o.MCP.Validate())
		if o.URL != "" {
			faults = append(faults, o.MCP.Apart())
		}
		need(o.Mode != Answer, "mode is answer, which an MCP server cannot do; want search")
	}
	need(o.Adapter != "" || len(o.Command) > 0 || o.URL != "" || o.MCP != nil, "no adapter: want adapter, command, url or mcp")
	if o.URL != "" {
		faults = append(faults, adapter.CheckURL(o.URL))
	}
	for i, word := range o.Command {
		need(word != "", "command[%d] is empty", i)
	}
	need(o.K >= 1, "k is %d, want at least 1", o.K)
	need(o.Tokens >= 0, "tokens is %d, want 0 or more", o.Tokens)
	need(o.Queries >= 1, "queries is %d, want at least 1", o.Queries)
	need(o.Restarts >= 0, "restarts is %d, want 0 or more", o.Restarts)
	need(o.Canary.Queries >= 0 && o.Canary.Within >= 0, "canary: queries and within are 0 or more")
	need(o.Models.Dimensions >= 0, "models.dimensions is %d, want 0 or more", o.Models.Dimensions)
	need(o.Models.MaxTokens >= 0, "models.max_tokens is %d, want 0 or more", o.Models.MaxTokens)
	need(len(o.Normalise) <= 16, "normalise has %d rules, want at most 16", len(o.Normalise))
	for _, name := range o.Models.Tolerate {
		kind := fault.Kind(name)
		need(!kind.Stops() && (kind.Passes() || slices.Contains([]fault.Kind{fault.Rejected, fault.Refused, fault.Empty, fault.TooLong, fault.Schema}, kind)),
			"models.tolerate: %q is no kind of error that a model call can survive; have rejected, refused, empty, schema, rate-limit, server, timeout, connection, bad-reply", name)
	}
	for _, name := range slices.Concat(o.Env, slices.Sorted(maps.Keys(o.Set))) {
		need(name != "" && !strings.ContainsAny(name, "= "), "env: %q is no name of a variable", name)
		need(!passes(name), "env: %s would let the adapter call models past the harness", name)
	}
	t := o.Timeouts
	for _, d := range []time.Duration{t.Start, t.Add, t.Finish, t.Search, t.Answer, t.Close} {
		need(d > 0, "timeouts: %s is no time to wait", d)
	}
	return errors.Join(faults...)
}

// serves reports whether the adapter is a service that others have started.
func (o Options) serves() bool { return o.URL != "" && len(o.Command) == 0 }

// passes reports whether a variable is likely to let calls go past the harness.
func passes(name string) bool {
	upper := strings.ToUpper(name)
	return strings.HasPrefix(upper, "OPENAI_") || strings.HasSuffix(upper, "_API_KEY") || strings.HasSuffix(upper, "_TOKEN") || strings.HasSuffix(upper, "_SECRET")
}
