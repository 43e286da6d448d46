package adapter

import (
	"cmp"
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
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/text/redact"
	"recallbench/internal/text/suggest"
)

// mcpVersion is the version of MCP that is asked for. Servers answer with the
// one that they speak.
const mcpVersion = "2025-06-18"

// A Mapping says which tools of an MCP server make a memory. Templates have
// placeholders such as {memory}; a value that is only a placeholder keeps its
// type.
type Mapping struct {
	// Command starts the server.
	Command []string `yaml:"command"`
	Open    *Tool    `yaml:"open"`
	Add     *Tool    `yaml:"add"` // of a session
	Search  *Tool    `yaml:"search"`
	Close   *Tool    `yaml:"close"`
	Blocks  *Blocks  `yaml:"blocks"`
}

// A Tool is a call of a tool.
type Tool struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

// Blocks say where the blocks are in the result of search: paths of keys with
// dots. Without List, the texts of the result are the blocks.
type Blocks struct {
	List  string   `yaml:"list"`
	Text  []string `yaml:"text"` // the first that exists
	Score string   `yaml:"score"`
	ID    string   `yaml:"id"`
}

// placeholders are those that templates may hold, by tool.
var placeholders = map[string][]string{
	"open":   {"memory", "work"},
	"add":    {"memory", "work", "session.id", "session.time", "session.text"},
	"search": {"memory", "work", "k", "tokens", "request.text", "request.time"},
	"close":  {"memory", "work"},
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z]+(?:\.[a-z]+)?)\}`) })

// each calls do for each tool that is mapped, by the name of its step, in the order of the
// names, and joins what it returns.
func (m *Mapping) each(do func(step string, t *Tool) []error) error {
	var faults []error
	all := map[string]*Tool{"open": m.Open, "add": m.Add, "search": m.Search, "close": m.Close}
	for _, step := range slices.Sorted(maps.Keys(all)) {
		if t := all[step]; t != nil {
			faults = append(faults, do(step, t)...)
		}
	}
	return errors.Join(faults...)
}

// Validate reports everything that can be checked without a server.
func (m *Mapping) Validate() error {
	var needs error
	if m.Add == nil || m.Search == nil || len(m.Command) == 0 {
		needs = errors.New("mcp.command, the words that start the server, mcp.add and mcp.search are needed")
	}
	return errors.Join(needs, m.each(func(step string, t *Tool) (faults []error) {
		if t.Tool == "" {
			faults = append(faults, fmt.Errorf("mcp.%s.tool is empty", step))
		}
		replaceTexts(t.Args, func(s string) any {
			for _, found := range placeholder().FindAllStringSubmatch(s, -1) {
				if !slices.Contains(placeholders[step], found[1]) {
					faults = append(faults, fmt.Errorf("mcp.%s: %s", step, suggest.Unknown("placeholder", found[1], placeholders[step])))
				}
			}
			return s
		})
		return faults
	}))
}

// replaceTexts returns a value with each of its texts replaced.
func replaceTexts(v any, by func(string) any) any {
	switch v := v.(type) {
	case string:
		return by(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = replaceTexts(x, by)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = replaceTexts(x, by)
		}
		return out
	default:
		return v
	}
}

// fill puts values in place of placeholders.
func fill(args map[string]any, values map[string]any) any {
	return replaceTexts(args, func(s string) any {
		if found := placeholder().FindStringSubmatch(s); found != nil && found[0] == s {
			return values[found[1]]
		}
		return placeholder().ReplaceAllStringFunc(s, func(p string) string { return fmt.Sprint(values[p[1:len(p)-1]]) })
	})
}

// A mapped is an MCP server that answers the protocol's requests by its tools.
type mapped struct {
	*Mapping
	*child
	line    func(wire.Turn) string
	session *mcp.ClientSession
	works   sync.Map // folders, by memory
}

// StartMCP starts an MCP server. Line writes a turn as {session.text} has it.
func StartMCP(p Process, m *Mapping, line func(wire.Turn) string) (Conn, error) {
	c, err := p.start()
	if err != nil {
		return nil, err
	}
	go c.wait()
	return &mapped{Mapping: m, child: c, line: line}, nil
}

// Close implements [Conn].
func (m *mapped) Close() error {
	if m.session != nil {
		_ = m.session.Close() // the process ends, whatever happens
	}
	return m.closed()
}

// Call implements [Conn].
func (m *mapped) Call(ctx context.Context, method string, params, result any) error {
	reply, err := m.step(ctx, method, params)
	_, said := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return settle(method, message{Result: reply}, result)
	case said || fault.KindOf(err) != "" || m.session == nil && m.Ended() == nil && ctx.Err() == nil:
		return err
	case ctx.Err() != nil:
		return ended(ctx, method)
	}
	select {
	case <-m.ended:
	case <-time.After(time.Second): // its process would tell more
		m.end(fault.New(fault.AdapterCrash, "%s: %v", method, err))
	}
	return m.Ended()
}

// step answers a request by the tools.
func (m *mapped) step(ctx context.Context, method string, params any) (json.RawMessage, error) {
	var reply any
	var err error
	switch p := params.(type) {
	case wire.InitializeParams:
		reply, err = m.initialize(ctx)
	case wire.OpenParams:
		m.works.Store(p.Memory, p.Work)
		_, err = m.tool(ctx, m.Open, p.Memory, nil)
	case wire.AddParams:
		lines := lists.Map(p.Session.Turns, m.line)
		values := map[string]any{"session.id": p.Session.ID, "session.time": p.Session.Time.String(), "session.text": strings.Join(lines, "\n")}
		_, err = m.tool(ctx, m.Add, p.Memory, values)
	case wire.MemoryParams:
	case wire.SearchParams:
		values := map[string]any{"k": p.K, "tokens": p.Tokens, "request.text": p.Request.Text, "request.time": p.Request.Time.String()}
		var result mcp.CallToolResult
		if result, err = m.tool(ctx, m.Search, p.Memory, values); err == nil {
			reply, err = m.Blocks.read(result)
		}
	case wire.CloseParams:
		_, err = m.tool(ctx, m.Mapping.Close, p.Memory, nil)
	default:
		err = &Error{Code: codeNoMethod, Message: "an MCP server has no " + method, Details: Details{Kind: "unsupported"}}
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(reply)
}

// initialize shakes hands and checks the mapping against the tools that there are.
func (m *mapped) initialize(ctx context.Context) (info wire.InitializeResult, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "recallbench", Version: "1"}, nil)
	m.session, err = client.Connect(ctx, &mcp.IOTransport{Reader: m.out, Writer: m.in, MaxLineLength: wire.MaxLine}, &mcp.ClientSessionOptions{ProtocolVersion: mcpVersion})
	if err != nil {
		return info, err
	}
	known := make(map[string]map[string]any) // schemas
	for t, err := range m.session.Tools(ctx, nil) {
		if err != nil {
			return info, err
		}
		known[t.Name], _ = t.InputSchema.(map[string]any) // another one says nothing
	}
	err = m.each(func(step string, t *Tool) (faults []error) {
		schema, ok := known[t.Tool]
		if !ok {
			return []error{fmt.Errorf("mcp.%s: %s", step, suggest.Unknown("tool", t.Tool, slices.Sorted(maps.Keys(known))))}
		}
		properties, ok := schema["properties"].(map[string]any)
		if !ok || schema["additionalProperties"] == true {
			return nil
		}
		for _, arg := range slices.Sorted(maps.Keys(t.Args)) {
			if _, ok := properties[arg]; !ok {
				faults = append(faults, fmt.Errorf("mcp.%s: %s of %s", step, suggest.Unknown("argument", arg, slices.Sorted(maps.Keys(properties))), t.Tool))
			}
		}
		return faults
	})
	if err != nil {
		return info, &Error{Message: err.Error(), Details: Details{Kind: "bad_request"}}
	}
	hello := m.session.InitializeResult()
	info = wire.InitializeResult{
		Protocol: wire.Protocol, Name: "mcp", Version: "unknown", Libraries: map[string]string{"mcp": hello.ProtocolVersion},
		Capabilities: wire.Capabilities{Search: true, Sources: "none"},
	}
	if server := hello.ServerInfo; server != nil {
		info.Name, info.Version = cmp.Or(server.Name, info.Name), cmp.Or(server.Version, info.Version)
	}
	return info, nil
}

// textsOf returns the texts of a result.
func textsOf(r mcp.CallToolResult) (texts []string) {
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok && strings.TrimSpace(c.Text) != "" {
			texts = append(texts, c.Text)
		}
	}
	return texts
}

// tool calls a tool for a memory; one that is not mapped does nothing.
func (m *mapped) tool(ctx context.Context, t *Tool, memory string, values map[string]any) (reply mcp.CallToolResult, err error) {
	if t == nil {
		return reply, nil
	}
	if m.session == nil {
		return reply, &Error{Message: t.Tool + ": the first request is not " + wire.Initialize, Details: Details{Kind: "bad_request"}}
	}
	work, _ := m.works.Load(memory)
	all := map[string]any{"memory": memory, "work": work}
	maps.Copy(all, values)
	result, err := m.session.CallTool(ctx, &mcp.CallToolParams{Name: t.Tool, Arguments: fill(t.Args, all)})
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return reply, &Error{Code: int(said.Code), Message: t.Tool + ": " + clip(said.Message), Details: Details{Kind: "internal"}}
	}
	if err != nil {
		return reply, err
	}
	data, err := json.Marshal(result)
	if err == nil {
		err = json.Unmarshal(redact.Clean(data), &reply) // models are asked with what it says
	}
	if err != nil {
		return reply, fault.New(fault.AdapterProtocol, "%s: %v", t.Tool, err)
	}
	if reply.IsError {
		return reply, &Error{Message: t.Tool + ": " + clip(strings.Join(textsOf(reply), "; ")), Details: Details{Kind: "internal"}}
	}
	return reply, nil
}

// read takes the blocks from a result.
func (b *Blocks) read(r mcp.CallToolResult) (found wire.SearchResult, err error) {
	texts := textsOf(r)
	if b == nil || b.List == "" {
		found.Blocks = lists.Map(texts, func(text string) wire.Block { return wire.Block{Text: text} })
		return found, nil
	}
	root := r.StructuredContent
	if root == nil {
		if len(texts) == 0 {
			return found, nil
		}
		if err := json.Unmarshal([]byte(texts[0]), &root); err != nil {
			return found, shapeless("its text is no JSON, which blocks.list needs: %s", beginning([]byte(texts[0])))
		}
	}
	list, ok := at(root, b.List).([]any)
	if !ok {
		return found, shapeless("it has no list at %q", b.List)
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
			return found, shapeless("entry %d has no text at %s", i+1, strings.Join(b.Text, " or "))
		}
		block.Score, _ = at(item, b.Score).(float64)
		switch id := at(item, b.ID).(type) {
		case string:
			block.ID = id
		case float64:
			block.ID = strconv.FormatFloat(id, 'f', -1, 64)
		}
		found.Blocks = append(found.Blocks, block)
	}
	return found, nil
}

// shapeless returns the fault of a result without the blocks that a mapping names.
func shapeless(format string, args ...any) error {
	return fault.New(fault.AdapterProtocol, "the result of search: "+format, args...)
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
