package htmlreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// index is what the page knows of all requests at once, with an array for each
// property. Numbers in it count from 0 and point into its lists.
type index struct {
	Version int      `json:"v"`
	Rev     string   `json:"rev,omitempty"` // see [Book.Rev]
	Judging judging  `json:"judging"`
	Columns []column `json:"columns"`
	// Series are what is held side by side: the methods, with model, seed and run
	// where these differ.
	Series     []string  `json:"series"`
	Cells      []cell    `json:"cells"`
	Datasets   []string  `json:"datasets"`
	Categories []string  `json:"categories"`
	Samples    []string  `json:"samples"`
	Kinds      []string  `json:"kinds"` // of errors
	Questions  questions `json:"questions"`
	Requests   requests  `json:"requests"`
	// Chunks are the numbers of the first values of each chunk of the file, by the
	// name of the chunks; nil on the wire, where there are none.
	Chunks map[string][]int `json:"chunks,omitempty"`

	names     map[[2]string]string // of categories, by dataset and id
	paired    map[string]string    // the label under which a dataset's questions are paired
	numbers   map[*[]string]map[string]int
	questions map[question][]int
}

type column struct {
	Name    string  `json:"name"`
	Scale   float64 `json:"scale"`
	Digits  int     `json:"digits"`
	Lower   bool    `json:"lower,omitempty"`
	Neutral bool    `json:"neutral,omitempty"`
	// Right is the least value of a right answer, and Wrong the greatest of a wrong one,
	// where the column can decide that; what lies between is unclear.
	Right *float64 `json:"right,omitempty"`
	Wrong *float64 `json:"wrong,omitempty"`
	// Trust says how far a judge can be trusted, by run where they differ.
	Trust string `json:"trust,omitempty"`
}

type cell struct {
	ID      string `json:"id"`
	Run     string `json:"run"` // name
	RunID   string `json:"run_id"`
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	Use     string `json:"use"`
	Model   string `json:"model"`
	Seed    string `json:"seed"` // a text, because it may be too large for a number of the script
	Series  int    `json:"series"`
	// Options are those of the method that the config set.
	Options map[string]any `json:"options,omitempty"`
}

// An ingest is what building one memory took.
type ingest struct {
	Usage    map[string]llm.Usage `json:"usage"`
	Requests int                  `json:"requests"` // that it was asked
}

// A question is what requests of the same id share. Of those that have the same,
// several may have been asked: see [index.question].
type question struct{ dataset, sample, request string }

// questions has an array for each property of questions. Its texts are cut to what a row
// of a list shows.
type questions struct {
	Dataset  []int    `json:"dataset"` // in the datasets of the index
	Sample   []int    `json:"sample"`
	Request  []string `json:"request"`
	Category []int    `json:"category"` // in its categories
	Question []string `json:"question"`
	Gold     []string `json:"gold"`
	Disputed []int    `json:"disputed"` // numbers of those whose gold answer errata dispute
	hash     []string // of the content; empty where only imported answers are to it
	full     [][2]string
}

// requests has an array for each property of requests.
type requests struct {
	Question []int          `json:"question"`
	Cell     []int          `json:"cell"`
	Status   []int          `json:"status"` // 0 for ok, 1 for a failed one
	Kind     []int          `json:"kind"`   // of its error, -1 for none
	Reach    []scored.Reach `json:"reach"`
	Verdict  []int          `json:"verdict"` // its place in verdicts
	// Scores are by column: of those that can decide what is right and of the one that is
	// shown; null of others, which details have.
	Scores []values `json:"scores"`
}

// verdicts are the verdicts on answers by their numbers in the index.
var verdicts = []metrics.Verdict{metrics.Wrong, metrics.Right, metrics.Unclear, metrics.Abstained}

// values are numbers that may be missing, which is NaN.
type values []float64

// MarshalJSON writes six digits of each value, which is more than tables show.
func (v values) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
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

// trust says how far the judge of a column can be trusted; empty for other columns.
func (p *Page) trust(spec *metrics.Spec, c metrics.Column) string {
	var texts []string
	for _, r := range p.Runs {
		if j := r.Header.FindJudge(metrics.JudgeOf(c.Name)); spec.Of == metrics.Judgement && j != nil {
			texts = lists.AddNew(texts, r.Header.Trust(j))
		}
	}
	return strings.Join(texts, "; ")
}

func newIndex(p *Page, j judging) *index {
	x := &index{
		Version: 3, Judging: j,
		Columns: []column{}, Series: []string{}, Cells: []cell{}, Datasets: []string{}, Categories: []string{}, Samples: []string{}, Kinds: []string{},
		names: make(map[[2]string]string), paired: make(map[string]string), numbers: make(map[*[]string]map[string]int), questions: make(map[question][]int),
	}
	for _, spec := range p.Metrics {
		for _, c := range spec.Columns {
			one := column{Name: c.Name, Scale: c.Scale, Digits: c.Digits, Lower: c.Lower, Neutral: c.Neutral, Trust: p.trust(spec, c)}
			if metrics.Decides(c.Name) > 0 {
				right, wrong := metrics.Bounds(c.Name)
				one.Right, one.Wrong = &right, &wrong
			}
			x.Columns = append(x.Columns, one)
		}
	}
	x.Requests.Scores = make([]values, len(x.Columns))
	x.Questions.Disputed = []int{}
	x.addCells(p.Runs)
	return x
}

// addCells lists the cells of the runs. What all of them share is not part of the
// name of a series.
func (x *index) addCells(runs []Run) {
	models, seeds := make(map[string]bool), make(map[uint64]bool)
	for _, r := range runs {
		for _, d := range r.Header.Datasets {
			x.pairDataset(d)
			for _, c := range d.Categories {
				x.names[[2]string{d.Label, c.ID}] = c.Name
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
				ID: c.ID, Run: r.Name, RunID: r.Header.ID, Dataset: c.Dataset, Method: c.Method, Use: c.Use, Model: c.Model,
				Seed: strconv.FormatUint(c.Seed, 10), Series: slices.Index(x.Series, series),
				Options: c.Options,
			})
		}
	}
}

// pairDataset finds the label under which questions of a dataset are paired: its own,
// or that of an earlier run's dataset of the same name.
func (x *index) pairDataset(d record.Dataset) {
	if _, ok := x.paired[d.Label]; ok {
		return
	}
	name := "name " + d.Name
	x.paired[name] = cmp.Or(x.paired[name], d.Label)
	x.paired[d.Label] = x.paired[name]
}
