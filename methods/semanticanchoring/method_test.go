package semanticanchoring

import (
	"testing"

	"recallbench/methods/methodtest"
)

func TestMethod(t *testing.T) {
	methodtest.Run(t, Spec, nil)
	o := Defaults()
	o.Fusion, o.DiscourseMatch, o.EntityWeight, o.Dense.Index, o.LowerCase = Rank, Binary, Inverse, HNSW, true
	o.Layers, o.Weights.Dependencies, o.Serialise.Lines = Layers{Dependencies: true}, 0.2, 3
	methodtest.Run(t, Spec, o)
}
