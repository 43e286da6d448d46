package config

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestMarshal(t *testing.T) {
	c := try.Get(Parse(filepath.Join("runs", "my first run.yaml"), []byte(minimal), fakes(), "methods=[{use: stateless}, {use: flat-rag, label: Naive RAG}]"))(t)
	processors := runtime.GOMAXPROCS(0)
	if base := try.Get(filepath.Abs("runs"))(t); c.Base != base || c.Concurrency != (Concurrency{processors, 4 * processors}) {
		t.Errorf("base is %s, want %s; concurrency %v", c.Base, base, c.Concurrency)
	}
	c.Base, c.Concurrency = "/runs", Concurrency{2, 8}
	data := try.Get(c.Marshal())(t)
	golden.Check(t, "marshal.yaml", string(data))
}

// On the command line the last of seed and seeds counts, whatever the file has. A run file
// with several seeds has no key seed beside them.
func TestSeeds(t *testing.T) {
	for _, tt := range []struct {
		file string
		set  []string
		want []uint64
		text string
	}{
		{"seeds: [3, 5]", nil, []uint64{3, 5}, "seeds: [3, 5]\n"},
		{"seeds: [3, 5]", []string{"seeds=[3, 1, 2]"}, []uint64{3, 1, 2}, "seeds: [3, 1, 2]\n"},
		{"seeds: [3, 5]", []string{"seeds=[3]"}, []uint64{3}, "seed: 3\n"}, // is the same as seed=3
		{"seeds: [3, 5]", []string{"seed=3"}, []uint64{3}, "seed: 3\n"},
		{"seed: 9", []string{"seeds=[1, 2]", "seeds[1]=5"}, []uint64{1, 5}, "seeds: [1, 5]\n"},
		{"seed: 9", []string{"seeds=[1, 2]", "seed=4"}, []uint64{4}, "seed: 4\n"},
		{"seed: 9", []string{"seed=4", "seeds=[1, 2]"}, []uint64{1, 2}, "seeds: [1, 2]\n"},
	} {
		c := try.Get(Parse("x.yaml", []byte(tt.file+"\n"+minimal), fakes(), tt.set...))(t)
		if each := c.EachSeed(); !slices.Equal(each, tt.want) || c.Seed != tt.want[0] {
			t.Errorf("%s, %q: seed %d, each of %v", tt.file, tt.set, c.Seed, each)
		}
		if data := try.Get(c.Marshal())(t); !strings.HasPrefix(string(data), "name: x\n"+tt.text+"base: ") {
			t.Errorf("%s, %q: the run file is\n%s", tt.file, tt.set, data)
		}
	}
}
