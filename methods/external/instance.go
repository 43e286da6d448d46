package external

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"recallbench/adapters"
	"recallbench/internal/door/fault"
	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/gateway"
	"recallbench/internal/outside/wire"
	"recallbench/internal/text/redact"
	"recallbench/methods/internal/transcript"
)

// An instance is a running adapter.
type instance struct {
	*method
	conn adapter.Conn
	info wire.InitializeResult
	log  *adapter.Log
	folder
	room int // memories at once

	mu       sync.Mutex
	users    map[*memory]bool
	isolated bool  // two memories were compared
	broken   error // one memory finds what another holds
}

// acquire returns an instance with room for a memory: in a process of its own, or
// in one that has room left.
func (m *method) acquire(ctx context.Context, mem *memory) (*instance, error) {
	if m.o.Process == Shared || m.o.URL != "" {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, i := range m.shared {
			if i.conn.Ended() == nil && i.join(mem) {
				return i, nil
			}
		}
		i, err := m.start(ctx, "")
		if err != nil {
			return nil, err
		}
		i.join(mem)
		m.shared = append(m.shared, i)
		return i, nil
	}
	i, err := m.start(ctx, mem.gate.Key())
	if err != nil {
		return nil, err
	}
	i.join(mem)
	return i, nil
}

func (i *instance) join(mem *memory) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.users) >= i.room {
		return false
	}
	i.users[mem] = true
	return true
}

// leave frees a memory's place, and ends a process that is its own or has died.
func (i *instance) leave(mem *memory) error {
	i.mu.Lock()
	had := i.users[mem]
	delete(i.users, mem)
	left := len(i.users)
	i.mu.Unlock()
	if !had {
		return nil
	}
	if i.o.Process == OneMemory && i.o.URL == "" {
		return i.end()
	}
	if left == 0 && i.conn.Ended() != nil {
		i.method.mu.Lock()
		i.shared = slices.DeleteFunc(i.shared, func(o *instance) bool { return o == i })
		i.method.mu.Unlock()
		return i.end()
	}
	return nil
}

// end ends the adapter and removes what it left.
func (i *instance) end() error {
	err := i.conn.Close()
	return errors.Join(err, i.log.Close(), i.remove())
}

// start starts an adapter and hears what it is. Key is the key of the only memory
// that it will hold; empty for several.
func (m *method) start(ctx context.Context, key string) (*instance, error) {
	gate, err := m.gateway() //nolint:contextcheck // it serves longer than this call
	if err != nil {
		return nil, err
	}
	if key == "" {
		key = gate.NobodysKey()
	}
	i := &instance{method: m, users: make(map[*memory]bool)}
	if i.folder, err = newFolder(); err != nil {
		return nil, err
	}
	set := map[string]string{
		"OPENAI_BASE_URL": gate.URL(), "OPENAI_API_KEY": key,
	}
	direct := "127.0.0.1,localhost,::1"
	if more := m.o.Set["NO_PROXY"]; more != "" {
		direct += "," + more
	}
	for name, value := range map[string]string{"HTTP_PROXY": gate.ProxyURL(), "HTTPS_PROXY": gate.ProxyURL(), "ALL_PROXY": gate.ProxyURL(), "NO_PROXY": direct} {
		set[name], set[strings.ToLower(name)] = value, value
	}
	i.log = adapter.NewLog(m.logPath(i.dir), func() []string { return []string{key, gate.ProxyURL()} })
	i.conn, i.info, err = m.connect(ctx, i.dir, set, i.log, m.modelsOf(gate.URL(), key))
	if err == nil && (i.info.Name != m.info.Name || i.info.Version != m.info.Version || !maps.Equal(i.info.Libraries, m.info.Libraries)) {
		err = fmt.Errorf("the adapter is %s %s with %v, and was %s %s with %v when the run began",
			i.info.Name, i.info.Version, i.info.Libraries, m.info.Name, m.info.Version, m.info.Libraries)
	}
	if err != nil {
		if i.conn != nil {
			err = errors.Join(err, i.conn.Close())
		}
		err = errors.Join(err, i.log.Close())
		_ = i.remove() // the fault is reported already
		return nil, err
	}
	i.room = max(i.info.Capabilities.Memories, 1)
	if m.o.Process == OneMemory && len(m.o.Command) > 0 {
		i.room = 1
	}
	return i, nil
}

