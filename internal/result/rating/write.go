package rating

import (
	"bytes"
	"embed"
	"io"
	"slices"

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
