package interchange

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// A row is a request as tables of data have it. What is not known is null, never
// 0. Scores stand in columns of their own behind it.
//
// The fields of the JSON are those that package predictions reads, and more.
type row struct {
	ID           string  `json:"id"` // sample/request
	Run          string  `json:"run"`
	Cell         string  `json:"cell"`
	Dataset      string  `json:"dataset"`
	Method       string  `json:"method"`
	Use          string  `json:"use"`
	Model        string  `json:"model"`
	Reader       string  `json:"reader"`
	Offline      bool    `json:"offline"`
	Seed         uint64  `json:"seed"`
	Sample       string  `json:"sample"`
	Request      string  `json:"request"`
	Category     string  `json:"category"`
	CategoryName string  `json:"category_name"`
	Labels       []named `json:"labels,omitempty"`
	Question     string  `json:"question"`
	// Gold is null where the right answer is an abstention.
	Gold         *string  `json:"gold"`
	Variants     []string `json:"variants,omitempty"`
	GoldEvidence []string `json:"gold_evidence,omitempty"`
	Answer       string   `json:"prediction"`
	Status       string   `json:"status"`
	ErrorKind    *string  `json:"error_kind,omitempty"`
	ErrorMessage *string  `json:"error_message,omitempty"`
	Attempts     int      `json:"attempts"`
	Evidence     []shown  `json:"evidence,omitempty"`
	// TokensInput and TokensOutput are of the language models of the query, null
	// where nothing is known of usage.
	TokensInput  *int    `json:"tokens_input"`
	TokensOutput *int    `json:"tokens_output"`
	Usage        []usage `json:"usage,omitempty"`
	// Cost is in dollars.
	Cost *float64 `json:"cost_usd"`
	// Latency is in milliseconds, and Stages are its parts.
	Latency *float64 `json:"latency_ms"`
	Stages  []stage  `json:"stages,omitempty"`
	// Start is when the request was made.
	Start *time.Time `json:"start,omitempty"`
	// Judge is the model that judged the answer, and Correct what it said; null
	// where its reply could not be used, as where nobody was asked.
	Judge    *string `json:"judge,omitempty"`
	Correct  *bool   `json:"judged_correct,omitempty"`
	JudgeWhy *string `json:"judge_why,omitempty"`
	// Why says what the answer lacks, where a metric knows.
	Why []string `json:"why,omitempty"`
}

// A named is an entry of a map. Maps would be written in no order.
type named struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A shown is a block of evidence.
type shown struct {
	Block   string   `json:"block"`
	Name    string   `json:"name"`
	Score   float64  `json:"score"` // as the method ranks
	Tokens  int      `json:"tokens"`
	Sources []string `json:"sources"`
	Gold    []string `json:"gold"` // the sources that the gold answer rests on
	Text    string   `json:"text"`
}

// A usage is what the calls of a role used in a phase.
type usage struct {
	Phase     string `json:"phase"`
	Role      string `json:"role"`
	Calls     int    `json:"calls"`
	Input     int    `json:"input"`
	Cached    int    `json:"cached"`
	Output    int    `json:"output"`
	Reasoning int    `json:"reasoning"`
}

// A stage is a part of the time that a request took.
type stage struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"`
}

func rowOf(c Cell, r scored.Request) row {
	rec := r.Record
	to := row{
		ID: rec.Sample + "/" + rec.Request, Run: runName(c.Run), Cell: c.ID, Dataset: c.Cell.Dataset, Method: c.Method, Use: c.Use,
		Model: c.Cell.Model, Reader: c.Model.Reader, Offline: c.Model.Offline, Seed: c.Seed,
		Sample: rec.Sample, Request: rec.Request, Category: r.Gold.Category, CategoryName: c.Dataset.CategoryName(r.Gold.Category),
		Question: r.Gold.Question, Variants: r.Gold.Variants, GoldEvidence: r.Gold.Evidence,
		Answer: rec.Answer, Status: string(rec.Status), Attempts: rec.Attempts, Cost: rec.Cost,
	}
	if !r.Gold.Abstain {
		to.Gold = &r.Gold.Answer
	}
	for _, name := range slices.Sorted(maps.Keys(r.Gold.Labels)) {
		to.Labels = append(to.Labels, named{name, r.Gold.Labels[name]})
	}
	if rec.Error != nil {
		to.ErrorKind, to.ErrorMessage = &rec.Error.Kind, &rec.Error.Message
	}
	to.Evidence = shownOf(r)
	to.addUsage(c, rec)
	if !rec.Time.Start.IsZero() {
		to.Start = new(rec.Time.Start.UTC())
	}
	if ms, ok := latency(c, rec); ok {
		to.Latency = &ms
	}
	for _, name := range slices.Sorted(maps.Keys(rec.Time.Stages)) {
		to.Stages = append(to.Stages, stage{name, rec.Time.Stages[name]})
	}
	if r.Score != nil {
		to.Why = r.Score.Why
	}
	return to
}

