package runners

import (
	"cmp"

	"recallbench/internal/lists"
	"recallbench/internal/record"
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
	judged struct {
		Sample, Request, Judge string
		Answer                 string `json:"answer_sha256"`
	}
)

// joinCell writes the files of a cell that some run folders have into a folder,
// which may be one of them, in the order of the dataset.
func (o order) joinCell(into record.Folder, cell string, from ...record.Folder) error {
	join := func(path func(record.Folder, string) string) (string, []string) {
		paths := lists.Map(from, func(f record.Folder) string { return path(f, cell) })
		return path(into, cell), paths
	}
	records, logs := join(record.Folder.Records)
	if err := record.Join(records, logs, func(a, b asked) int {
		return cmp.Compare(o.requests[key{a.Sample, a.Request}], o.requests[key{b.Sample, b.Request}])
	}); err != nil {
		return err
	}
	ingests, logs := join(record.Folder.Ingests)
	if err := record.Join(ingests, logs, func(a, b built) int {
		return cmp.Compare(o.samples[a.Sample], o.samples[b.Sample])
	}); err != nil {
		return err
	}
	blocks, logs := join(record.Folder.Blocks)
	return record.Join(blocks, logs, func(a, b shown) int {
		return cmp.Or(cmp.Compare(o.samples[a.Sample], o.samples[b.Sample]), cmp.Compare(a.Block, b.Block))
	})
}

// joinJudgements is joinCell for the judgements of a cell. Of those of the same
// answer by the same judge the last stays.
func (o order) joinJudgements(path string, from ...string) error {
	return record.Join(path, from, func(a, b judged) int {
		return cmp.Or(
			cmp.Compare(o.requests[key{a.Sample, a.Request}], o.requests[key{b.Sample, b.Request}]),
			cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer),
		)
	})
}
