package adapter

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
)

// mcpChild is an MCP server with a tool that notes texts and one that finds them.
func mcpChild() {
	type note struct {
		Text string `json:"text"`
		At   string `json:"at"`
	}
	type query struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	type hit struct {
		Body string  `json:"body"`
		Rank float64 `json:"rank"`
		Key  int     `json:"key"`
	}
	var notes []string
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "0.1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "write"}, func(_ context.Context, _ *mcp.CallToolRequest, n note) (*mcp.CallToolResult, any, error) {
		notes = append(notes, n.Text)
		return nil, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "find"}, func(_ context.Context, _ *mcp.CallToolRequest, q query) (*mcp.CallToolResult, map[string][]hit, error) {
		if q.Query == "fail" {
			return nil, nil, errors.New("no index")
		}
		hits := []hit{}
		for i, text := range notes {
			if len(hits) < q.Limit && strings.Contains(text, q.Query) {
				hits = append(hits, hit{text, 1.5, i})
			}
		}
		return nil, map[string][]hit{"hits": hits}, nil
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // ends with its input
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