func shownOf(r scored.Request) []shown {
	var blocks []shown
	for _, b := range r.Evidence {
		blocks = append(blocks, shown{
			Block: b.Block.Block, Name: b.Name, Score: b.Score, Tokens: b.Tokens, Sources: b.Sources, Gold: b.Gold, Text: b.Text,
		})
	}
	return blocks
}

// latency is how many milliseconds a request took, if that is known: of an
// imported answer it is only where its file says so.
func latency(c Cell, r record.Record) (ms float64, known bool) {
	return r.Time.Total, c.Imported == nil || r.Time.Total > 0
}

// addUsage fills in what the language models used. That a cell of this program
// called none is known, so its zeros are zeros.
func (r *row) addUsage(c Cell, rec record.Record) {
	if c.Imported != nil && len(rec.Usage) == 0 {
		return
	}
	var sum llm.Usage
	for _, phase := range slices.Sorted(maps.Keys(rec.Usage)) {
		for _, role := range slices.Sorted(maps.Keys(rec.Usage[phase])) {
			u := rec.Usage[phase][role]
			r.Usage = append(r.Usage, usage{phase, role, u.Calls, u.Input, u.Cached, u.Output, u.Reasoning})
			if role != meter.EmbedRole {
				sum = sum.Add(u)
			}
		}
	}
	r.TokensInput, r.TokensOutput = &sum.Input, &sum.Output
}

// scores returns the scores of a request, one for each column of the export, nil
// where there is none.
func (e *Export) scores(r scored.Request) []*float64 {
	values := make([]*float64, len(e.Columns))
	if r.Score != nil {
		for i, c := range e.Columns {
			values[i] = r.Score.Values[c.Name]
		}
	}
	return values
}

// number prints a number so that it reads back as the same; nil as nothing.
func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// A judged names an answer that a model judged.
type judged struct{ sample, request, sha256 string }

// judgements reads what the judges of the run said of the cell's answers, by the judge's
// id; of one that was judged twice the last counts. Empty where the run was not judged.
func (c Cell) judgements() (map[judged]map[string]record.Judgement, error) {
	said := make(map[judged]map[string]record.Judgement)
	if len(c.Run.Header.AllJudges()) == 0 {
		return said, nil
	}
	for line, err := range record.Lines[record.Judgement](c.Run.Folder.Judgements(c.ID)) {
		if err != nil {
			return nil, err
		}
		j := line.Value
		of := judged{j.Sample, j.Request, j.Answer}
		if said[of] == nil {
			said[of] = make(map[string]record.Judgement)
		}
		said[of][j.Judge] = j
	}
	return said, nil
}

// rows reads the requests of the cell as rows, each with the request.
func (c Cell) rows() iter.Seq2[filled, error] {
	return func(yield func(filled, error) bool) {
		said, err := c.judgements()
		if err != nil {
			yield(filled{}, err)
			return
		}
		for r, err := range c.Run.Requests(c.Cell) {
			if err != nil {
				yield(filled{}, err)
				return
			}
			f := filled{rowOf(c, r), r, nil}
			sum := sha256.Sum256([]byte(r.Record.Answer))
			if r.Record.Status == record.OK {
				f.said = said[judged{r.Record.Sample, r.Record.Request, hex.EncodeToString(sum[:])}]
			}
			if j, ok := f.said[c.judgeID()]; ok {
				f.row.Judge, f.row.Correct = &j.Reader, j.Correct
				if j.Why != "" {
					f.row.JudgeWhy = &j.Why
				}
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// A filled is a row with its request.
type filled struct {
	row     row
	request scored.Request
	said    map[string]record.Judgement // by the judge's id
}

// judgeID is that of the judge of the column judge; empty for none.
func (c Cell) judgeID() string {
	if j := c.Run.Header.Judge; j != nil {
		return j.ID
	}
	return ""
}
