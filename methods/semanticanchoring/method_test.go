package semanticanchoring

import (
	"testing"

	"recallbench/methods/methodtest"
)

func TestMethod(t *testing.T) {
	methodtest.Run(t, Spec, nil)
	o := Defaults()
	o.EntityWeight, o.Dense.Index = Inverse, HNSW
	o.Layers, o.Weights.Dependencies = Layers{Dependencies: true}, 0.2
	methodtest.Run(t, Spec, o)
}
