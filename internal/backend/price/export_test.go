package price

import (
	"maps"
	"slices"
)

// Models lists the names of the models, sorted.
func (t *Table) Models() []string { return slices.Sorted(maps.Keys(t.models)) }
