package live

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/catalog"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
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
	Scored   bool             `json:"scored"` // scores.jsonl is there
	Progress *record.Progress `json:"progress"`
	// Rate is how many requests finish in a second: over the last minute, or the last
	// ten where there were fewer than 5. Left is how many seconds the rest takes at
	// that; nil where nobody can tell.
	Rate float64  `json:"rate"`
	Left *float64 `json:"left_s"`
	// Building is set while only memories are built.
	Building bool `json:"building,omitempty"`
	// Late are the requests in flight for longer than 95 % of the finished ones took.
	Late []record.InFlight `json:"late"`
	// Age is how long ago the files were read, in ms.
	Age int64 `json:"age_ms"`
	finished
}

// finished is what is read of all files at once.
type finished struct {
	// Columns name the values of rows, and Waiting the metrics that wait for the end.
	Columns []string `json:"columns"`
	Waiting []string `json:"waiting"`
	Judging int      `json:"judging"` // the column that tells good from bad; -1 for none
	Kinds   []string `json:"kinds"`   // of errors, which rows point into
	Faults  []Fault  `json:"faults"`  // the last
	Cells   []*Cell  `json:"cells"`
	// USD is what the records cost, with recorded calls as if they were paid for and
	// without embeddings; nil where a price is not known.
	USD *float64 `json:"usd"`
	// Common compares the methods of a dataset on the requests that all have finished.
	Common []Common  `json:"common"`
	Errors []Failing `json:"errors"`
	// Worst are failed requests, the newest first, and then those with the lowest
	// values in the column that tells right from wrong.
	Worst []WorstRow `json:"worst"`

	gone    bool
	slow    time.Duration // 95 % of the finished requests took no longer; 0 where none has finished
	seed    uint64
	specs   []*metrics.Spec
	columns []metrics.Column
}

// A Fault is a file or a line of it that cannot be read.
type Fault struct {
	File  string `json:"file"`
	Line  int    `json:"line"` // from 1; 0 for the file
	Error string `json:"error"`
}

// A Cell is how it stands with a cell.
type Cell struct {
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

	rows      []*row // one a request
	lastBuilt time.Time
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
	Row  *row   `json:"row"`
}

// A row is a finished request as an index of requests has it. Its JSON is an array:
// sample, request, status, number of the error's kind or -1, reach of the gold
// evidence (0 unknown, 1 none, 2 part, 3 all), ms, dollars, tokens, calls, beginning of
// the answer, and the values of the columns.
type row struct {
	sample, request string
	status          record.Status
	kind            int
	reach           scored.Reach
	ms              float64
	usd             *float64
	tokens, calls   int
	answer          string
	values          []*float64
	message         string // of its error
	ended           time.Time
}

// MarshalJSON implements [json.Marshaler].
func (r *row) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.sample, r.request, r.status, r.kind, r.reach, r.ms, r.usd, r.tokens, r.calls, r.answer, r.values})
}

const (
	resamples    = 1000
	leastSamples = 3  // of an interval
	maxWorst     = 50 // rows
	maxFaults    = 20
)

// whole returns the state of the run with a progress, without its status.
func (r *Run) whole(now time.Time, p *record.Progress) State {
	s := State{ID: r.header.ID, Name: r.header.Name, Stopped: r.header.Stopped, Progress: p, Late: []record.InFlight{}, Age: now.Sub(r.readAt).Milliseconds(), finished: r.finished}
	_, err := os.Stat(r.folder.Scores())
	s.Scored = err == nil
	lastMinute, lastTen, left := 0, 0, 0
	for _, c := range r.Cells {
		left += max(0, c.Planned-c.Done)
		s.Building = s.Building || now.Sub(c.lastBuilt) < time.Minute
		for _, of := range c.rows {
			age := now.Sub(of.ended)
			if age < time.Minute {
				lastMinute++
			}
			if age < 10*time.Minute {
				lastTen++
			}
		}
	}
	s.Building = s.Building && lastMinute == 0
	if s.Rate = float64(lastTen) / 600; lastMinute >= 5 {
		s.Rate = float64(lastMinute) / 60
	}
	if s.Rate > 0 {
		s.Left = new(float64(left) / s.Rate)
	}
	if p == nil || r.slow == 0 {
		return s
	}
	for _, of := range p.InFlight {
		if of.Request != "" && now.Sub(of.Since) > r.slow {
			s.Late = append(s.Late, of)
		}
	}
	return s
}

