package wire

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// vectors are the reference values of the protocol's rules.
type vectors struct {
	IDs struct {
		Sample struct {
			In  []Session `json:"in"`
			Out string    `json:"out"`
		} `json:"sample"`
		Requests []struct {
			Request
			Out string `json:"out"`
		} `json:"requests"`
		Blocks []struct {
			Text string `json:"text"`
			Out  string `json:"out"`
		} `json:"blocks"`
	} `json:"ids"`
	Sources struct {
		Turns [][2]string `json:"turns"`
		Cases []struct {
			Block   string   `json:"block"`
			Sources []string `json:"sources"`
		} `json:"cases"`
	} `json:"estimated_sources"`
	Cut []struct {
		K         int   `json:"k"`
		Tokens    int   `json:"tokens"`
		Sizes     []int `json:"sizes"`
		Kept      []int `json:"kept"`
		Truncated []int `json:"truncated"`
	} `json:"cut"`
}

func TestVectors(t *testing.T) {
	data := try.Get(os.ReadFile(filepath.Join(realdata.Fixtures(t), "external-memories", "vectors.json")))(t)
	var v vectors
	try.Do(t, json.Unmarshal(data, &v))
	if got := MemoryName(v.IDs.Sample.In); got != v.IDs.Sample.Out {
		t.Errorf("memory is %s, want %s", got, v.IDs.Sample.Out)
	}
	var requests []Request
	var want []string
	for _, r := range v.IDs.Requests {
		requests, want = append(requests, r.Request), append(want, r.Out)
	}
	try.Equal(t, "requests", want, RequestIDs(requests))
	var blocks []Block
	want = nil
	for _, b := range v.IDs.Blocks {
		blocks, want = append(blocks, Block{Text: b.Text}), append(want, b.Out)
	}
	try.Equal(t, "blocks", want, BlockIDs(blocks))
	var turns []Turn
	for _, turn := range v.Sources.Turns {
		turns = append(turns, Turn{ID: turn[0], Text: turn[1]})
	}
	sources := NewSources(turns)
	for _, c := range v.Sources.Cases {
		if got := sources.Of(c.Block); len(got)+len(c.Sources) > 0 && !cmp.Equal(got, c.Sources) {
			t.Errorf("%q comes from %v, want %v", c.Block, got, c.Sources)
		}
	}
	for _, c := range v.Cut {
		kept, room := Cut(c.Sizes, c.K, c.Tokens)
		if kept != len(c.Kept) || room > 0 != (c.Truncated != nil) || room > 0 && room != c.Truncated[0] {
			t.Errorf("Cut(%v, %d, %d) = %d, %d, want %v", c.Sizes, c.K, c.Tokens, kept, room, c)
		}
	}
}

func TestTime(t *testing.T) {
	for in, want := range map[string]string{
		`null`: `null`, `""`: `null`, `"2023-05-08T13:56:00"`: `"2023-05-08T13:56:00"`, `"2023-05-08"`: `"2023-05-08T00:00:00"`,
		`"2023-05-08T13:56:00+02:00"`: `"2023-05-08T13:56:00"`, `"2023-05-08T13:56:00.25Z"`: `"2023-05-08T13:56:00"`, `"2023-05-08 13:56:00"`: `"2023-05-08T13:56:00"`,
	} {
		var at Time
		if err := json.Unmarshal([]byte(in), &at); err != nil {
			t.Error(err)
		}
		if got, err := json.Marshal(at); err != nil || string(got) != want {
			t.Errorf("%s is written %s (%v), want %s", in, got, err, want)
		}
	}
	for _, in := range []string{`"yesterday"`, `5`, `{}`} {
		if err := json.Unmarshal([]byte(in), new(Time)); err == nil {
			t.Errorf("%s is accepted", in)
		}
	}
}

func TestInitializeResult(t *testing.T) {
	good := InitializeResult{Protocol: Protocol, Name: "a", Version: "1", Capabilities: Capabilities{Search: true}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	bad := InitializeResult{Protocol: "recallbench-memory/2", Capabilities: Capabilities{Sources: "some"}}
	const want = `initialize: protocol is "recallbench-memory/2", want "recallbench-memory/1"; name and version are needed; capabilities: search or answer is needed; ` +
		`capabilities: sources is "some", want exact or none`
	if err := bad.Check(); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
