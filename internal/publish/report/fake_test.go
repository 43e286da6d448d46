package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"strconv"
	"strings"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// fakeMetrics are the metrics of the runs that these tests make up.
func fakeMetrics(name string) (*metrics.Spec, error) {
	percent := func(name string) metrics.Column { return metrics.Column{Name: name, Scale: 100, Digits: 2} }
	overlap := func(name string) metrics.Column {
		return metrics.Column{Name: name, Scale: 100, Digits: 2, FallsWithLength: true}
	}
	columns, ok := map[string][]metrics.Column{
		"f1@span":         {percent("f1@span")},
		"f1@mem0":         {overlap("f1@mem0")},
		"f1@locomo":       {overlap("f1@locomo")},
		"bleu1@nltk":      {overlap("bleu1@nltk")},
		"words":           {{Name: "words", Scale: 1, Digits: 1, Neutral: true}},
		"exact-match":     {{Name: "exact-match", Scale: 100, Digits: 1, Binary: true}},
		"pass":            {{Name: "pass", Scale: 100, Digits: 1, Binary: true}},
		"judge":           {{Name: "judge", Scale: 100, Digits: 1, Binary: true}},
		"evidence-recall": {percent("evidence-recall")},
		"fr":              {{Name: "fr", Scale: 100, Digits: 1}},
		"tokens":          {{Name: "tokens-query", Scale: 1, Digits: 0, Lower: true}},
		"tokens@xmemory":  {{Name: "tokens@xmemory", Scale: 1, Digits: 0, Lower: true}},
		"hit-density":     {{Name: "hits", Scale: 100, Digits: 1, Weight: "blocks"}, {Name: "blocks", Scale: 1, Digits: 1, Lower: true}},
	}[name]
	if !ok {
		return nil, fmt.Errorf("unknown metric %q", name)
	}
	spec := &metrics.Spec{Name: name, Of: metrics.Answer, Columns: columns}
	switch {
	case strings.HasPrefix(name, "tokens"):
		spec.Of = metrics.Usage
	case name == "judge":
		spec.Of = metrics.Judgement
	}
	return spec, nil
}

// A fakeCell makes up the scores of one cell. A request's score depends on
// its place alone, so that goldens do not change.
type fakeCell struct {
	record.Cell
	level  float64        // what F1 is about
	counts map[string]int // requests by category
	lack   int            // requests at the end that have no score
	status map[int]record.Status
}

const locomoData = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"

func locomoDataset(samples, requests int) record.Dataset {
	mem0 := func(name string) map[string]string { return map[string]string{"mem0": name} }
	return record.Dataset{
		Label: "locomo", Name: "locomo", Version: "2024", SHA256: locomoData,
		Settings: map[string]string{"category5": "drop", "categories": "1,2,3,4"},
		Categories: []record.Category{
			{ID: "1", Name: "multi-hop", Aliases: mem0("single-hop")},
			{ID: "2", Name: "temporal", Aliases: mem0("temporal")},
			{ID: "3", Name: "open-domain", Aliases: mem0("multi-hop")},
			{ID: "4", Name: "single-hop", Aliases: mem0("open-domain")},
		},
		Samples: samples, Requests: requests,
	}
}

func offlineModel() record.Model {
	return record.Model{
		Label: "offline", Backend: "offline", Reader: "offline", Offline: true, Tokens: "o200k_base",
		Settings: map[string]string{"embedder": "offline-lsa"},
	}
}

// scores yields the scores of some cells over the samples of a dataset.
func scores(d record.Dataset, names []string, cells ...fakeCell) iter.Seq2[record.Score, error] {
	var all []record.Score
	for _, c := range cells {
		place := 0
		for _, category := range d.Categories {
			for q := range min(c.counts[category.ID], c.Planned-c.lack-place) {
				all = append(all, c.score(d, names, category.ID, q, place+q))
			}
			place += c.counts[category.ID]
		}
	}
	return listed(all)
}

func (c fakeCell) score(d record.Dataset, names []string, category string, q, place int) record.Score {
	s := record.Score{
		Cell: c.ID, Sample: fmt.Sprintf("conv-%d", place%d.Samples), Request: fmt.Sprintf("%s-%d", category, q),
		Category: category, Status: record.OK, Values: make(map[string]*float64),
		Labels: map[string]string{"turn": strconv.Itoa(1 + place%11)},
	}
	if status, ok := c.status[place]; ok {
		s.Status = status
	}
	// A wave over the requests, higher in some samples than in others.
	x := min(max(c.level+0.3*math.Sin(float64(place))+0.1*math.Cos(float64(place%d.Samples)), 0), 1)
	for _, name := range names {
		spec, err := fakeMetrics(name)
		if err != nil {
			panic(err)
		}
		for _, column := range spec.Columns {
			v := new(x)
			switch {
			case strings.HasPrefix(column.Name, "tokens"):
				v = new(5000*c.level + float64(place%7))
			case column.Name == "evidence-recall" && (place%10 == 3 || s.Status != record.OK):
				v = nil
			case column.Name == "words":
				v = new(math.Round(100 * c.level * c.level))
			case column.Name == "blocks":
				v = new(float64(1 + place%3))
			case s.Status != record.OK:
				v = new(0.0)
			case column.Binary:
				v = new(math.Round(x))
			}
			s.Values[column.Name] = v
		}
	}
	return s
}

