package runners

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/config"
	"recallbench/internal/result/record"
)

// check finds the shards of one run among those that are open, puts them in order
// and returns what keeps them from being joined.
func (s *Shards) check(o MergeOptions) []error {
	if len(s.opened) == 0 {
		return nil
	}
	run, faults := oneRun(s.opened)
	var gaps []error
	s.shards, gaps = inOrder(run)
	faults = append(faults, gaps...)
	faults = append(faults, s.checkVersions(o)...)
	for _, one := range s.shards {
		if one.header.Status != record.Complete {
			faults = append(faults, fmt.Errorf("%s is unfinished; 'bench resume %s' asks the rest", one, one.dir))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	faults = append(faults, s.checkTunings()...)
	return append(faults, s.checkContent()...)
}

// oneRun returns the shards of the run that has the most of them, and a fault for
// each of another.
func oneRun(shards []*shardRun) (run []*shardRun, faults []error) {
	var runs [][]*shardRun
	for _, one := range shards {
		i := slices.IndexFunc(runs, func(run []*shardRun) bool { return sameRun(run[0], one) == nil })
		if i < 0 {
			runs = append(runs, []*shardRun{one})
			continue
		}
		runs[i] = append(runs[i], one)
	}
	run = slices.MaxFunc(runs, func(a, b []*shardRun) int { return len(a) - len(b) })
	for _, other := range runs {
		if other[0] == run[0] {
			continue
		}
		for _, one := range other {
			faults = append(faults, sameRun(run[0], one))
		}
	}
	return run, faults
}

// inOrder sorts shards by their index and reports those that are missing or there
// twice.
func inOrder(shards []*shardRun) ([]*shardRun, []error) {
	shards = slices.Clone(shards)
	slices.SortStableFunc(shards, func(a, b *shardRun) int { return a.header.Shard.Index - b.header.Shard.Index })
	of := shards[0].header.Shard.Of
	name := func(i int) string { return shardText(&record.Shard{Index: i, Of: of}) }
	var faults []error
	next := 1 // the first index that no shard before has
	gap := func(end int) {
		if end-next > 3 {
			faults = append(faults, fmt.Errorf("shards %d/%d to %d/%d are missing", next, of, end-1, of))
			return
		}
		for i := next; i < end; i++ {
			faults = append(faults, fmt.Errorf("%s is missing", name(i)))
		}
	}
	for i, one := range shards {
		index := one.header.Shard.Index
		if index < next {
			faults = append(faults, fmt.Errorf("%s is there twice: %s and %s", name(index), shards[i-1].dir, one.dir))
			continue
		}
		gap(index)
		next = index + 1
	}
	gap(of + 1)
	return shards, faults
}

// checkVersions reports shards that other versions of the program made: cells do
// not hash its code, so that their answers may be those of other methods.
func (s *Shards) checkVersions(o MergeOptions) []error {
	var faults []error
	first := s.shards[0]
	for _, one := range s.shards[1:] {
		a, b := first.header.Binary, one.header.Binary
		switch {
		case a.Version != b.Version || a.Commit != b.Commit || a.Dirty != b.Dirty:
			err := fmt.Errorf("%s was made by another version of the program than %s: %s, not %s", one, first, versionText(b), versionText(a))
			if o.Versions {
				s.warnings = append(s.warnings, err.Error())
			} else {
				faults = append(faults, fmt.Errorf("%w; --any-version merges them all the same", err))
			}
		case a.Go != b.Go || a.Host != b.Host:
			s.warnings = append(s.warnings, fmt.Sprintf("%s ran on another kind of machine than %s: %s %s, not %s %s; numbers may be rounded in other ways", one, first, b.Host, b.Go, a.Host, a.Go))
		}
	}
	return faults
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

// checkTunings reports shards that chose other options for a method: their answers
// are those of another method.
func (s *Shards) checkTunings() []error {
	var faults []error
	first := s.shards[0]
	for _, one := range s.shards[1:] {
		if x, y := len(first.header.Tunings), len(one.header.Tunings); x != y {
			faults = append(faults, fmt.Errorf("%s tuned %d methods, %s %d", one, y, first, x))
			continue
		}
		for i, t := range first.header.Tunings {
			u := one.header.Tunings[i]
			if t.Method != u.Method || t.Model != u.Model || t.Chosen != u.Chosen {
				faults = append(faults, fmt.Errorf("%s tuned %s with %s to %s, %s tuned %s with %s to %s; share the recordings of their calls ('bench calls export'), or set the options",
					one, u.Method, u.Model, chosenText(u), first, t.Method, t.Model, chosenText(t)))
			}
		}
	}
	return faults
}

func chosenText(t record.Tuning) string {
	if t.Chosen < 0 || t.Chosen >= len(t.Points) {
		return fmt.Sprintf("point %d of %d", t.Chosen, len(t.Points))
	}
	options, err := json.Marshal(t.Points[t.Chosen].Options)
	if err != nil {
		panic("runners: options do not encode: " + err.Error()) // they came from JSON
	}
	return string(options)
}

// sameRun reports whether two shards are parts of different runs, and what they
// differ in.
func sameRun(a, b *shardRun) error {
	if a.header.Shard.Of != b.header.Shard.Of {
		return fmt.Errorf("%s is %s, %s is %s: they are not parts of the same split", b.dir, shardText(b.header.Shard), a.dir, shardText(a.header.Shard))
	}
	if keys := differentKeys(a.config, b.config); len(keys) > 0 {
		return fmt.Errorf("%s is a shard of another run than %s: their configs differ in %s", b.dir, a.dir, strings.Join(keys, ", "))
	}
	if err := sameDatasets(a.header, b.header); err != nil {
		return fmt.Errorf("%s is a shard of another run than %s: %w", b.dir, a.dir, err)
	}
	if len(a.header.Models) != len(b.header.Models) {
		return fmt.Errorf("%s is a shard of another run than %s: it has %d models, not %d", b.dir, a.dir, len(b.header.Models), len(a.header.Models))
	}
	if err := sameCells(a.header.Cells, b.header.Cells); err != nil {
		return fmt.Errorf("%s is a shard of another run than %s: %w", b.dir, a.dir, err)
	}
	return nil
}

// sameDatasets reports datasets that one run has and the other has not, because they
// are optional, or has with other content.
func sameDatasets(a, b record.Header) error {
	labels := func(h record.Header) (labels []string) {
		for _, d := range h.Datasets {
			labels = append(labels, d.Label)
		}
		return labels
	}
	if x, y := labels(a), labels(b); !slices.Equal(x, y) {
		return fmt.Errorf("it found the datasets %s, not %s", strings.Join(y, ", "), strings.Join(x, ", "))
	}
	for i, d := range a.Datasets {
		if e := b.Datasets[i]; e.SHA256 != d.SHA256 {
			return fmt.Errorf("its dataset %s has SHA-256 %s, not %s", d.Label, e.SHA256, d.SHA256)
		}
		if e := b.Datasets[i]; !e.SameKeys(d) {
			return fmt.Errorf("its dataset %s is scored with other errata or by another answer key; 'bench score' with --errata, --key and --key-options gives both the same", d.Label)
		}
	}
	return nil
}

// differentKeys names the keys in which configs differ, but for those that change
// no answer and may be others on another machine.
func differentKeys(a, b *config.Config) []string {
	x, y := comparedKeys(a), comparedKeys(b)
	var keys []string
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
