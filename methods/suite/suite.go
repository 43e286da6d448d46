// Package suite lists the memory methods.
package suite

import (
	"recallbench/methods"
	"recallbench/methods/amem"
	"recallbench/methods/entityrag"
	"recallbench/methods/external"
	"recallbench/methods/flatrag"
	"recallbench/methods/incontext"
	"recallbench/methods/lightmem"
	"recallbench/methods/memoryos"
	"recallbench/methods/nemori"
	"recallbench/methods/semanticanchoring"
	"recallbench/methods/semanticxpath"
	"recallbench/methods/stateless"
	"recallbench/methods/xmemory"
)

// All returns the methods in the order of tables.
func All() []*methods.Spec {
	return []*methods.Spec{
		stateless.Spec,
		incontext.PlaceboSpec,
		incontext.RecentSpec,
		flatrag.GrepSpec,
		incontext.OracleSpec,
		incontext.Spec,
		flatrag.Spec,
		flatrag.VectorSpec,
		entityrag.Spec,
		semanticxpath.Spec,
		nemori.Spec,
		memoryos.Spec,
		xmemory.Spec,
		amem.Spec,
		lightmem.Spec,
		semanticanchoring.Spec,
		external.Spec,
	}
}
