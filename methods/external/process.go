package external

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recallbench/adapters"
	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/external/adapter"
	"recallbench/internal/external/wire"
	"recallbench/internal/text/redact"
	"recallbench/methods"
	"recallbench/methods/internal/transcript"
)

// folderPrefix is how the name of an instance's folder begins.
const folderPrefix = "recallbench-adapter-"

// An instance is a running adapter, or a connection to a service, that holds one
// memory.
type instance struct {
	dir  string // its working folder, outside the run, whose name may reveal the dataset
	conn adapter.Conn
	info wire.InitializeResult
	log  *adapter.Log
}

// end ends the adapter and removes its files.
func (i *instance) end() error {
	var err error
	if i.conn != nil {
		err = i.conn.Close()
	}
	return errors.Join(err, i.log.Close(), os.RemoveAll(i.dir))
}

// lost reports whether an instance can no longer be used.
func (i *instance) lost() bool { return i.conn.Ended() != nil }

// start starts an adapter and reads its self-description. Its models are those of
// a memory; without a proxy it is started only for a handshake.
func (m *method) start(ctx context.Context, models wire.Models, proxy string) (*instance, error) {
	dir, err := os.MkdirTemp("", folderPrefix)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	i := &instance{dir: dir, log: adapter.NewLog(m.logPath(dir, proxy), models.Key, proxy)}
	if err = m.connect(ctx, i, models, proxy); err == nil {
		return i, nil
	}
	if i.conn != nil && ctx.Err() == nil {
		if ended := i.conn.Ended(); ended != nil {
			err = ended
		}
	}
	_ = i.end() // the fault is reported already
	return nil, err
}

// connect starts or reaches the adapter of an instance and initializes it.
func (m *method) connect(ctx context.Context, i *instance, models wire.Models, proxy string) error {
	vars, err := m.variables(i.dir, models, proxy)
	if err != nil {
		return err
	}
	files := filepath.Join(i.dir, "adapter")
	if m.source.Files != nil {
		if err := adapters.Write(files, m.source.Files); err != nil {
			return err
		}
	}
	p := adapter.Process{
		Command: m.source.Words(m.command, files), Dir: i.dir, Env: m.o.Env, Set: vars, Getenv: m.variable,
		Log: i.log,
	}
	params := wire.InitializeParams{
		Protocol: wire.Protocol, Seed: m.env.Seed, Clock: string(m.o.Clock), Work: i.dir, Models: models,
		Limits: wire.Limits{Line: wire.MaxLine, Blocks: wire.MaxBlocks, BlockBytes: wire.MaxBlockSize},
	}
	within, stop := adapter.Within(ctx, startTimeout, nil)
	defer stop()
	switch {
	case m.o.MCP != nil:
		i.conn, err = adapter.StartMCP(p, m.o.MCP, func(t wire.Turn) string { // a line of {session.text}
			turn := datasets.Turn{ID: t.ID, Speaker: t.Speaker, Text: t.Text, Time: t.Time.Time}
			if t.Image != nil {
				turn.Image = &datasets.Image{Caption: t.Image.Caption, Query: t.Image.Query}
			}
			return transcript.Text(transcript.CaptionsAndQuery.Line(turn))
		})
	case m.o.URL != "":
		key, err := m.o.Key.Read(backend.Env{Base: m.env.Base, Getenv: m.env.Getenv})
		if err != nil {
			return err
		}
		i.conn = adapter.Dial(m.o.URL, key)
		return adapter.Ready(within, i.conn, wire.Initialize, params, &i.info)
	default:
		i.conn, err = adapter.Start(p)
	}
	if err != nil {
		return err
	}
	return i.conn.Call(within, wire.Initialize, params, &i.info)
}

// variables returns the variables that a process gets in addition to the common ones.
func (m *method) variables(dir string, models wire.Models, proxy string) (map[string]string, error) {
	kit, err := adapters.Kit("python") // others are next to the adapter
	if err != nil {
		return nil, err
	}
	vars := map[string]string{
		"OPENAI_BASE_URL": models.BaseURL, "OPENAI_API_KEY": models.Key, "PYTHONPATH": filepath.Join(dir, "kit"),
		"RECALLBENCH_CLOCK": string(m.o.Clock), "RECALLBENCH_SEED": strconv.FormatUint(m.env.Seed, 10),
	}
	if err := adapters.Write(vars["PYTHONPATH"], kit); err != nil {
		return nil, err
	}
	maps.Copy(vars, m.software().Variables(m.variable))
	maps.Copy(vars, m.o.Set)
	if proxy != "" {
		direct := strings.TrimSuffix("127.0.0.1,localhost,::1,"+m.o.Set["NO_PROXY"], ",")
		for name, value := range map[string]string{"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy, "NO_PROXY": direct} {
			vars[name], vars[strings.ToLower(name)] = value, value
		}
	}
	for _, name := range m.o.Env {
		if passes(name) || redact.Secret(name[strings.LastIndexByte(name, '_')+1:]) {
			redact.Register(m.variable(name))
		}
	}
	return vars, nil
}

// variable reads the environment; a variable that is not set is empty.
func (m *method) variable(name string) string {
	if m.env.Getenv == nil {
		return ""
	}
	return m.env.Getenv(name)
}

// notInName are the characters of an adapter's name that could lead to another folder.
var notInName = regexp.MustCompile(`[^A-Za-z0-9._]`)

// logPath returns where the log of a process goes; empty without a run.
func (m *method) logPath(dir, proxy string) string {
	if proxy == "" || m.env.Folder == nil || m.env.Folder() == "" {
		return ""
	}
	name := notInName.ReplaceAllString(m.info.Name, "-")
	return filepath.Join(m.env.Folder(), "adapters", name+"-"+strings.TrimPrefix(filepath.Base(dir), folderPrefix)+".log")
}

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
		return wire.InitializeResult{}, fmt.Errorf("adapter %s: %w", cmp.Or(m.o.Adapter, strings.Join(m.command, " "), m.o.URL), err)
	}
	_ = i.end() // it has answered
	probes.known[key] = i.info
	return i.info, nil
}

// probeKey identifies an adapter by everything its self-description may depend on.
func probeKey(env methods.Env, o Options) string {
	key, err := json.Marshal([]any{env.Base, o.Adapter, o.Command, o.URL, o.MCP, fileSums(env, o), o.Set, o.Env, o.Clock})
	if err != nil {
		return fmt.Sprint(o.Command, o.URL) // options come from YAML, which JSON can express
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
