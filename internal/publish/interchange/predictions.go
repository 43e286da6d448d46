package interchange

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// PredictionsVersion is the version of the program's own format.
const PredictionsVersion = "recallbench-predictions/1"

// A PredictionsHead is the first line of the program's own format.
type PredictionsHead struct {
	Version string         `json:"predictions"`
	Name    string         `json:"name"`
	Model   string         `json:"model"`
	Dataset string         `json:"dataset"`
	SHA256  string         `json:"dataset_sha256"`
	Options map[string]any `json:"options,omitempty"`
	Seed    uint64         `json:"seed"`
	Prompts string         `json:"prompts_sha256,omitempty"`
	// Tokenizer counts the tokens of evidence, and Metrics are those of the scores.
	Tokenizer string                      `json:"tokenizer,omitempty"`
	Metrics   []string                    `json:"metrics,omitempty"`
	Columns   map[string]predictionColumn `json:"columns"`
	Judges    []record.Judge              `json:"judges,omitempty"` // as run.json has them
}

type predictionColumn struct {
	Scale  float64 `json:"scale"`
	Better string  `json:"better,omitempty"` // higher or lower
}

// A predictionLine is an answer.
type predictionLine struct {
	Sample       string            `json:"sample"`
	Request      string            `json:"request"`
	Epoch        int               `json:"epoch,omitempty"`
	Category     string            `json:"category"`
	Question     string            `json:"question"`
	Gold         *string           `json:"gold"` // null where the right answer is an abstention
	Answer       string            `json:"answer"`
	Status       record.Status     `json:"status"`
	Error        *record.Failure   `json:"error,omitempty"`
	Attempts     int               `json:"attempts"`
	Evidence     []predictionBlock `json:"evidence,omitempty"`
	GoldEvidence []string          `json:"gold_evidence,omitempty"`
	// Usage is by phase, over the language models, and Roles by phase and role.
	Usage      map[string]llm.Usage            `json:"usage,omitempty"`
	Roles      map[string]map[string]llm.Usage `json:"usage_by_role,omitempty"`
	TextTokens map[string]int                  `json:"text_tokens,omitempty"`
	Cost       *float64                        `json:"cost_usd"`
	Latency    map[string]float64              `json:"latency_ms,omitempty"` // of parts
	Total      *float64                        `json:"total_ms,omitempty"`
	Kept       int                             `json:"kept_parts,omitempty"`
	Degraded   map[string]int                  `json:"degraded,omitempty"`
	Scores     map[string]*float64             `json:"scores,omitempty"`
	Judgements []predictionVerdict             `json:"judgements,omitempty"`
	Trace      json.RawMessage                 `json:"trace,omitempty"` // as records have it
	Time       *time.Time                      `json:"time,omitempty"`
}

type predictionBlock struct {
	ID        string   `json:"id"`
	Rank      int      `json:"rank"`
	Score     float64  `json:"score"`
	Tokens    int      `json:"tokens,omitempty"`
	Sources   []string `json:"sources"`
	Estimated bool     `json:"estimated,omitempty"`
	Hash      string   `json:"text_sha256"`
	Text      string   `json:"text"`
}

// A predictionVerdict is what a judge said of an answer.
type predictionVerdict struct {
	Judge string    `json:"judge"` // its name; [unnamedJudge] for that of the column judge
	Label *float64  `json:"label"` // from 0 to 1; null where the reply could not be used
	Votes []float64 `json:"votes,omitempty"`
	Why   string    `json:"why,omitempty"`
	// Judgement is all that a run knows of it; the other fields are not read then.
	Judgement *record.Judgement `json:"judgement,omitempty"`
}

// unnamedJudge stands for the judge of the column judge.
const unnamedJudge = "judge"

