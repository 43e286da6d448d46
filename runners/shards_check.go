package runners

import (
	"encoding/json"
	"fmt"
	"slices"

	"recallbench/internal/record"
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
