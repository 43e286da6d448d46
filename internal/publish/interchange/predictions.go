package interchange

import (
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
		if !column.Sample && column.Name != "tokens-ingest" { // which are of the building of a memory
			better := map[bool]string{true: "lower", false: "higher"}[column.Lower]
			if column.Neutral {
				better = ""
			}
			head.Columns[column.Name] = predictionColumn{Scale: column.Scale, Better: better}
		}
	}
	enc := jsonout.NewEncoder(w)
	err := enc.Encode(head)
	for row, rowErr := range e.rows() {
		if err = cmp.Or(err, rowErr); err != nil {
			return err
		}
		line := predictionOf(row)
		var said []object
		for _, j := range row.Judgements {
			at := slices.IndexFunc(head.Judges, func(judge record.Judge) bool { return judge.ID == j.Judge })
			said = append(said, object{"judge": cmp.Or(head.Judges[at].Name, unnamedJudge), "label": j.Value(), "why": j.Why, "judgement": j})
		}
		addList(line, "judgements", said)
		scores := e.scores(row)
		maps.DeleteFunc(scores, func(name string, _ *float64) bool { _, ok := head.Columns[name]; return !ok })
		line["scores"] = scores
		err = enc.Encode(line)
	}
	return err
}

// predictionOf is what a line says of a request but for its scores.
func predictionOf(r row) object {
	rec := r.Record
	to := object{
		"sample": rec.Sample, "request": rec.Request, "category": r.Gold.Category, "question": r.Gold.Question, "gold": r.gold(), "answer": rec.Answer,
		"status": rec.Status, "attempts": rec.Attempts, "cost_usd": rec.Cost,
	}
	if rec.Error != nil {
		to["error"] = rec.Error
	}
	if rec.Time.Total != 0 {
		to["total_ms"] = rec.Time.Total
	}
	if !rec.Time.Start.IsZero() {
		to["time"] = rec.Time.Start.UTC()
	}
	if rec.Time.Kept > 0 {
		to["kept_parts"] = rec.Time.Kept
	}
	usage := make(map[string]llm.Usage) // over the language models
	for phase, roles := range rec.Usage {
		usage[phase] = ofModels(roles)
	}
	addMap(to, "usage", usage)
	addMap(to, "usage_by_role", rec.Usage)
	addMap(to, "text_tokens", rec.Text)
	addMap(to, "latency_ms", rec.Time.Stages)
	addMap(to, "degraded", rec.Degraded)
	addList(to, "gold_evidence", r.Gold.Evidence)
	addList(to, "trace", rec.Trace)
	var evidence []object
	for i, b := range r.Evidence {
		hash := sha256.Sum256([]byte(b.Text))
		block := object{"id": b.Name, "rank": i + 1, "score": b.Score, "tokens": b.Tokens, "sources": b.Sources, "text_sha256": hex.EncodeToString(hash[:]), "text": b.Text}
		if b.Estimated {
			block["estimated"] = true
		}
		evidence = append(evidence, block)
	}
	addList(to, "evidence", evidence)
	return to
}

// predictionsHead reads the header.
func (r *reading) predictionsHead(v *jsontree.Value, line int) {
	var head PredictionsHead
	err := json.Unmarshal(plainJSON(v), &head)
	switch {
	case err != nil:
	case head.Version != PredictionsVersion:
		err = fmt.Errorf("the version is %q, want %q", head.Version, PredictionsVersion)
	case r.file.Head != nil:
		err = errors.New("there is a second header; want one file for each method")
	}
	if err != nil {
		r.faults.Addf(line, "%w", err)
		return
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

// complete reads what a line of the program's own format says of an answer beyond what a
// layout can.
func (r *reading) complete(a *Answer, v *jsontree.Value) error {
	rec := &a.Record
	p := struct {
		Epoch      int                              `json:"epoch"`
		Attempts   *int                             `json:"attempts"`
		Usage      *map[string]map[string]llm.Usage `json:"usage_by_role"`
		Text       *map[string]int                  `json:"text_tokens"`
		Stages     *map[string]float64              `json:"latency_ms"`
		Total      *float64                         `json:"total_ms"`
		Kept       *int                             `json:"kept_parts"`
		Degraded   *map[string]int                  `json:"degraded"`
		Trace      any                              `json:"trace"`
		Time       *time.Time                       `json:"time"`
		Judgements []struct {
			Judge string // its name; [unnamedJudge] for that of the column judge
			Label *float64
			Votes []float64
			Why   string
			// Judgement is all that a run knows of it; nothing else is read then.
			Judgement *record.Judgement
		}
	}{
		Attempts: &rec.Attempts, Usage: &rec.Usage, Text: &rec.Text, Stages: &rec.Time.Stages, Total: &rec.Time.Total, Kept: &rec.Time.Kept,
		Degraded: &rec.Degraded, Trace: &rec.Trace, Time: &rec.Time.Start,
	}
	rec.Time.Stages, rec.Attempts = nil, 0
	if err := json.Unmarshal(plainJSON(v), &p); err != nil {
		return err
	}
	if a.Gold.Sample == "" || a.Gold.Request == "" || p.Epoch < 0 || rec.Attempts < 0 {
		return errors.New("want sample and request, and epoch and attempts of at least 0")
	}
	for _, said := range p.Judgements {
		for _, x := range append(slices.Clip(said.Votes), *cmp.Or(said.Label, new(0.0))) {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("judgements: %s says %g, want 0 to 1", said.Judge, x)
			}
		}
		j := r.file.judgement(said.Judge, "", said.Label, said.Votes, said.Why)
		if said.Judgement != nil {
			said.Judgement.Judge = j.Judge
			j = *said.Judgement
		}
		a.Judgements = append(a.Judgements, j)
	}
	return nil
}
