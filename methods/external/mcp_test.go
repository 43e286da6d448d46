package external

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recallbench/internal/external/adapter"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

// mcpMain is an MCP server that holds turns.
func mcpMain() {
	type arguments struct {
		Text  string `json:"text,omitempty"`
		Query string `json:"query,omitempty"`
		Limit int    `json:"limit,omitempty"`
	}
	var turns []wire.Turn
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "write"}, func(_ context.Context, _ *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
		turns = append(turns, wire.Turn{Text: a.Text})
		return nil, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "find"}, func(_ context.Context, _ *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
		result := new(mcp.CallToolResult)
		for _, b := range overlap(turns, a.Query, a.Limit, "sourceless") {
			result.Content = append(result.Content, &mcp.TextContent{Text: b.Text})
		}
		return result, nil, nil
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // ends with its input
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
