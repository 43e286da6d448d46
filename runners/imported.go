package runners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/token"
	"recallbench/internal/external/wire"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// ImportedUse stands for the method of answers that were made elsewhere.
const ImportedUse = "import"

// importedTokens names the tokenizer that counts what imported answers were made
// from.
const importedTokens = "o200k_base"

// An Import makes a run of answers to the requests of a dataset that were made
// elsewhere.
type Import struct {
	plan *Plan
	data dataset
	// categories are all of the dataset's, also those that its options do not ask.
	categories []datasets.Category
	// Golds are the requests with their gold answers, in the order of the dataset.
	Golds []record.Gold
}

// An ImportedCell is the answers of one method.
type ImportedCell struct {
	Label string
	From  record.Imported
	// Tokenizer counts what answers were made from; empty for o200k_base.
	Tokenizer string
	// Options, Prompts and Seed are those of the method, where the file has them.
	Options map[string]any
	Prompts string
	Seed    uint64
	// Judges are those whose judgements came with the answers.
	Judges []record.Judge
	// Answers are by the request, in the order of [Import.Golds]; nil for a
	// request that is left out. Of each the record counts but for its ids, hash and
	// category, which are the dataset's, and the evidence and judgements.
	Answers []*scored.Request
}

// OpenImport opens the first dataset of a config, which answers are to. Nothing
// else of the config is looked at but its seed.
func OpenImport(ctx context.Context, c *config.Config, plugins config.Plugins, env Env) (*Import, error) {
	p := newPlan(c, env)
	d, err := p.openDataset(ctx, plugins, c.Datasets[0], 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dataset %s: %w", c.Datasets[0].Label, err), p.Close())
	}
	if slices.ContainsFunc(d.samples, func(s datasets.Entry) bool { return s.Tree }) {
		return nil, errors.Join(fmt.Errorf("dataset %s has tasks about trees, whose edits imported answers lack; want conversations", d.label), p.Close())
	}
	i := &Import{plan: p, data: d, categories: d.set.Categories}
	spec := find(plugins.Datasets, func(s *datasets.Spec) bool { return s.Name == c.Datasets[0].Use })
	if len(spec.Categories) > 0 {
		i.categories = spec.Categories
	}
	for _, s := range d.samples {
		for _, r := range s.Requests {
			g, err := record.GoldOf(d.set, s.ID, r)
			if err != nil {
				return nil, errors.Join(err, p.Close())
			}
			i.Golds = append(i.Golds, g)
		}
	}
	return i, nil
}

// Close closes the dataset.
func (i *Import) Close() error { return i.plan.Close() }

// Dataset describes the dataset, with all its categories.
func (i *Import) Dataset() record.Dataset {
	d := i.data.info()
	d.Categories = i.categories
	return d
}

// FindSources finds the turns that the evidence of cells comes from: those that a block
// names by their ids or their session's, else those whose texts are part of its text. Cells
// whose file names turns stay as they are, and so do those most of whose blocks have none,
// as with memories that rewrite turns.
func (i *Import) FindSources(ctx context.Context, cells []ImportedCell) error {
	known := func(b *scored.Block) bool { return len(b.Sources) > 0 }
	var open []*ImportedCell
	for n := range cells {
		all := evidenceOf(cells[n].Answers)
		if len(all) > 0 && !slices.ContainsFunc(all, known) && slices.Contains(cells[n].From.Without, metrics.Evidence) {
			open = append(open, &cells[n])
		}
	}
	if len(open) == 0 {
		return nil
	}
	first := 0
	for _, e := range i.data.samples {
		s, err := i.data.set.Load(ctx, e.Place)
		if err != nil {
			return err
		}
		find := turnFinder(s)
		for _, c := range open {
			for _, b := range evidenceOf(c.Answers[first : first+len(e.Requests)]) {
				b.Sources, b.Estimated = find(b.Text)
			}
		}
		first += len(e.Requests)
	}
	for _, c := range open {
		all := evidenceOf(c.Answers)
		if 2*len(lists.Filter(all, known)) >= len(all) {
			c.From.Without = slices.DeleteFunc(c.From.Without, func(p metrics.Part) bool { return p == metrics.Evidence })
			continue
		}
		for _, b := range all {
			b.Sources, b.Estimated = nil, false
		}
	}
	return nil
}

// evidenceOf returns the evidence of answers, of which some may be nil.
func evidenceOf(answers []*scored.Request) (all []*scored.Block) {
	for _, a := range answers {
		for i := 0; a != nil && i < len(a.Evidence); i++ {
			all = append(all, &a.Evidence[i])
		}
	}
	return all
}

// turnFinder returns a function that finds the turns of a conversation which a text refers
// to, and reports whether that is estimated, because the text is not an id of theirs.
func turnFinder(s datasets.Sample) func(text string) (turns []string, estimated bool) {
	ids, seen := make(map[string][]string), make(map[string][]string)
	var all []wire.Turn
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			all = append(all, wire.Turn{ID: t.ID, Text: t.Text})
			ids[t.ID] = []string{t.ID}
			ids[session.ID] = append(ids[session.ID], t.ID)
		}
	}
	texts := wire.NewSources(all)
	return func(text string) ([]string, bool) {
		if turns, ok := ids[text]; ok {
			return turns, false
		}
		if _, ok := seen[text]; !ok {
			seen[text] = texts.Of(text)
		}
		return seen[text], true
	}
}

