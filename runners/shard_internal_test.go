package runners

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"recallbench/datasets"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// Samples that were split into shards come together in the order that they were split
// from.
func TestInterleave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var samples []datasets.Entry
		want := newOrder()
		for i := range rapid.IntRange(1, 30).Draw(t, "samples") {
			s := datasets.Entry{ID: fmt.Sprint("s", i)}
			for j := range rapid.IntRange(1, 3).Draw(t, "requests") {
				s.Requests = append(s.Requests, datasets.Request{ID: fmt.Sprint("q", j)})
				want.add(key{s.ID, s.Requests[j].ID})
			}
			samples = append(samples, s)
		}
		n := rapid.IntRange(1, len(samples)).Draw(t, "shards")
		var shards []*shardRun
		for i := range n {
			shards = append(shards, &shardRun{dir: strconv.Itoa(i), header: record.Header{Shard: &record.Shard{Index: i + 1, Of: n}}})
		}
		if faults := gaps(shards); len(faults) > 0 {
			t.Fatalf("faults %v, want none", faults)
		}
		asked := make([][][]key, n)
		for i, s := range shards {
			for _, sample := range shardOf(samples, config.Shard(*s.header.Shard)) {
				var keys []key
				for _, r := range sample.Requests {
					keys = append(keys, key{sample.ID, r.ID})
				}
				asked[i] = append(asked[i], keys)
			}
		}
		got := try.Get(interleave(asked))(t)
		for k, place := range want.requests {
			if got.requests[k] != place || got.samples[k.sample] != want.samples[k.sample] {
				t.Fatalf("%v stands at %d, want %d", k, got.requests[k], place)
			}
		}
		if len(got.requests) != len(want.requests) {
			t.Fatalf("%d requests, want %d", len(got.requests), len(want.requests))
		}
	})
}

// Shards that are missing are named together.
func TestGaps(t *testing.T) {
	var shards []*shardRun
	for _, i := range []int{2, 5} {
		shards = append(shards, &shardRun{dir: "d", header: record.Header{Shard: &record.Shard{Index: i, Of: 6}}})
	}
	want := "[missing shards: 1/6, 3/6, 4/6, 6/6]"
	if got := fmt.Sprint(gaps(shards)); got != want {
		t.Errorf("faults %s, want %s", got, want)
	}
}
