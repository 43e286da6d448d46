package lightmem

import (
	"testing"

	"recallbench/methods/internal/pruning"
	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) {
	whole := Defaults()
	whole.Prune.Use, whole.VectorOnUpdate = pruning.None, NewVector
	soft := Defaults()
	soft.Update.Use, soft.Segments.Buffer, soft.ShortTerm = NoUpdate, 40, 60
	for name, o := range map[string]Options{"defaults": Defaults(), "unshortened": whole, "soft": soft} {
		t.Run(name, func(t *testing.T) { methodtest.Run(t, Spec, o) })
	}
}
