// Package runners turns a config into records.
//
// [NewPlan] opens the datasets and models of a config and lays out its cells:
// one for each method, dataset, model and seed. [Plan.Start] or [Plan.Resume] opens
// the run folder and [Run.Execute] asks what has not been asked yet. A memory
// is built once for each sample of a cell; its requests are then asked at the
// same time, or in order where they form a dialogue. Each finished request is
// on the disk before the next takes its place, so that a kill loses the
// requests in flight and nothing else. [Score] reads a run folder and derives
// the scores. A plan may be a shard, with every n-th sample alone; [Merge]
// makes of all shards the folder that one run would have written.
package runners
