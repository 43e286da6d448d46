package runners

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
)

// check puts the shards in order and returns what keeps them from being joined: they are
// not of the run of the first, one is missing, there twice, or not complete.
func (s *Shards) check(o MergeOptions) (faults []error) {
	if len(s.opened) == 0 {
		return nil
	}
	s.shards = lists.Filter(s.opened, func(one *shardRun) bool {
		err := sameRun(s.opened[0], one)
		if err != nil {
			faults = append(faults, err)
		}
		return err == nil
	})
	slices.SortStableFunc(s.shards, func(a, b *shardRun) int { return a.header.Shard.Index - b.header.Shard.Index })
	faults = append(faults, gaps(s.shards)...)
	first := s.shards[0]
	for _, one := range s.shards {
		faults = append(faults, s.checkVersion(one, o))
		switch {
		case one.header.Status != record.Complete:
			faults = append(faults, fmt.Errorf("%s is unfinished; 'bench resume %s' asks the rest", one, one.dir))
		case !reflect.DeepEqual(chosen(first.header), chosen(one.header)):
			faults = append(faults, fmt.Errorf("%s tuned other options than %s; share the recordings of their calls ('bench calls export'), or set the options", one, first))
		}
	}
	if errors.Join(faults...) != nil {
		return faults
	}
	return s.readOrders()
}

// gaps reports shards that are missing, or there twice, among some that are sorted.
func gaps(shards []*shardRun) (faults []error) {
	of := shards[0].header.Shard.Of
	var missing []string
	for i := 1; i <= of; i++ {
		found := lists.Filter(shards, func(one *shardRun) bool { return one.header.Shard.Index == i })
		if len(found) == 0 {
			missing = append(missing, fmt.Sprintf("%d/%d", i, of))
		}
		if len(found) > 1 {
			faults = append(faults, fmt.Errorf("shard %d/%d is there more than once: %s", i, of, strings.Join(lists.Map(found, func(one *shardRun) string { return one.dir }), ", ")))
		}
	}
	if len(missing) > 0 {
		faults = append(faults, fmt.Errorf("missing shards: %s", strings.Join(missing, ", ")))
	}
	return faults
}

// checkVersion reports a shard that another version of the program made than the first:
// cells do not hash its code, so that their answers may be those of other methods.
func (s *Shards) checkVersion(one *shardRun, o MergeOptions) error {
	a, b := s.shards[0].header.Binary, one.header.Binary
	switch {
	case a.Version != b.Version || a.Commit != b.Commit || a.Dirty != b.Dirty:
		err := fmt.Errorf("%s was made by another version of the program than %s: %s, not %s", one, s.shards[0], versionText(b), versionText(a))
		if !o.Versions {
			return fmt.Errorf("%w; --any-version merges them all the same", err)
		}
		s.warnings = append(s.warnings, err.Error())
	case a.Go != b.Go || a.Host != b.Host:
		s.warnings = append(s.warnings, fmt.Sprintf("%s ran on another kind of machine than %s: %s %s, not %s %s; numbers may be rounded in other ways", one, s.shards[0], b.Host, b.Go, a.Host, a.Go))
	}
	return nil
}

func versionText(b record.Binary) string {
	text := b.Version
	if b.Commit != "" {
		text += " of commit " + b.Commit
	}
	if b.Dirty {
		text += " with changes"
	}
	return text
}

// chosen returns the options that a run chose for its methods.
func chosen(h record.Header) map[string]int {
	options := make(map[string]int)
	for _, t := range h.Tunings {
		options[t.Method+" with "+t.Model] = t.Chosen
	}
	return options
}

// sameRun reports whether two shards are parts of different runs, and what they
// differ in.
func sameRun(a, b *shardRun) error {
	if a.header.Shard.Of != b.header.Shard.Of {
		return fmt.Errorf("%s is %s, %s is %s: they are not parts of the same split", b.dir, shardText(b.header.Shard), a.dir, shardText(a.header.Shard))
	}
	err := sameCells(a.header.Cells, b.header.Cells)
	if keys := differentKeys(a.config, b.config); len(keys) > 0 {
		err = fmt.Errorf("their configs differ in %s", strings.Join(keys, ", "))
	} else if len(a.header.Models) != len(b.header.Models) || !slices.EqualFunc(a.header.Datasets, b.header.Datasets, sameDataset) {
		err = errors.New("it has other models, datasets, errata or answer keys; 'bench score' with --errata, --key and --key-options gives both the same keys")
	}
	if err != nil {
		return fmt.Errorf("%s is a shard of another run than %s: %w", b.dir, a.dir, err)
	}
	return nil
}

