package scored

import (
	"fmt"
	"slices"

	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Reach says how much of the gold evidence of a request reached the reader.
type Reach int

// The values of Reach, as indexes of requests store them.
const (
	ReachUnknown Reach = iota // the dataset names no evidence, or an imported file not that of its blocks
	ReachNone
	ReachPart
	ReachAll
)

// ReachOf says how much of the gold evidence of a request of a cell its blocks stand for.
func ReachOf(c record.Cell, gold []string, blocks []metrics.Block) Reach {
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

// A Brief is a finished request without its texts but for the answer. It is read
// without decoding the rest of the record.
type Brief struct {
	Gold   record.Gold
	Record BriefRecord
	Score  *record.Score // nil where the record has not been scored
	// Verdict and Reach are those of a [Request].
	Verdict metrics.Verdict
	Reach   Reach
	line    place
	last    bool // whether no later record is of the same request
}

// A BriefRecord is the part of a [record.Record] that lists and counts show.
type BriefRecord struct {
	Sample   string          `json:"sample"`
	Request  string          `json:"request"`
	Hash     string          `json:"hash"`
	Status   record.Status   `json:"status"`
	Answer   string          `json:"answer"`
	Error    *record.Failure `json:"error"`
	Evidence []struct {
		Block string `json:"block"`
	} `json:"evidence"`
	Edits    []struct{}                      `json:"edits"`
	Usage    map[string]map[string]llm.Usage `json:"usage"`
	Cost     *float64                        `json:"cost"`
	Calls    []string                        `json:"calls"`
	Degraded map[string]int                  `json:"degraded"`
	Time     struct {
		Total float64 `json:"total_ms"`
	} `json:"time"`
}

// A place is where a line stands in its file, in bytes.
type place struct {
	offset int64
	length int
}

// A Reader reads the requests of a cell one by one.
type Reader struct {
	// Briefs are the finished requests in the order of [Run.Requests].
	Briefs []Brief
	run    *Run
	cell   record.Cell
	blocks map[string]place
}

// Reader reads what all requests of a cell have in brief. Its errors are those of
// [Run.Requests].
func (r *Run) Reader(c record.Cell) (*Reader, error) {
	in := &Reader{run: r, cell: c, blocks: make(map[string]place)}
	sources := make(map[string][]string)
	type block struct {
		Block   string   `json:"block"`
		Sources []string `json:"sources"`
	}
	for line, err := range record.Parts[block](r.Folder.Blocks(c.ID)) {
		if err != nil {
			return nil, err
		}
		in.blocks[line.Value.Block] = place{line.Offset, line.Length}
		sources[line.Value.Block] = line.Value.Sources
	}
	path := r.Folder.Records(c.ID)
	at := make(map[key]int)
	for line, err := range record.Parts[BriefRecord](path) {
		if err != nil {
			return nil, err
		}
		b := Brief{Record: line.Value, line: place{line.Offset, line.Length}, last: true}
		k := key{b.Record.Sample, b.Record.Request}
		gold, ok := r.golds[c.Dataset][k]
		if !ok {
			return nil, r.noGold(c, k)
		}
		b.Gold = gold
		if s, ok := r.scores[c.ID][k]; ok {
			b.Score = &s
		}
		b.Verdict = r.verdict(c.ID, gold, b.Record.Answer, b.Score)
		var blocks []metrics.Block
		for _, ref := range b.Record.Evidence {
			of, ok := sources[ref.Block]
			if !ok {
				return nil, r.noBlock(c, k, ref.Block)
			}
			blocks = append(blocks, metrics.Block{Sources: of})
		}
		b.Reach = ReachOf(c, gold.Evidence, blocks)
		if i, ok := at[k]; ok {
			in.Briefs[i].last = false
		}
		at[k] = len(in.Briefs)
		in.Briefs = append(in.Briefs, b)
	}
	in.Briefs = slices.DeleteFunc(in.Briefs, func(b Brief) bool { return !b.last })
	return in, nil
}

// Request reads request n of Briefs whole.
func (in *Reader) Request(n int) (Request, error) {
	b := in.Briefs[n]
	rec, err := record.LineAt[record.Record](in.run.Folder.Records(in.cell.ID), b.line.offset, b.line.length)
	if err != nil {
		return Request{}, err
	}
	q := Request{Cell: in.cell, Gold: b.Gold, Score: b.Score, Verdict: b.Verdict, Record: rec}
	for _, ref := range rec.Evidence {
		at, ok := in.blocks[ref.Block]
		if !ok {
			return Request{}, in.run.noBlock(in.cell, q.key(), ref.Block)
		}
		block, err := record.LineAt[record.Block](in.run.Folder.Blocks(in.cell.ID), at.offset, at.length)
		if err != nil {
			return Request{}, err
		}
		q.Evidence = append(q.Evidence, Block{Block: block, Score: ref.Score, Gold: among(block.Sources, b.Gold.Evidence)})
	}
	return q, nil
}

func (r *Run) noGold(c record.Cell, k key) error {
	return fmt.Errorf("%s: no gold for request %s of %s in %s", r.Folder.Records(c.ID), k.request, k.sample, r.Folder.Gold(c.Dataset))
}

func (r *Run) noBlock(c record.Cell, k key, block string) error {
	return fmt.Errorf("%s: request %s of %s points at block %s, which %s does not have", r.Folder.Records(c.ID), k.request, k.sample, block, r.Folder.Blocks(c.ID))
}
