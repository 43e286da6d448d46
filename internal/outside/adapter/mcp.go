package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recallbench/internal/door/fault"
	"recallbench/internal/outside/wire"
	"recallbench/internal/text/suggest"
)

// mcpVersion is the version of MCP that is asked for. Servers answer with the
// one that they speak.
const mcpVersion = "2025-06-18"

// A Mapping says which tools of an MCP server make a memory. Templates hold
// placeholders such as {memory}; a value that is nothing but a placeholder
// keeps its type.
type Mapping struct {
	// Command starts the server.
	Command []string `yaml:"command"`
	// Per says what one call of add carries: session or turn.
	Per    string  `yaml:"per"`
	Open   *Tool   `yaml:"open"`
	Add    *Tool   `yaml:"add"`
	Finish *Tool   `yaml:"finish"`
	Search *Tool   `yaml:"search"`
	Close  *Tool   `yaml:"close"`
	Blocks *Blocks `yaml:"blocks"`
}

// A Tool is a call of a tool.
type Tool struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

// Blocks say where the blocks lie in what search returns: paths of keys with
// dots. Without List, the texts of the result are the blocks.
type Blocks struct {
	List  string   `yaml:"list"`
	Text  []string `yaml:"text"` // the first that is there
	Score string   `yaml:"score"`
	ID    string   `yaml:"id"`
	Time  string   `yaml:"time"`
}

