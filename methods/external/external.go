// Package external measures memories that are not Go code of this repository: an
// adapter, which is a child process, an HTTP service or an MCP server, speaks
// recallbench-memory/1 and is the memory.
//
// The harness trusts an adapter with no number: tokens, dollars, time, k and the
// token budget are the harness's own, and every model call of the adapter goes
// through the run's doors by way of package gateway. Nothing crosses that would
// tell an answer: ids are functions of content, and requests come in the order
// of these ids. docs/adapters.md is the guide for authors.
package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"recallbench/adapters"
	"recallbench/datasets"
	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/gateway"
	"recallbench/internal/outside/wire"
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
	Prompts:  prompts(),
	Identity: identity,
	Kept:     kept,
	New:      newMethod,
}

func prompts() fs.FS { return reader.Prompts() }

type method struct {
	o       Options
	env     methods.Env
	source  adapters.Source // of the adapter's files, where it has a manifest
	command []string
	info    wire.InitializeResult
	reader  reader.Reader

	mu     sync.Mutex
	shared []*instance
	did    methods.Adapter  // what adapters did that have ended
	doing  map[string]stage // memories that are built, by name

	lengthMu sync.Mutex
	length   int // of vectors, where the embedder does not say it; 0 is unknown

	gateMu sync.Mutex
	gate   *gateway.Server

	inARow atomic.Int32
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	if o.Mode == Search && env.LLM == nil {
		return nil, errors.New("the model entry brings no language model, which the reader needs")
	}
	o, source, err := withManifest(env, o)
	if err != nil {
		return nil, err
	}
	m := &method{o: o, env: env, source: source, doing: make(map[string]stage)}
	if o.Mode == Search {
		if m.reader, err = reader.New(env, o.Reader); err != nil {
			return nil, err
		}
	}
	if m.command, err = m.resolve(); err != nil {
		return nil, err
	}
	if m.info, err = m.probe(); err != nil {
		return nil, err
	}
	c := m.info.Capabilities
	switch {
	case o.Mode == Search && !c.Search:
		err = errors.New("mode is search, which the adapter cannot do; want answer")
	case o.Mode == Answer && !c.Answer:
		err = errors.New("mode is answer, which the adapter cannot do; want search")
	}
	return m, err
}

// withManifest fills in from the manifest of a ready adapter what the options
// leave open.
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
	set := maps.Clone(a.Set)
	if set == nil {
		set = make(map[string]string)
	}
	maps.Copy(set, o.Set)
	o.Set = set
	if o.Process == d.Process && a.Process != "" {
		o.Process = Sharing(a.Process)
	}
	if o.Clock == d.Clock && a.Clock != "" {
		o.Clock = Clock(a.Clock)
	}
	if len(o.Normalise) == 0 {
		o.Normalise = a.Normalise
	}
	return o, a, o.Validate()
}

// resolve makes the words of the command that name files absolute.
func (m *method) resolve() ([]string, error) {
	words := slices.Clone(m.o.Command)
	if m.o.MCP != nil {
		words = slices.Clone(m.o.MCP.Command)
	}
	if len(words) == 0 {
		return nil, nil
	}
	words = m.source.Words(words, m.source.Dir) // those of a ready adapter are found when it starts
	for i, w := range words[1:] {
		if path := adapter.Absolute(m.env.Base, w); isFile(path) {
			abs, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			words[i+1] = abs
		}
	}
	var err error
	words[0], err = adapter.Look(m.env.Base, m.software().Program(words[0]))
	if err != nil && len(m.source.Install) > 0 {
		err = fmt.Errorf("%w; adapter %s is installed so: %s", err, m.o.Adapter, strings.Join(m.source.Install, "; "))
	}
	return words, err
}

// software is where the software of an adapter with a manifest is installed.
func (m *method) software() adapters.Software {
	return adapters.FindSoftware(m.source.Name, m.variable)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// An origin is the part of the options that a memory is built from: what the
// adapter is and what it is given.
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
	Adapted string            `yaml:"adapted"` // what it says of itself
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

// kept says what a snapshot depends on; nil where the adapter makes none. A service
// that others have started need not see the files of this machine.
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
	base := env.Base
	var source adapters.Source
	if o.Adapter != "" {
		if s, err := adapters.Open(o.Adapter, env.Base); err == nil {
			source = s
		}
	}
	if source.Dir != "" {
		base = source.Dir
	}
	sums := make(map[string]string)
	for _, name := range slices.Concat(o.Command, source.Command) {
		data, ok := source.Files[name]
		if !ok {
			var err error
			if data, err = os.ReadFile(adapter.Absolute(base, name)); err != nil {
				continue // a word that is no file
			}
		}
		sum := sha256.Sum256(data)
		sums[name] = hex.EncodeToString(sum[:])
	}
	return sums
}

// Build gives the adapter the conversation and waits until it can be asked.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	gate, err := m.gateway() //nolint:contextcheck // it serves longer than this call
	if err != nil {
		return nil, err
	}
	mem := &memory{method: m, crossing: newCrossing(s)}
	models := m.models()
	if m.env.Embed != nil {
		models.Embedder = mem.embedder
	}
	mem.gate = gate.Open(models)
	if err := mem.begin(ctx); err != nil {
		return nil, errors.Join(m.failing(err), mem.Close()) //nolint:contextcheck // what was begun ends, whatever became of ctx
	}
	m.inARow.Store(0)
	return mem, nil
}

// models returns what answers the calls of a memory.
func (m *method) models() gateway.Models {
	return gateway.Models{
		Name: m.info.Name, Chat: m.env.LLM, ChatName: m.env.ChatModel, EmbedName: m.env.EmbedModel,
		MaxTokens: m.o.Models.MaxTokens, Normalise: m.o.Normalise,
	}
}

// modelsOf returns what an adapter is told of its models.
func (m *method) modelsOf(url, key string) wire.Models {
	return wire.Models{BaseURL: url, Key: key, Chat: m.env.ChatModel, Embed: m.env.EmbedModel}
}

// Adapter implements [methods.Adapted].
func (m *method) Adapter() *methods.Adapter {
	a := methods.Adapter{
		Name: m.info.Name, Version: m.info.Version, Protocol: wire.Protocol, Libraries: m.info.Libraries,
		Deterministic: m.info.Capabilities.Deterministic, Mutates: m.info.Capabilities.Mutates, Sources: m.info.Capabilities.Sources,
		Clock: string(m.o.Clock),
	}
	if m.o.URL != "" {
		a.Unmetered = "a service that others have started"
	}
	m.gateMu.Lock()
	defer m.gateMu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	did := m.did
	if m.gate != nil {
		did.AskedHosts = m.gate.AskedHosts()
	}
	return a.Did(&did)
}

// note adds what an adapter did.
func (m *method) note(did methods.Adapter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.did = *m.did.Did(&did)
}

// Close ends what runs.
func (m *method) Close() error {
	m.mu.Lock()
	shared := m.shared
	m.shared = nil
	m.mu.Unlock()
	var faults []error
	for _, i := range shared {
		faults = append(faults, i.end())
	}
	m.gateMu.Lock()
	defer m.gateMu.Unlock()
	if m.gate != nil {
		faults = append(faults, m.gate.Close())
		m.note(methods.Adapter{AskedHosts: m.gate.AskedHosts()})
		m.gate = nil
	}
	return errors.Join(faults...)
}
