package htmlreport

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
)

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

type column struct {
	Name    string  `json:"name"`
	Scale   float64 `json:"scale"`
	Digits  int     `json:"digits"`
	Lower   bool    `json:"lower,omitempty"`
	Neutral bool    `json:"neutral,omitempty"`
}

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
			x.Series = lists.AddNew(x.Series, series)
			x.Cells = append(x.Cells, cell{
				ID: c.ID, Run: r.Name, RunID: r.Header.ID, Dataset: c.Dataset, Use: c.Use, Model: c.Model,
				Seed: strconv.FormatUint(c.Seed, 10), Series: slices.Index(x.Series, series),
			})
		}
	}
}
