// Package suite lists the backends that models entries can use.
package suite

import (
	"recallbench/internal/backend"
	"recallbench/internal/live"
	"recallbench/internal/offline"
)

// All returns the backends in the order of lists.
func All() []*backend.Spec {
	return []*backend.Spec{
		offline.Spec,
		live.Spec,
	}
}
