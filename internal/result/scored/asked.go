// Package scored brings together what a run folder holds of each request: the
// question with its gold answer, the record, the evidence with its text, and the
// scores. What shows requests one by one, such as reports, differences and
// exports, reads them here. [Compare] compares the answers of two cells with each
// other.
package scored

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Run is a run folder that is read request by request.
type Run struct {
	Folder record.Folder
	Header record.Header
	golds  map[string]golds                      // by the label of the dataset
	scores map[string]*scores                    // by the cell's id
	labels map[string]map[record.Asked][]float64 // what people said of answers, from 0 to 1, by the cell's id
}

// golds are the questions of a dataset with their gold answers, and their numbers.
type golds struct {
	all     []record.Gold
	numbers map[record.Asked]int
}

// scores are those of a cell, by the number of the question: the lines that have them, and
// their values by column, which are NaN for null and +Inf where the line has none.
type scores struct {
	lines  []place
	values map[string][]float64
}

// add adds the score of question n of so many.
func (s *scores) add(n, questions int, at place, values map[string]*float64) {
	if s.lines == nil {
		s.lines = make([]place, questions)
	}
	s.lines[n] = at
	for _, column := range s.values {
		column[n] = math.Inf(1)
	}
	for name, x := range values {
		if s.values[name] == nil {
			s.values[name] = slices.Repeat([]float64{math.Inf(1)}, questions)
		}
		if s.values[name][n] = math.NaN(); x != nil {
			s.values[name][n] = *x
		}
	}
}

// brief is the score of question n without what only its line has; nil where there is none.
func (s *scores) brief(cell string, n int, k record.Asked) *record.Score {
	if s.lines == nil || s.lines[n].length == 0 {
		return nil
	}
	b := &record.Score{Cell: cell, Sample: k.Sample, Request: k.Request, Values: make(map[string]*float64, len(s.values))}
	for name, column := range s.values {
		switch x := column[n]; {
		case math.IsNaN(x):
			b.Values[name] = nil
		case !math.IsInf(x, 1):
			b.Values[name] = &column[n]
		}
	}
	return b
}

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
	// Judgements are those of judges, where a caller has read them.
	Judgements []record.Judgement
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
	r := &Run{Folder: folder, Header: h, golds: make(map[string]golds), scores: make(map[string]*scores)}
	for _, d := range h.Datasets {
		of := golds{numbers: make(map[record.Asked]int, d.Requests)}
		for g, err := range record.Values[record.Gold](folder.Gold(d.Label)) {
			if err != nil {
				return nil, err
			}
			of.numbers[g.Asked()] = len(of.all)
			of.all = append(of.all, g)
		}
		r.golds[d.Label] = of
	}
	datasets := make(map[string]golds) // by cell
	for _, c := range h.Cells {
		r.scores[c.ID], datasets[c.ID] = &scores{values: make(map[string][]float64)}, r.golds[c.Dataset]
	}
	for line, err := range record.ScoreLines(folder, h) {
		if err != nil {
			return nil, err
		}
		s := line.Value
		of := datasets[s.Cell]
		if n, ok := of.numbers[s.Asked()]; ok {
			r.scores[s.Cell].add(n, len(of.all), place{line.Offset, line.Length}, s.Values)
		}
	}
	return r, r.readLabels()
}

// Requests reads the finished requests of a cell, in the order of its records. Of
// a request that was asked again the last record counts. A record without a
// question, or with a block that the cell does not have, is an error.
func (r *Run) Requests(c record.Cell) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		in, err := r.Skim(c, func(Request) {})
		if err == nil {
			err = in.all(yield)
		}
		if err != nil {
			yield(Request{}, err)
		}
	}
}

// All reads the requests of a reader whole, as [Run.Requests] does.
func (in *Reader) All() iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		if err := in.all(yield); err != nil {
			yield(Request{}, err)
		}
	}
}

// all yields the requests whole, with the blocks in memory.
func (in *Reader) all(yield func(Request, error) bool) error {
	if len(in.kept) == 0 {
		return nil
	}
	blocks := make(map[string]record.Block)
	for b, err := range record.Values[record.Block](in.run.Folder.Blocks(in.cell.ID)) {
		if err != nil {
			return err
		}
		blocks[b.Block] = b
	}
	files, err := in.open()
	if err != nil {
		return err
	}
	defer files.close()
	for _, k := range in.kept {
		q, err := in.whole(k, files, func(id string) (record.Block, error) { return blocks[id], nil })
		if err != nil || !yield(q, nil) {
			return err
		}
	}
	return nil
}

// A Reader reads the requests of a cell one by one.
type Reader struct {
	// Briefs are the finished requests in the order of [Run.Requests]: see [Run.Skim]. A
	// reader of Skim has none.
	Briefs []Request
	run    *Run
	cell   record.Cell
	blocks map[string]place
	kept   []kept
	again  map[int]bool // numbers of requests, as Skim counts them, that were asked again
}

// kept is what a reader keeps of a request.
type kept struct {
	line    place
	number  int // of the question
	verdict metrics.Verdict
	reach   Reach
}

// A place is where a line stands in its file, in bytes.
type place struct {
	offset int64
	length int
}

