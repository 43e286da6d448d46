package config

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/backend/calls"
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

// Whatever a config holds, parsing what Marshal writes gives it back.
func TestMarshalParse(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t, base)
		data := try.Get(c.Marshal())(t)
		got, err := Parse(filepath.Join(base, "x.yaml"), data, fakes())
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(c, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, data)
		}
		again := try.Get(got.Marshal())(t)
		if string(again) != string(data) {
			t.Fatalf("second time:\n%s\nfirst time:\n%s", again, data)
		}
	})
}

func drawConfig(t *rapid.T, base string) *Config {
	label := rapid.OneOf(
		rapid.StringMatching(`[a-z0-9.:#&*!|>'"%@ -]{0,10}`),
		rapid.SampledFrom([]string{"yes", "null", "~", "1e3", "010", "0x1", "2023-05-08", "true", "<<", "é", "日本", "\u2028x", "\ufeffx", "\u0085x", "- x", "a: b", "a #b"}),
		rapid.String(),
	)
	p := fakes()
	entries := func(key string, use func() Entry) []Entry {
		var es []Entry
		taken := make(map[string]bool)
		for range rapid.IntRange(1, 3).Draw(t, key) {
			e := use()
			e.Label = label.Draw(t, "label")
			if (list{key: key}).labelFault(e.Label) != "" || taken[strings.ToLower(e.Label)] {
				e.Label = "entry " + strconv.Itoa(len(es))
			}
			taken[strings.ToLower(e.Label)] = true
			es = append(es, e)
		}
		return es
	}
	seeds := rapid.SliceOfNDistinct(rapid.Uint64(), 1, 4, rapid.ID).Draw(t, "seeds")
	several := seeds
	if len(seeds) == 1 {
		several = nil
	}
	return &Config{
		Name: rapid.StringMatching(`[a-z0-9_][a-z0-9._-]{0,20}`).Draw(t, "name"),
		Seed: seeds[0], Seeds: several,
		Base: base,
		Datasets: entries("datasets", func() Entry {
			optional := rapid.Bool().Draw(t, "optional")
			if rapid.Bool().Draw(t, "sample") {
				return Entry{Use: "sample", Optional: optional}
			}
			return Entry{Use: "locomo", Optional: optional, Options: locomoOptions{rapid.SliceOf(rapid.IntRange(1, 5)).Draw(t, "categories")}}
		}),
		Methods: entries("methods", func() Entry {
			if rapid.Bool().Draw(t, "stateless") {
				return Entry{Use: "stateless"}
			}
			return Entry{Use: "flat-rag", Options: drawOptions(t)}
		}),
		Models:      entries("models", func() Entry { return Entry{Use: "stand-in"} }),
		Metrics:     rapid.SliceOfNDistinct(rapid.SampledFrom(p.MetricNames), 1, 4, rapid.ID).Draw(t, "metrics"),
		Prompts:     rapid.String().Draw(t, "prompts"),
		Published:   rapid.SliceOfNDistinct(rapid.SampledFrom(p.Published), 0, 2, rapid.ID).Draw(t, "published"),
		Concurrency: Concurrency{rapid.IntRange(1, 99).Draw(t, "samples"), rapid.IntRange(1, 99).Draw(t, "requests")},
		Limits: Limits{
			rapid.Float64Range(0, 1).Draw(t, "errors"), rapid.IntRange(0, 99).Draw(t, "limit"),
			RequestLimits{
				rapid.IntRange(0, 99).Draw(t, "calls"), rapid.IntRange(0, 99).Draw(t, "tokens"),
				rapid.Float64Range(0, 9).Draw(t, "usd"), time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "time")),
			},
		},
		Budget: Budget{rapid.IntRange(0, 99).Draw(t, "budget"), rapid.Float64Range(0, 9).Draw(t, "dollars")},
		Calls:  Calls{rapid.SampledFrom([]calls.Mode{calls.Off, calls.Record, calls.Reuse, calls.Replay}).Draw(t, "mode"), rapid.SampledFrom([]string{"", "store"}).Draw(t, "store"), rapid.Bool().Draw(t, "stand_in")},
		Prices: rapid.SampledFrom([]string{"", "prices.yaml"}).Draw(t, "prices"),
		Shard:  rapid.SampledFrom([]Shard{{}, {1, 1}, {2, 4}}).Draw(t, "shard"),
	}
}

func drawOptions(t *rapid.T) ragOptions {
	text := rapid.String()
	number := rapid.Float64()
	drawChunk := func() chunk {
		size := rapid.IntRange(1, 1<<40).Draw(t, "size")
		return chunk{unit(rapid.SampledFrom(unit("").Values()).Draw(t, "unit")), size, rapid.IntRange(-5, size-1).Draw(t, "overlap")}
	}
	o := ragOptions{
		K:       rapid.IntRange(1, 1<<62).Draw(t, "k"),
		Chunk:   drawChunk(),
		Images:  rapid.Bool().Draw(t, "images"),
		Weight:  number.Draw(t, "weight"),
		Timeout: time.Duration(rapid.Int64().Draw(t, "timeout")),
		Since:   time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "since"), 0).UTC(),
		Stop:    rapid.SliceOf(text).Draw(t, "stop"),
		Weights: rapid.MapOf(text, number).Draw(t, "weights"),
		Note:    text.Draw(t, "note"),
	}
	if rapid.Bool().Draw(t, "fallback") {
		o.Fallback = new(drawChunk())
	}
	return o
}
