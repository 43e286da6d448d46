package amem

import (
	"testing"

	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) { methodtest.Run(t, Spec, nil) }
