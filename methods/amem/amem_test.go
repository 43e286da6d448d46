package amem

import (
	"testing"

	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) {
	linked := Defaults()
	linked.Construction.OfflineLink = 0.1
	for name, o := range map[string]Options{"default": Defaults(), "linked": linked} {
		t.Run(name, func(t *testing.T) { methodtest.Run(t, Spec, o) })
	}
}
