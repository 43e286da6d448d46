package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	each "github.com/sourcegraph/conc/iter"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// Score derives scores.jsonl of a run folder from its records, one line for
// each finished request, in the order of the cells and of the dataset. It
// needs neither the dataset nor a network, and may be repeated with other
// metrics. Scores are not replaced by fewer: a request that had one and has no
// record is a [record.Damage].
//
// It returns the digest of the scores, and what the requests cost.
func Score(ctx context.Context, folder record.Folder, h record.Header, specs []*metrics.Spec) (d record.Digest, spent []record.Spent, err error) {
	golds, err := readAllGolds(folder, h)
	if err != nil {
		return d, nil, err
	}
	had, err := folder.ScoredRequests(h)
	if err != nil {
		return d, nil, err
	}
	scored := make(map[string][]record.Record) // by cell, no more of each than its cost needs
	d, err = record.WriteDigested(folder.Scores(), func(w io.Writer) error {
		for _, c := range h.Cells {
			s := scorer{folder: folder, cell: c, header: h, golds: golds[c.Dataset], specs: specs}
			records, err := s.run(ctx, w)
			if err != nil {
				return err
			}
			scored[c.ID] = lists.Map(records, record.Record.Bill)
			for _, r := range records {
				delete(had[c.ID], record.Asked{Sample: r.Sample, Request: r.Request})
			}
			maps.DeleteFunc(had[c.ID], func(k record.Asked, _ bool) bool { _, ok := s.gold[key(k)]; return !ok })
			if len(had[c.ID]) > 0 {
				return record.LostScores(folder, c.ID, had[c.ID])
			}
		}
		return nil
	})
	if err != nil {
		return d, nil, err
	}
	d.File = filepath.Base(folder.Scores())
	spent, err = record.SpentBy(h, func(c record.Cell) ([]record.Record, error) { return scored[c.ID], nil })
	return d, spent, err
}

// A scorer scores the records of a cell. Once it has loaded what they refer to, it may
// score several at the same time.
type scorer struct {
	folder record.Folder
	cell   record.Cell
	header record.Header
	golds
	specs    []*metrics.Spec
	blocks   map[string]metrics.Block
	ingest   map[string]float64 // tokens for each request, by sample
	memory   map[string]metrics.Memory
	states   map[key]state // of the trees
	verdicts verdicts
	audits   audits
	ratings  map[judgedAnswer][]float64
}

// load reads what records refer to.
func (s *scorer) load() error {
	s.blocks, s.ingest, s.memory = make(map[string]metrics.Block), make(map[string]float64), make(map[string]metrics.Memory)
	s.ratings = make(map[judgedAnswer][]float64)
	requests := make(map[string]int)
	for k := range s.gold {
		requests[k.Sample]++
	}
	err := errors.Join(
		eachLine(s.folder.Blocks(s.cell.ID), s.addBlock),
		eachLine(s.folder.Ingests(s.cell.ID), func(i record.Ingest) {
			in, out := languageTokens(i.Usage)
			s.memory[i.Sample] = metrics.Memory{Structure: i.Structure, Degraded: i.Degraded}
			s.ingest[i.Sample] = float64(in+out) / float64(max(1, requests[i.Sample]))
		}),
		eachLine(s.folder.Ratings(s.cell.Dataset), func(r rating.Rating) {
			of := judgedAnswer{key: key{r.Sample, r.Request}, sha256: r.Answer}
			if r.Cell == s.cell.ID && r.UCS != nil { // else left out by the person
				s.ratings[of] = append(s.ratings[of], float64(*r.UCS))
			}
		}),
	)
	if err == nil {
		s.verdicts, err = readVerdicts(s.folder, s.cell.ID)
	}
	return err
}

// batch is how many records are scored at the same time.
const batch = 1024

