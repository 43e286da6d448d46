package runners

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
)

// Shards are the parts of one run: all of them, each complete.
type Shards struct {
	opened   []*shardRun
	shards   []*shardRun // of one run, in their order
	orders   map[string]order
	result   Result
	warnings []string
}

type shardRun struct {
	dir    string
	folder record.Folder
	header record.Header
	config *config.Config
	unlock func() error
}

// String names the shard with its folder.
func (s *shardRun) String() string { return fmt.Sprintf("%s (%s)", shardText(s.header.Shard), s.dir) }

// MergeOptions say what is merged.
type MergeOptions struct {
	// Versions lets shards be of different versions of the program.
	Versions bool
	// Edited takes shards that were edited after they ended as they are.
	Edited bool
}

// options say how the folders are opened.
func (o MergeOptions) options() []record.Option {
	if o.Edited {
		return []record.Option{record.AcceptEdits}
	}
	return nil
}

// OpenShards takes the run folders of all shards of a run, in any order, and
// checks them: they are of the same run, each is there once, and each is complete.
// All faults are reported at once. The folders are locked until [Shards.Close].
func OpenShards(dirs []string, plugins config.Plugins, o MergeOptions) (*Shards, error) {
	s := new(Shards)
	var faults []error
	for _, dir := range dirs {
		one, err := s.open(dir, plugins, o)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		s.opened = append(s.opened, one)
	}
	faults = append(faults, s.check(o)...)
	if err := errors.Join(faults...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Warnings say what a reader of the merged run should know.
func (s *Shards) Warnings() []string { return s.warnings }

// ErrorLimit is the share of failed requests that the config allows.
func (s *Shards) ErrorLimit() float64 { return s.shards[0].config.Limits.Errors }

// Close releases the folders.
func (s *Shards) Close() error {
	faults := lists.Map(s.opened, func(one *shardRun) error { return one.unlock() })
	return errors.Join(faults...)
}

// open opens the folder of a shard. One that is named twice is locked once, so
// that it can be told which two names it has.
func (s *Shards) open(dir string, plugins config.Plugins, o MergeOptions) (*shardRun, error) {
	if record.Unbegun(dir) {
		return nil, fmt.Errorf("%s is a run that was killed before it asked anything; 'bench resume %s' asks", dir, dir)
	}
	if _, err := record.ReadHeader(dir, o.options()...); err != nil {
		return nil, err
	}
	one := &shardRun{dir: dir, folder: record.Folder(dir), unlock: func() error { return nil }}
	if !slices.ContainsFunc(s.opened, func(other *shardRun) bool { return record.SameFolder(dir, other.dir) }) {
		var err error
		if one.unlock, err = one.folder.Lock(); err != nil {
			return nil, err
		}
	}
	if err := one.read(plugins, o); err != nil {
		return nil, errors.Join(err, one.unlock())
	}
	return one, nil
}

// read reads the header and the config, which no other process changes now.
func (s *shardRun) read(plugins config.Plugins, o MergeOptions) (err error) {
	if _, s.header, err = record.Open(s.dir, o.options()...); err != nil {
		return err
	}
	if h := s.header.Shard; h == nil || h.Index < 1 || h.Index > h.Of {
		return fmt.Errorf("%s is not a shard: its run asks all samples", s.dir)
	}
	if s.config, err = config.Load(s.folder.Config(), plugins); err != nil {
		return err
	}
	if of := s.config.Shard; of != config.Shard(*s.header.Shard) {
		return fmt.Errorf("%s: run.json says %s, config.yaml says shard %q", s.dir, shardText(s.header.Shard), of)
	}
	return nil
}

// shardOf returns every n-th of samples, n being the number of shards, from the
// index of the shard on.
func shardOf(samples []datasets.Entry, s config.Shard) []datasets.Entry {
	var kept []datasets.Entry
	for i := s.Index - 1; i < len(samples); i += s.Of {
		kept = append(kept, samples[i])
	}
	return kept
}

// samplesOf returns how many of n samples are in a shard.
func samplesOf(n int, s record.Shard) int { return (n + s.Of - s.Index) / s.Of }

// takeShard leaves the datasets the samples of the config's shard. What a method
// is tuned on is not split, so that each shard makes the same choice. A shard may
// have no sample of a small dataset; where some shard would have none of any, the
// shards are too many, and every one of them says so.
func (p *Plan) takeShard() error {
	s := p.config.Shard
	if s == (config.Shard{}) {
		return nil
	}
	largest := p.sets[0]
	for i, d := range p.sets {
		if len(d.samples) > len(largest.samples) {
			largest = d
		}
		p.sets[i].samples = shardOf(d.samples, s)
		p.header.Datasets[i] = p.sets[i].info()
	}
	if n := len(largest.samples); s.Of > n {
		return fmt.Errorf("shard %s: there are more shards than samples: the largest dataset, %s, has %d of them; want at most %d shards", s, largest.label, n, n)
	}
	p.header.Shard = &record.Shard{Index: s.Index, Of: s.Of}
	return nil
}

// shardText says which samples a run asks.
func shardText(s *record.Shard) string {
	if s == nil {
		return "all samples"
	}
	return fmt.Sprintf("shard %d/%d", s.Index, s.Of)
}
