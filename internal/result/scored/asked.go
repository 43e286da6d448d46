// Package scored brings together what a run folder holds of each request: the
// question with its gold answer, the record, the evidence with its text, and the
// scores. What shows requests one by one, such as reports, differences and
// exports, reads them here. [Compare] holds the answers of two cells against each
// other.
package scored

import (
	"iter"
	"slices"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Run is a run folder that is read request by request.
type Run struct {
	Folder record.Folder
	Header record.Header
	golds  map[string]map[key]record.Gold  // by the label of the dataset
	scores map[string]map[key]record.Score // by the cell's id
	labels map[string]map[key][]float64    // what people said of answers, from 0 to 1, by the cell's id
}

type key struct{ sample, request string }

// A Request is one finished request of a cell.
type Request struct {
	Cell   record.Cell
	Gold   record.Gold
	Record record.Record
	// Score is nil where the record has not been scored.
	Score *record.Score
	// Verdict is by all that is known of the answer.
	Verdict metrics.Verdict
	// Evidence are the blocks that reached the reader, in rank order.
	Evidence []Block
}

// A Block is a block of evidence with its score.
type Block struct {
	record.Block
	Score float64
	// Gold are the sources of the block that the gold answer rests on.
	Gold []string
}

// Open reads a run folder's questions and scores. A run that has not been scored
// has requests without scores.
func Open(folder record.Folder, h record.Header) (*Run, error) {
	r := &Run{Folder: folder, Header: h, golds: make(map[string]map[key]record.Gold), scores: make(map[string]map[key]record.Score)}
	for _, d := range h.Datasets {
		golds := make(map[key]record.Gold, d.Requests)
		for line, err := range record.Lines[record.Gold](folder.Gold(d.Label)) {
			if err != nil {
				return nil, err
			}
			golds[key{line.Value.Sample, line.Value.Request}] = line.Value
		}
		r.golds[d.Label] = golds
	}
	for _, c := range h.Cells {
		r.scores[c.ID] = make(map[key]record.Score, c.Planned)
	}
	for s, err := range record.Scores(folder, h) {
		if err != nil {
			return nil, err
		}
		if of, ok := r.scores[s.Cell]; ok {
			of[key{s.Sample, s.Request}] = s
		}
	}
	return r, r.readLabels()
}

// Requests reads the finished requests of a cell, in the order of its records. Of
// a request that was asked again the last record counts. A record without a
// question, or with a block that the cell does not have, is an error.
func (r *Run) Requests(c record.Cell) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		if err := r.requests(c, yield); err != nil {
			yield(Request{}, err)
		}
	}
}

func (r *Run) requests(c record.Cell, yield func(Request, error) bool) error {
	blocks := make(map[string]record.Block)
	for line, err := range record.Lines[record.Block](r.Folder.Blocks(c.ID)) {
		if err != nil {
			return err
		}
		blocks[line.Value.Block] = line.Value
	}
	path := r.Folder.Records(c.ID)
	last, err := lastOf(path)
	if err != nil {
		return err
	}
	for line, err := range record.Lines[record.Record](path) {
		if err != nil {
			return err
		}
		k := key{line.Value.Sample, line.Value.Request}
		if last[k] != line.Offset {
			continue
		}
		gold, ok := r.golds[c.Dataset][k]
		if !ok {
			return r.noGold(c, k)
		}
		q := Request{Cell: c, Gold: gold, Record: line.Value}
		if s, ok := r.scores[c.ID][k]; ok {
			q.Score = &s
		}
		q.Verdict = r.verdict(c.ID, gold, line.Value.Answer, q.Score)
		for _, ref := range line.Value.Evidence {
			b, ok := blocks[ref.Block]
			if !ok {
				return r.noBlock(c, k, ref.Block)
			}
			q.Evidence = append(q.Evidence, Block{Block: b, Score: ref.Score, Gold: among(b.Sources, gold.Evidence)})
		}
		if !yield(q, nil) {
			return nil
		}
	}
	return nil
}

// lastOf returns the place of the last record of each request.
func lastOf(path string) (map[key]int64, error) {
	last := make(map[key]int64)
	for line, err := range record.Parts[ID](path) {
		if err != nil {
			return nil, err
		}
		last[key{line.Value.Sample, line.Value.Request}] = line.Offset
	}
	return last, nil
}

// among returns the sources that the gold evidence has.
func among(sources, gold []string) []string {
	return slices.DeleteFunc(slices.Clone(sources), func(id string) bool { return !slices.Contains(gold, id) })
}
