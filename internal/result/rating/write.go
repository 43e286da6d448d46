package rating

import (
	"bytes"
	"embed"
	"io"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
)

// columns are those of a sheet: what raters see, and what they fill in.
var (
	seen  = []string{"item", "conversation", "turn", "response", "history", "facts"}
	marks = slices.Concat(Flags, []string{"notes"})
)

// value is the column of what a sheet asks for.
func (a Asked) value() string {
	if a.What == Correctness {
		return "correct"
	}
	return "ucs"
}

func (a Asked) columns() []string {
	return slices.Concat(seen, []string{a.value()}, marks, []string{"rater"})
}

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
	rows := [][]string{a.columns()}
	for _, it := range a.For(rater) {
		rows = append(rows, append(append(it.fields(), make([]string, 1+len(marks))...), rater))
	}
	return out.WriteAll(rows)
}

const bom = "\ufeff"

// A sheet is what a rater fills in as JSON.
type sheet[T any] struct {
	Rater string `json:"rater"`
	Items []T    `json:"items"`
}

type continuityItem struct {
	Item
	UCS *int `json:"ucs"`
	sheetMarks
}

type correctnessItem struct {
	Item
	Correct *string `json:"correct"`
	sheetMarks
}

type sheetMarks struct {
	WrongEntity       *bool  `json:"wrong_entity"`
	WrongValue        *bool  `json:"wrong_value"`
	DiscourseMismatch *bool  `json:"discourse_mismatch"`
	Hallucination     *bool  `json:"hallucination"`
	Notes             string `json:"notes"`
}

// WriteJSON writes the sheet of a rater as JSON, with null for what is to be
// filled in.
func (a Asked) WriteJSON(w io.Writer, rater string) error {
	items := a.For(rater)
	if a.What == Correctness {
		return jsonout.Indented(w, sheet[correctnessItem]{rater, lists.Map(items, func(it Item) correctnessItem { return correctnessItem{Item: it} })})
	}
	return jsonout.Indented(w, sheet[continuityItem]{rater, lists.Map(items, func(it Item) continuityItem { return continuityItem{Item: it} })})
}

// Encode returns what raters were asked, with the key, as it is stored.
func Encode(a Asked) ([]byte, error) {
	var b bytes.Buffer
	err := jsonout.Indented(&b, a)
	return b.Bytes(), err
}

//go:embed instructions.txt correctness.txt
var files embed.FS

// Instructions are for raters, in plain text.
func (a Asked) Instructions() ([]byte, error) {
	if a.What == Correctness {
		return files.ReadFile("correctness.txt")
	}
	return files.ReadFile("instructions.txt")
}
