package runners

import (
	"cmp"
	"os"

	"recallbench/internal/result/record"
)

// An order says where the samples and requests of a dataset stand.
type order struct {
	samples  map[string]int
	requests map[key]int
}

func newOrder() order {
	return order{samples: make(map[string]int), requests: make(map[key]int)}
}

// add puts a request at the end.
func (o order) add(k key) {
	if _, ok := o.samples[k.sample]; !ok {
		o.samples[k.sample] = len(o.samples)
	}
	o.requests[k] = len(o.requests)
}

// The keys of the lines of a cell's files.
type (
	asked  struct{ Sample, Request string }
	built  struct{ Sample string }
	shown  struct{ Sample, Block string }
	turn   struct{ Sample, Turn string }
	judged struct {
		Sample, Request, Judge string
		Answer                 string `json:"answer_sha256"`
		Gold                   string `json:"gold_sha256"`
	}
)

// joinCell writes the files of a cell, which open opens, into a folder in the order of
// the dataset, and notes their digests by path.
func (o order) joinCell(into record.Folder, cell string, written map[string]record.Digest, open func(path func(record.Folder, string) string) ([]*os.File, func(), error)) error {
	for _, file := range []struct {
		path func(record.Folder, string) string
		join func(path string, logs []*os.File) (record.Digest, error)
	}{
		{record.Folder.Records, joined(o.byRequest)},
		{record.Folder.Ingests, joined(func(a, b built) int { return o.bySample(a.Sample, b.Sample) })},
		{record.Folder.Structures, joined(func(a, b built) int { return o.bySample(a.Sample, b.Sample) })},
		{record.Folder.Blocks, joined(func(a, b shown) int { return cmp.Or(o.bySample(a.Sample, b.Sample), cmp.Compare(a.Block, b.Block)) })},
	} {
		logs, done, err := open(file.path)
		if err != nil {
			return err
		}
		d, err := file.join(file.path(into, cell), logs)
		if done(); err != nil {
			return err
		}
		if len(logs) > 0 {
			written[file.path(into, cell)] = d
		}
	}
	return nil
}

// joined is [record.Join] in an order.
func joined[K comparable](compare func(a, b K) int) func(path string, logs []*os.File) (record.Digest, error) {
	return func(path string, logs []*os.File) (record.Digest, error) { return record.Join(path, logs, compare) }
}

// joinFiles joins files that may not be there.
func joinFiles[K comparable](path string, from []string, compare func(a, b K) int) error {
	logs, done, err := record.OpenLogs(from)
	if err != nil {
		return err
	}
	defer done()
	_, err = record.Join(path, logs, compare)
	return err
}

func (o order) bySample(a, b string) int { return cmp.Compare(o.samples[a], o.samples[b]) }

func (o order) byRequest(a, b asked) int {
	return cmp.Compare(o.requests[key{a.Sample, a.Request}], o.requests[key{b.Sample, b.Request}])
}

// joinJudgements is joinCell for the judgements of a cell. Of those of the same
// answer by the same judge, told the same gold, the last stays.
func (o order) joinJudgements(path string, from ...string) error {
	return joinFiles(path, from, func(a, b judged) int {
		return cmp.Or(
			o.byRequest(asked{a.Sample, a.Request}, asked{b.Sample, b.Request}),
			cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Gold, b.Gold),
		)
	})
}
