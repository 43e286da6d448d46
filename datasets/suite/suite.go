// Package suite lists the datasets that a run file may use.
package suite

import (
	"recallbench/datasets"
	"recallbench/datasets/beam"
	"recallbench/datasets/board"
	"recallbench/datasets/changes"
	"recallbench/datasets/dialogrel"
	"recallbench/datasets/errata"
	"recallbench/datasets/jsonl"
	"recallbench/datasets/locomo"
	"recallbench/datasets/longmemeval"
	"recallbench/datasets/multiwozlong"
	"recallbench/datasets/perltqa"
	"recallbench/datasets/personamem"
	"recallbench/datasets/sample"
	"recallbench/datasets/tasks"
)

// Fetchable returns everything that can be fetched and verified: the datasets, and
// errata of their gold answers, which open none.
func Fetchable() []*datasets.Spec { return append(append(All(), errata.Specs()...), board.Spec) }

// All returns the datasets in the order of listings.
func All() []*datasets.Spec {
	return []*datasets.Spec{
		sample.Spec,
		changes.Spec,
		locomo.Spec,
		perltqa.Spec,
		tasks.Spec,
		multiwozlong.Spec,
		dialogrel.Spec,
		longmemeval.Spec,
		beam.Spec,
		personamem.Spec,
		jsonl.Spec,
	}
}
