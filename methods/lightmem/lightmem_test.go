package lightmem

import (
	"testing"

	"recallbench/methods/internal/pruning"
	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) {
	whole := Defaults()
	whole.Prune.Use = pruning.None
	for name, o := range map[string]Options{"defaults": Defaults(), "unshortened": whole} {
		t.Run(name, func(t *testing.T) { methodtest.Run(t, Spec, o) })
	}
}
