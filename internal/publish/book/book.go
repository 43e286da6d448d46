// Package book lists the requests of runs for a page that reads them over HTTP: an
// index of all, one array for each property, and of each request all there is.
package book

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// A Run is a run with a name that tells it from others.
type Run struct {
	*scored.Run
	Name string
}

// A Book numbers the requests of some runs: in the order of the runs, their cells and
// the records of these. It may be used concurrently.
type Book struct {
	cells []place
	index []byte
	rev   string
	size  int // requests
}

// A place is a cell with the number of its first request.
type place struct {
	run   *scored.Run
	cell  record.Cell
	first int
}

// Version is that of the index.
const Version = 2

// index is what a page knows of all requests. Numbers count from 0 and point into
// lists.
type index struct {
	Version   int       `json:"v"`
	Rev       string    `json:"rev"`
	Columns   []column  `json:"columns"`
	Judging   *judging  `json:"judging"` // nil where no column tells right from wrong
	Cells     []cell    `json:"cells"`
	Kinds     []string  `json:"kinds"` // of errors
	Questions questions `json:"questions"`
	Requests  requests  `json:"requests"`

	asked map[question]int
}

type column struct {
	Name    string  `json:"name"`
	Scale   float64 `json:"scale"`
	Digits  int     `json:"digits"`
	Lower   bool    `json:"lower,omitempty"`
	Neutral bool    `json:"neutral,omitempty"`
	Judges  bool    `json:"judges,omitempty"` // can tell right from wrong
}

type judging struct {
	Column    string  `json:"column"`
	Threshold float64 `json:"threshold"` // in the unit of the scores
}

type cell struct {
	ID        string `json:"id"`
	Run       string `json:"run"`
	RunID     string `json:"run_id"`
	Dataset   string `json:"dataset"`
	Method    string `json:"method"`
	Model     string `json:"model"`
	Seed      string `json:"seed"` // a text, because it may be too large for a number of the page
	VariantOf string `json:"variant_of"`
}

type question struct{ dataset, sample, request, hash, text, gold string }

type questions struct {
	Dataset  []string            `json:"dataset"`
	Sample   []string            `json:"sample"`
	Request  []string            `json:"request"`
	Category []string            `json:"category"`
	Labels   []map[string]string `json:"labels"`
	Question []string            `json:"question"`
	Gold     []string            `json:"gold"`
	Hash     []string            `json:"hash"` // the first 8 hex digits of the record's
}

type requests struct {
	Question []int        `json:"question"`
	Cell     []int        `json:"cell"`
	Status   []int        `json:"status"` // 0 for ok, 1 for a failed one
	Kind     []int        `json:"kind"`   // of its error, -1 for none
	Reach    []int        `json:"reach"`  // of gold evidence: 0 unknown, 1 none, 2 part, 3 all
	Time     []float64    `json:"time"`   // in ms
	Cost     []*float64   `json:"cost"`   // in dollars
	Tokens   []int        `json:"tokens"`
	Calls    []int        `json:"calls"`
	Answer   []string     `json:"answer"`
	Scores   [][]*float64 `json:"scores"` // by column
}

// Open reads the requests of runs, which are scored with specs. A run without scores
// has requests without values.
func Open(runs []Run, specs []*metrics.Spec) (*Book, error) {
	x := &index{Version: Version, Columns: []column{}, Cells: []cell{}, Kinds: []string{}, asked: make(map[question]int)}
	for _, spec := range specs {
		for _, c := range spec.Columns {
			x.Columns = append(x.Columns, column{c.Name, c.Scale, c.Digits, c.Lower, c.Neutral, scored.Judges(c)})
		}
	}
	x.Requests.Scores = make([][]*float64, len(x.Columns))
	if c, ok := scored.Judging(specs); ok {
		x.Judging = &judging{c.Name, scored.Even}
	}
	b := new(Book)
	for _, r := range runs {
		for _, c := range r.Header.Cells {
			b.cells = append(b.cells, place{r.Run, c, len(x.Requests.Cell)})
			x.Cells = append(x.Cells, cell{c.ID, r.Name, r.Header.ID, c.Dataset, c.Method, c.Model, strconv.FormatUint(c.Seed, 10), c.VariantOf})
			d, _ := r.Header.Dataset(c.Dataset)
			for q, err := range r.Requests(c) {
				if err != nil {
					return nil, err
				}
				x.add(q, d, len(x.Cells)-1)
			}
		}
	}
	data, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	x.Rev = hex.EncodeToString(sum[:4])
	b.rev, b.size = x.Rev, len(x.Requests.Cell)
	b.index, err = json.Marshal(x)
	return b, err
}

