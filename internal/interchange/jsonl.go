package interchange

import (
	"encoding/json"
	"io"
)

// writeJSONL writes a JSON object for each request, on a line of its own. Besides
// what a row has, it has the scores by column. Its id, category, prediction and
// gold are what 'bench score --predictions' reads of one method.
func writeJSONL(e *Export, w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
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
