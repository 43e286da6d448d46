package external

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/wire"
	"recallbench/methods/methodtest"
)

// notes serves an MCP server that others have started: its memories are projects.
func notes(t *testing.T) string {
	t.Helper()
	var mu sync.Mutex
	projects := make(map[string][]wire.Turn)
	properties := json.RawMessage(`{"type":"object","properties":{"project":{},"text":{},"query":{},"limit":{}},"additionalProperties":false}`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments struct {
					Project, Text, Query string
					Limit                int
				}
			}
		}
		if r.Method == http.MethodDelete || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		var result any = struct{}{}
		a := m.Params.Arguments
		switch m.Method + m.Params.Name {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "one")
			result = map[string]any{"protocolVersion": "2025-03-26", "serverInfo": map[string]string{"name": "notes", "version": "1"}}
		case "tools/list":
			var tools []any
			for _, name := range []string{"write", "find", "drop"} {
				tools = append(tools, map[string]any{"name": name, "inputSchema": properties})
			}
			result = map[string]any{"tools": tools}
		case "tools/callwrite":
			projects[a.Project] = append(projects[a.Project], wire.Turn{Text: a.Text})
		case "tools/callfind":
			var texts []any
			for _, b := range overlap(projects[a.Project], a.Query, a.Limit, "sourceless") {
				texts = append(texts, map[string]string{"type": "text", "text": b.Text})
			}
			result = map[string]any{"content": texts}
		case "tools/calldrop":
			delete(projects, a.Project)
		}
		data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	}))
	t.Cleanup(func() {
		s.Close()
		if len(projects) != 0 {
			t.Errorf("%d memories are left on the server", len(projects))
		}
	})
	return s.URL + "/mcp"
}

// TestContractMCP measures a server that is reached by its URL.
func TestContractMCP(t *testing.T) {
	url := notes(t)
	project := func(args ...string) map[string]any {
		all := map[string]any{"project": "{memory}"}
		for i := 0; i < len(args); i += 2 {
			all[args[i]] = args[i+1]
		}
		return all
	}
	methodtest.Run(t, Spec, options(t, "", func(o *Options) {
		o.Command, o.URL = nil, url
		o.MCP = &adapter.Mapping{
			Per:    "turn",
			Add:    &adapter.Tool{Tool: "write", Args: project("text", "{session.text}")},
			Search: &adapter.Tool{Tool: "find", Args: project("query", "{request.text}", "limit", "{k}")},
			Close:  &adapter.Tool{Tool: "drop", Args: project()},
		}
	}))
}
