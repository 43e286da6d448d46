package interchange

import (
	"fmt"
	"io"
	"slices"
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
			var sources []string
			for _, b := range f.request.Evidence {
				sources = lists.AddNew(sources, b.Sources...)
			}
			f.row["answer"], f.row["evidence_sources"], f.row["evidence_blocks"] = f.row["prediction"], sources, len(f.request.Evidence)
			line := lists.Map(csvHead, func(name string) string { return csvField(f.row[name]) })
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

// csvField is a value of a row, empty where it is not known.
func csvField(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return number(&v)
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(v)
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
			scores := make(map[string]*float64)
			for i, x := range e.scores(f.request) {
				scores[e.Columns[i].Name] = x
			}
			f.row["scores"] = scores
			if err := enc.Encode(f.row); err != nil {
				return err
			}
		}
	}
	return nil
}
