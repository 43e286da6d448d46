package runners

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
)

// Shards are the parts of one run: all of them, each complete.
type Shards struct {
	shards   []*shardRun // in their order
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
		s.shards = append(s.shards, one)
	}
	slices.SortStableFunc(s.shards, func(a, b *shardRun) int { return a.header.Shard.Index - b.header.Shard.Index })
	if err := errors.Join(append(faults, s.check(o)...)...); err != nil {
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
	return errors.Join(lists.Map(s.shards, func(one *shardRun) error { return one.unlock() })...)
}

// open opens the folder of a shard. One that is named twice is locked once, so
// that it can be told which two names it has.
func (s *Shards) open(dir string, plugins config.Plugins, o MergeOptions) (*shardRun, error) {
	if record.Unbegun(dir) {
		return nil, fmt.Errorf("%s is a run that was killed before it asked anything; 'bench resume %s' asks", dir, dir)
	}
	var options []record.Option
	if o.Edited {
		options = append(options, record.AcceptEdits)
	}
	if _, err := record.ReadHeader(dir, options...); err != nil {
		return nil, err
	}
	one := &shardRun{dir: dir, folder: record.Folder(dir), unlock: func() error { return nil }}
	if !slices.ContainsFunc(s.shards, func(other *shardRun) bool { return record.SameFolder(dir, other.dir) }) {
		var err error
		if one.unlock, err = one.folder.Lock(); err != nil {
			return nil, err
		}
	}
	if err := one.read(plugins, options); err != nil {
		return nil, errors.Join(err, one.unlock())
	}
	return one, nil
}

// read reads the header and the config, which no other process changes now.
func (s *shardRun) read(plugins config.Plugins, options []record.Option) (err error) {
	if _, s.header, err = record.Open(s.dir, options...); err != nil {
		return err
	}
	h := s.header
	switch {
	case h.Shard == nil || h.Shard.Index < 1 || h.Shard.Index > h.Shard.Of:
		return fmt.Errorf("%s is not a shard: its run asks all samples", s.dir)
	case h.Status != record.Complete:
		return fmt.Errorf("%s is unfinished; 'bench resume %s' asks the rest", s, s.dir)
	}
	s.config, err = config.Load(s.folder.Config(), plugins)
	return err
}

// check returns what keeps the shards from being joined.
func (s *Shards) check(o MergeOptions) (faults []error) {
	if len(s.shards) == 0 {
		return nil
	}
	first := s.shards[0]
	of := first.header.Shard.Of
	at := make(map[int]*shardRun)
	for _, one := range s.shards {
		if fault := sameRun(first, one); fault != nil {
			faults = append(faults, fmt.Errorf("%s is a shard of another run than %s: %w", one.dir, first.dir, fault))
			continue
		}
		if other := at[one.header.Shard.Index]; other != nil {
			faults = append(faults, fmt.Errorf("%s is there twice: %s and %s", shardText(one.header.Shard), other.dir, one.dir))
			continue
		}
		at[one.header.Shard.Index] = one
		if fault := s.checkProgram(first, one); fault != nil && !o.Versions {
			faults = append(faults, fmt.Errorf("%w; --any-version merges them all the same", fault))
		} else if fault != nil {
			s.warnings = append(s.warnings, fault.Error())
		}
		for _, d := range one.header.Datasets {
			if _, err := os.Stat(one.folder.Asked(d.Label)); err == nil {
				s.warnings = append(s.warnings, fmt.Sprintf("%s has ratings on dataset %s, which are not joined; 'bench judge people export' of the merged run asks about all of it", one, d.Label))
			}
		}
	}
	var missing []string
	for i := 1; i <= of; i++ {
		if at[i] == nil {
			missing = append(missing, fmt.Sprintf("%d/%d", i, of))
		}
	}
	if len(missing) > 0 {
		faults = append(faults, fmt.Errorf("missing: shard %s", strings.Join(missing, ", ")))
	}
	return faults
}

