// Package external measures memories that are not Go code of this repository: an
// adapter (a child process, an HTTP service or an MCP server) that speaks
// recallbench-memory/1 is the memory.
//
// The harness trusts no number from an adapter: tokens, dollars, time, k and the
// token budget are the harness's own, and every model call of the adapter goes
// through the run's models by way of package gateway. Nothing that would give an
// answer away crosses the wire: ids are derived from content, and questions come
// in the order of these ids. docs/adapters.md is the guide for authors.
package external

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"recallbench/adapters"
	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/door/fault"
	"recallbench/internal/external/adapter"
	"recallbench/internal/external/gateway"
	"recallbench/internal/external/wire"
	"recallbench/methods"
	"recallbench/methods/internal/reader"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:     "external",
	Doc:      "any memory system, as a program that speaks recallbench-memory/1, over HTTP, or as an MCP server",
	Source:   "this project; docs/adapters.md",
	Options:  Defaults(),
	Ingests:  methods.Conversations,
	Prompts:  reader.Prompts(),
	Identity: identity,
	Kept:     kept,
	New:      newMethod,
}

type method struct {
	o       Options
	env     methods.Env
	source  adapters.Source // of the adapter's files, if it has a manifest
	command []string
	info    wire.InitializeResult
	reader  reader.Reader

	mu   sync.Mutex
	gate *gateway.Server // nil before the first memory

	dimensionsMu sync.Mutex
	dimensions   int // of vectors, if the embedder does not report it; 0 is unknown

	inARow atomic.Int32
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	given := options.(Options)
	o := given
	if o.Mode == Search && env.LLM == nil {
		return nil, errors.New("the model entry has no language model, which the reader needs")
	}
	o, source, err := withManifest(env, o)
	if err != nil {
		return nil, err
	}
	m := &method{o: o, env: env, source: source}
	if o.Mode == Search {
		if m.reader, err = reader.New(env, o.Reader); err != nil {
			return nil, err
		}
	}
	if m.command, err = m.resolve(); err != nil {
		return nil, err
	}
	if m.info, err = m.probe(given); err != nil {
		return nil, err
	}
	c := m.info.Capabilities
	switch {
	case o.Mode == Search && !c.Search:
		err = errors.New("mode is search, which the adapter does not support; want answer")
	case o.Mode == Answer && !c.Answer:
		err = errors.New("mode is answer, which the adapter does not support; want search")
	}
	return m, err
}

// withManifest fills in options that are not set from the manifest of a ready
// adapter.
func withManifest(env methods.Env, o Options) (Options, adapters.Source, error) {
	if o.Adapter == "" {
		return o, adapters.Source{}, nil
	}
	a, err := adapters.Open(o.Adapter, env.Base)
	if err != nil {
		return o, a, err
	}
	d := Defaults()
	if len(o.Command) == 0 && o.URL == "" && o.MCP == nil {
		o.Command, o.URL, o.MCP = a.Command, a.URL, a.MCP
	}
	if len(o.Env) == 0 {
		o.Env = a.Env
	}
	set := make(map[string]string)
	maps.Copy(set, a.Set)
	maps.Copy(set, o.Set)
	o.Set = set
	if o.Clock == d.Clock && a.Clock != "" {
		o.Clock = Clock(a.Clock)
	}
	if len(o.Normalise) == 0 {
		o.Normalise = a.Normalise
	}
	return o, a, o.Validate()
}

// resolve makes file names in the command absolute.
func (m *method) resolve() ([]string, error) {
	words := slices.Clone(m.o.Command)
	if m.o.MCP != nil {
		words = slices.Clone(m.o.MCP.Command)
	}
	if len(words) == 0 {
		return nil, nil
	}
	words = m.source.Words(words, m.source.Dir) // those of a ready adapter are found when it starts
	base, err := filepath.Abs(m.env.Base)
	if err != nil {
		return nil, err
	}
	words = append(words[:1], adapters.Source{Dir: base}.Words(words[1:], base)...)
	words[0], err = adapter.Look(m.env.Base, m.software().Program(words[0]))
	if err != nil && len(m.source.Install) > 0 {
		err = fmt.Errorf("%w; to install adapter %s: %s", err, m.o.Adapter, strings.Join(m.source.Install, "; "))
	}
	return words, err
}

// software is where the software of an adapter with a manifest is installed.
func (m *method) software() adapters.Software {
	return adapters.FindSoftware(m.source.Name, m.variable)
}

// An origin is the part of the options that a memory is built from: the adapter
// and its input.
type origin struct {
	Adapter string            `yaml:"adapter"`
	Command []string          `yaml:"command"`
	URL     string            `yaml:"url"`
	MCP     *adapter.Mapping  `yaml:"mcp,omitempty"`
	Files   map[string]string `yaml:"files"`
	Options map[string]any    `yaml:"options"`
	Clock   Clock             `yaml:"clock"`
	Rules   []gateway.Rule    `yaml:"normalise"`
	Models  ModelOptions      `yaml:"models"`
	Adapted string            `yaml:"adapted"` // its self-description
}

