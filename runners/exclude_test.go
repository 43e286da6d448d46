package runners_test

import (
	"fmt"
	"testing"

	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/runners"
)

const excludeConfig = `
name: toy
seeds: [7, 3]
datasets: [{use: toy, options: {samples: 3, requests: 4}}, {use: toy, label: trees, options: {trees: true, samples: 2}}, {use: toy, label: absent, options: {missing: true}}]
methods: [{use: toy}, {use: toy, label: other, variant_of: toy}, {use: toy, label: never}]
models: [{use: echo}, {use: echo, label: unused}]
metrics: [same]
exclude:
  - {method: never}
  - {dataset: absent}
  - {dataset: trees}
  - {model: unused}
  - {method: other, seed: 3}
`

// excludePlan lays a plan in which toy and other differ in their options.
func excludePlan(t *testing.T, m *toyMethod, set ...string) (*runners.Plan, error) {
	t.Helper()
	type options struct {
		N int `yaml:"n"`
	}
	plug := plugins(m)
	made := m.spec().New
	plug.Methods = []*methods.Spec{{Name: "toy", Options: options{}, Ingests: methods.Conversations, New: made}}
	set = append([]string{"methods.other.options.n=1", "methods.never.options.n=2"}, set...)
	return planOf(t, plug, excludeConfig, set...)
}

// What is excluded is not run, and what is in no cell not even opened: neither
// data that is not there, nor data that the method cannot take.
func TestExclude(t *testing.T) {
	var m toyMethod
	p := try.Get(excludePlan(t, &m))(t)
	estimates := try.Get(p.Estimate(t.Context()))(t)
	r := start(t, p)
	result := execute(t, r, runners.Options{})
	defer r.Close()
	var got, estimated []string
	for _, c := range result.Header.Cells {
		got = append(got, fmt.Sprintf("%s %s %s %d of %q", c.Dataset, c.Method, c.Model, c.Seed, c.VariantOf))
	}
	for _, e := range estimates {
		estimated = append(estimated, fmt.Sprintf("%s %s %s %d of %q", e.Dataset, e.Method, e.Model, *e.Seed, map[string]string{"other": "toy"}[e.Method]))
	}
	want := []string{`toy toy echo 7 of ""`, `toy other echo 7 of "toy"`, `toy toy echo 3 of ""`}
	try.Equal(t, "cells", want, got)
	try.Equal(t, "estimated", want, estimated)
	h := result.Header
	if result.Requests != 3*12 || len(h.Datasets) != 1 || len(h.Models) != 1 || len(h.Skipped) != 0 {
		t.Errorf("%d requests, %d datasets, %d models, skipped %v", result.Requests, len(h.Datasets), len(h.Models), h.Skipped)
	}
}
