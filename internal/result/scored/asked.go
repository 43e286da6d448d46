// Package scored brings together what a run folder holds of each request: the
// question with its gold answer, the record, the evidence with its text, and the
// scores. What shows requests one by one, such as reports, differences and
// exports, reads them here. [Compare] holds the answers of two cells against each
// other.
package scored

import (
	"fmt"
	"iter"
	"os"
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
	// Verdict is by all that is known of the answer, and Reach how much of the gold evidence
	// reached the reader.
	Verdict metrics.Verdict
	Reach   Reach
	// Evidence are the blocks that reached the reader, in rank order.
	Evidence []Block
	line     place // of the record
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
		in, err := r.Reader(c)
		if err == nil {
			err = in.all(yield)
		}
		if err != nil {
			yield(Request{}, err)
		}
	}
}

// all yields the requests of Briefs whole, with the blocks in memory.
func (in *Reader) all(yield func(Request, error) bool) error {
	if len(in.Briefs) == 0 {
		return nil
	}
	blocks := make(map[string]record.Block)
	for b, err := range record.Values[record.Block](in.run.Folder.Blocks(in.cell.ID)) {
		if err != nil {
			return err
		}
		blocks[b.Block] = b
	}
	records, err := record.OpenRegular(in.run.Folder.Records(in.cell.ID))
	if err != nil {
		return err
	}
	defer records.Close()
	for _, brief := range in.Briefs {
		q, err := in.whole(brief, records, func(id string) (record.Block, error) { return blocks[id], nil })
		if err != nil || !yield(q, nil) {
			return err
		}
	}
	return nil
}

// A Reader reads the requests of a cell one by one.
type Reader struct {
	// Briefs are the finished requests in the order of [Run.Requests], without their
	// evidence and their traces.
	Briefs []Request
	run    *Run
	cell   record.Cell
	blocks map[string]place
}

// A place is where a line stands in its file, in bytes.
type place struct {
	offset int64
	length int
}

// Reader reads what all requests of a cell have in brief. Its errors are those of
// [Run.Requests].
func (r *Run) Reader(c record.Cell) (*Reader, error) {
	in := &Reader{run: r, cell: c, blocks: make(map[string]place)}
	sources := make(map[string]metrics.Block)
	for line, err := range record.Parts[struct {
		Block   string
		Sources []string
	}](r.Folder.Blocks(c.ID)) {
		if err != nil {
			return nil, err
		}
		in.blocks[line.Value.Block] = place{line.Offset, line.Length}
		sources[line.Value.Block] = metrics.Block{Sources: line.Value.Sources}
	}
	path := r.Folder.Records(c.ID)
	last := make(map[key]int) // place in Briefs
	for line, err := range record.Parts[struct {
		record.Record
		Trace []struct{} `json:"trace"` // is not decoded
	}](path) {
		if err != nil {
			return nil, err
		}
		q := Request{Cell: c, Record: line.Value.Record, line: place{line.Offset, line.Length}}
		k := q.key()
		var ok bool
		if q.Gold, ok = r.golds[c.Dataset][k]; !ok {
			return nil, fmt.Errorf("%s: no gold for request %s of %s in %s", path, k.request, k.sample, r.Folder.Gold(c.Dataset))
		}
		if s, ok := r.scores[c.ID][k]; ok {
			q.Score = &s
		}
		q.Verdict = r.verdict(c.ID, q.Gold, q.Record.Answer, q.Score)
		blocks := make([]metrics.Block, len(q.Record.Evidence))
		for i, ref := range q.Record.Evidence {
			if blocks[i], ok = sources[ref.Block]; !ok {
				return nil, fmt.Errorf("%s: request %s of %s points at block %s, which %s does not have", path, k.request, k.sample, ref.Block, r.Folder.Blocks(c.ID))
			}
		}
		q.Reach = reachOf(c, q.Gold.Evidence, blocks)
		if i, again := last[k]; again {
			in.Briefs[i].line.length = 0
		}
		last[k] = len(in.Briefs)
		in.Briefs = append(in.Briefs, q)
	}
	in.Briefs = slices.DeleteFunc(in.Briefs, func(q Request) bool { return q.line.length == 0 })
	return in, nil
}

// Request reads request n of Briefs whole.
func (in *Reader) Request(n int) (Request, error) {
	records, err := record.OpenRegular(in.run.Folder.Records(in.cell.ID))
	if err != nil {
		return Request{}, err
	}
	defer records.Close()
	blocks, err := record.OpenRegular(in.run.Folder.Blocks(in.cell.ID))
	if err != nil && !os.IsNotExist(err) {
		return Request{}, err
	}
	defer blocks.Close()
	return in.whole(in.Briefs[n], records, func(id string) (record.Block, error) {
		at := in.blocks[id]
		return record.LineAt[record.Block](blocks, at.offset, at.length)
	})
}

// whole completes a request with its record and its evidence.
func (in *Reader) whole(q Request, records *os.File, block func(id string) (record.Block, error)) (_ Request, err error) {
	if q.Record, err = record.LineAt[record.Record](records, q.line.offset, q.line.length); err != nil {
		return q, err
	}
	for _, ref := range q.Record.Evidence {
		b, err := block(ref.Block)
		if err != nil {
			return q, err
		}
		gold := slices.DeleteFunc(slices.Clone(b.Sources), func(id string) bool { return !slices.Contains(q.Gold.Evidence, id) })
		q.Evidence = append(q.Evidence, Block{Block: b, Score: ref.Score, Gold: gold})
	}
	return q, nil
}

// A Reach says how much of the gold evidence of a request reached the reader.
type Reach int

// The values of Reach, as indexes of requests store them.
const (
	ReachUnknown Reach = iota // the dataset names no evidence, or an imported file not that of its blocks
	ReachNone
	ReachPart
	ReachAll
)

// reachOf says how much of the gold evidence of a request of a cell its blocks stand for.
func reachOf(c record.Cell, gold []string, blocks []metrics.Block) Reach {
	recall, known := metrics.EvidenceRecall(gold, blocks)
	switch {
	case !known || c.Lacks(metrics.Evidence):
		return ReachUnknown
	case recall == 0:
		return ReachNone
	case recall < 1:
		return ReachPart
	}
	return ReachAll
}
