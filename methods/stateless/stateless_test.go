package stateless

import (
	"testing"

	"recallbench/methods/methodtest"
)

func TestMethod(t *testing.T) { methodtest.Run(t, Spec, nil) }

func TestTrees(t *testing.T) { methodtest.RunTree(t, Spec, nil) }
