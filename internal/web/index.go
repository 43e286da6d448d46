package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/internal/asked"
	"recallbench/internal/llm"
	"recallbench/internal/record"
)

// searched is how many characters of a text the index has, which is what a search
// finds.
const searched = 1000

// index is what the script knows of all requests at once. Numbers in it count from
// 0 and point into its lists.
type index struct {
	Judging  judging   `json:"judging"`
	Columns  []column  `json:"columns"`
	Outcomes []outcome `json:"outcomes"`
	// Series are what is held side by side: the methods, with model, seed and run
	// where these differ.
	Series    []string  `json:"series"`
	Cells     []cell    `json:"cells"`
	Samples   []string  `json:"samples"`
	Kinds     []string  `json:"kinds"` // of errors
	Questions questions `json:"questions"`
	Requests  requests  `json:"requests"`
	Details   []int     `json:"details"` // number of the first request of each chunk
	Blocks    []int     `json:"blocks"`  // number of the first block of each chunk

	categories map[[2]string]string // names by dataset and id
	samples    map[string]int
	kinds      map[string]int
	questions  map[question]int
	blocks     map[string]int // by the block's id, which is a hash of what it holds
}

// A column is a column of scores.
type column struct {
	Name    string  `json:"name"`
	Scale   float64 `json:"scale"`
	Digits  int     `json:"digits"`
	Lower   bool    `json:"lower,omitempty"`
	Neutral bool    `json:"neutral,omitempty"`
}

// A cell is a cell of a run.
type cell struct {
	ID      string `json:"id"`
	Run     string `json:"run"` // name
	RunID   string `json:"run_id"`
	Dataset string `json:"dataset"`
	Use     string `json:"use"`
	Model   string `json:"model"`
	Seed    string `json:"seed"` // a text, because it may be too large for a number of the script
	Series  int    `json:"series"`
	// Ingests tells what building the memory of a sample took.
	Ingests map[int]*ingest `json:"ingests,omitempty"`
}

// An ingest is what building one memory took.
type ingest struct {
	Usage    map[string]llm.Usage `json:"usage"`
	Requests int                  `json:"requests"` // that it was asked
}

// A question is one that several methods may have been asked. The same request of
// a dataset whose text has changed is another question.
type question struct{ dataset, sample, request, text, gold string }

// questions has an array for each property of questions. Its texts are cut.
type questions struct {
	Sample   []int    `json:"sample"`
	Request  []string `json:"request"`
	Category []string `json:"category"`
	Question []string `json:"question"`
	Gold     []string `json:"gold"`
}

// requests has an array for each property of requests. Its texts are cut.
type requests struct {
	Question []int    `json:"question"`
	Cell     []int    `json:"cell"`
	Outcome  []int    `json:"outcome"`
	Kind     []int    `json:"kind"` // of its error, -1 for none
	Time     values   `json:"time"` // in ms
	Answer   []string `json:"answer"`
	Scores   []values `json:"scores"` // by column
}

// values are numbers that may be missing, which is NaN.
type values []float64

// MarshalJSON writes six digits of each value, which is more than tables show.
func (v values) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, x, 'g', 6, 64)
		}
	}
	return append(b, ']'), nil
}

func newIndex(p *Page, j judging) *index {
	x := &index{
		Judging: j, Outcomes: outcomes(),
		Columns: []column{}, Series: []string{}, Cells: []cell{}, Samples: []string{}, Kinds: []string{},
		categories: make(map[[2]string]string), samples: make(map[string]int), kinds: make(map[string]int),
		questions: make(map[question]int), blocks: make(map[string]int),
	}
	for _, spec := range p.Metrics {
		for _, c := range spec.Columns {
			x.Columns = append(x.Columns, column{c.Name, c.Scale, c.Digits, c.Lower, c.Neutral})
		}
	}
	x.Requests.Scores = make([]values, len(x.Columns))
	x.addCells(p.Runs)
	return x
}

// addCells lists the cells of the runs. What all of them share is not part of the
// name of a series.
func (x *index) addCells(runs []Run) {
	models, seeds := make(map[string]bool), make(map[uint64]bool)
	for _, r := range runs {
		for _, d := range r.Header.Datasets {
			for _, c := range d.Categories {
				x.categories[[2]string{d.Label, c.ID}] = c.Name
			}
		}
		for _, c := range r.Header.Cells {
			models[c.Model], seeds[c.Seed] = true, true
		}
	}
	for _, r := range runs {
		for _, c := range r.Header.Cells {
			name := []string{c.Method}
			if len(models) > 1 {
				name = append(name, c.Model)
			}
			if len(seeds) > 1 {
				name = append(name, fmt.Sprintf("seed %d", c.Seed))
			}
			if len(runs) > 1 {
				name = append(name, r.Name)
			}
			series := strings.Join(name, " · ")
			if !slices.Contains(x.Series, series) {
				x.Series = append(x.Series, series)
			}
			x.Cells = append(x.Cells, cell{
				ID: c.ID, Run: r.Name, RunID: r.Header.ID, Dataset: c.Dataset, Use: c.Use, Model: c.Model,
				Seed: strconv.FormatUint(c.Seed, 10), Series: slices.Index(x.Series, series),
			})
		}
	}
}

