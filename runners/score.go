package runners

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	each "github.com/sourcegraph/conc/iter"

	"recallbench/datasets/errata"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/tree"
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
// It returns the digest of the scores, and what the requests cost, which it reads anyway.
func Score(ctx context.Context, folder record.Folder, h record.Header, specs []*metrics.Spec) (d record.Digest, spent []record.Spent, err error) {
	golds, err := readAllGolds(folder, h)
	if err != nil {
		return d, nil, err
	}
	rated := make(map[string]map[string]map[judgedAnswer][]rating.Rating)
	for _, set := range h.Datasets {
		if rated[set.Label], err = readRatings(folder, set.Label); err != nil {
			return d, nil, err
		}
	}
	had, err := folder.ScoredRequests(h)
	if err != nil {
		return d, nil, err
	}
	took := make(map[string][]record.Record) // by cell
	d, err = record.WriteDigested(folder.Scores(), func(w io.Writer) error {
		for _, c := range h.Cells {
			s := scorer{folder: folder, cell: c, header: h, golds: golds[c.Dataset], specs: specs, rated: rated[c.Dataset][c.ID]}
			if took[c.ID], err = s.run(ctx, w, had[c.ID]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return d, nil, err
	}
	d.File = filepath.Base(folder.Scores())
	spent, err = record.SpentBy(h, func(c record.Cell) iter.Seq2[record.Record, error] {
		return func(yield func(record.Record, error) bool) {
			for _, r := range took[c.ID] {
				if !yield(r, nil) {
					return
				}
			}
		}
	})
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
	last     map[key]int64 // offsets of the records that count; nil where each request has one
	states   map[key]state // of the trees
	verdicts verdicts
	audits   audits
	rated    map[judgedAnswer][]rating.Rating
}

// load reads what records refer to.
func (s *scorer) load() (err error) {
	s.blocks, s.ingest, s.memory = make(map[string]metrics.Block), make(map[string]float64), make(map[string]metrics.Memory)
	for b, err := range record.Values[record.Block](s.folder.Blocks(s.cell.ID)) {
		if err != nil {
			return err
		}
		s.addBlock(b)
	}
	requests := make(map[string]int)
	for k := range s.gold {
		requests[k.sample]++
	}
	for i, err := range record.Values[record.Ingest](s.folder.Ingests(s.cell.ID)) {
		if err != nil {
			return err
		}
		in, out := languageTokens(i.Usage)
		s.memory[i.Sample] = metrics.Memory{Structure: i.Structure, Degraded: i.Degraded}
		s.ingest[i.Sample] = float64(in+out) / float64(max(1, requests[i.Sample]))
	}
	s.verdicts, err = readVerdicts(s.folder, s.cell.ID)
	return err
}

// A scoredLine is a record with its lines of scores.
type scoredLine struct {
	raw    json.RawMessage
	number int // of the line
	offset int64
	rec    record.Record
	counts bool // as the last record of its request
	scores bytes.Buffer
	err    error
}

// batch is how many records are scored at the same time.
const batch = 1024

// run writes the scores of a cell in the order of its records, and takes their requests
// out of those that had one before. It returns what [record.SpentBy] needs of each.
func (s *scorer) run(ctx context.Context, w io.Writer, had map[record.Asked]bool) (took []record.Record, err error) {
	if err := s.load(); err != nil {
		return nil, err
	}
	file, err := record.OpenRegular(s.folder.Records(s.cell.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.kept(had)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	arranged := s.header.Status == record.Complete && len(s.header.Files) > 0 // each request has one record
	if !arranged || len(s.trees)+len(s.verdicts) > 0 {
		if err := s.look(file); err != nil {
			return nil, err
		}
	}
	var lines []scoredLine
	flush := func() error {
		each.ForEach(lines, s.scoreLine)
		for i := range lines {
			l := &lines[i]
			if l.err != nil {
				return l.err
			}
			if !l.counts {
				continue
			}
			if _, err := w.Write(l.scores.Bytes()); err != nil {
				return err
			}
			r := l.rec
			took = append(took, record.Record{Sample: r.Sample, Request: r.Request, Status: r.Status, Cost: r.Cost, Time: record.Timing{Total: r.Time.Total}})
			delete(had, record.Asked{Sample: r.Sample, Request: r.Request})
		}
		lines = lines[:0]
		return ctx.Err()
	}
	number := 0
	for line, err := range record.PartsOf[json.RawMessage](file) {
		if err != nil {
			return nil, err
		}
		number++
		lines = append(lines, scoredLine{raw: line.Value, number: number, offset: line.Offset})
		if len(lines) == batch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return took, s.kept(had)
}

// scoreLine decodes and scores a record.
func (s *scorer) scoreLine(l *scoredLine) {
	if l.rec, l.err = record.Decode[record.Record](l.raw); l.err != nil {
		l.err = fmt.Errorf("%s:%d: %w", s.folder.Records(s.cell.ID), l.number, l.err)
		return
	}
	l.raw = nil
	k := key{l.rec.Sample, l.rec.Request}
	if at, ok := s.last[k]; ok && at != l.offset {
		return
	}
	l.counts = true
	rows, err := s.score(l.rec)
	if err == nil {
		err = jsonout.Encode(json.NewEncoder(&l.scores), rows...)
	}
	l.err = err
}

// look reads what scores depend on beside their own record: which record of a request
// is its last, as one that was asked again has two until its run is complete, what judges
// said of the answers, and what edits made of the trees.
func (s *scorer) look(file *os.File) (err error) {
	type part struct {
		Sample, Request, Answer string
		Edits                   []tree.Edit
	}
	s.last = make(map[key]int64)
	edits := make(map[key][]tree.Edit)
	current := make(map[key]string) // hashes of the answers
	for line, err := range record.PartsOf[part](file) {
		if err != nil {
			return err
		}
		k := key{line.Value.Sample, line.Value.Request}
		s.last[k], edits[k], current[k] = line.Offset, line.Value.Edits, answerHash(line.Value.Answer)
	}
	s.readAudits(current)
	if s.states, err = s.replay(edits); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

// kept reports requests that had a score and have no record.
func (s *scorer) kept(had map[record.Asked]bool) error {
	for k := range had {
		if _, ok := s.gold[key{k.Sample, k.Request}]; !ok {
			delete(had, k)
		}
	}
	if len(had) > 0 {
		return record.LostScores(s.folder, s.cell.ID, had)
	}
	return nil
}

func (s *scorer) addBlock(b record.Block) {
	s.blocks[b.Block] = metrics.Block{Sources: b.Sources, Estimated: b.Estimated, Text: b.Text, Tokens: b.Tokens}
}

// score returns the scores of a record under each answer key.
func (s *scorer) score(r record.Record) ([]record.Score, error) {
	k := key{r.Sample, r.Request}
	gold, ok := s.gold[k]
	if !ok {
		return nil, fmt.Errorf("%s: no gold answer for question %s of %s in %s", s.folder.Records(s.cell.ID), k.request, k.sample, s.folder.Gold(s.cell.Dataset))
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
	s.addRating(&item, k)
	item.Tokens.Ingest, item.Memory, item.Degraded = s.ingest[r.Sample], s.memory[r.Sample], r.Degraded
	if len(s.keys) == 0 {
		return []record.Score{s.row(r, gold, item, errata.Ruling{Published: true})}, nil
	}
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
	k := key{r.Sample, r.Request}
	row := record.Score{
		Cell: s.cell.ID, Sample: r.Sample, Request: r.Request, Labels: gold.Labels, Status: r.Status,
		Values: make(map[string]*float64),
	}
	items := ruled(item, ruling, s.cell.Lacks(metrics.Evidence))
	for i := range items {
		s.addJudgement(&items[i], k, ruling)
	}
	row.Category = items[0].Category
	for _, spec := range s.specs {
		unjudged := s.header.Judge == nil && spec.Of == metrics.Judgement && metrics.JudgeOf(spec.Name) == ""
		undefined := unjudged || ruling.Out && needsGold(spec)
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
	s.addAudited(&row, judgedAnswer{k, answerHash(r.Answer), s.toldHash(k, ruling)})
	return row
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