// connect starts or reaches the adapter and initialises it.
func (m *method) connect(ctx context.Context, dir string, set map[string]string, log *adapter.Log, models wire.Models) (conn adapter.Conn, info wire.InitializeResult, err error) {
	vars := maps.Clone(set)
	vars["PYTHONPATH"] = filepath.Join(dir, "kit")
	kit, err := adapters.Kit("python") // others lie beside the adapter
	if err == nil {
		err = adapters.Write(vars["PYTHONPATH"], kit)
	}
	if err != nil {
		return nil, info, err
	}
	files := filepath.Join(dir, "adapter")
	if m.source.Files != nil {
		if err := adapters.Write(files, m.source.Files); err != nil {
			return nil, info, err
		}
	}
	vars["RECALLBENCH_CLOCK"], vars["RECALLBENCH_SEED"] = string(m.o.Clock), strconv.FormatUint(m.env.Seed, 10)
	maps.Copy(vars, m.software().Variables(m.variable))
	maps.Copy(vars, m.o.Set)
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if direct, ok := set[name]; ok {
			vars[name] = direct
		}
	}
	for _, name := range m.o.Env {
		if passes(name) || redact.Secret(name[strings.LastIndexByte(name, '_')+1:]) {
			redact.Register(m.variable(name))
		}
	}
	p := adapter.Process{
		Command: m.source.Words(m.command, files), Dir: dir, Env: m.o.Env, Set: vars, Getenv: m.getenv,
		Log: log, Progress: m.progressed,
	}
	service := adapter.Service{URL: m.o.URL, Log: log}
	if service.Key, err = m.o.Key.Read(m.env.Base, m.env.Getenv); err != nil {
		return nil, info, err
	}
	params := wire.InitializeParams{
		Protocol: wire.Protocol, Seed: m.env.Seed, Clock: string(m.o.Clock), Work: dir, Models: models,
		Limits: wire.Limits{Line: wire.MaxLine, Blocks: wire.MaxBlocks, BlockBytes: wire.MaxBlockSize},
	}
	switch {
	case m.o.MCP != nil:
		conn, err = adapter.StartMCP(p, m.o.MCP, mcpLine)
	case m.o.URL != "":
		conn = adapter.Dial(service)
	default:
		conn, err = adapter.Start(p)
	}
	if err != nil {
		return nil, info, err
	}
	if m.o.URL != "" {
		err = adapter.Ready(adapter.Within(ctx, startTimeout, nil), conn, wire.Initialize, params, &info)
	} else {
		err = conn.Call(adapter.Within(ctx, startTimeout, nil), wire.Initialize, params, &info)
	}
	return conn, info, err
}

// mcpLine writes a turn as a line of {session.text}.
func mcpLine(t wire.Turn) string {
	return transcript.Text(transcript.CaptionsAndQuery.Line(turnOf(t)))
}

// logPath returns where the log of a process goes; empty without a run.
func (m *method) logPath(dir string) string {
	if m.env.Folder == nil || m.env.Folder() == "" {
		return ""
	}
	return filepath.Join(m.env.Folder(), "adapters", fileName(m.info.Name)+"-"+strings.TrimPrefix(filepath.Base(dir), folderPrefix)+".log")
}

// fileName returns what an adapter calls itself as part of the name of a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '_') {
			return r
		}
		return '-'
	}, name)
}

// gateway returns the server that answers model calls, started at the first need.
func (m *method) gateway() (*gateway.Server, error) {
	m.gateMu.Lock()
	defer m.gateMu.Unlock()
	if m.gate == nil {
		log := m.env.Log
		if log == nil {
			log = slog.New(slog.DiscardHandler)
		}
		gate, err := gateway.Start(log, m.env.Now)
		if err != nil {
			return nil, fmt.Errorf("the server for model calls: %w", err)
		}
		m.gate = gate
	}
	return m.gate, nil
}

// lost reports whether an instance can be asked no more.
func (i *instance) lost() bool { return i.conn.Ended() != nil }

// failing counts faults of adapters in a row. Many of them, with nothing that
// succeeded in between, are no chance: the run stops.
func (m *method) failing(err error) error {
	switch fault.KindOf(err) { //nolint:exhaustive // others are no faults of the adapter
	case fault.AdapterCrash, fault.AdapterTimeout, fault.AdapterProtocol, fault.NotReady, fault.NotIsolated, fault.Connection:
		if m.inARow.Add(1) >= maxInARow {
			return &fault.Error{Kind: fault.Unavailable, Message: fmt.Sprintf("the adapter failed %d times in a row, the last time so: %v", maxInARow, err), Err: err}
		}
	case "":
		if err == nil {
			m.inARow.Store(0)
		}
	}
	return err
}

// maxInARow is how many faults in a row end a run.
const maxInARow = 20
