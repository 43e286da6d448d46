package asked

import (
	"recallbench/internal/record"
	"recallbench/metrics"
)

// An Outcome says how far a request came, in the words of [metrics.FailuresSpec].
type Outcome string

// The outcomes of requests.
const (
	Right           Outcome = "right"
	Failed          Outcome = "failed"           // the request ended in an error
	UnknownEvidence Outcome = "unknown-evidence" // wrong; the dataset names no turns that the answer rests on, or an imported file not those of its blocks
	NotRetrieved    Outcome = "not-retrieved"    // wrong; none of these turns is a source of a block
	PartlyRetrieved Outcome = "partly-retrieved" // wrong; some of them are
	NotUsed         Outcome = "not-used"         // wrong; all of them are
	Unscored        Outcome = "unscored"         // the column has no value for the request
)

// Outcomes lists the outcomes in the order of reports.
func Outcomes() []Outcome {
	return []Outcome{Right, NotRetrieved, PartlyRetrieved, NotUsed, UnknownEvidence, Failed, Unscored}
}

// Outcome says how far the request came, where an answer is right if its value in
// a column, in the unit of the scores, is at least a threshold.
func (r Request) Outcome(column string, threshold float64) Outcome {
	if r.Record.Status != record.OK {
		return Failed
	}
	if r.Score == nil || r.Score.Values[column] == nil {
		return Unscored
	}
	if *r.Score.Values[column] >= threshold {
		return Right
	}
	blocks := make([]metrics.Block, len(r.Evidence))
	for i, b := range r.Evidence {
		blocks[i] = metrics.Block{Sources: b.Sources}
	}
	recall, known := metrics.EvidenceRecall(r.Gold.Evidence, blocks)
	switch {
	case !known || r.Cell.Lacks(metrics.Evidence):
		return UnknownEvidence
	case recall == 0:
		return NotRetrieved
	case recall < 1:
		return PartlyRetrieved
	}
	return NotUsed
}
