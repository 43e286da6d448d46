package amem

import (
	"testing"

	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) {
	lost := Defaults()
	lost.Construction.Analysis, lost.Search.Links = Lost, PerHit
	fresh := Defaults()
	fresh.Construction.Reembed, fresh.Search.Repeats = Fresh, false
	robust := Defaults()
	robust.Construction.Layer, robust.Construction.OfflineLink = Robust, 0.1
	linked := Defaults()
	linked.Construction.OfflineLink, linked.Construction.Every = 0.1, 2
	for name, o := range map[string]Options{"default": Defaults(), "lost": lost, "fresh": fresh, "linked": linked, "robust": robust} {
		t.Run(name, func(t *testing.T) { methodtest.Run(t, Spec, o) })
	}
}