// Reader reads what all requests of a cell have in brief. Its errors are those of
// [Run.Requests].
func (r *Run) Reader(c record.Cell) (*Reader, error) {
	var briefs []Request
	in, err := r.Skim(c, func(q Request) { briefs = append(briefs, q) })
	if err != nil {
		return nil, err
	}
	in.Briefs = Last(in, briefs)
	return in, nil
}

// Last leaves of what was made of each request that Skim told of that of those which count.
func Last[T any](in *Reader, all []T) []T {
	n := -1
	return slices.DeleteFunc(all, func(T) bool { n++; return in.again[n] })
}

// Skim reads the requests of a cell and calls each with each of them in brief: with the
// values of the score, and without evidence, usage, trace and the like. It keeps little of
// them. Requests that were asked again come again, see [Last].
func (r *Run) Skim(c record.Cell, each func(Request)) (*Reader, error) {
	in := &Reader{run: r, cell: c, blocks: make(map[string]place), again: make(map[int]bool)}
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
	type skimmed struct {
		kept
		brief Request
		err   error
	}
	path := r.Folder.Records(c.ID)
	last := make(map[record.Asked]int) // place in kept
	for line, err := range record.PartsMade(path, func(p part) (s skimmed) {
		s.kept, s.brief, s.err = r.skim(c, p, sources)
		return s
	}) {
		if err = cmp.Or(err, line.Value.err); err != nil {
			return nil, err
		}
		one, q := line.Value.kept, line.Value.brief
		one.line = place{line.Offset, line.Length}
		if i, ok := last[q.Record.Asked()]; ok {
			in.again[i] = true
		}
		last[q.Record.Asked()] = len(in.kept)
		in.kept = append(in.kept, one)
		each(q)
	}
	in.kept = Last(in, in.kept)
	return in, nil
}

// A part is what a brief request has of its record.
type part struct {
	record.Asked
	Hash, Answer string
	Status       record.Status
	Error        *record.Failure
	Evidence     []record.BlockRef
}

// skim returns a request of a cell in brief, and what is kept of it. Sources are of the
// cell's blocks.
func (r *Run) skim(c record.Cell, p part, sources map[string]metrics.Block) (one kept, q Request, err error) {
	k := p.Asked
	questions := r.golds[c.Dataset]
	n, ok := questions.numbers[k]
	if !ok {
		return one, q, fmt.Errorf("%s: no gold answer for question %s of %s in %s", r.Folder.Records(c.ID), k.Request, k.Sample, r.Folder.Gold(c.Dataset))
	}
	gold := questions.all[n]
	k = gold.Asked() // its texts are kept anyway
	q = Request{Cell: c, Gold: gold, Score: r.scores[c.ID].brief(c.ID, n, k), Record: record.Record{Sample: k.Sample, Request: k.Request, Hash: p.Hash, Category: gold.Category, Status: p.Status, Answer: p.Answer, Error: p.Error, Evidence: p.Evidence}}
	blocks := make([]metrics.Block, len(p.Evidence))
	for i, ref := range p.Evidence {
		if blocks[i], ok = sources[ref.Block]; !ok {
			return one, q, fmt.Errorf("%s: question %s of %s refers to block %s, which %s does not have", r.Folder.Records(c.ID), k.Request, k.Sample, ref.Block, r.Folder.Blocks(c.ID))
		}
	}
	q.Verdict, q.Reach = r.verdict(c.ID, q.Gold, p.Answer, q.Score), reachOf(c, gold.Evidence, blocks)
	return kept{number: n, verdict: q.Verdict, reach: q.Reach}, q, nil
}

// Len is the number of requests.
func (in *Reader) Len() int { return len(in.kept) }

// readers are the open files of a cell.
type readers struct{ records, blocks, scores *os.File }

func (in *Reader) open() (f readers, err error) {
	if f.records, err = record.OpenRegular(in.run.Folder.Records(in.cell.ID)); err != nil {
		return f, err
	}
	for path, file := range map[string]**os.File{in.run.Folder.Blocks(in.cell.ID): &f.blocks, in.run.Folder.Scores(): &f.scores} {
		if *file, err = record.OpenRegular(path); err != nil && !os.IsNotExist(err) {
			f.close()
			return f, err
		}
	}
	return f, nil
}

func (f readers) close() {
	for _, file := range []*os.File{f.records, f.blocks, f.scores} {
		_ = file.Close() // it was read, or never opened
	}
}

// Request reads request n whole.
func (in *Reader) Request(n int) (Request, error) {
	files, err := in.open()
	if err != nil {
		return Request{}, err
	}
	defer files.close()
	return in.whole(in.kept[n], files, func(id string) (record.Block, error) {
		at := in.blocks[id]
		return record.LineAt[record.Block](files.blocks, at.offset, at.length)
	})
}

// whole reads a request with its record, its score and its evidence.
func (in *Reader) whole(k kept, files readers, block func(id string) (record.Block, error)) (q Request, err error) {
	q = Request{Cell: in.cell, Gold: in.run.golds[in.cell.Dataset].all[k.number], Verdict: k.verdict, Reach: k.reach}
	if q.Record, err = record.LineAt[record.Record](files.records, k.line.offset, k.line.length); err != nil {
		return q, err
	}
	if lines := in.run.scores[in.cell.ID].lines; lines != nil && lines[k.number].length > 0 {
		s, err := record.LineAt[record.Score](files.scores, lines[k.number].offset, lines[k.number].length)
		if err != nil {
			return q, err
		}
		q.Score = &s
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
