package interchange

import (
	"encoding/json"
	"fmt"
	"slices"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// readPredictions reads the program's own format: a header, then a line for each
// answer. docs/interchange.md describes it.
func readPredictions(r *reading) error {
	headed := false
	err := r.eachLine(func(c *jsontree.Cursor, line int) {
		if c.Value.Get("predictions") != nil {
			headed = true
			r.predictionsHead(c)
			return
		}
		var p predictionLine
		if !decode(c, &p) {
			return
		}
		switch {
		case p.Sample == "" || p.Request == "":
			c.Faultf("sample and request are needed")
			return
		case p.Epoch < 0 || p.Attempts < 0:
			c.Faultf("epoch and attempts are at least 0")
			return
		case c.Value.Get("answer") == nil && p.Error == nil:
			c.Faultf("there is neither an answer nor an error")
			return
		}
		if !slices.Contains([]record.Status{"", record.OK, record.Error, record.Refused, record.Limit}, p.Status) {
			c.Faultf("status is %q, want one of ok, error, refused, limit", p.Status)
			return
		}
		known, err := p.record()
		if err != nil {
			c.Faultf("%v", err)
			return
		}
		if r.file.Head == nil {
			return // which is an error in the end
		}
		said, err := p.said(&r.file)
		if err != nil {
			c.Faultf("%v", err)
			return
		}
		it := Item{
			Answer: Answer{
				Judgements: said,
				Line:       line, Sample: p.Sample, Request: p.Request, Question: p.Question, Category: p.Category, Evidence: p.GoldEvidence, Text: p.Answer,
				Status: p.Status, Failure: p.Error, Record: known, Conversation: p.Sample,
			},
			Key: p.Sample + "/" + p.Request, Cluster: p.Sample, Epoch: p.Epoch,
		}
		if it.Status == "" && p.Error != nil {
			it.Status = record.Error
		}
		it.Record.Status = it.Status
		if p.Gold != nil {
			it.Gold = *p.Gold
		}
		for _, b := range p.Evidence {
			it.Blocks = append(it.Blocks, Block{Name: b.ID, Text: b.Text, Score: b.Score, Sources: b.Sources, Estimated: b.Estimated})
		}
		if u, ok := p.Usage["query"]; ok {
			it.Usage = &u
		}
		it.addStage("answer", it.Record.Time.Total)
		it.named(c.Field("scores"))
		r.emit(c, it)
	})
	if err == nil && !headed {
		return fmt.Errorf("%s: there is no header; want a first line with \"predictions\": %q", r.file.Name, PredictionsVersion)
	}
	return err
}

// decode reads a value into fields of their types, and reports what does not fit.
func decode(c *jsontree.Cursor, to any) bool {
	data, _ := json.Marshal(plainValue(c.Value)) // strings, numbers, lists and maps of them
	if err := json.Unmarshal(data, to); err != nil {
		c.Faultf("%v", err)
		return false
	}
	return true
}

// predictionsHead reads the header.
func (r *reading) predictionsHead(c *jsontree.Cursor) {
	var head PredictionsHead
	if !decode(c, &head) {
		return
	}
	switch {
	case head.Version != PredictionsVersion:
		c.Faultf("the version is %q, want %q", head.Version, PredictionsVersion)
		return
	case r.file.Head != nil:
		c.Faultf("there is a second header; want one file a method")
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