// read reads the files of the run and scores what is finished.
func (r *Run) read() {
	r.finished = finished{Columns: []string{}, Waiting: []string{}, Judging: -1, Kinds: []string{}, Faults: []Fault{}, Cells: []*Cell{}, USD: new(0.0), Common: []Common{}, Errors: []Failing{}, Worst: []WorstRow{}}
	r.readHeader()
	r.seed = r.header.Seed
	for _, name := range r.header.Metrics {
		spec, err := r.Metric(name)
		if err != nil || !r.Alone(spec) {
			r.Waiting = append(r.Waiting, name)
			continue
		}
		r.specs, r.columns = append(r.specs, spec), append(r.columns, spec.Columns...)
	}
	for i, c := range r.columns {
		r.Columns = append(r.Columns, c.Name)
		if r.Judging < 0 && !c.Lower && !c.Neutral {
			r.Judging = i
		}
	}
	for _, c := range r.header.Cells {
		one := r.cell(c)
		one.Columns = r.means(one.rows)
		r.Cells = append(r.Cells, one)
	}
	slices.SortStableFunc(r.Errors, func(a, b Failing) int { return cmp.Compare(b.Count, a.Count) })
	r.slow = r.slowest()
	r.common()
	r.worst()
}

// slowest returns the time that 95 % of the finished requests took at most; 0 where none
// has finished.
func (f *finished) slowest() time.Duration {
	var times []float64
	for _, c := range f.Cells {
		for _, one := range c.rows {
			times = append(times, one.ms)
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return time.Duration(times[len(times)*95/100] * float64(time.Millisecond))
}

// fault notes a file that cannot be read, or a line of it.
func (r *Run) fault(path string, line int, err error) {
	file := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(string(r.folder))+"/")
	r.Faults = append(r.Faults[max(0, len(r.Faults)-maxFaults+1):], Fault{file, line, cut(err.Error())})
}

// each takes the values of the whole lines of a file; the last line may be under way
// still. Fields that this program does not know are passed over, and so are lines that
// cannot be decoded, which are faults.
func each[T any](r *Run, path string, take func(value T, line int)) {
	n := 0
	for data, err := range record.RawLines(path) {
		n++
		var value T
		if err == nil {
			if data[len(data)-1] != '\n' {
				return
			}
			err = json.Unmarshal(data, &value)
		}
		if err != nil {
			r.fault(path, n, err)
			continue
		}
		take(value, n)
	}
}

// cell reads a cell. A block is written before a record that refers to it, so records
// are read first.
func (r *Run) cell(of record.Cell) *Cell {
	c := &Cell{ID: of.ID, Dataset: of.Dataset, Method: of.Method, Model: of.Model, Planned: of.Planned, Samples: of.Samples}
	scorer, err := r.Scorer(r.folder, r.header, of, r.specs)
	if err != nil {
		scorer = nil
		r.fault(r.folder.Gold(of.Dataset), 0, err)
	}
	type line struct {
		record.Record
		number int
	}
	var lines []line
	each(r, r.folder.Records(of.ID), func(rec record.Record, n int) { lines = append(lines, line{rec, n}) })
	each(r, r.folder.Ingests(of.ID), func(i record.Ingest, _ int) {
		c.Built++
		c.lastBuilt = i.Time.End()
	})
	each(r, r.folder.Blocks(of.ID), func(b record.Block, _ int) {
		if scorer != nil {
			scorer.AddBlock(b)
		}
	})
	places := make(map[record.Asked]int)
	for _, l := range lines {
		one := r.row(l.Record)
		if scorer != nil {
			score, reach, err := scorer.Score(l.Record)
			if err != nil {
				r.fault(r.folder.Records(of.ID), l.number, err)
			}
			for i, col := range r.columns {
				if v := score.Values[col.Name]; v != nil && !math.IsNaN(*v) {
					one.values[i] = v
				}
			}
			one.reach = reach
		}
		k := record.Asked{Sample: one.sample, Request: one.request}
		if at, ok := places[k]; ok { // of a request that was asked again the last counts
			c.rows[at] = one
			continue
		}
		places[k] = len(c.rows)
		c.rows = append(c.rows, one)
	}
	c.Done = len(c.rows)
	for _, one := range c.rows {
		switch {
		case one.usd == nil:
			r.USD = nil
		case r.USD != nil:
			*r.USD += *one.usd
		}
		if one.status != record.OK {
			c.Failed++
			r.addError(c.ID, one)
		}
	}
	return c
}

// row returns the row of a record, without its scores.
func (r *Run) row(rec record.Record) *row {
	one := &row{
		sample: rec.Sample, request: rec.Request, status: rec.Status, kind: -1, ms: rec.Time.Total, usd: rec.Cost, answer: cut(rec.Answer),
		values: make([]*float64, len(r.columns)), ended: rec.Time.End(),
	}
	for _, usage := range rec.Usage {
		for _, u := range usage {
			one.tokens += u.Total()
			one.calls += u.Calls
		}
	}
	if rec.Status == record.OK {
		return one
	}
	kind := string(rec.Status)
	if rec.Error != nil {
		kind, one.message = rec.Error.Kind, cut(rec.Error.Message)
	}
	if one.kind = slices.Index(r.Kinds, kind); one.kind < 0 {
		one.kind = len(r.Kinds)
		r.Kinds = append(r.Kinds, kind)
	}
	return one
}

// cut returns the first 1,000 characters of a text, which is what a row has.
func cut(s string) string {
	const most = 1000
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most])
}

