package runners_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/runners"
)

const seedsConfig = `
name: toy
seeds: [7, 3, 11]
datasets: [{use: toy, options: {samples: 3, requests: 4}}, {use: toy, label: other, options: {samples: 1, requests: 2}}]
methods: [{use: toy}]
models: [{use: echo}]
metrics: [same]
concurrency: {samples: 2, requests: 3}
`

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// answerSeed makes the toy method answer with its seed.
func answerSeed(m *toyMethod, plug config.Plugins) config.Plugins {
	spec := plug.Methods[0]
	plug.Methods = []*methods.Spec{{Name: spec.Name, New: func(env methods.Env, _ any) (methods.Method, error) {
		return &toyMethod{answer: func(_ context.Context, _ string, _ datasets.Request) (methods.Response, error) {
			m.asked.Add(1)
			return methods.Response{Text: decimal(env.Seed)}, nil
		}}, nil
	}}}
	return plug
}

func seedsPlan(t *testing.T, m *toyMethod, plug config.Plugins, set ...string) *runners.Plan {
	t.Helper()
	return try.Get(planOf(t, answerSeed(m, plug), seedsConfig, set...))(t)
}

// A run with several seeds has each cell for each of them, with the id that a
// run with that seed alone gives it, one seed after another within a dataset.
func TestSeeds(t *testing.T) {
	var m toyMethod
	r := start(t, seedsPlan(t, &m, plugins(&m)))
	result := execute(t, r, runners.Options{})
	if result.Requests != 3*14 || result.Failed != 0 || m.asked.Load() != 3*14 {
		t.Errorf("%d requests, %d failed, %d asked; want 42, 0, 42", result.Requests, result.Failed, m.asked.Load())
	}
	h := result.Header
	if h.Seed != 7 || !cmp.Equal(h.Seeds, []uint64{7, 3, 11}) || len(h.Models) != 1 || len(h.Datasets) != 2 {
		t.Errorf("header: seed %d, seeds %v, %d models, %d datasets", h.Seed, h.Seeds, len(h.Models), len(h.Datasets))
	}
	var got, want []string
	for _, c := range h.Cells {
		got = append(got, fmt.Sprintf("%s %d %s", c.Dataset, c.Seed, c.ID))
		for line := range try.Each(t, record.Lines[record.Record](r.Folder().Records(c.ID))) {
			if line.Value.Answer != decimal(c.Seed) {
				t.Errorf("the cell with seed %d was answered with %s", c.Seed, line.Value.Answer)
			}
		}
	}
	alone := make(map[string]string)
	for _, seed := range []string{"7", "3", "11"} {
		one := seedsPlan(t, &m, plugins(&m), "seeds=["+seed+"]")
		single := start(t, one).Header()
		if len(single.Seeds) != 0 || decimal(single.Seed) != seed {
			t.Errorf("the run with seed %s alone has seed %d and seeds %v", seed, single.Seed, single.Seeds)
		}
		for _, c := range single.Cells {
			alone[c.Dataset+" "+seed] = c.ID
		}
	}
	for _, d := range []string{"toy", "other"} {
		for _, seed := range []string{"7", "3", "11"} {
			want = append(want, fmt.Sprintf("%s %s %s", d, seed, alone[d+" "+seed]))
		}
	}
	try.Equal(t, "cells", want, got)
	r.Close()
	if _, err := seedsPlan(t, &m, plugins(&m), "seeds=[7, 3]").Resume(string(r.Folder())); err == nil || !strings.Contains(err.Error(), "it has 6 cells, but its config and data now make 4") {
		t.Errorf("a run with three seeds goes on with two: %v", err)
	}
}
