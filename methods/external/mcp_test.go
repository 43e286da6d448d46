package external

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"recallbench/internal/external/adapter"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

// mcpMain is an MCP server that holds turns.
func mcpMain() {
	var turns []wire.Turn
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments struct {
					Text, Query string
					Limit       int
				}
			}
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		var result any = struct{}{}
		a := m.Params.Arguments
		switch m.Method + m.Params.Name {
		case "initialize":
			result = map[string]any{"protocolVersion": "2025-03-26", "serverInfo": map[string]string{"name": "notes", "version": "1"}}
		case "tools/list":
			properties := json.RawMessage(`{"type":"object","properties":{"text":{},"query":{},"limit":{}},"additionalProperties":false}`)
			var tools []any
			for _, name := range []string{"write", "find"} {
				tools = append(tools, map[string]any{"name": name, "inputSchema": properties})
			}
			result = map[string]any{"tools": tools}
		case "tools/callwrite":
			turns = append(turns, wire.Turn{Text: a.Text})
		case "tools/callfind":
			texts := []any{}
			for _, b := range overlap(turns, a.Query, a.Limit, "sourceless") {
				texts = append(texts, map[string]string{"type": "text", "text": b.Text})
			}
			result = map[string]any{"content": texts}
		}
		data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		_, _ = fmt.Fprintf(os.Stdout, "%s\n", data)
	}
}

// TestMCP measures an MCP server.
func TestMCP(t *testing.T) {
	mem, err := build(t, options(t, "mcp", func(o *Options) {
		o.MCP = &adapter.Mapping{
			Command: o.Command,
			Add:     &adapter.Tool{Tool: "write", Args: map[string]any{"text": "{session.text}"}},
			Search:  &adapter.Tool{Tool: "find", Args: map[string]any{"query": "{request.text}", "limit": "{k}"}},
		}
		o.Command = nil
	}), methodtest.Sample())
	try.Do(t, err)
	for _, r := range methodtest.Sample().Requests {
		if resp := try.Get(mem.Answer(t.Context(), r))(t); len(resp.Evidence) == 0 || resp.Text == "" {
			t.Errorf("answer %q: %+v", r.Text, resp)
		}
	}
}
