package adapter

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
)

// notes is an MCP server with a tool that notes texts and one that finds them.
type notes []string

// answer returns the reply to a message; nil for a notification.
func (n *notes) answer(data []byte) []byte {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments map[string]any
		}
	}
	_ = json.Unmarshal(data, &m)
	reply := func(v any) []byte {
		data, _ := json.Marshal(v)
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, data)
	}
	tool := func(name string, args ...string) map[string]any {
		properties := map[string]any{}
		for _, a := range args {
			properties[a] = map[string]string{"type": "string"}
		}
		return map[string]any{"name": name, "inputSchema": map[string]any{"type": "object", "properties": properties}}
	}
	switch {
	case m.Method == "initialize":
		return reply(map[string]any{"protocolVersion": "2025-06-18", "serverInfo": map[string]string{"name": "notes", "version": "0.1"}})
	case m.Method == "tools/list":
		return reply(map[string]any{"tools": []any{tool("write", "text", "at"), tool("find", "query", "limit")}})
	case m.Params.Name == "write":
		*n = append(*n, fmt.Sprint(m.Params.Arguments["text"]))
		return reply(map[string]any{"content": []any{}})
	case m.Params.Name == "find" && m.Params.Arguments["query"] == "fail":
		return reply(map[string]any{"isError": true, "content": []any{map[string]string{"type": "text", "text": "no index"}}})
	case m.Params.Name == "find":
		limit, ok := m.Params.Arguments["limit"].(float64)
		if !ok {
			limit = -1 // a number that came as a text
		}
		var hits []any
		for i, note := range *n {
			if len(hits) < int(limit) && strings.Contains(note, fmt.Sprint(m.Params.Arguments["query"])) {
				hits = append(hits, map[string]any{"body": note, "rank": 1.5, "key": i})
			}
		}
		return reply(map[string]any{"structuredContent": map[string]any{"hits": hits}, "content": []any{}})
	default:
		return nil
	}
}

// mcpChild serves notes over stdio.
func mcpChild() {
	var n notes
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if reply := n.answer(line); reply != nil {
			_, _ = fmt.Fprintf(os.Stdout, "%s\n", reply)
		}
	}
}

func speakerLine(turn wire.Turn) string { return turn.Speaker + ": " + turn.Text }

func mapping() *Mapping {
	return &Mapping{
		Command: []string{"x"},
		Add:     &Tool{"write", map[string]any{"text": "{session.text}", "at": "{session.time}"}},
		Search:  &Tool{"find", map[string]any{"query": "{request.text}", "limit": "{k}"}},
		Blocks:  &Blocks{List: "hits", Text: []string{"title", "body"}, Score: "rank", ID: "key"},
	}
}

func startMapped(t *testing.T, m *Mapping) Conn {
	t.Helper()
	exe := try.Get(os.Executable())(t)
	c, err := StartMCP(Process{
		Command: []string{exe}, Dir: filepath.Join(t.TempDir(), "work"), Set: map[string]string{childMode: "mcp"}, Log: NewLog(""), Getenv: os.Getenv,
	}, m, speakerLine)
	try.Do(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestMCP(t *testing.T) {
	testNotes(t, startMapped(t, mapping()))
	m := mapping()
	m.Blocks.List = "results"
	c := startMapped(t, m)
	try.Do(t, c.Call(t.Context(), wire.Initialize, wire.InitializeParams{}, new(wire.InitializeResult)))
	if err := c.Call(t.Context(), wire.Search, wire.SearchParams{Memory: "m", K: 5}, new(wire.SearchResult)); fault.KindOf(err) != fault.AdapterProtocol {
		t.Errorf("another shape: %v", err)
	}
}

func testNotes(t *testing.T, c Conn) {
	t.Helper()
	var info wire.InitializeResult
	if err := c.Call(t.Context(), wire.Initialize, wire.InitializeParams{}, &info); err != nil || info.Name != "notes" || info.Check() != nil {
		t.Fatalf("%+v, %v", info, err)
	}
	for _, params := range []any{
		wire.OpenParams{Memory: "m", Work: "w"},
		wire.AddParams{Memory: "m", Session: wire.Session{Turns: []wire.Turn{{Speaker: "Ana", Text: "a red kite"}, {Speaker: "Ben", Text: "hm"}}}},
		wire.AddParams{Memory: "m", Session: wire.Session{Turns: []wire.Turn{{Speaker: "Ben", Text: "a red boat"}}}},
		wire.AddParams{Memory: "m", Session: wire.Session{Turns: []wire.Turn{{Speaker: "Ana", Text: "no"}}}},
		wire.MemoryParams{Memory: "m"},
	} {
		if err := c.Call(t.Context(), "", params, nil); err != nil {
			t.Fatalf("%T: %v", params, err)
		}
	}
	var found wire.SearchResult
	err := c.Call(t.Context(), wire.Search, wire.SearchParams{Memory: "m", K: 5, Request: wire.Request{Text: "red"}}, &found)
	want := []wire.Block{{ID: "0", Text: "Ana: a red kite\nBen: hm", Score: 1.5}, {ID: "1", Text: "Ben: a red boat", Score: 1.5}}
	if diff := cmp.Diff(want, found.Blocks); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	err = c.Call(t.Context(), wire.Search, wire.SearchParams{Memory: "m", K: 5, Request: wire.Request{Text: "fail"}}, &found)
	if err == nil || !strings.Contains(err.Error(), "find: no index") {
		t.Errorf("a tool's error: %v", err)
	}
}

// TestMCPMapping checks that a mapping that cannot work is refused before a run.
func TestMCPMapping(t *testing.T) {
	m := mapping()
	m.Close = &Tool{"", nil}
	m.Search.Args["query"] = "{request.txt}"
	const want = "mcp.close.tool is empty\n" +
		`mcp.search: unknown placeholder "request.txt"; did you mean "request.text"? have memory, work, k, tokens, request.text, request.time`
	if err := m.Validate(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	m = mapping()
	m.Add.Tool, m.Search.Args["limits"] = "writes", "{k}"
	err := startMapped(t, m).Call(t.Context(), wire.Initialize, wire.InitializeParams{}, new(wire.InitializeResult))
	for _, want := range []string{`mcp.add: unknown tool "writes"; did you mean "write"?`, `mcp.search: unknown argument "limits"; did you mean "limit"? have limit, query of find`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