func sameDataset(a, b record.Dataset) bool {
	return a.Label == b.Label && a.SHA256 == b.SHA256 && a.SameKeys(b)
}

// differentKeys names the keys in which configs differ, but for those that change
// no answer and may be others on another machine.
func differentKeys(a, b *config.Config) []string {
	x, y := comparedKeys(a), comparedKeys(b)
	maps.DeleteFunc(x, func(key string, value any) bool {
		other, there := y[key]
		same := there && reflect.DeepEqual(value, other)
		if same {
			delete(y, key)
		}
		return same
	})
	maps.Copy(x, y)
	return slices.Sorted(maps.Keys(x))
}

// comparedKeys returns the keys of a config that every shard has alike. What cells
// hash is left to them: prompts by their content, models by what they answer with.
func comparedKeys(c *config.Config) map[string]any {
	own := *c
	own.Shard = config.Shard{}
	own.Base, own.Prompts, own.Memories, own.Prices = "", "", "", ""
	own.Concurrency, own.Budget, own.Calls = config.Concurrency{}, config.Budget{}, config.Calls{}
	own.Models = slices.Clone(c.Models)
	for i := range own.Models {
		own.Models[i].Options = nil
	}
	data, err := own.Marshal()
	if err != nil {
		panic("runners: a config does not encode: " + err.Error()) // it came from YAML
	}
	var keys map[string]any
	if err := yaml.Unmarshal(data, &keys); err != nil {
		panic("runners: a config does not decode: " + err.Error())
	}
	return keys
}

// readOrders finds out in which order the samples of all shards stand, and how many
// requests failed.
func (s *Shards) readOrders() (faults []error) {
	s.orders = make(map[string]order)
	for _, d := range s.shards[0].header.Datasets {
		asked := make([][][]key, len(s.shards))
		for j, one := range s.shards {
			var err error
			asked[j], err = readAsked(one.folder.Gold(d.Label))
			faults = append(faults, err)
			if _, err := os.Stat(one.folder.Asked(d.Label)); err == nil {
				s.warnings = append(s.warnings, fmt.Sprintf("%s has ratings on dataset %s, which are not joined; 'bench rate export' of the merged run asks about all of it", one, d.Label))
			}
		}
		var err error
		if s.orders[d.Label], err = interleave(asked); err != nil {
			faults = append(faults, fmt.Errorf("dataset %s: %w", d.Label, err))
		}
	}
	for _, one := range s.shards {
		failed, requests, err := one.folder.Failed(one.header)
		planned := 0
		for _, c := range one.header.Cells {
			planned += c.Planned
		}
		if err == nil && requests != planned {
			err = fmt.Errorf("%s has records of %d of %d requests; 'bench resume %s' asks the rest", one, requests, planned, one.dir)
		}
		faults = append(faults, err)
		s.result.Requests, s.result.Failed = s.result.Requests+requests, s.result.Failed+len(failed)
	}
	return faults
}

// readAsked reads which requests a gold file holds, by sample.
func readAsked(path string) (all [][]key, err error) {
	for line, err := range record.Lines[record.Gold](path) {
		if err != nil {
			return nil, err
		}
		k := key{line.Value.Sample, line.Value.Request}
		if n := len(all); n == 0 || all[n-1][0].sample != k.sample {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], k)
	}
	return all, nil
}

// interleave puts the samples of all shards back into the order that they were
// split from.
func interleave(asked [][][]key) (order, error) {
	o := newOrder()
	for place := range asked[0] { // the first shard has the most samples
		for _, samples := range asked {
			if place >= len(samples) {
				continue
			}
			if _, there := o.samples[samples[place][0].sample]; there {
				return o, fmt.Errorf("sample %s is in two shards", samples[place][0].sample)
			}
			for _, k := range samples[place] {
				o.add(k)
			}
		}
	}
	return o, nil
}
