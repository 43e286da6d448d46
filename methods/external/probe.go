package external

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/external/wire"
	"recallbench/methods"
)

// probes remembers the adapters' self-descriptions, so that the rows of a run
// start each adapter only once for it.
var probes = struct {
	sync.Mutex
	known map[string]wire.InitializeResult
}{known: make(map[string]wire.InitializeResult)}

// probe starts the adapter only for a handshake: a broken adapter fails before
// the run, and results depend on its version.
func (m *method) probe(given Options) (wire.InitializeResult, error) {
	key := probeKey(m.env, given)
	probes.Lock()
	defer probes.Unlock()
	if info, ok := probes.known[key]; ok {
		return info, nil
	}
	// No model can be called yet, so nothing that needs one is asked.
	nowhere := wire.Models{BaseURL: "http://127.0.0.1:9/v1", Key: "sk-rb-none", Chat: m.env.ChatModel, Embed: m.env.EmbedModel}
	i, err := m.start(cmp.Or(m.env.Context, context.Background()), nowhere, "")
	if err != nil {
		return wire.InitializeResult{}, fmt.Errorf("adapter %s: %w", m.describe(), err)
	}
	_ = i.end() // it has answered
	probes.known[key] = i.info
	return i.info, nil
}

// probeKey identifies an adapter by everything its self-description may depend on.
func probeKey(env methods.Env, o Options) string {
	key, err := json.Marshal([]any{env.Base, o.Adapter, o.Command, o.MCP, fileSums(env, o), o.Set, o.Env, o.Clock})
	if err != nil {
		return fmt.Sprint(o.Command) // options come from YAML, which JSON can express
	}
	return string(key)
}

// probed returns the self-description of an adapter from when its method was
// made; ok is false if it was not made.
func probed(env methods.Env, o Options) (info wire.InitializeResult, ok bool) {
	key := probeKey(env, o)
	probes.Lock()
	defer probes.Unlock()
	info, ok = probes.known[key]
	return info, ok
}

// described writes an adapter's self-description in a line; empty if there is
// none.
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
	return cmp.Or(m.o.Adapter, strings.Join(m.command, " "))
}
