package interchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

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

// A predictionJudgement is what a judge said of an answer.
type predictionJudgement struct {
	Judge string    `json:"judge"` // its name; [unnamedJudge] for that of the column judge
	Label *float64  `json:"label"`
	Votes []float64 `json:"votes,omitempty"`
	Why   string    `json:"why,omitempty"`
	// Judgement is all that a run knows of it; nothing else is read then.
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
		line := row.question()
		rec := row.Record
		rec.Hash, rec.Evidence, rec.Nodes, rec.Edits, rec.Calls = "", nil, nil, nil, nil // of the run alone
		line["answer"], line["record"] = rec.Answer, rec
		var said []predictionJudgement
		for _, j := range row.Judgements {
			at := slices.IndexFunc(head.Judges, func(judge record.Judge) bool { return judge.ID == j.Judge })
			said = append(said, predictionJudgement{Judge: cmp.Or(head.Judges[at].Name, unnamedJudge), Label: j.Value(), Why: j.Why, Judgement: &j})
		}
		addList(line, "judgements", said)
		scores := e.scores(row)
		maps.DeleteFunc(scores, func(name string, _ *float64) bool { _, ok := head.Columns[name]; return !ok })
		line["scores"] = scores
		err = enc.Encode(line)
	}
	return err
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
	var p struct {
		Epoch      int                   `json:"epoch"`
		Record     *record.Record        `json:"record"` // all that a run knows of the answer
		Judgements []predictionJudgement `json:"judgements"`
	}
	if err := json.Unmarshal(plainJSON(v), &p); err != nil {
		return err
	}
	if p.Record != nil {
		a.Record = *p.Record
	}
	if a.Gold.Sample == "" || a.Gold.Request == "" || p.Epoch < 0 || a.Record.Attempts < 0 {
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