// runOf makes up a complete run of some cells, which have the questions of the dataset, with
// the stand-in if no models are given.
func runOf(name string, d record.Dataset, names []string, cells []fakeCell, models ...record.Model) *Run {
	if models == nil {
		models = []record.Model{offlineModel()}
	}
	r := &Run{Name: name, Header: record.Header{
		ID: name, Name: name, Status: record.Complete, Seed: 7, Binary: record.Binary{Version: "devel"},
		Datasets: []record.Dataset{d}, Models: models, Metrics: names,
	}}
	for i := range cells {
		c := &cells[i]
		c.Dataset, c.Model, c.Planned = d.Label, cmp.Or(c.Model, models[0].Label), d.Requests
		if c.counts == nil {
			c.counts = map[string]int{"1": 20, "2": 30, "3": 10, "4": 60}
		}
		r.Header.Cells = append(r.Header.Cells, c.Cell)
	}
	r.Scores = scores(d, names, cells...)
	return r
}

// fiveMetrics are those of most of the runs.
func fiveMetrics(more ...string) []string {
	return append([]string{"f1@mem0", "exact-match", "evidence-recall", "tokens@xmemory", "hit-density"}, more...)
}

// standInRun is a run of three methods with all that footnotes are about.
func standInRun() *Run {
	options := func(k float64) map[string]any { return map[string]any{"k": k} }
	r := runOf("small", locomoDataset(6, 120), fiveMetrics(), []fakeCell{
		{Cell: record.Cell{ID: "c1", Method: "stateless", Use: "stateless"}, level: 0.05},
		{
			Cell: record.Cell{ID: "c2", Method: "Naive RAG", Use: "flat-rag", Options: options(20), Prompts: strings.Repeat("a", 64)}, level: 0.4,
			status: map[int]record.Status{5: record.Error, 40: record.Refused, 41: record.Error},
		},
		{Cell: record.Cell{ID: "c3", Method: "RAG | 10", Use: "flat-rag", Options: options(10), Prompts: strings.Repeat("b", 64)}, level: 0.3, lack: 15},
	})
	r.Name, r.Header.ID, r.Header.Status = "offline", "r1", record.Interrupted
	return r
}

// llamaRun is a run whose protocol is that of the Llama rows of the xMemory
// paper, as far as they have one.
func llamaRun() *Run {
	c := fakeCell{Cell: record.Cell{ID: "c9", Method: "xmemory", Use: "xmemory"}, level: 0.34, counts: map[string]int{"1": 282, "2": 321, "3": 96, "4": 841}}
	r := runOf("live", locomoDataset(10, 1540), []string{"f1@mem0", "bleu1@nltk", "tokens@xmemory"}, []fakeCell{c}, record.Model{
		Label: "llama", Backend: "openai", Reader: "llama3.1:8b", Tokens: "llama3.1", Settings: map[string]string{"embedder": "text-embedding-3-small"},
	})
	r.Name, r.Header.ID = "llama", "r2"
	return r
}

// withAdversarial adds the questions of category 5 to a run.
func withAdversarial(r *Run) *Run {
	d := &r.Header.Datasets[0]
	d.Categories = append(d.Categories, record.Category{ID: "5", Name: "adversarial"})
	d.Requests, d.Settings = 1986, map[string]string{"category5": "abstain"}
	r.Header.Cells[0].Planned = 1986
	c := fakeCell{Cell: r.Header.Cells[0], level: 0.34, counts: map[string]int{"1": 282, "2": 321, "3": 96, "4": 841, "5": 446}}
	r.Scores = scores(*d, r.Header.Metrics, c)
	return r
}

// tasksRun is a run over the task domains of the Semantic XPath paper.
func tasksRun() *Run {
	d := record.Dataset{
		Label: "tasks", Name: "tasks", Samples: 3, Requests: 60,
		Categories: []record.Category{{ID: "itinerary", Name: "itinerary"}, {ID: "todo", Name: "todo"}, {ID: "mealkit", Name: "mealkit"}},
	}
	c := fakeCell{Cell: record.Cell{ID: "t1", Method: "In-context", Use: "in-context"}, level: 0.5, counts: map[string]int{"itinerary": 30, "todo": 10, "mealkit": 20}}
	r := runOf("tasks", d, []string{"pass", "tokens"}, []fakeCell{c}, record.Model{Label: "mini", Reader: "gpt-5-mini", Served: []string{"gpt-5-mini-2025-08-07"}, Tokens: "o200k_base"})
	r.Header.Seed = 0
	return r
}

func fakeOptions() Options {
	return Options{Metric: fakeMetrics}
}

// seedsRun is a run of two methods with three seeds: one that no seed reaches,
// and one that differs between them, with a failed request in the last.
func seedsRun() *Run {
	var cells []fakeCell
	for i, seed := range []uint64{7, 8, 9} {
		same := fakeCell{Cell: record.Cell{ID: fmt.Sprint("a", seed), Method: "stateless", Use: "stateless", Seed: seed}, level: 0.3}
		other := fakeCell{Cell: record.Cell{ID: fmt.Sprint("b", seed), Method: "Naive RAG", Use: "flat-rag", Seed: seed}, level: 0.4 + 0.02*float64(i)}
		if i == 2 {
			other.status = map[int]record.Status{5: record.Error}
		}
		cells = append(cells, same, other)
	}
	r := runOf("seeds", locomoDataset(6, 120), fiveMetrics(), cells)
	r.Header.ID, r.Header.Seeds = "r3", []uint64{7, 8, 9}
	return r
}

// listed yields scores.
func listed(scores []record.Score) iter.Seq2[record.Score, error] {
	return func(yield func(record.Score, error) bool) {
		for _, s := range scores {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// rescore changes all scores of a run.
func rescore(r *Run, change func(*record.Score)) {
	var scores []record.Score
	for s := range r.Scores { //nolint:errcheck // made up, and without errors
		s.Values = maps.Clone(s.Values)
		change(&s)
		scores = append(scores, s)
	}
	r.Scores = listed(scores)
}
