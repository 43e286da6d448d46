package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestMarshal(t *testing.T) {
	c := try.Get(Parse("x.yaml", []byte(minimal), fakes(), "methods=[{use: stateless}, {use: flat-rag, label: Naive RAG}]", "concurrency={samples: 2, requests: 8}"))(t)
	c.Base = "/runs"
	data := try.Get(c.Marshal())(t)
	golden.Check(t, "marshal.yaml", string(data))
}

// A run file with several seeds has no key seed beside them.
func TestMarshalSeeds(t *testing.T) {
	for _, tt := range []struct{ set, want string }{
		{"name=x", "seeds: [3, 5]\n"},
		{"seeds=[3, 1, 2]", "seeds: [3, 1, 2]\n"},
		{"seeds=[3]", "seed: 3\n"}, // is the same as seed=3
		{"seed=3", "seed: 3\n"},
	} {
		c := try.Get(Parse("x.yaml", []byte("seeds: [3, 5]\n"+minimal), fakes(), tt.set))(t)
		if each := c.EachSeed(); c.Seed != 3 || each[0] != 3 {
			t.Errorf("%s: seed %d, each of %v", tt.set, c.Seed, each)
		}
		data := try.Get(c.Marshal())(t)
		if !strings.HasPrefix(string(data), "name: x\n"+tt.want+"base: ") {
			t.Errorf("%s: the run file is\n%s", tt.set, data)
		}
	}
}

// On the command line the last of seed and seeds counts, whatever the file has.
func TestSetSeeds(t *testing.T) {
	for _, tt := range []struct {
		set  []string
		want []uint64
	}{
		{nil, []uint64{9}},
		{[]string{"seeds=[1, 2]"}, []uint64{1, 2}},
		{[]string{"seeds=[1, 2]", "seeds[1]=5"}, []uint64{1, 5}},
		{[]string{"seeds=[1, 2]", "seed=4"}, []uint64{4}},
		{[]string{"seed=4", "seeds=[1, 2]"}, []uint64{1, 2}},
	} {
		c, err := Parse("x.yaml", []byte("seed: 9\n"+minimal), fakes(), tt.set...)
		if err != nil {
			t.Errorf("%q: %v", tt.set, err)
			continue
		}
		if diff := cmp.Diff(tt.want, c.EachSeed()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.set, diff)
		}
	}
}
