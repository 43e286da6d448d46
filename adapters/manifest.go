package adapters

import (
	"errors"
	"fmt"
	"time"

	"recallbench/internal/external/adapter"
	"recallbench/internal/external/gateway"
	"recallbench/internal/files/strictyaml"
)

// ManifestFile is the name of the file that describes an adapter.
const ManifestFile = "adapter.yaml"

// A Manifest describes an adapter: how it is started and installed, what its
// options mean, and what it was run against. Its values are defaults of the
// options of the method that runs it.
type Manifest struct {
	Name     string `yaml:"name"`
	Doc      string `yaml:"doc"`
	Language string `yaml:"language,omitempty"` // of the kit; none for a service or an MCP server
	// One of Command, URL and MCP says how it is reached. Words of Command that
	// name a file lie beside the manifest.
	Command []string         `yaml:"command,omitempty"`
	URL     string           `yaml:"url,omitempty"`
	MCP     *adapter.Mapping `yaml:"mcp,omitempty"`
	// Needs names requirements; the command Probe succeeds if they are met.
	Needs   []string `yaml:"needs,omitempty"`
	Probe   []string `yaml:"probe,omitempty"`
	Install []string `yaml:"install,omitempty"` // lines for a shell
	// Services are servers that the adapter uses but does not start.
	Services []string          `yaml:"services,omitempty"`
	Env      []string          `yaml:"env,omitempty"` // names taken over from the environment
	Set      map[string]string `yaml:"set,omitempty"` // variables set
	// Normalise lists rules for texts to models: uuid.
	Normalise []gateway.Rule `yaml:"normalise,omitempty"`
	Clock     string         `yaml:"clock,omitempty"`
	Metered   bool           `yaml:"metered"` // its model calls go through the run's doors
	// Options has the meaning of each option of the adapter.
	Options map[string]string `yaml:"options,omitempty"`
	Tested  []Tested          `yaml:"tested,omitempty"`
	Notes   string            `yaml:"notes,omitempty"`
}

// A Tested library is one that the adapter was run with.
type Tested struct {
	Library string `yaml:"library"`
	Version string `yaml:"version"`
	Date    string `yaml:"date"`
}

// Parse reads a manifest and reports all its faults. Messages begin with the file's
// name.
func Parse(file string, text []byte) (Manifest, error) {
	m := Manifest{Clock: "session", Metered: true}
	doc, err := strictyaml.Parse(file, text)
	if err != nil {
		return m, err
	}
	doc.Root().Decode(&m)
	return m, doc.Err()
}

// Validate reports faults of a manifest.
func (m Manifest) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	ways := 0
	for _, given := range []bool{len(m.Command) > 0, m.URL != "", m.MCP != nil} {
		if given {
			ways++
		}
	}
	switch {
	case m.Name == "":
		fault("name is missing")
	case ways == 0:
		fault("want one of command, url and mcp")
	case ways > 1:
		fault("more than one of command, url and mcp")
	}
	if m.Clock != "session" && m.Clock != "real" {
		fault(`clock is %q, want "session" or "real"`, m.Clock)
	}
	for i, t := range m.Tested {
		if _, err := time.Parse(time.DateOnly, t.Date); err != nil || t.Library == "" || t.Version == "" {
			fault("tested[%d] wants a library, its version and a date as 2026-11-22", i)
		}
	}
	return errors.Join(faults...)
}