// add adds a request of cell number n.
func (x *index) add(q scored.Request, d record.Dataset, n int) {
	hash := q.Record.Hash[:min(8, len(q.Record.Hash))]
	key := question{q.Cell.Dataset, q.Gold.Sample, q.Gold.Request, hash, q.Gold.Question, q.Gold.Answer}
	at, ok := x.asked[key]
	if !ok {
		s := &x.Questions
		at = len(s.Sample)
		x.asked[key] = at
		s.Dataset, s.Sample, s.Request = append(s.Dataset, key.dataset), append(s.Sample, key.sample), append(s.Request, key.request)
		s.Category, s.Labels = append(s.Category, d.CategoryName(q.Gold.Category)), append(s.Labels, q.Gold.Labels)
		s.Question, s.Gold, s.Hash = append(s.Question, Cut(q.Gold.Question)), append(s.Gold, Cut(q.Gold.Answer)), append(s.Hash, hash)
	}
	s := &x.Requests
	s.Question, s.Cell, s.Reach = append(s.Question, at), append(s.Cell, n), append(s.Reach, reach(q))
	status, kind := 0, -1
	if q.Record.Status != record.OK {
		name := string(q.Record.Status)
		if q.Record.Error != nil {
			name = q.Record.Error.Kind
		}
		x.Kinds = lists.AddNew(x.Kinds, name)
		status, kind = 1, slices.Index(x.Kinds, name)
	}
	s.Status, s.Kind = append(s.Status, status), append(s.Kind, kind)
	tokens, calls := 0, 0
	for _, usage := range q.Record.Usage {
		for _, u := range usage {
			tokens += u.Input + u.Output
			calls += u.Calls
		}
	}
	s.Time, s.Cost = append(s.Time, q.Record.Time.Total), append(s.Cost, q.Record.Cost)
	s.Tokens, s.Calls, s.Answer = append(s.Tokens, tokens), append(s.Calls, calls), append(s.Answer, Cut(q.Record.Answer))
	for i, c := range x.Columns {
		var value *float64
		if q.Score != nil {
			value = q.Score.Values[c.Name]
		}
		s.Scores[i] = append(s.Scores[i], value)
	}
}

// reach says how much of the gold evidence reached the reader.
func reach(q scored.Request) int {
	blocks := lists.Map(q.Evidence, func(b scored.Block) metrics.Block { return metrics.Block{Sources: b.Sources} })
	recall, known := metrics.EvidenceRecall(q.Gold.Evidence, blocks)
	if !known || q.Cell.Lacks(metrics.Evidence) {
		return Reach(nil)
	}
	return Reach(&recall)
}

// Reach tells none of the gold evidence from a part and from all of it, by its recall,
// which is nil where it is not known: 0 unknown, 1 none, 2 part, 3 all.
func Reach(recall *float64) int {
	switch {
	case recall == nil:
		return 0
	case *recall == 0:
		return 1
	case *recall < 1:
		return 2
	}
	return 3
}

// Cut returns the first 1,000 characters of a text, which is what an index has.
func Cut(s string) string {
	const most = 1000
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most])
}

// Index returns the index as JSON.
func (b *Book) Index() []byte { return b.index }

// Rev names the numbering: indexes of the same revision are the same.
func (b *Book) Rev() string { return b.rev }

// Len is the number of requests.
func (b *Book) Len() int { return b.size }

// Scored reads request number n with its run.
func (b *Book) Scored(n int) (*scored.Run, scored.Request, error) {
	at := slices.IndexFunc(b.cells, func(p place) bool { return p.first > n })
	if at < 0 {
		at = len(b.cells)
	}
	if n < 0 || n >= b.Len() || at == 0 {
		return nil, scored.Request{}, fmt.Errorf("no request %d; there are %d, counted from 0", n, b.Len())
	}
	p := b.cells[at-1]
	i := p.first
	for q, err := range p.run.Requests(p.cell) {
		if err != nil {
			return nil, q, err
		}
		if i == n {
			return p.run, q, nil
		}
		i++
	}
	return nil, scored.Request{}, fmt.Errorf("request %d is gone; read the index again", n)
}

// A detail is what there is of a request.
type detail struct {
	Cell     string        `json:"cell"`
	Record   record.Record `json:"record"`
	Gold     record.Gold   `json:"gold"`
	Score    *record.Score `json:"score"`
	Evidence []block       `json:"evidence"`
}

type block struct {
	record.Block
	Score float64  `json:"score,omitzero"`
	Gold  []string `json:"gold"` // the sources that the gold answer rests on
}

// Request returns what there is of request number n, as JSON.
func (b *Book) Request(n int) ([]byte, error) {
	_, q, err := b.Scored(n)
	if err != nil {
		return nil, err
	}
	d := detail{q.Cell.ID, q.Record, q.Gold, q.Score, []block{}}
	for _, e := range q.Evidence {
		d.Evidence = append(d.Evidence, block{e.Block, e.Score, e.Gold})
	}
	return json.Marshal(d)
}
