// Package suite lists the backends that models entries can use.
package suite

import (
	"recallbench/internal/backend"
	"recallbench/internal/backend/offline"
	"recallbench/internal/backend/provider"
)

// All returns the backends in the order of lists.
func All() []*backend.Spec {
	return []*backend.Spec{
		offline.Spec,
		provider.New(provider.Fallback{Spec: offline.Spec}),
	}
}
