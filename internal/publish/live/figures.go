package live

import (
	"cmp"
	"slices"
	"time"

	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/catalog"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A State is the whole state of a run that is followed.
type State struct {
	ID       string           `json:"id"`
	Name     string           `json:"name"`
	Resume   string           `json:"resume,omitempty"` // the command that goes on with it
	Status   catalog.State    `json:"status"`
	Since    time.Time        `json:"since,omitzero"` // of the last change of a run that has stopped
	Stopped  string           `json:"stopped,omitempty"`
	Progress *record.Progress `json:"progress"`
	// Columns name the values of rows, and Waiting the metrics that wait for the end.
	Columns []string    `json:"columns"`
	Waiting []string    `json:"waiting"`
	Judging int         `json:"judging"` // the column that tells good from bad; -1 for none
	Kinds   []string    `json:"kinds"`   // of errors, which rows point into
	Faults  []Fault     `json:"faults"`  // the newest
	Cells   []CellState `json:"cells"`
	figures
	// Age is how old the figures are, in ms.
	Age int64 `json:"age_ms"`
}

// A CellState is how it stands with a cell.
type CellState struct {
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	Model   string `json:"model"`
	Planned int    `json:"planned"`
	Done    int    `json:"done"`
	Failed  int    `json:"failed"`
	Built   int    `json:"built"` // memories
	Samples int    `json:"samples"`
	// Columns are the means so far, failed requests among them.
	Columns map[string]Mean `json:"columns"`
}

// A Mean is the mean of a column so far, in the unit of the scores.
type Mean struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	// Undefined requests have no value, and are left out.
	Undefined int `json:"undefined,omitempty"`
	// Low and High bound the 95 % interval, from 3 conversations on.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// figures are what is computed of all rows, at most every [figuresEvery].
type figures struct {
	cells map[string]map[string]Mean
	// Rate is how many requests finish in a second: over the last minute, or the last
	// ten where there were fewer than 5. Left is how many seconds the rest takes at
	// that; nil where nobody can tell.
	Rate float64  `json:"rate"`
	Left *float64 `json:"left_s"`
	// Building is set while only memories are built.
	Building bool `json:"building,omitempty"`
	// USD is what the records cost, with recorded calls as if they were paid for and
	// without embeddings; nil where a price is not known.
	USD *float64 `json:"usd"`
	// Common compares the methods of a dataset on the requests that all have finished.
	Common []Common  `json:"common"`
	Errors []Failing `json:"errors"`
	// Worst are failed requests, the newest first, and then those with the lowest
	// values in the column that tells right from wrong.
	Worst []WorstRow `json:"worst"`
	// Late are the requests in flight for longer than 95 % of the finished ones took.
	Late []record.InFlight `json:"late"`
}

// Common is the means of the cells of a dataset over N requests that all of them have
// finished.
type Common struct {
	Dataset string                        `json:"dataset"`
	N       int                           `json:"n"`
	Means   map[string]map[string]float64 `json:"means"` // by cell and column
}

// A Failing is the errors of a kind.
type Failing struct {
	Kind    string    `json:"kind"`
	Count   int       `json:"count"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Message string    `json:"message"` // the newest
	Cell    string    `json:"cell"`    // of the newest
	Sample  string    `json:"sample"`
	Request string    `json:"request"`
}

// A WorstRow is a row of a cell.
type WorstRow struct {
	Cell string `json:"cell"`
	Row  any    `json:"row"` // as in [Records]
}

const (
	figuresEvery = 5 * time.Second
	resamples    = 1000
	leastSamples = 3 // of an interval
	maxWorst     = 50
)

// whole returns the state of the run, with figures that may be some seconds old.
func (f *follower) whole() State {
	now := f.Now()
	if age := now.Sub(f.figuresAt); f.figuresAt.IsZero() || age >= figuresEvery || age < 0 {
		f.figures, f.figuresAt = f.compute(now), now
	}
	s := State{ID: f.header.ID, Name: f.header.Name, Judging: f.judging(), Faults: append([]Fault{}, f.faults...), Stopped: f.header.Stopped, Progress: f.progress, Columns: []string{}, Waiting: append([]string{}, f.waiting...), Kinds: append([]string{}, f.kinds...), Cells: []CellState{}, figures: f.figures}
	s.Status, s.Since = f.state()
	s.Resume = catalog.Resume(s.Status, string(f.folder))
	s.Age = now.Sub(f.figuresAt).Milliseconds()
	for _, c := range f.columns {
		s.Columns = append(s.Columns, c.Name)
	}
	for _, c := range f.cells {
		one := CellState{ID: c.ID, Dataset: c.Dataset, Method: c.Method, Model: c.Model, Planned: c.Planned, Done: len(c.order), Failed: c.failed(), Built: c.built, Samples: c.Samples, Columns: f.figures.cells[c.ID]}
		s.Cells = append(s.Cells, one)
	}
	return s
}

func (f *follower) compute(now time.Time) figures {
	g := figures{cells: make(map[string]map[string]Mean), USD: new(0.0), Common: []Common{}, Errors: []Failing{}, Worst: []WorstRow{}, Late: []record.InFlight{}}
	var times []float64
	lastMinute, lastTen, left, building := 0, 0, 0, false
	for _, c := range f.cells {
		g.cells[c.ID] = f.means(c.order)
		left += max(0, c.Planned-len(c.order))
		building = building || now.Sub(c.lastBuilt) < time.Minute
		for _, r := range c.order {
			times = append(times, r.ms)
			if age := now.Sub(r.ended); age < time.Minute {
				lastMinute++
				lastTen++
			} else if age < 10*time.Minute {
				lastTen++
			}
			switch {
			case r.usd == nil:
				g.USD = nil
			case g.USD != nil:
				*g.USD += *r.usd
			}
			if r.status != record.OK {
				g.addError(f.kinds[r.kind], c.ID, r)
			}
		}
	}
	switch {
	case lastMinute >= 5:
		g.Rate = float64(lastMinute) / 60
	default:
		g.Rate = float64(lastTen) / 600
	}
	if g.Rate > 0 {
		g.Left = new(float64(left) / g.Rate)
	}
	g.Building = building && lastMinute == 0
	slices.SortStableFunc(g.Errors, func(a, b Failing) int { return cmp.Compare(b.Count, a.Count) })
	g.Common = f.common()
	g.Worst = f.worst()
	if f.progress != nil && len(times) > 0 {
		slices.Sort(times)
		limit := time.Duration(times[len(times)*95/100] * float64(time.Millisecond))
		for _, r := range f.progress.InFlight {
			if r.Request != "" && now.Sub(r.Since) > limit {
				g.Late = append(g.Late, r)
			}
		}
	}
	return g
}

// means are those of the rows of a cell, by column.
func (f *follower) means(rows []*row) map[string]Mean {
	means := make(map[string]Mean)
	places := make(map[string]int)
	clusters := make([][]stats.Cluster, len(f.columns))
	undefined := make([]int, len(f.columns))
	for _, r := range rows {
		at, ok := places[r.sample]
		if !ok {
			at = len(places)
			places[r.sample] = at
			for i := range clusters {
				clusters[i] = append(clusters[i], stats.Cluster{})
			}
		}
		for i, v := range r.values {
			weight := 1.0
			if w := f.columns[i].Weight; w != "" {
				weight = 0
				if j := slices.IndexFunc(f.columns, func(c metrics.Column) bool { return c.Name == w }); j >= 0 && r.values[j] != nil {
					weight = *r.values[j]
				}
			}
			if v == nil {
				undefined[i]++
				continue
			}
			clusters[i][at].AddWeighted(*v, weight)
		}
	}
	intervals := stats.Bootstrap{Resamples: resamples, Level: stats.Level, Seed: f.header.Seed}.Intervals(clusters)
	for i, col := range f.columns {
		mean, n := stats.Mean(clusters[i])
		if n == 0 {
			continue
		}
		m := Mean{N: n, Mean: mean, Undefined: undefined[i]}
		if stats.Count(clusters[i]) >= leastSamples {
			interval, ok := intervals[i], intervals[i] != nil
			if col.Binary {
				var rate stats.Interval
				rate, ok = stats.RateInterval(clusters[i], stats.Level)
				interval = &rate
			}
			if ok {
				m.Low, m.High = &interval.Lo, &interval.Hi
			}
		}
		means[col.Name] = m
	}
	return means
}

func (g *figures) addError(kind, cell string, r *row) {
	at := slices.IndexFunc(g.Errors, func(e Failing) bool { return e.Kind == kind })
	if at < 0 {
		at = len(g.Errors)
		g.Errors = append(g.Errors, Failing{Kind: kind, First: r.ended})
	}
	e := &g.Errors[at]
	e.Count++
	if r.ended.Before(e.First) {
		e.First = r.ended
	}
	if !r.ended.Before(e.Last) {
		e.Last, e.Message, e.Cell, e.Sample, e.Request = r.ended, r.message, cell, r.sample, r.request
	}
}

// common compares the cells of each dataset on the requests that all have finished.
func (f *follower) common() []Common {
	all := []Common{}
	groups := make(map[string][]*cell)
	for _, c := range f.cells {
		groups[c.Dataset] = append(groups[c.Dataset], c)
	}
	for _, d := range f.header.Datasets {
		cells := groups[d.Label]
		if len(cells) < 2 {
			continue
		}
		one := Common{Dataset: d.Label, Means: make(map[string]map[string]float64)}
		for _, c := range cells {
			rows := slices.DeleteFunc(slices.Clone(c.order), func(r *row) bool {
				return slices.ContainsFunc(cells, func(other *cell) bool { return other.rows[record.Asked{Sample: r.sample, Request: r.request}] == nil })
			})
			one.N = len(rows)
			one.Means[c.ID] = make(map[string]float64)
			for name, m := range f.means(rows) {
				one.Means[c.ID][name] = m.Mean
			}
		}
		all = append(all, one)
	}
	return all
}

// judging is the first column that tells good from bad; -1 for none.
func (f *follower) judging() int {
	return slices.IndexFunc(f.columns, func(c metrics.Column) bool { return !c.Lower && !c.Neutral })
}

// worst lists what a person looks at first: failed requests, the newest first, then
// the lowest values in the first column that tells good from bad, the dearest first.
func (f *follower) worst() []WorstRow {
	judging := f.judging()
	type place struct {
		cell string
		*row
	}
	var failed, scored []place
	for _, c := range f.cells {
		for _, r := range c.order {
			switch {
			case r.status != record.OK:
				failed = append(failed, place{c.ID, r})
			case judging >= 0 && r.values[judging] != nil:
				scored = append(scored, place{c.ID, r})
			}
		}
	}
	slices.SortStableFunc(failed, func(a, b place) int { return b.ended.Compare(a.ended) })
	slices.SortStableFunc(scored, func(a, b place) int {
		return cmp.Or(cmp.Compare(*a.values[judging], *b.values[judging]), cmp.Compare(b.cost(), a.cost()), cmp.Compare(b.ms, a.ms))
	})
	worst := []WorstRow{}
	for _, p := range append(failed, scored...) {
		if len(worst) == maxWorst {
			break
		}
		worst = append(worst, WorstRow{p.cell, p.row})
	}
	return worst
}
