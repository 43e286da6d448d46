package interchange

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
)

// csvHead names the columns before those of the scores.
var csvHead = []string{
	"run", "cell", "dataset", "method", "model", "reader", "offline", "seed", "sample", "request", "category", "category_name",
	"question", "gold", "answer", "status", "error_kind", "error_message", "attempts",
	"gold_evidence", "evidence_sources", "evidence_blocks", "tokens_input", "tokens_output", "cost_usd", "latency_ms",
}

// writeCSV writes a table with a row for each request. What is not known is an
// empty field; ids of turns stand in one field, with blanks between them.
func writeCSV(e *Export, w io.Writer) error {
	out := spreadsheet.NewWriter(w)
	head := slices.Clone(csvHead)
	for _, c := range e.Columns {
		head = append(head, c.Name)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, c := range e.Cells {
		for f, err := range c.rows() {
			if err != nil {
				return err
			}
			line := f.row.fields()
			for _, x := range e.scores(f.request) {
				line = append(line, number(x))
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func (r *row) fields() []string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	whole := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	var sources []string
	for _, b := range r.Evidence {
		for _, id := range b.Sources {
			sources = lists.AddNew(sources, id)
		}
	}
	return []string{
		r.Run, r.Cell, r.Dataset, r.Method, r.Model, r.Reader, strconv.FormatBool(r.Offline), strconv.FormatUint(r.Seed, 10),
		r.Sample, r.Request, r.Category, r.CategoryName,
		r.Question, text(r.Gold), r.Answer, r.Status, text(r.ErrorKind), text(r.ErrorMessage), strconv.Itoa(r.Attempts),
		strings.Join(r.GoldEvidence, " "), strings.Join(sources, " "), strconv.Itoa(len(r.Evidence)),
		whole(r.TokensInput), whole(r.TokensOutput), number(r.Cost), number(r.Latency),
	}
}

// writeJSONL writes a JSON object for each request, on a line of its own. Besides
// what a row has, it has the scores by column. Its id, category, prediction and
// gold are what 'bench score --predictions' reads of one method.
func writeJSONL(e *Export, w io.Writer) error {
	enc := jsonout.NewEncoder(w)
	for _, c := range e.Cells {
		for f, err := range c.rows() {
			if err != nil {
				return err
			}
			line := struct {
				row
				Scores map[string]*float64 `json:"scores"`
			}{row: f.row, Scores: make(map[string]*float64)}
			for i, x := range e.scores(f.request) {
				line.Scores[e.Columns[i].Name] = x
			}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}