// writePredictions writes the answers of one cell, with all that the run knows of them
// but the recordings of its calls and the building of its memories.
func writePredictions(e *Export, w io.Writer) error {
	if len(e.Cells) != 1 {
		return fmt.Errorf("there are %d cells, want one; choose it with --methods", len(e.Cells))
	}
	c := e.Cells[0]
	head := PredictionsHead{
		Version: PredictionsVersion, Name: c.Method, Model: c.Model.Reader, Dataset: c.Dataset.Name, SHA256: c.Dataset.SHA256, Options: c.Options,
		Seed: c.Seed, Prompts: c.Prompts, Tokenizer: c.Model.Tokens, Metrics: c.Run.Header.Metrics, Columns: make(map[string]predictionColumn),
		Judges: c.Run.Header.AllJudges(),
	}
	for _, column := range e.Columns {
		if ofBuilding(column) {
			continue
		}
		p := predictionColumn{Scale: column.Scale, Better: "higher"}
		switch {
		case column.Neutral:
			p.Better = ""
		case column.Lower:
			p.Better = "lower"
		}
		head.Columns[column.Name] = p
	}
	enc := jsonout.NewEncoder(w)
	if err := enc.Encode(head); err != nil {
		return err
	}
	for row, err := range e.rows() {
		if err != nil {
			return err
		}
		line := predictionOf(row.Request)
		for _, j := range head.Judges {
			if said, ok := row.said[j.ID]; ok {
				line.Judgements = append(line.Judgements, predictionVerdict{Judge: cmp.Or(j.Name, unnamedJudge), Label: said.Value(), Why: said.Why, Judgement: &said})
			}
		}
		line.Scores = e.scores(row.Request)
		maps.DeleteFunc(line.Scores, func(name string, _ *float64) bool { _, ok := head.Columns[name]; return !ok })
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// ofBuilding reports whether a column is about the building of a memory, which the
// format lacks.
func ofBuilding(c metrics.Column) bool { return c.Sample || c.Name == "tokens-ingest" }

func predictionOf(r scored.Request) predictionLine {
	rec := r.Record
	to := predictionLine{
		Sample: rec.Sample, Request: rec.Request, Category: r.Gold.Category, Question: r.Gold.Question, Answer: rec.Answer, Status: rec.Status,
		Error: rec.Error, Attempts: rec.Attempts, GoldEvidence: r.Gold.Evidence, Roles: rec.Usage, TextTokens: rec.Text, Cost: rec.Cost,
		Latency: rec.Time.Stages, Kept: rec.Time.Kept, Degraded: rec.Degraded,
	}
	if len(rec.Trace) > 0 {
		var trace bytes.Buffer
		_ = jsonout.Lines(&trace, rec.Trace) // it was read as JSON
		to.Trace = trace.Bytes()
	}
	if !r.Gold.Abstain {
		to.Gold = &r.Gold.Answer
	}
	if rec.Time.Total != 0 {
		to.Total = &rec.Time.Total
	}
	if !rec.Time.Start.IsZero() {
		to.Time = new(rec.Time.Start.UTC())
	}
	for phase, roles := range rec.Usage {
		if to.Usage == nil {
			to.Usage = make(map[string]llm.Usage)
		}
		to.Usage[phase] = ofModels(roles)
	}
	for i, b := range r.Evidence {
		hash := sha256.Sum256([]byte(b.Text))
		to.Evidence = append(to.Evidence, predictionBlock{
			ID: b.Name, Rank: i + 1, Score: b.Score, Tokens: b.Tokens, Sources: b.Sources, Estimated: b.Estimated, Hash: hex.EncodeToString(hash[:]), Text: b.Text,
		})
	}
	return to
}

// predictionsHead reads the header.
func (r *reading) predictionsHead(c *jsontree.Cursor) {
	var head PredictionsHead
	if err := json.Unmarshal(plainJSON(c.Value), &head); err != nil {
		c.Faultf("%v", err)
		return
	}
	if head.Version != PredictionsVersion {
		c.Faultf("the version is %q, want %q", head.Version, PredictionsVersion)
		return
	}
	if r.file.Head != nil {
		c.Faultf("there is a second header; want one file for each method")
	}
	r.file.Head, r.file.Judges = &head, head.Judges
	r.about["task"], r.about["model"], r.about["dataset"] = head.Dataset, head.Model, head.SHA256
	for name, said := range head.Columns {
		column := ResultColumn{Scale: max(said.Scale, 0)}
		if said.Better == "higher" || said.Better == "lower" {
			column.Lower = new(said.Better == "lower")
		}
		r.columns[name] = column
	}
}

// complete reads what a line says of an answer beyond what a layout can.
func (r *reading) complete(it *Item, v *jsontree.Value) error {
	var p predictionLine
	if err := json.Unmarshal(plainJSON(v), &p); err != nil {
		return err
	}
	if p.Sample == "" || p.Request == "" || p.Epoch < 0 || p.Attempts < 0 {
		return errors.New("want sample and request, and epoch and attempts of at least 0")
	}
	if u, ok := p.Usage["query"]; ok && p.Roles == nil {
		p.Roles = map[string]map[string]llm.Usage{"query": {"reader": u}}
	}
	it.Record = &record.Record{
		Status: it.Status, Answer: p.Answer, Error: p.Error, Attempts: p.Attempts, Usage: p.Roles, Text: p.TextTokens, Cost: p.Cost, Degraded: p.Degraded,
		Time: record.Timing{Start: *cmp.Or(p.Time, new(time.Time{})), Total: *cmp.Or(p.Total, new(it.Total())), Stages: p.Latency, Kept: p.Kept},
	}
	if len(p.Trace) > 0 {
		if err := json.Unmarshal(p.Trace, &it.Record.Trace); err != nil {
			return fmt.Errorf("trace: %w", err)
		}
	}
	it.Stages = nil
	it.addStage("answer", it.Record.Time.Total)
	for _, v := range p.Judgements {
		for _, x := range append(slices.Clone(v.Votes), *cmp.Or(v.Label, new(0.0))) {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("judgements: %s says %g, want 0 to 1", v.Judge, x)
			}
		}
		j := r.file.judgement(v.Judge, "", v.Label, v.Votes, v.Why)
		if v.Judgement != nil {
			id := j.Judge
			j = *v.Judgement
			j.Judge = id
		}
		it.Judgements = append(it.Judgements, j)
	}
	return nil
}
