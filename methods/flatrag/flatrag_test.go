package flatrag

import (
	"testing"

	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

func TestMethod(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"defaults":     func(*Options) {},
		"bm25":         func(o *Options) { o.Ranking = BM25; o.K = 2; o.Chunk = Chunk{Unit: Turns, Size: 1} },
		"rrf":          func(o *Options) { o.Ranking = RRF; o.K = 3; o.Chunk = Chunk{Unit: Turns, Size: 2} },
		"small tokens": func(o *Options) { o.Chunk = Chunk{Unit: Tokens, Size: 7} },
	} {
		t.Run(name, func(t *testing.T) {
			o := Defaults()
			change(&o)
			try.Do(t, o.Validate())
			methodtest.Run(t, Spec, o)
		})
	}
}

func TestTrees(t *testing.T) {
	methodtest.RunTree(t, Spec, nil)
	o := Defaults()
	o.Ranking, o.Tree.K = RRF, 3
	methodtest.RunTree(t, Spec, o)
}
