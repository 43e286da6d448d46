package htmlreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets/errata"
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

// How many characters of a question and of its gold answer the index has.
const (
	longestQuestion = 200
	longestGold     = 120
)

// A row is what the index has of a request.
type row struct {
	question, status, kind, verdict int
	reach                           scored.Reach
	scores                          []float64 // of the columns that the index has values of
}

// row is what the index has of a request of a cell.
func (x *index) row(q scored.Request, c record.Cell) row {
	r := row{question: x.question(q, c), kind: -1, reach: q.Reach, verdict: slices.Index(verdicts, q.Verdict)}
	kind := ""
	if q.Record.Status != record.OK {
		r.status, kind = 1, string(q.Record.Status)
	}
	if q.Record.Error != nil {
		kind = q.Record.Error.Kind
	}
	if kind != "" {
		r.kind = x.number(&x.Kinds, kind)
	}
	for _, c := range x.Columns {
		if !x.holds(c) {
			continue
		}
		value := math.NaN()
		if q.Score != nil && q.Score.Values[c.Name] != nil {
			value = *q.Score.Values[c.Name]
		}
		r.scores = append(r.scores, value)
	}
	return r
}

// holds reports whether the index has the values of a column.
func (x *index) holds(c column) bool { return c.Right != nil || c.Name == x.Judging.Column }

// add adds a request of cell number n.
func (x *index) add(r row, n int) {
	s := &x.Requests
	s.Question, s.Cell, s.Status, s.Kind = append(s.Question, r.question), append(s.Cell, n), append(s.Status, r.status), append(s.Kind, r.kind)
	s.Reach, s.Verdict = append(s.Reach, r.reach), append(s.Verdict, r.verdict)
	for i, c := range x.Columns {
		if x.holds(c) {
			s.Scores[i] = append(s.Scores[i], r.scores[0])
			r.scores = r.scores[1:]
		}
	}
}

// question returns the number of the question of a request. Questions are the same
// whose hashes are, or where one has none, whose texts and gold answers are.
func (x *index) question(q scored.Request, c record.Cell) int {
	s := &x.Questions
	hash := q.Record.Hash[:min(8, len(q.Record.Hash))]
	key := question{x.paired[c.Dataset], q.Gold.Sample, q.Gold.Request}
	full := [2]string{q.Gold.Question, q.Gold.Answer}
	for _, at := range x.questions[key] {
		known := hash != "" && s.hash[at] != ""
		if known && hash == s.hash[at] || !known && s.full[at] == full {
			s.hash[at] = cmp.Or(s.hash[at], hash)
			return at
		}
	}
	at := len(s.Sample)
	x.questions[key] = append(x.questions[key], at)
	s.Dataset = append(s.Dataset, x.number(&x.Datasets, key.dataset))
	s.Sample = append(s.Sample, x.number(&x.Samples, q.Gold.Sample))
	s.Request = append(s.Request, q.Gold.Request)
	s.Category = append(s.Category, x.number(&x.Categories, x.category(c.Dataset, q.Gold.Category)))
	s.Question = append(s.Question, cut(q.Gold.Question, longestQuestion))
	s.Gold = append(s.Gold, cut(q.Gold.Answer, longestGold))
	s.hash = append(s.hash, hash)
	s.full = append(s.full, full)
	return at
}

// dispute marks the questions whose gold answer the errata of a run dispute.
func (x *index) dispute(r *scored.Run) error {
	if !slices.ContainsFunc(r.Header.Datasets, func(d record.Dataset) bool { return len(d.Errata) > 0 }) || r.Header.Baseline != nil {
		return nil
	}
	datasets := make(map[string]string) // by cell
	for _, c := range r.Header.Cells {
		datasets[c.ID] = x.paired[c.Dataset]
	}
	for s, err := range record.ScoresUnder(r.Folder, r.Header, errata.Excluded) {
		if err != nil {
			return err
		}
		for _, at := range x.questions[question{datasets[s.Cell], s.Sample, s.Request}] {
			if s.Out && !slices.Contains(x.Questions.Disputed, at) {
				x.Questions.Disputed = append(x.Questions.Disputed, at)
			}
		}
	}
	return nil
}

// category is the name of a category, or its id where it has none.
func (x *index) category(dataset, id string) string {
	return cmp.Or(x.names[[2]string{dataset, id}], id)
}

// readIngests returns what building the memories of a cell took, by sample, of those that
// were asked.
func readIngests(r *scored.Run, c record.Cell, perSample map[string]int) (map[string]*ingest, error) {
	all := make(map[string]*ingest)
	for line, err := range record.Values[record.Ingest](r.Folder.Ingests(c.ID)) {
		if err != nil {
			return nil, err
		}
		if asked := perSample[line.Sample]; asked > 0 && len(line.Usage) > 0 {
			all[line.Sample] = &ingest{line.Usage, asked}
		}
	}
	return all, nil
}

// number returns the place of a text in a list of the index, which it is added to where
// it is not there.
func (x *index) number(list *[]string, s string) int {
	places := x.numbers[list]
	if places == nil {
		places = make(map[string]int)
		x.numbers[list] = places
	}
	at, ok := places[s]
	if !ok {
		at = len(*list)
		places[s] = at
		*list = append(*list, s)
	}
	return at
}

// cut returns the first characters of a text.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}
