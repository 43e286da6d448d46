package note

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// A Queue is a list of answers for people to label: annotations/queue-NAME.json.
type Queue struct {
	Schema int    `json:"schema"`
	Name   string `json:"name"`
	Seed   uint64 `json:"seed"`
	Draw   Draw   `json:"draw"`
	// Blind hides methods, models, scores, verdicts and other people's labels.
	Blind bool   `json:"blind"`
	Items []Item `json:"items"` // in the order of the draw
}

// A Draw says how items are drawn, spread evenly over the conversations.
type Draw string

// The draws.
const (
	All    Draw = "all"
	Random Draw = "random" // n of them
	// Stratified draws as many of each stratum, n in all where there are so many.
	Stratified Draw = "stratified"
)

// An Item is an answer of a queue.
type Item struct {
	Subject
	Answer string `json:"answer_sha256"`
	// Stratum is what the draw counts by, such as method and category; Weight is
	// how many answers the item stands for: one over its chance to be drawn.
	Stratum string  `json:"stratum,omitempty"`
	Weight  float64 `json:"weight"`
}

// NewQueue draws a queue from items; n is ignored where all are drawn. The same seed draws
// the same.
func NewQueue(name string, from []Item, draw Draw, n int, seed uint64) (*Queue, error) {
	strata := make(map[string][]Item)
	for _, it := range from {
		if draw != Stratified {
			it.Stratum = ""
		}
		strata[it.Stratum] = append(strata[it.Stratum], it)
	}
	switch {
	case draw == All:
		n = len(from)
	case draw != Random && draw != Stratified:
		return nil, fmt.Errorf("draw is %q, want all, random or stratified", draw)
	case n < 1:
		return nil, fmt.Errorf("n is %d, want at least 1", n)
	}
	q := &Queue{Schema: Schema, Name: name, Seed: seed, Draw: draw}
	rng := rand.New(rand.NewPCG(seed, 0))
	names := slices.Sorted(maps.Keys(strata))
	// The smallest strata first, so that what they lack others make up for.
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(strata[a]), len(strata[b])) })
	for i, name := range names {
		all := strata[name]
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		q.Items = append(q.Items, spread(rng, all, min(len(all), (n-len(q.Items))/(len(names)-i)))...)
	}
	rng.Shuffle(len(q.Items), func(i, j int) { q.Items[i], q.Items[j] = q.Items[j], q.Items[i] })
	return q, q.validate()
}

// spread takes n items in rounds, one of each conversation that has some left. In the last
// round a draw decides which conversations give one.
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
		return fmt.Errorf("the name of a queue is %.80q, want 1 to 64 letters, digits, dots, dashes and underscores, not beginning with a dot", q.Name)
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
		return fmt.Errorf("%s exists already; give the queue another name", path)
	}
	if err := os.MkdirAll(dir(run), 0o755); err != nil {
		return err
	}
	return record.WriteFile(path, func(w io.Writer) error { return jsonout.Indented(w, q) })
}

// Queues returns the names of a run's queues, sorted.
func Queues(run record.Folder) []string { return names(run, "queue-", ".json") }

// ReadQueue reads a queue of a run.
func ReadQueue(run record.Folder, name string) (*Queue, error) {
	if !reviewerName.MatchString(name) {
		return nil, fmt.Errorf("%.80q is not the name of a queue", name)
	}
	q := new(Queue)
	if err := record.ReadJSON(queueFile(run, name), q); err != nil {
		return nil, err
	}
	if err := q.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", queueFile(run, name), err)
	}
	return q, nil
}

// An Agreement summarizes the labels of a queue. Labels that are unsure or stale do not
// count; in a blind queue, only blind ones count.
type Agreement struct {
	// People are how many items each person has labelled.
	People map[string]int `json:"people"`
	// Right is the share of right answers, from 0 to 1, each item weighted by how many
	// answers it stands for; nil without labels.
	Right *float64 `json:"right"`
	// Shared counts the items with labels of two people or more. Alpha is Krippendorff's
	// over them, nominal, and Low and High bound its 95 % interval over conversations; nil
	// where they are not known.
	Shared int      `json:"shared"`
	Alpha  *float64 `json:"alpha"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	// Split are the items on which people differ.
	Split []Split `json:"split"`
}

// A Split is an item with the labels of people who differ.
type Split struct {
	Item
	Labels map[string]Value `json:"labels"` // by reviewer
}

// resamples is how many times an interval is drawn while a page waits.
const resamples = 1000

// Agree summarizes the labels of a queue.
func (q *Queue) Agree(labels []Label) Agreement {
	a := Agreement{People: make(map[string]int), Split: []Split{}}
	said := make(map[Subject]map[string]Value)
	for _, l := range labels {
		if l.Queue != q.Name || l.Stale || l.Value == Unsure || q.Blind && !l.Blind {
			continue
		}
		if said[l.Subject] == nil {
			said[l.Subject] = make(map[string]Value)
		}
		said[l.Subject][l.Reviewer] = l.Value
		a.People[l.Reviewer]++
	}
	samples := make(map[string][][]float64)
	var right stats.Cluster
	for _, it := range q.Items {
		var votes []float64
		for _, v := range slices.Sorted(maps.Values(said[it.Subject])) {
			x, _ := v.Points()
			votes = append(votes, x)
		}
		if len(votes) == 0 {
			continue
		}
		right.AddWeighted(stat.Mean(votes, nil), it.Weight)
		if len(votes) > 1 {
			a.Shared++
			samples[it.Sample] = append(samples[it.Sample], votes)
		}
		if slices.Min(votes) < slices.Max(votes) {
			a.Split = append(a.Split, Split{it, said[it.Subject]})
		}
	}
	if mean, n := stats.Mean([]stats.Cluster{right}); n > 0 {
		a.Right = &mean
	}
	s := stats.Agreement(lists.Map(slices.Sorted(maps.Keys(samples)), func(s string) [][]float64 { return samples[s] }), stats.Nominal)
	if alpha, ok := s.Value(); ok {
		a.Alpha = &alpha
	}
	if i, ok := (stats.Bootstrap{Resamples: resamples, Level: stats.Level, Seed: q.Seed}).Statistic(s); ok {
		a.Low, a.High = &i.Lo, &i.Hi
	}
	return a
}
