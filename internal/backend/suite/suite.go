// Package suite lists the backends that model entries can use.
package suite

import (
	"recallbench/internal/backend"
	"recallbench/internal/backend/provider"
	"recallbench/internal/backend/standin"
)

// All returns the backends in the order of lists.
func All() []*backend.Spec {
	return []*backend.Spec{
		standin.Spec,
		standin.NoneSpec,
		provider.New(provider.Fallback{Spec: standin.Spec}),
	}
}
