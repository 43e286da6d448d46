package themes

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

// TestPort compares themes and their neighbours with those of the authors' code, which
// scripts/ports/xmemory.py wrote into the folder that BENCH_PORTS names. Where themes were
// reviewed, singletons may join others, as docs/methods.md says.
func TestPort(t *testing.T) {
	folder := os.Getenv("BENCH_PORTS")
	if folder == "" {
		t.Skip("BENCH_PORTS names no folder with files of scripts/ports/xmemory.py")
	}
	data := try.Get(os.ReadFile(filepath.Join(folder, "xmemory-1.json")))(t)
	var cases []struct {
		N, Dim, Topics     int
		Noise              float64
		Seed               uint32
		Themes, Neighbours [][]int
	}
	try.Do(t, json.Unmarshal(data, &cases))
	themes, listed := 0, 0
	for _, c := range cases {
		h := try.Get(Build(generated(c.N, c.Dim, c.Topics, c.Noise, c.Seed), nil, Defaults()))(t)
		got, want := make(map[string][]string), make(map[string][]string)
		for _, theme := range h.Themes {
			near := []string{}
			for _, n := range theme.Neighbours {
				near = append(near, named(h.Themes[n.Index].Members))
			}
			got[named(theme.Members)] = near
		}
		for i, members := range c.Themes {
			near := []string{}
			for _, n := range c.Neighbours[i] {
				near = append(near, named(c.Themes[n]))
			}
			want[named(members)] = near
		}
		if diff := cmp.Diff(want, got); diff != "" && h.Stats.Reissued+h.Stats.Splits > 0 {
			listed++
		} else if diff != "" {
			t.Errorf("%d facts, seed %d: themes with their neighbours (-authors +port):\n%.1500s", c.N, c.Seed, diff)
		}
		themes += len(want)
	}
	if 10*listed > len(cases) {
		t.Errorf("%d of %d memories differ as listed, want few", listed, len(cases))
	}
	t.Logf("%d memories, %d themes compared; %d memories differ as listed", len(cases), themes, listed)
}

// named names a theme by its members.
func named(members []int) string { return fmt.Sprint(slices.Sorted(slices.Values(members))) }
