package rating

import (
	"bytes"
	_ "embed"
	"io"
	"slices"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
)

// columns are those of a sheet: what raters see, and what they fill in.
var (
	seen    = []string{"item", "conversation", "turn", "response", "history", "facts"}
	filled  = slices.Concat([]string{"ucs"}, Flags, []string{"notes"})
	columns = slices.Concat(seen, filled, []string{"rater"})
)

// fields returns what a rater sees of an item, in the order of the columns.
func (it Item) fields() []string {
	return []string{it.ID, it.Conversation, it.Turn, it.Response, it.History, it.Facts}
}

// WriteCSV writes the sheet of a rater as CSV: UTF-8 with a byte order mark, by
// which spreadsheets know it. A text that they would take for a formula has an
// apostrophe before it. What is to be filled in is empty.
func (a Asked) WriteCSV(w io.Writer, rater string) error {
	if _, err := io.WriteString(w, bom); err != nil {
		return err
	}
	out := spreadsheet.NewWriter(w)
	rows := [][]string{columns}
	for _, it := range a.For(rater) {
		rows = append(rows, append(append(it.fields(), make([]string, len(filled))...), rater))
	}
	return out.WriteAll(rows)
}

const bom = "\ufeff"

// A sheet is what a rater fills in as JSON.
type sheet struct {
	Rater string      `json:"rater"`
	Items []sheetItem `json:"items"`
}

type sheetItem struct {
	Item
	UCS               *int   `json:"ucs"`
	WrongEntity       *bool  `json:"wrong_entity"`
	WrongValue        *bool  `json:"wrong_value"`
	DiscourseMismatch *bool  `json:"discourse_mismatch"`
	Hallucination     *bool  `json:"hallucination"`
	Notes             string `json:"notes"`
}

// WriteJSON writes the sheet of a rater as JSON, with null for what is to be
// filled in.
func (a Asked) WriteJSON(w io.Writer, rater string) error {
	s := sheet{Rater: rater}
	for _, it := range a.For(rater) {
		s.Items = append(s.Items, sheetItem{Item: it})
	}
	return jsonout.Indented(w, s)
}

// Encode returns what raters were asked, with the key, as it is stored.
func Encode(a Asked) ([]byte, error) {
	var b bytes.Buffer
	err := jsonout.Indented(&b, a)
	return b.Bytes(), err
}

// Instructions are for raters, in plain text.
//
//go:embed instructions.txt
var Instructions string