// checkProgram reports a shard that another version of the program made than the first: cells
// do not hash its code, so that their answers may be those of other methods. Another
// machine is a warning.
func (s *Shards) checkProgram(first, one *shardRun) error {
	a, b := first.header.Binary, one.header.Binary
	if a.Version != b.Version || a.Commit != b.Commit || a.Dirty != b.Dirty {
		text := func(b record.Binary) string { return strings.TrimSpace(b.Version + " " + b.Commit) }
		return fmt.Errorf("%s was made by another version of the program than %s: %s, not %s", one, first, text(b), text(a))
	}
	if a.Go != b.Go || a.Host != b.Host {
		s.warnings = append(s.warnings, fmt.Sprintf("%s ran on another kind of machine than %s: %s %s, not %s %s; numbers may be rounded in other ways", one, first, b.Host, b.Go, a.Host, a.Go))
	}
	return nil
}

// sameRun reports what two shards differ in that those of one run do not.
func sameRun(a, b *shardRun) error {
	if keys := differentKeys(a.config, b.config); len(keys) > 0 {
		return fmt.Errorf("their configs differ in %s", strings.Join(keys, ", "))
	}
	if n, m := a.header.Shard.Of, b.header.Shard.Of; n != m {
		return fmt.Errorf("the run was split into %d parts, not %d", m, n)
	}
	label := func(d record.Dataset) string { return d.Label }
	if x, y := lists.Map(a.header.Datasets, label), lists.Map(b.header.Datasets, label); !slices.Equal(x, y) {
		return fmt.Errorf("it found the datasets %s, not %s", strings.Join(y, ", "), strings.Join(x, ", "))
	}
	for i, d := range a.header.Datasets {
		switch e := b.header.Datasets[i]; {
		case e.SHA256 != d.SHA256:
			return fmt.Errorf("its dataset %s has SHA-256 %s, not %s", d.Label, e.SHA256, d.SHA256)
		case !e.SameKeys(d):
			return fmt.Errorf("its dataset %s is scored with other errata or by another answer key; 'bench score' with --errata, --key and --options gives both the same", d.Label)
		}
	}
	chosen := func(t record.Tuning) string {
		return fmt.Sprintf("point %d for %s with %s", t.Chosen, t.Method, t.Model)
	}
	if x, y := lists.Map(a.header.Tunings, chosen), lists.Map(b.header.Tunings, chosen); !slices.Equal(x, y) {
		return fmt.Errorf("tuning chose %q, not %q; share the recordings of their calls ('bench calls export'), or set the options", y, x)
	}
	return sameCells(a.header.Cells, b.header.Cells)
}

// differentKeys names the keys in which configs differ, but for those that change
// no answer and may be others on another machine.
func differentKeys(a, b *config.Config) (keys []string) {
	x, y := comparedKeys(a), comparedKeys(b)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[config.Config]()) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !reflect.DeepEqual(x[key], y[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// comparedKeys returns the keys of a config that every shard has alike. What cells
// hash is left to them: prompts by their content, models by what they answer with.
func comparedKeys(c *config.Config) (keys map[string]any) {
	own := *c
	own.Shard = config.Shard{}
	own.Base, own.Prompts, own.Memories, own.Prices = "", "", "", ""
	own.Concurrency, own.Budget, own.Calls = config.Concurrency{}, config.Budget{}, config.Calls{}
	own.Models = slices.Clone(c.Models)
	for i := range own.Models {
		own.Models[i].Options = nil
	}
	data, err := own.Marshal()
	if err == nil {
		err = yaml.Unmarshal(data, &keys)
	}
	if err != nil {
		panic("runners: a config does not encode: " + err.Error()) // it came from YAML
	}
	return keys
}

// shardOf returns every n-th of samples, n being the number of shards, from the
// index of the shard on.
func shardOf(samples []datasets.Entry, s config.Shard) (kept []datasets.Entry) {
	for i := s.Index - 1; i < len(samples); i += s.Of {
		kept = append(kept, samples[i])
	}
	return kept
}

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