// run writes the scores of a cell in the order of its records, which it returns.
func (s *scorer) run(ctx context.Context, w io.Writer) ([]record.Record, error) {
	if err := s.load(); err != nil {
		return nil, err
	}
	records, err := lastRecords(s.folder, s.cell.ID)
	if err != nil {
		return nil, err
	}
	s.readAudits(records)
	if s.states, err = s.replay(records); err != nil {
		return nil, fmt.Errorf("%s: %w", s.folder.Records(s.cell.ID), err)
	}
	encoder := json.NewEncoder(w)
	for part := range slices.Chunk(records, batch) {
		scores, faults := make([][]record.Score, len(part)), make([]error, len(part))
		each.ForEachIdx(part, func(i int, r *record.Record) { scores[i], faults[i] = s.score(*r) })
		for i, rows := range scores {
			if faults[i] != nil {
				return nil, faults[i]
			}
			if err := jsonout.Encode(encoder, rows...); err != nil {
				return nil, err
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return records, nil
}

func (s *scorer) addBlock(b record.Block) {
	s.blocks[b.Block] = metrics.Block{Sources: b.Sources, Estimated: b.Estimated, Text: b.Text, Tokens: b.Tokens}
}

// score returns the scores of a record under each answer key.
func (s *scorer) score(r record.Record) ([]record.Score, error) {
	k := key{r.Sample, r.Request}
	gold, ok := s.gold[k]
	if !ok {
		return nil, fmt.Errorf("%s: no gold answer for question %s of %s in %s", s.folder.Records(s.cell.ID), k.Request, k.Sample, s.folder.Gold(s.cell.Dataset))
	}
	item := s.item(k)
	item.Prediction, item.Failed, item.Nodes = r.Answer, r.Status != record.OK, r.Nodes
	item.Before, item.After = s.states[k].before, s.states[k].after
	if s.cell.Lacks(metrics.Evidence) { // how far a question came is not known
		item.GoldEvidence = nil
	}
	for _, ref := range r.Evidence {
		b, ok := s.blocks[ref.Block]
		if !ok {
			return nil, fmt.Errorf("%s: question %s of %s refers to block %s, which %s does not have",
				s.folder.Records(s.cell.ID), r.Request, r.Sample, ref.Block, s.folder.Blocks(s.cell.ID))
		}
		item.Blocks = append(item.Blocks, b)
	}
	item.Tokens.QueryInput, item.Tokens.QueryOutput = languageTokens(r.Usage["query"])
	item.Tokens.Text = textTokens(r)
	item.Tokens.Stages = make(map[string]int)
	for role, u := range r.Usage["query"] {
		item.Tokens.Stages[role] = u.Total()
	}
	item.Tokens.Ingest, item.Memory, item.Degraded = s.ingest[r.Sample], s.memory[r.Sample], r.Degraded
	var rows []record.Score
	for _, name := range s.keys {
		ruling := s.under(k, name)
		row := s.row(r, gold, item, ruling)
		row.Key, row.Out = name, ruling.Out
		rows = append(rows, row)
	}
	return rows, nil
}

// row scores an item against what counts as its gold.
func (s *scorer) row(r record.Record, gold record.Gold, item metrics.Item, ruling errata.Ruling) record.Score {
	of := s.judged(r, ruling)
	ofGold := []metrics.Part{metrics.Answer, metrics.Evidence, metrics.Judgement}
	row := record.Score{
		Cell: s.cell.ID, Sample: r.Sample, Request: r.Request, Labels: gold.Labels, Status: r.Status,
		Values: make(map[string]*float64), Unasked: make(map[string]float64),
	}
	items := ruled(item, ruling, s.cell.Lacks(metrics.Evidence))
	for i := range items {
		s.addLabels(&items[i], of)
	}
	row.Category = items[0].Category
	for _, spec := range s.specs {
		unjudged := s.header.Judge == nil && spec.Of == metrics.Judgement && metrics.JudgeOf(spec.Name) == ""
		undefined := unjudged || ruling.Out && slices.Contains(ofGold, spec.Of)
		for i, v := range best(spec, items) {
			var x *float64
			if v.Defined && !undefined && !unknown(s.cell, spec, spec.Columns[i]) {
				x = new(v.X)
			}
			row.Values[spec.Columns[i].Name] = x
		}
		if spec.Why != nil && !ruling.Out {
			row.Why = append(row.Why, spec.Why(items[0])...)
		}
	}
	s.addAudited(&row, of)
	return row
}

// ScoredAlone reports whether a metric scores a record by itself: neither by the other
// requests of its sample, nor by what is said of its answer after the run.
func ScoredAlone(spec *metrics.Spec) bool {
	return (spec.Of == metrics.Answer || spec.Of == metrics.Evidence) &&
		!slices.ContainsFunc(spec.Columns, func(c metrics.Column) bool { return c.Sample || c.Total })
}

// RecordScorer returns a function that scores records of a cell while its run is in
// progress, with metrics that are [ScoredAlone], by the answer key that counts. The values
// are those of [Score], but that what is expected of a tree waits for the end. It is an
// error where the run has no such request, or not the blocks.
func RecordScorer(folder record.Folder, h record.Header, c record.Cell, specs []*metrics.Spec, blocks []record.Block) (func(record.Record) (record.Score, error), error) {
	d, _ := h.Dataset(c.Dataset)
	golds, err := readGolds(folder, d)
	if err != nil {
		return nil, err
	}
	for k, gold := range golds.gold {
		if golds.trees[k.Sample] != nil {
			gold.Expect = nil
			golds.gold[k] = gold
		}
	}
	s := scorer{folder: folder, cell: c, golds: golds, specs: specs, blocks: make(map[string]metrics.Block)}
	for _, b := range blocks {
		s.addBlock(b)
	}
	return func(r record.Record) (record.Score, error) {
		rows, err := s.score(r)
		if err != nil {
			return record.Score{}, err
		}
		return rows[0], nil
	}, nil
}

// textTokens sums the tokens of a query as the paper's accounting has them,
// which a record leaves out where they are what was used.
func textTokens(r record.Record) int {
	if r.Text == nil {
		input, output := languageTokens(r.Usage["query"])
		return input + output
	}
	n := 0
	for role, tokens := range r.Text {
		if role != "embed" {
			n += tokens
		}
	}
	return n
}

// languageTokens sums the tokens of the language models. Embeddings are left
// out: they cost a small part as much, and the papers do not count them.
func languageTokens(usage map[string]llm.Usage) (input, output int) {
	for role, u := range usage {
		if role != "embed" {
			input += u.Input
			output += u.Output
		}
	}
	return input, output
}