// Write makes a run folder of cells, complete and in the order of the dataset. The
// reader is the model that answered, empty if unknown. The folder has no
// config: there is nothing that could be run again.
func (i *Import) Write(dir, reader string, metricNames []string, cells []ImportedCell) (folder record.Folder, h record.Header, err error) {
	if h, err = i.header(reader, metricNames, cells); err != nil {
		return "", h, err
	}
	folder, unlock, err := create(dir, h)
	if err != nil {
		return "", h, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := record.WriteGold(folder.Gold(i.data.label), i.data.set, i.data.samples); err != nil {
		return "", h, err
	}
	for n, c := range h.Cells {
		if err := i.writeCell(folder, c, cells[n]); err != nil {
			return "", h, err
		}
	}
	h.End = i.plan.env.Now().UTC()
	judgements := lists.Map(h.Cells, func(c record.Cell) string { return folder.Judgements(c.ID) })
	if err := folder.Seal(&h, nil, judgements...); err != nil {
		return "", h, err
	}
	return folder, h, folder.WriteHeader(h)
}

// header describes the run. Cells that hold the same answers are refused: nothing
// would tell them apart.
func (i *Import) header(reader string, metricNames []string, cells []ImportedCell) (record.Header, error) {
	reader = cmp.Or(reader, "not known")
	h := record.Header{
		Name: "import", Status: record.Complete, Argv: i.plan.env.Argv, Binary: i.plan.env.Binary, Seed: i.plan.config.Seed,
		Datasets: []record.Dataset{i.data.info()},
		Models:   []record.Model{{Label: reader, Backend: "imported", Reader: reader, Tokens: cmp.Or(cells[0].Tokenizer, importedTokens)}},
		Metrics:  metricNames, Start: i.plan.env.Now().UTC(),
	}
	ids := make(map[string]string)
	var faults []error
	for _, c := range cells {
		for _, j := range c.Judges {
			if have := h.FindJudge(j.Name); have != nil && have.ID != j.ID {
				faults = append(faults, fmt.Errorf("%s: its judge %s differs from that of earlier files; import it separately", c.From.File, cmp.Or(j.Name, j.Reader)))
				continue
			}
			j.Calibrations = nil // labels stay in their run
			h.SetJudge(j)
		}
		cell := record.Cell{
			Dataset: i.data.label, Method: c.Label, Use: ImportedUse, Model: reader, Imported: &c.From, Seed: cmp.Or(c.Seed, h.Seed), Options: c.Options, Prompts: c.Prompts,
			Samples: len(i.data.samples), Planned: countRequests(i.data.samples),
		}
		cell.ID = i.cellID(cell)
		if other, ok := ids[cell.ID]; ok {
			faults = append(faults, fmt.Errorf("%s and %s are the same file", other, c.From.File))
		}
		ids[cell.ID] = c.From.File
		h.Cells = append(h.Cells, cell)
	}
	h.ID = hashOf([]any{h.Start, lists.Map(h.Cells, func(c record.Cell) string { return c.ID })}, 8)
	return h, errors.Join(faults...)
}

// cellID is a hash of the file and of the dataset that its answers are to.
func (i *Import) cellID(c record.Cell) string {
	return hashOf(map[string]any{
		"schema": record.SchemaVersion, "use": c.Use, "file": c.Imported.SHA256, "format": c.Imported.Format, "reader": c.Model,
		"dataset": i.data.identity(),
	}, 12)
}

// writeCell writes the records of a cell and what they refer to.
func (i *Import) writeCell(folder record.Folder, c record.Cell, from ImportedCell) error {
	tokens, err := token.New(cmp.Or(from.Tokenizer, importedTokens))
	if err != nil {
		return err
	}
	var records []record.Record
	var judgements []record.Judgement
	blocks := make(map[string]record.Block)
	n := 0
	for _, sample := range i.data.samples {
		for _, r := range sample.Requests {
			a := from.Answers[n]
			n++
			if a == nil {
				continue
			}
			rec, of := a.Record, newRecord(i.data.set, sample.ID, r)
			rec.Sample, rec.Request, rec.Hash, rec.Category = of.Sample, of.Request, of.Hash, of.Category
			rec.Evidence = nil
			for _, e := range a.Evidence {
				b := e.Block
				b.Block, b.Sample, b.Tokens = record.BlockID(sample.ID, b.Name, b.Text, b.Sources), sample.ID, tokens.Count(b.Text)
				blocks[b.Block] = b
				rec.Evidence = append(rec.Evidence, record.BlockRef{Block: b.Block, Score: e.Score})
			}
			records = append(records, rec)
			for _, j := range a.Judgements {
				j.Sample, j.Request, j.Answer = rec.Sample, rec.Request, note.Sum(rec.Answer)
				judgements = append(judgements, j)
			}
		}
	}
	o := orderOf(i.data.samples)
	sorted := slices.SortedFunc(maps.Values(blocks), func(a, b record.Block) int {
		return o.compareBlocks(shown{a.Sample, a.Block}, shown{b.Sample, b.Block})
	})
	err = errors.Join(os.MkdirAll(folder.Cell(c.ID), 0o755), writeLines(folder.Records(c.ID), records), writeLines(folder.Blocks(c.ID), sorted))
	if len(judgements) > 0 {
		err = errors.Join(err, writeLines(folder.Judgements(c.ID), judgements))
	}
	return err
}

func writeLines[T any](path string, lines []T) error {
	return record.WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, lines...) })
}

// unknown reports whether nothing is known of an imported cell that a column could
// be computed from. What its memories took to build is in no file.
func unknown(c record.Cell, spec *metrics.Spec, column metrics.Column) bool {
	return c.Lacks(spec.Of) || c.Imported != nil && column.Name == "tokens-ingest"
}
