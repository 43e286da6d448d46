// Package suite lists the datasets that a config may use.
package suite

import (
	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/datasets/sample"
)

// All returns the datasets in the order of listings. None is left out: what
// may not be shipped is fetched by its user.
func All() []*datasets.Spec {
	return []*datasets.Spec{
		sample.Spec,
		locomo.Spec,
	}
}
