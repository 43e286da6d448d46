package runners

import (
	"slices"

	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// ScoredAlone reports whether a metric scores a record by itself: neither by the other
// requests of its sample, nor by what is said of its answer after the run.
func ScoredAlone(spec *metrics.Spec) bool {
	return (spec.Of == metrics.Answer || spec.Of == metrics.Evidence) &&
		!slices.ContainsFunc(spec.Columns, func(c metrics.Column) bool { return c.Sample || c.Total })
}

// A RecordScorer scores the records of a cell one by one while its run is in progress, with
// the values that [Score] will give them. What a request of a dialogue did to its tree
// is not known from its record: it has no value of what is expected of that.
type RecordScorer struct{ scorer scorer }

// NewRecordScorer returns a scorer for a cell of a run with metrics that are
// [ScoredAlone].
func NewRecordScorer(folder record.Folder, h record.Header, c record.Cell, specs []*metrics.Spec) (*RecordScorer, error) {
	d, _ := h.Dataset(c.Dataset)
	golds, err := readGolds(folder, d)
	if err != nil {
		return nil, err
	}
	for k, gold := range golds.gold {
		if golds.dialogue[k.sample] {
			gold.Expect = nil
			golds.gold[k] = gold
		}
	}
	return &RecordScorer{scorer{folder: folder, cell: c, golds: golds, specs: specs, blocks: make(map[string]metrics.Block)}}, nil
}

// AddBlock adds a block of evidence that records may refer to.
func (s *RecordScorer) AddBlock(b record.Block) { s.scorer.addBlock(b) }

// Score returns the score of a record under the answer key that counts. It is an error
// where the run has no such request, or not the blocks.
func (s *RecordScorer) Score(r record.Record) (score record.Score, err error) {
	k := key{r.Sample, r.Request}
	if first, ok := s.scorer.trees[k.sample]; ok && s.scorer.gold[k].Expect != nil {
		s.scorer.states, err = golds{order: []key{k}, trees: map[string]*tree.Tree{k.sample: first}}.replay(map[key][]tree.Edit{k: r.Edits})
		if err != nil {
			return score, err
		}
	}
	rows, err := s.scorer.score(r)
	if err != nil {
		return score, err
	}
	return rows[0], nil
}