// means are those of some rows, by column.
func (f *finished) means(rows []*row) map[string]Mean {
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
				if j := slices.Index(f.Columns, w); j >= 0 && r.values[j] != nil {
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
	intervals := stats.Bootstrap{Resamples: resamples, Level: stats.Level, Seed: f.seed}.Intervals(clusters)
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

func (f *finished) addError(cell string, r *row) {
	kind := f.Kinds[r.kind]
	at := slices.IndexFunc(f.Errors, func(e Failing) bool { return e.Kind == kind })
	if at < 0 {
		at = len(f.Errors)
		f.Errors = append(f.Errors, Failing{Kind: kind, First: r.ended})
	}
	e := &f.Errors[at]
	e.Count++
	if r.ended.Before(e.First) {
		e.First = r.ended
	}
	if !r.ended.Before(e.Last) {
		e.Last, e.Message, e.Cell, e.Sample, e.Request = r.ended, r.message, cell, r.sample, r.request
	}
}

// common compares the cells of each dataset on the requests that all have finished.
func (r *Run) common() {
	for _, d := range r.header.Datasets {
		cells := slices.DeleteFunc(slices.Clone(r.Cells), func(c *Cell) bool { return c.Dataset != d.Label })
		if len(cells) < 2 {
			continue
		}
		done := make(map[record.Asked]int) // by how many cells
		for _, c := range cells {
			for _, one := range c.rows {
				done[record.Asked{Sample: one.sample, Request: one.request}]++
			}
		}
		all := Common{Dataset: d.Label, Means: make(map[string]map[string]float64)}
		for _, c := range cells {
			rows := slices.DeleteFunc(slices.Clone(c.rows), func(one *row) bool {
				return done[record.Asked{Sample: one.sample, Request: one.request}] < len(cells)
			})
			all.N, all.Means[c.ID] = len(rows), make(map[string]float64)
			for name, m := range r.means(rows) {
				all.Means[c.ID][name] = m.Mean
			}
		}
		r.Common = append(r.Common, all)
	}
}

// worst lists what a person looks at first: failed requests, the newest first, then
// the lowest values in the first column that tells good from bad, the dearest first.
func (f *finished) worst() {
	var failed, scored []WorstRow
	for _, c := range f.Cells {
		for _, r := range c.rows {
			switch {
			case r.status != record.OK:
				failed = append(failed, WorstRow{c.ID, r})
			case f.Judging >= 0 && r.values[f.Judging] != nil:
				scored = append(scored, WorstRow{c.ID, r})
			}
		}
	}
	slices.SortStableFunc(failed, func(a, b WorstRow) int { return b.Row.ended.Compare(a.Row.ended) })
	usd := func(w WorstRow) float64 { return *cmp.Or(w.Row.usd, new(0.0)) }
	slices.SortStableFunc(scored, func(a, b WorstRow) int {
		return cmp.Or(cmp.Compare(*a.Row.values[f.Judging], *b.Row.values[f.Judging]), cmp.Compare(usd(b), usd(a)), cmp.Compare(b.Row.ms, a.Row.ms))
	})
	f.Worst = append(f.Worst, failed...)
	f.Worst = append(f.Worst, scored...)
	f.Worst = f.Worst[:min(maxWorst, len(f.Worst))]
}
