package runners

import (
	"cmp"
	"os"

	"recallbench/datasets"
	"recallbench/internal/result/record"
)

// An order says where the samples and requests of a dataset stand.
type order struct {
	samples  map[string]int
	requests map[key]int
}

// newOrder is the order of requests as they are given, and of their samples.
func newOrder(requests ...key) order {
	o := order{samples: make(map[string]int), requests: make(map[key]int)}
	for _, k := range requests {
		if _, ok := o.samples[k.Sample]; !ok {
			o.samples[k.Sample] = len(o.samples)
		}
		o.requests[k] = len(o.requests)
	}
	return o
}

func (o order) has(k key) bool {
	_, ok := o.requests[k]
	return ok
}

// orderOf is the order of samples as they are.
func orderOf(samples []datasets.Entry) order {
	var keys []key
	for _, s := range samples {
		for _, r := range s.Requests {
			keys = append(keys, key{s.ID, r.ID})
		}
	}
	return newOrder(keys...)
}

// The keys of the lines of a run's files.
type (
	built  struct{ Sample string }
	shown  struct{ Sample, Block string }
	judged struct {
		Sample, Request, Judge string
		Answer                 string `json:"answer_sha256"`
		Gold                   string `json:"gold_sha256"`
	}
)

// A joining writes the lines of logs into one file in an order.
type joining func(path string, logs []*os.File) (record.Digest, error)

// joined is [record.Join] in an order.
func joined[K comparable](compare func(a, b K) int) joining {
	return func(path string, logs []*os.File) (record.Digest, error) { return record.Join(path, logs, compare) }
}

// joining is how the lines of a file of a cell come into the order.
func (o order) joining(f LineFile) joining {
	switch f {
	case RecordLines:
		return o.byRequest()
	case BlockLines:
		return joined(o.compareBlocks)
	default:
		return joined(func(a, b built) int { return o.compareSamples(a.Sample, b.Sample) })
	}
}

// joinFiles joins files, of which some may not be there, and notes the digest of what it
// wrote by its path.
func joinFiles(into string, from []string, join joining, written map[string]record.Digest) error {
	logs, done, err := record.OpenLogs(from)
	if err != nil || len(logs) == 0 {
		return err
	}
	defer done()
	written[into], err = join(into, logs)
	return err
}

func (o order) compareSamples(a, b string) int { return cmp.Compare(o.samples[a], o.samples[b]) }

func (o order) compareBlocks(a, b shown) int {
	return cmp.Or(o.compareSamples(a.Sample, b.Sample), cmp.Compare(a.Block, b.Block))
}

func (o order) compareRequests(a, b key) int { return cmp.Compare(o.requests[a], o.requests[b]) }

func (o order) byRequest() joining { return joined(o.compareRequests) }

// joinJudgements arranges the judgements of a cell. Of those of the same answer by the same
// judge, told the same gold, the last stays.
func (o order) joinJudgements(path string) error {
	return joinFiles(path, []string{path}, joined(func(a, b judged) int {
		return cmp.Or(
			o.compareRequests(key{a.Sample, a.Request}, key{b.Sample, b.Request}),
			cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Gold, b.Gold),
		)
	}), make(map[string]record.Digest))
}