func originOf(env methods.Env, o Options) origin {
	info, _ := probed(env, o) // one that New has not made says nothing
	return origin{
		o.Adapter, o.Command, o.URL, o.MCP, fileSums(env, o), o.Options, o.Clock, o.Normalise, o.Models,
		described(info),
	}
}

// identity is the part of the options that answers depend on: what a memory is
// built from, and how its blocks are read.
func identity(env methods.Env, options any) any {
	o := options.(Options)
	return struct {
		origin `yaml:",inline"`
		Mode   Mode           `yaml:"mode"`
		K      int            `yaml:"k"`
		Tokens int            `yaml:"tokens"`
		Reader reader.Options `yaml:"reader"`
	}{originOf(env, o), o.Mode, o.K, o.Tokens, o.Reader}
}

// kept says what a snapshot depends on; nil if the adapter makes none. A service
// that bench did not start may not see the files of this machine.
func kept(env methods.Env, options any) *methods.Kept {
	o := options.(Options)
	info, ok := probed(env, o)
	if !ok || !info.Capabilities.Snapshot || o.URL != "" {
		return nil
	}
	return &methods.Kept{Options: originOf(env, o), Roles: []string{gateway.RoleExternal}, Embeddings: true}
}

// fileSums returns the SHA-256 of the files that make the adapter.
func fileSums(env methods.Env, o Options) map[string]string {
	var source adapters.Source
	if o.Adapter != "" {
		if s, err := adapters.Open(o.Adapter, env.Base); err == nil {
			source = s
		}
	}
	base := cmp.Or(source.Dir, env.Base)
	sums := make(map[string]string)
	for _, name := range slices.Concat(o.Command, source.Command) {
		data, ok := source.Files[name]
		if !ok {
			var err error
			if data, err = os.ReadFile(backend.Absolute(base, name)); err != nil {
				continue // not a file
			}
		}
		sum := sha256.Sum256(data)
		sums[name] = hex.EncodeToString(sum[:])
	}
	return sums
}

// Build gives the adapter the conversation and waits until it can be searched.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	mem, err := m.newMemory(s) //nolint:contextcheck // the gateway serves longer than this call
	if err != nil {
		return nil, err
	}
	if err := mem.begin(ctx); err != nil {
		return nil, errors.Join(m.failing(err), mem.Close())
	}
	m.inARow.Store(0)
	return mem, nil
}

// newMemory makes a memory whose model calls the gateway answers from now on.
func (m *method) newMemory(s datasets.Sample) (*memory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gate == nil {
		log := cmp.Or(m.env.Log, slog.New(slog.DiscardHandler))
		gate, err := gateway.Start(log, m.env.Now)
		if err != nil {
			return nil, fmt.Errorf("the server for model calls: %w", err)
		}
		m.gate = gate
	}
	mem := &memory{method: m, conversation: newConversation(s), gate: m.gate}
	models := gateway.Models{
		Name: m.info.Name, Chat: m.env.LLM, ChatName: m.env.ChatModel, EmbedName: m.env.EmbedModel,
		MaxTokens: m.o.Models.MaxTokens, Normalise: m.o.Normalise,
	}
	if m.env.Embed != nil {
		models.Embedder = mem.embedder
	}
	mem.calls = m.gate.Open(models)
	return mem, nil
}

// Adapter implements [methods.Adapted].
func (m *method) Adapter() *methods.Adapter {
	a := methods.Adapter{
		Name: m.info.Name, Version: m.info.Version, Protocol: wire.Protocol, Libraries: m.info.Libraries,
		Deterministic: m.info.Capabilities.Deterministic, Mutates: m.info.Capabilities.Mutates, Sources: m.info.Capabilities.Sources,
		Clock: string(m.o.Clock),
	}
	if m.o.URL != "" {
		a.Unmetered = "a service that bench did not start"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gate != nil {
		a.AskedHosts = m.gate.AskedHosts()
	}
	return &a
}

// Close ends the gateway; processes end with their memories.
func (m *method) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gate == nil {
		return nil
	}
	return m.gate.Close()
}

// maxInARow is the number of consecutive faults that ends a run.
const maxInARow = 20

// failing counts consecutive faults of adapters. Many of them without a success
// in between are no coincidence: the run stops.
func (m *method) failing(err error) error {
	switch fault.KindOf(err) { //nolint:exhaustive // others are no faults of the adapter
	case fault.AdapterCrash, fault.AdapterTimeout, fault.AdapterProtocol, fault.NotReady, fault.NotIsolated, fault.Connection:
		if m.inARow.Add(1) >= maxInARow {
			return &fault.Error{Kind: fault.Unavailable, Message: fmt.Sprintf("the adapter failed %d times in a row; the last fault: %v", maxInARow, err), Err: err}
		}
	case "":
		if err == nil {
			m.inARow.Store(0)
		}
	}
	return err
}
