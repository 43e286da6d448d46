package note

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A Queue is a list of requests for people to label: annotations/queue-NAME.json.
type Queue struct {
	Schema int    `json:"schema"`
	Name   string `json:"name"`
	Seed   uint64 `json:"seed"`
	Filter string `json:"filter,omitempty"` // that chose the requests, for people
	Draw   Draw   `json:"draw"`
	// Blind hides methods, models, scores, verdicts and other people's labels.
	Blind bool   `json:"blind"`
	Items []Item `json:"items"` // in the order of the draw
}

// A Draw says how items are drawn.
type Draw string

// The draws.
const (
	All    Draw = "all"    // all, in their order
	Random Draw = "random" // n of them
	// Stratified draws as many of each stratum, n in all where there are so many, spread
	// evenly over the samples.
	Stratified Draw = "stratified"
)

// An Item is a request of a queue.
type Item struct {
	Cell    string `json:"cell"`
	Sample  string `json:"sample"`
	Request string `json:"request"`
	Answer  string `json:"answer_sha256"`
	// Stratum is what the draw counts by, such as method and category; Weight is
	// how many requests the item stands for: one over its chance to be drawn.
	Stratum string  `json:"stratum,omitempty"`
	Weight  float64 `json:"weight"`
}

// NewQueue draws a queue from items. The same seed draws the same.
func NewQueue(name string, from []Item, draw Draw, n int, seed uint64) (*Queue, error) {
	q := &Queue{Schema: Schema, Name: name, Seed: seed, Draw: draw, Items: slices.Clone(from)}
	rng := rand.New(rand.NewPCG(seed, 0))
	switch {
	case draw != All && draw != Random && draw != Stratified:
		return nil, fmt.Errorf("draw is %q, want all, random or stratified", draw)
	case draw != All && n < 1:
		return nil, fmt.Errorf("n is %d, want at least 1", n)
	}
	for i := range q.Items {
		q.Items[i].Weight = 1
		if draw == Random {
			q.Items[i].Stratum = ""
		}
	}
	if draw == All {
		return q, q.validate()
	}
	strata := make(map[string][]Item)
	for _, it := range q.Items {
		strata[it.Stratum] = append(strata[it.Stratum], it)
	}
	names := slices.Sorted(maps.Keys(strata))
	// The smallest strata first, so that what they lack others make up for.
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(strata[a]), len(strata[b])) })
	q.Items = nil
	for i, name := range names {
		all := strata[name]
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		take := min(len(all), (n-len(q.Items))/(len(names)-i))
		if draw == Stratified {
			q.Items = append(q.Items, spread(rng, all, take)...)
			continue
		}
		for _, it := range all[:take] {
			it.Weight = float64(len(all)) / float64(take)
			q.Items = append(q.Items, it)
		}
	}
	rng.Shuffle(len(q.Items), func(i, j int) { q.Items[i], q.Items[j] = q.Items[j], q.Items[i] })
	return q, q.validate()
}

// spread takes n items in rounds, one of each sample that has some left. In the last
// round a draw decides which samples give one.
func spread(rng *rand.Rand, all []Item, n int) (drawn []Item) {
	of := make(map[string][]Item)
	for _, it := range all {
		of[it.Sample] = append(of[it.Sample], it)
	}
	samples := slices.Sorted(maps.Keys(of))
	rng.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
	expected := make(map[string]float64)
	for round := 0; len(drawn) < n; round++ {
		open := lists.Filter(samples, func(s string) bool { return len(of[s]) > round })
		take := min(len(open), n-len(drawn))
		for i, s := range open {
			expected[s] += float64(take) / float64(len(open))
			if i < take {
				drawn = append(drawn, of[s][round])
			}
		}
	}
	for i, it := range drawn {
		drawn[i].Weight = float64(len(of[it.Sample])) / expected[it.Sample]
	}
	return drawn
}

func (q *Queue) validate() error {
	switch {
	case !reviewerName.MatchString(q.Name):
		return fmt.Errorf("the name of a queue is %.80q, want 1 to 64 letters, digits, dots, dashes and underscores, no dot first", q.Name)
	case q.Schema != Schema:
		return fmt.Errorf("schema is %d, want %d", q.Schema, Schema)
	case len(q.Items) == 0:
		return errors.New("the queue has no items")
	}
	return nil
}

// For returns the items in the order in which a reviewer gets them, which differs
// between people.
func (q *Queue) For(reviewer string) []Item {
	h := fnv.New64a()
	h.Write([]byte(reviewer))
	items := slices.Clone(q.Items)
	rand.New(rand.NewPCG(q.Seed, h.Sum64())).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items
}

// weight returns how many requests a note of the queue stands for.
func (q *Queue) weight(n Note) float64 {
	for _, it := range q.Items {
		if it.Cell == n.Cell && it.Sample == n.Sample && it.Request == n.Request {
			return it.Weight
		}
	}
	return 1
}

func queueFile(run record.Folder, name string) string {
	return filepath.Join(dir(run), "queue-"+name+".json")
}

// Write writes the queue into a run; one of the same name is an error.
func (q *Queue) Write(run record.Folder) error {
	if err := q.validate(); err != nil {
		return err
	}
	path := queueFile(run, q.Name)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s is there already; give the queue another name", path)
	}
	if err := os.MkdirAll(dir(run), 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(q, "", "  ")
	if err != nil {
		return err
	}
	return record.WriteBytes(path, append(data, '\n'))
}

// Queues returns the names of a run's queues, sorted.
func Queues(run record.Folder) (names []string) {
	for _, path := range files(run, "queue-", ".json") {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "queue-"), ".json"))
	}
	return names
}

// ReadQueue reads a queue of a run.
func ReadQueue(run record.Folder, name string) (*Queue, error) {
	if !reviewerName.MatchString(name) {
		return nil, fmt.Errorf("%.80q is no name of a queue", name)
	}
	path := queueFile(run, name)
	data, err := record.ReadRegular(path)
	if err != nil {
		return nil, err
	}
	q := new(Queue)
	if err = json.Unmarshal(data, q); err == nil {
		err = q.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return q, nil
}
