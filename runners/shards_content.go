package runners

import (
	"fmt"
	"os"

	"recallbench/internal/result/record"
)

// checkContent reports shards whose files do not hold what their headers say, and
// finds out in which order the samples of all stand.
func (s *Shards) checkContent() []error {
	var faults []error
	s.orders = make(map[string]order)
	own := make([]map[string]order, len(s.shards)) // of each shard
	for j := range own {
		own[j] = make(map[string]order)
	}
	for i, d := range s.shards[0].header.Datasets {
		asked, total := make([][]sampleAsked, len(s.shards)), 0
		for j, one := range s.shards {
			var err error
			if asked[j], err = readAsked(one.folder.Gold(d.Label)); err != nil {
				faults = append(faults, err)
			}
			total += one.header.Datasets[i].Samples
		}
		for j, one := range s.shards {
			own[j][d.Label] = newOrder()
			for _, sample := range asked[j] {
				own[j][d.Label].addAll(sample)
			}
			if want, have := samplesOf(total, *one.header.Shard), len(asked[j]); have != want {
				faults = append(faults, fmt.Errorf("%s has %d of the %d samples of dataset %s, want %d", one, have, total, d.Label, want))
			}
		}
		o, err := s.interleave(asked)
		if err != nil {
			faults = append(faults, fmt.Errorf("dataset %s: %w", d.Label, err))
		}
		s.orders[d.Label] = o
		s.warnOfRatings(d.Label)
	}
	if len(faults) > 0 {
		return faults
	}
	for j, one := range s.shards {
		for _, c := range one.header.Cells {
			failed, err := one.whole(c, own[j][c.Dataset])
			if err != nil {
				faults = append(faults, err)
			}
			s.result.Requests += c.Planned
			s.result.Failed += failed
		}
	}
	return faults
}

// warnOfRatings names the shards whose answers people were asked about: each shard
// has sheets and a key of its own.
func (s *Shards) warnOfRatings(dataset string) {
	for _, one := range s.shards {
		if _, err := os.Stat(one.folder.Asked(dataset)); err == nil {
			s.warnings = append(s.warnings, fmt.Sprintf("%s has ratings on dataset %s, which are not joined; 'bench rate export' of the merged run asks about all of it", one, dataset))
		}
	}
}

// A sampleAsked is a sample with its requests, as asked.
type sampleAsked struct {
	id       string
	requests []string
}

func (o order) addAll(s sampleAsked) {
	for _, r := range s.requests {
		o.add(key{s.id, r})
	}
}

// readAsked reads which requests a gold file holds.
func readAsked(path string) ([]sampleAsked, error) {
	var all []sampleAsked
	for line, err := range record.Lines[record.Gold](path) {
		if err != nil {
			return nil, err
		}
		g := line.Value
		if n := len(all); n == 0 || all[n-1].id != g.Sample {
			all = append(all, sampleAsked{id: g.Sample})
		}
		last := &all[len(all)-1]
		last.requests = append(last.requests, g.Request)
	}
	return all, nil
}

// interleave puts the samples of all shards back into the order that they were
// split from.
func (s *Shards) interleave(asked [][]sampleAsked) (order, error) {
	o, of := newOrder(), make(map[string]*shardRun)
	for place := range asked[0] { // the first shard has the most samples
		for j, samples := range asked {
			if place >= len(samples) {
				continue
			}
			sample := samples[place]
			if other, ok := of[sample.id]; ok {
				return o, fmt.Errorf("sample %s is in %s and in %s", sample.id, other, s.shards[j])
			}
			of[sample.id] = s.shards[j]
			o.addAll(sample)
		}
	}
	return o, nil
}

// whole reports what a cell of the shard lacks: a record for each request, a built
// memory for each sample, and the blocks that records point at. It counts the
// requests that failed.
func (s *shardRun) whole(c record.Cell, o order) (failed int, err error) {
	lost := func(path string, have, want int, what string) error {
		return fmt.Errorf("%s: %s has %d of %d %s; 'bench resume %s' asks the rest", s, path, have, want, what, s.dir)
	}
	gold := make(map[record.Asked]bool)
	for k := range o.requests {
		gold[record.Asked{Sample: k.sample, Request: k.request}] = true
	}
	records, ingests := make(map[key]record.Status), make(map[string]bool)
	if faults := s.folder.CellFaults(c, gold, func(line any) {
		switch line := line.(type) {
		case record.Record:
			records[key{line.Sample, line.Request}] = line.Status
		case record.Ingest:
			ingests[line.Sample] = true
		}
	}); len(faults) > 0 {
		return 0, &record.Damage{Dir: s.dir, Faults: faults}
	}
	if len(records) != len(o.requests) {
		return 0, lost(s.folder.Records(c.ID), len(records), len(o.requests), "requests")
	}
	if len(ingests) != len(o.samples) {
		return 0, lost(s.folder.Ingests(c.ID), len(ingests), len(o.samples), "memories")
	}
	for _, status := range records {
		if status != record.OK {
			failed++
		}
	}
	return failed, nil
}