// writeRequests reads the requests of all cells, writes the data elements, and the
// index at their end.
func (x *index) writeRequests(w *bufio.Writer, runs []Run) error {
	details, blocks := newChunks(w, "d"), newChunks(w, "b")
	n := 0
	for _, r := range runs {
		for _, c := range r.Header.Cells {
			if err := x.addCell(r, c, n, details, blocks); err != nil {
				return err
			}
			n++
		}
	}
	if err := details.flush(); err != nil {
		return err
	}
	if err := blocks.flush(); err != nil {
		return err
	}
	x.Details, x.Blocks = details.firsts, blocks.firsts
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return writeData(w, "index", data)
}

// addCell reads the requests of cell number n.
func (x *index) addCell(r Run, c record.Cell, n int, details, blocks *chunks) error {
	said, err := judgements(r.Run, c)
	if err != nil {
		return err
	}
	perSample := make(map[int]int) // requests
	for q, err := range r.Requests(c) {
		if err != nil {
			return err
		}
		d := newDetail(q, said)
		for _, b := range q.Evidence {
			at, ok := x.blocks[b.Block.Block]
			if !ok {
				at = blocks.n
				x.blocks[b.Block.Block] = at
				if err := blocks.add(block{b.Name, b.Sources, b.Text, b.Tokens}); err != nil {
					return err
				}
			}
			d.Evidence = append(d.Evidence, evidence{at, digits(b.Score)})
		}
		if x.add(q, n) {
			d.Gold = newGold(q.Gold)
		}
		perSample[x.samples[q.Gold.Sample]]++
		if err := details.add(d); err != nil {
			return fmt.Errorf("request %s of %s: %w", q.Record.Request, q.Record.Sample, err)
		}
	}
	return x.addIngests(r.Run, c, n, perSample)
}

// add indexes a request and reports whether it is the first to its question.
func (x *index) add(q asked.Request, n int) (first bool) {
	key := question{q.Cell.Dataset, q.Gold.Sample, q.Gold.Request, q.Gold.Question, q.Gold.Answer}
	at, ok := x.questions[key]
	if !ok {
		at = len(x.questions)
		x.questions[key] = at
		s := &x.Questions
		s.Sample = append(s.Sample, number(&x.Samples, x.samples, q.Gold.Sample))
		s.Request = append(s.Request, q.Gold.Request)
		s.Category = append(s.Category, x.category(q))
		s.Question = append(s.Question, cut(q.Gold.Question))
		s.Gold = append(s.Gold, cut(q.Gold.Answer))
	}
	s := &x.Requests
	s.Question = append(s.Question, at)
	s.Cell = append(s.Cell, n)
	reached := q.Outcome(x.Judging.Column, x.Judging.Threshold)
	s.Outcome = append(s.Outcome, slices.IndexFunc(x.Outcomes, func(o outcome) bool { return o.Name == reached }))
	kind := -1
	switch {
	case q.Record.Error != nil:
		kind = number(&x.Kinds, x.kinds, q.Record.Error.Kind)
	case q.Record.Status != record.OK:
		kind = number(&x.Kinds, x.kinds, string(q.Record.Status))
	}
	s.Kind = append(s.Kind, kind)
	s.Time = append(s.Time, q.Record.Time.Total)
	s.Answer = append(s.Answer, cut(q.Record.Answer))
	for i, c := range x.Columns {
		value := math.NaN()
		if q.Score != nil && q.Score.Values[c.Name] != nil {
			value = *q.Score.Values[c.Name]
		}
		s.Scores[i] = append(s.Scores[i], value)
	}
	return !ok
}

// category is the name of a request's category, or its id where it has none.
func (x *index) category(q asked.Request) string {
	if name := x.categories[[2]string{q.Cell.Dataset, q.Gold.Category}]; name != "" {
		return name
	}
	return q.Gold.Category
}

// addIngests adds what building the memories of cell number n took, of the samples
// that were asked.
func (x *index) addIngests(r *asked.Run, c record.Cell, n int, perSample map[int]int) error {
	for line, err := range record.Lines[record.Ingest](r.Folder.Ingests(c.ID)) {
		if err != nil {
			return err
		}
		sample, ok := x.samples[line.Value.Sample]
		if !ok || len(line.Value.Usage) == 0 {
			continue
		}
		if x.Cells[n].Ingests == nil {
			x.Cells[n].Ingests = make(map[int]*ingest)
		}
		x.Cells[n].Ingests[sample] = &ingest{line.Value.Usage, perSample[sample]}
	}
	return nil
}

// number returns the place of a text in a list, which it is added to where it is
// not there.
func number(list *[]string, places map[string]int, s string) int {
	at, ok := places[s]
	if !ok {
		at = len(*list)
		places[s] = at
		*list = append(*list, s)
	}
	return at
}

// cut returns the characters of a text that the index has.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= searched {
		return s
	}
	n := 0
	for i := range s {
		if n == searched {
			return s[:i]
		}
		n++
	}
	return s
}

// digits returns a number in five digits: what evidence scores show, and a third
// of the bytes.
func digits(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		return x
	}
	return short
}
