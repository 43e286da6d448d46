package xmemory

import (
	"testing"

	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) {
	released := Defaults()
	paper := Defaults()
	paper.Profile = Paper
	plain := Defaults()
	plain.Search.Representatives, plain.Search.Uncertainty = false, false
	for name, o := range map[string]Options{"released": released, "paper": paper, "memory only": plain} {
		t.Run(name, func(t *testing.T) { methodtest.Run(t, Spec, o) })
	}
}