// placeholders are those that templates may hold, by tool.
var placeholders = map[string][]string{
	"open":   {"memory", "work"},
	"add":    {"memory", "work", "session.id", "session.time", "session.text", "turn.id", "turn.speaker", "turn.text", "turn.time"},
	"finish": {"memory", "work"},
	"search": {"memory", "work", "k", "tokens", "request.text", "request.time"},
	"close":  {"memory", "work"},
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z]+(?:\.[a-z]+)?)\}`) })

// tools returns the mapped tools by name of their step.
func (m *Mapping) tools() map[string]*Tool {
	all := map[string]*Tool{"open": m.Open, "add": m.Add, "finish": m.Finish, "search": m.Search, "close": m.Close}
	maps.DeleteFunc(all, func(_ string, t *Tool) bool { return t == nil })
	return all
}

// Validate reports what no server is needed to see.
func (m *Mapping) Validate() error {
	var faults []error
	if m.Per != "session" && m.Per != "turn" {
		faults = append(faults, fmt.Errorf("mcp.per is %q, want session or turn", m.Per))
	}
	if m.Add == nil || m.Search == nil {
		faults = append(faults, errors.New("mcp.add and mcp.search are needed"))
	}
	if len(m.Command) == 0 {
		faults = append(faults, errors.New("mcp.command is empty, want the words that start the server"))
	}
	for step, t := range m.tools() {
		if t.Tool == "" {
			faults = append(faults, fmt.Errorf("mcp.%s.tool is empty", step))
		}
		eachText(t.Args, func(s string) {
			for _, found := range placeholder().FindAllStringSubmatch(s, -1) {
				name := found[1]
				if !slices.Contains(placeholders[step], name) {
					faults = append(faults, fmt.Errorf("mcp.%s: %s", step, suggest.Unknown("placeholder", name, placeholders[step])))
				} else if strings.HasPrefix(name, "turn.") && m.Per != "turn" {
					faults = append(faults, fmt.Errorf("mcp.add: {%s} needs per: turn", name))
				}
			}
		})
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(faults...)
}

// eachText calls f with each text of a value.
func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case map[string]any:
		for _, x := range v {
			eachText(x, f)
		}
	case []any:
		for _, x := range v {
			eachText(x, f)
		}
	}
}

// fill puts values in place of placeholders.
func fill(v any, values map[string]any) any {
	switch v := v.(type) {
	case string:
		if found := placeholder().FindStringSubmatch(v); found != nil && found[0] == v {
			if value, ok := values[found[1]]; ok {
				return value
			}
		}
		return placeholder().ReplaceAllStringFunc(v, func(s string) string {
			if value, ok := values[s[1:len(s)-1]]; ok {
				return fmt.Sprint(value)
			}
			return s
		})
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = fill(x, values)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = fill(x, values)
		}
		return out
	default:
		return v
	}
}

// An mcp is an MCP server that answers the protocol's requests by its tools.
type mcp struct {
	*Mapping
	conn *child
	line func(wire.Turn) string

	mu    sync.Mutex
	works map[string]string // folders, by memory
}

// StartMCP starts an MCP server. Line writes a turn as {session.text} has it.
func StartMCP(p Process, m *Mapping, line func(wire.Turn) string) (Conn, error) {
	c, outs, in, err := p.start(false)
	if err != nil {
		return nil, err
	}
	c.peer = newPeer(in, max(p.MaxLine, wire.MaxLine), c.log.line, func(string, json.RawMessage) {}, outs[0])
	go c.wait()
	return &mcp{Mapping: m, conn: c, line: line, works: make(map[string]string)}, nil
}

// Ended implements [Conn].
func (m *mcp) Ended() error { return m.conn.Ended() }

// Close implements [Conn]. MCP has no word for it: the input is closed.
func (m *mcp) Close() error { return m.conn.closed() }

// Call implements [Conn].
func (m *mcp) Call(ctx context.Context, method string, params, result any) error {
	switch p := params.(type) {
	case wire.InitializeParams:
		info, err := m.initialize(ctx)
		if out, ok := result.(*wire.InitializeResult); ok && err == nil {
			*out = info
		}
		return err
	case wire.OpenParams:
		m.mu.Lock()
		m.works[p.Memory] = p.Work
		m.mu.Unlock()
		return m.tool(ctx, m.Open, p.Memory, nil, nil)
	case wire.AddParams:
		return m.add(ctx, p)
	case wire.MemoryParams:
		return m.tool(ctx, m.Finish, p.Memory, nil, nil)
	case wire.SearchParams:
		var reply toolResult
		values := map[string]any{"k": p.K, "tokens": p.Tokens, "request.text": p.Request.Text, "request.time": p.Request.Time.String()}
		if err := m.tool(ctx, m.Search, p.Memory, values, &reply); err != nil {
			return err
		}
		blocks, err := m.Blocks.read(reply)
		if err != nil {
			return fault.New(fault.AdapterProtocol, "%s: %v", m.Search.Tool, err)
		}
		found := wire.SearchResult{Blocks: blocks}
		if out, ok := result.(*wire.SearchResult); ok {
			*out = found
		}
		return found.Check()
	case wire.CloseParams:
		return m.tool(ctx, m.Mapping.Close, p.Memory, nil, nil)
	default:
		return &Error{Code: codeNoMethod, Kind: "unsupported", Message: "an MCP server has no " + method}
	}
}

// initialize shakes hands and checks the mapping against the tools that there
// are.
func (m *mcp) initialize(ctx context.Context) (info wire.InitializeResult, err error) {
	var hello struct {
		ProtocolVersion string `json:"protocolVersion"`
		ServerInfo      struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	err = m.conn.Call(ctx, "initialize", map[string]any{
		"protocolVersion": mcpVersion, "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "recallbench", "version": "1"},
	}, &hello)
	if err != nil {
		return info, err
	}
	m.conn.post(map[string]any{"jsonrpc": jsonrpc, "method": "notifications/initialized"})
	known := make(map[string]json.RawMessage)
	for cursor := ""; ; {
		var list struct {
			Tools []struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
			NextCursor string `json:"nextCursor"`
		}
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		if err := m.conn.Call(ctx, "tools/list", params, &list); err != nil {
			return info, err
		}
		for _, t := range list.Tools {
			known[t.Name] = t.InputSchema
		}
		if list.NextCursor == "" || list.NextCursor == cursor || len(known) > 1000 {
			break
		}
		cursor = list.NextCursor
	}
	var faults []error
	for step, t := range m.tools() {
		schema, ok := known[t.Tool]
		if !ok {
			faults = append(faults, fmt.Errorf("mcp.%s: %s", step, suggest.Unknown("tool", t.Tool, slices.Sorted(maps.Keys(known)))))
			continue
		}
		var s struct {
			Properties map[string]json.RawMessage `json:"properties"`
			Additional any                        `json:"additionalProperties"`
		}
		if json.Unmarshal(schema, &s) != nil || s.Additional == true {
			continue
		}
		for arg := range t.Args {
			if _, ok := s.Properties[arg]; !ok {
				faults = append(faults, fmt.Errorf("mcp.%s: %s of %s", step, suggest.Unknown("argument", arg, slices.Sorted(maps.Keys(s.Properties))), t.Tool))
			}
		}
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if len(faults) > 0 {
		return info, errors.Join(faults...)
	}
	name, version := hello.ServerInfo.Name, hello.ServerInfo.Version
	if name == "" {
		name = "mcp"
	}
	if version == "" {
		version = "unknown"
	}
	return wire.InitializeResult{
		Protocol: wire.Protocol, Name: name, Version: version, Libraries: map[string]string{"mcp": hello.ProtocolVersion},
		Capabilities: wire.Capabilities{Search: true, Sources: "none"},
	}, nil
}

func (m *mcp) add(ctx context.Context, p wire.AddParams) error {
	s := p.Session
	values := map[string]any{"session.id": s.ID, "session.time": s.Time.String()}
	if m.Per == "session" {
		var lines []string
		for _, t := range s.Turns {
			lines = append(lines, m.line(t))
		}
		values["session.text"] = strings.Join(lines, "\n")
		return m.tool(ctx, m.Add, p.Memory, values, nil)
	}
	for _, t := range s.Turns {
		values["session.text"], values["turn.id"], values["turn.speaker"], values["turn.text"], values["turn.time"] = m.line(t), t.ID, t.Speaker, t.Text, t.Time.String()
		if err := m.tool(ctx, m.Add, p.Memory, values, nil); err != nil {
			return err
		}
	}
	return nil
}

// A toolResult is what a tool returns.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured any  `json:"structuredContent"`
	IsError    bool `json:"isError"`
}

func (r toolResult) texts() []string {
	var texts []string
	for _, c := range r.Content {
		if c.Type == "text" && strings.TrimSpace(c.Text) != "" {
			texts = append(texts, c.Text)
		}
	}
	return texts
}

// tool calls a tool for a memory; without one it does nothing.
func (m *mcp) tool(ctx context.Context, t *Tool, memory string, values map[string]any, reply *toolResult) error {
	if t == nil {
		return nil
	}
	m.mu.Lock()
	all := map[string]any{"memory": memory, "work": m.works[memory]}
	m.mu.Unlock()
	maps.Copy(all, values)
	if reply == nil {
		reply = new(toolResult)
	}
	args := fill(t.Args, all)
	if t.Args == nil {
		args = struct{}{}
	}
	if err := m.conn.Call(ctx, "tools/call", map[string]any{"name": t.Tool, "arguments": args}, reply); err != nil {
		return err
	}
	if reply.IsError {
		return &Error{Kind: "internal", Message: t.Tool + ": " + clip(strings.Join(reply.texts(), "; "))}
	}
	return nil
}

// read takes the blocks from a result.
func (b *Blocks) read(r toolResult) ([]wire.Block, error) {
	var blocks []wire.Block
	if b == nil || b.List == "" {
		for _, text := range r.texts() {
			blocks = append(blocks, wire.Block{Text: text})
		}
		return blocks, nil
	}
	root := r.Structured
	if root == nil {
		texts := r.texts()
		if len(texts) == 0 {
			return nil, nil
		}
		if err := json.Unmarshal([]byte(texts[0]), &root); err != nil {
			return nil, fmt.Errorf("its text is no JSON, which blocks.list needs: %s", beginning([]byte(texts[0])))
		}
	}
	list, ok := at(root, b.List).([]any)
	if !ok {
		return nil, fmt.Errorf("it has no list at %q", b.List)
	}
	for i, item := range list {
		var block wire.Block
		for _, path := range b.Text {
			if text, ok := at(item, path).(string); ok && strings.TrimSpace(text) != "" {
				block.Text = text
				break
			}
		}
		if block.Text == "" {
			return nil, fmt.Errorf("entry %d has no text at %s", i+1, strings.Join(b.Text, " or "))
		}
		block.Score, _ = at(item, b.Score).(float64)
		switch id := at(item, b.ID).(type) {
		case string:
			block.ID = id
		case float64:
			block.ID = strconv.FormatFloat(id, 'f', -1, 64)
		}
		if when, ok := at(item, b.Time).(string); ok {
			quoted, err := json.Marshal(when)
			if err != nil || block.Time.UnmarshalJSON(quoted) != nil {
				block.Time = wire.Time{} // in words
			}
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// at returns what lies at a path; nil for nothing.
func at(v any, path string) any {
	if path == "" {
		return nil
	}
	for key := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}
