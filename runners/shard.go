package runners

import (
	"fmt"

	"recallbench/configs"
	"recallbench/datasets"
	"recallbench/internal/record"
)

// shardOf returns every n-th of samples, n being the number of shards, from the
// index of the shard on.
func shardOf(samples []datasets.Sample, s configs.Shard) []datasets.Sample {
	var kept []datasets.Sample
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
	if s == (configs.Shard{}) {
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
