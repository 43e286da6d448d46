package external

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/wire"
	"recallbench/methods"
)

// probes remembers what adapters said of themselves, so that the cells of a run
// start each adapter once for it.
var probes struct {
	sync.Mutex
	known map[string]wire.InitializeResult
}

// probe starts the adapter for a handshake alone: one that is broken fails before
// the run, and its version is part of what results depend on.
func (m *method) probe() (wire.InitializeResult, error) {
	key := m.probeKey()
	probes.Lock()
	defer probes.Unlock()
	if info, ok := probes.known[key]; ok {
		return info, nil
	}
	f, err := newFolder()
	if err != nil {
		return wire.InitializeResult{}, err
	}
	defer f.remove() //nolint:errcheck // an empty folder of the temporary folder
	log := adapter.NewLog("", nil)
	ctx := cmp.Or(m.env.Context, context.Background())
	// No model can be called yet: nothing is asked that would need one.
	nowhere := wire.Models{BaseURL: "http://127.0.0.1:9/v1", Key: "sk-rb-none", Chat: m.env.ChatModel, Embed: m.env.EmbedModel}
	set := map[string]string{"OPENAI_BASE_URL": nowhere.BaseURL, "OPENAI_API_KEY": nowhere.Key}
	conn, info, err := m.connect(ctx, f.dir, set, log, nowhere)
	if conn != nil {
		defer conn.Close()
		if ended := conn.Ended(); err != nil && ended != nil {
			err = ended
		}
	}
	if err != nil {
		return info, fmt.Errorf("adapter %s: %w", m.describe(), err)
	}
	if probes.known == nil {
		probes.known = make(map[string]wire.InitializeResult)
	}
	probes.known[key] = info
	return info, nil
}

// probeKey identifies an adapter by all that what it says may depend on.
func (m *method) probeKey() string {
	key, err := json.Marshal([]any{m.command, m.o.URL, m.o.MCP, fileSums(m.env, m.o), m.o.Set, m.o.Env, m.o.Clock})
	if err != nil {
		return fmt.Sprint(m.command, m.o.URL) // options come from YAML, which JSON can say
	}
	return string(key)
}

// probed returns what an adapter said when its method was made; ok is false where
// it was not made.
func probed(env methods.Env, o Options) (info wire.InitializeResult, ok bool) {
	o, source, err := withManifest(env, o)
	if err != nil {
		return info, false
	}
	m := &method{o: o, env: env, source: source}
	if m.command, err = m.resolve(); err != nil {
		return info, false
	}
	probes.Lock()
	defer probes.Unlock()
	info, ok = probes.known[m.probeKey()]
	return info, ok
}

// described writes what an adapter said of itself in a line; empty where it said
// nothing.
func described(info wire.InitializeResult) string {
	if info.Name == "" {
		return ""
	}
	parts := []string{info.Name + " " + info.Version}
	for _, name := range slices.Sorted(maps.Keys(info.Libraries)) {
		parts = append(parts, name+" "+info.Libraries[name])
	}
	return strings.Join(parts, ", ")
}

// describe names the adapter for messages.
func (m *method) describe() string {
	switch {
	case m.o.Adapter != "":
		return m.o.Adapter
	case len(m.command) > 0:
		return strings.Join(m.command, " ")
	default:
		return m.o.URL
	}
}

func (m *method) getenv(name string) (string, bool) {
	value := m.variable(name)
	return value, value != ""
}

// variable reads the environment; what is not set is empty.
func (m *method) variable(name string) string {
	if m.env.Getenv == nil {
		return ""
	}
	return m.env.Getenv(name)
}

// errClosed is the fault of a memory that is asked after its end.
var errClosed = errors.New("the memory is closed")
