package record

import (
	"maps"
	"slices"
	"strings"
)

// AdapterNote says which program is behind an external memory, and what bears on its
// results; empty for another cell.
func (c Cell) AdapterNote() string {
	a := c.Adapter
	if a == nil {
		return ""
	}
	note := "adapter " + strings.TrimSpace(a.Name+" "+a.Version)
	if a.Clock != "" {
		note += ", clock: " + a.Clock
	}
	if a.Unmetered != "" {
		note += "; model calls not metered: " + a.Unmetered
	}
	if len(a.AskedHosts) > 0 {
		note += "; tried to reach other hosts, which was refused: " + strings.Join(slices.Sorted(maps.Keys(a.AskedHosts)), ", ")
	}
	return note
}
