package runners

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"recallbench/datasets"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// Samples that were split into shards, given in any order, come together in the
// order that they were split from.
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
		inTurn, faults := inOrder(rapid.Permutation(shards).Draw(t, "order"))
		if len(faults) > 0 || !slices.Equal(inTurn, shards) {
			t.Fatalf("shards %v, faults %v; want them in order and none", inTurn, faults)
		}
		asked := make([][]sampleAsked, n)
		for i, s := range inTurn {
			part := shardOf(samples, config.Shard(*s.header.Shard))
			if len(part) != samplesOf(len(samples), *s.header.Shard) {
				t.Fatalf("%s of %d samples has %d, samplesOf says %d", s, len(samples), len(part), samplesOf(len(samples), *s.header.Shard))
			}
			for _, sample := range part {
				one := sampleAsked{id: sample.ID}
				for _, r := range sample.Requests {
					one.requests = append(one.requests, r.ID)
				}
				asked[i] = append(asked[i], one)
			}
		}
		got := try.Get((&Shards{shards: inTurn}).interleave(asked))(t)
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

// Many shards that are missing are named together.
func TestInOrder(t *testing.T) {
	var shards []*shardRun
	for _, i := range []int{2, 9} {
		shards = append(shards, &shardRun{dir: "d", header: record.Header{Shard: &record.Shard{Index: i, Of: 20}}})
	}
	_, faults := inOrder(shards)
	want := "[shard 1/20 is missing shards 3/20 to 8/20 are missing shards 10/20 to 20/20 are missing]"
	if got := fmt.Sprint(faults); got != want {
		t.Errorf("faults %s, want %s", got, want)
	}
}
