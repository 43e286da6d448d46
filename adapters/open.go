package adapters

import (
	"recallbench/internal/outside/adapter"
	"recallbench/internal/outside/gateway"
)

type Manifest struct {
	Command        []string
	URL            string
	MCP            *adapter.Mapping
	Env            []string
	Set            map[string]string
	Defaults       map[string]any
	Process, Clock string
	Normalise      []gateway.Rule
}
type Kit struct{ Python, Node string }

func Open(name, base string) (Manifest, error) { return Manifest{}, nil }
func Unpack(dir string) (Kit, error)           { return Kit{dir, dir}, nil }
