package rating

import (
	"bytes"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/result/note"
	"recallbench/internal/text/termsafe"
)

// bom is the byte order mark by which spreadsheets know UTF-8.
const bom = "\ufeff"

// columns are those of a sheet: what raters see, and what they fill in.
func (a Asked) columns() []string {
	value := "ucs"
	if a.What == Correctness {
		value = "correct"
	}
	return slices.Concat([]string{"item", "turn", "response", "history", "facts", value}, Flags, []string{"notes", "rater"})
}

// Sheet returns the sheet of a rater as CSV. A text that a spreadsheet would take for a
// formula has an apostrophe before it. What is to be filled in is empty.
func (a Asked) Sheet(rater string) ([]byte, error) {
	columns := a.columns()
	rows := [][]string{columns}
	for _, it := range a.For(rater) {
		row := make([]string, len(columns))
		copy(row, []string{it.ID, it.Turn, it.Response, it.History, it.Facts})
		row[len(row)-1] = rater
		rows = append(rows, row)
	}
	b := bytes.NewBufferString(bom)
	err := spreadsheet.NewWriter(b).WriteAll(rows)
	return b.Bytes(), err
}

//go:embed continuity.txt correctness.txt
var instructions embed.FS

// Instructions are for raters, in plain text.
func (a Asked) Instructions() ([]byte, error) { return instructions.ReadFile(string(a.What) + ".txt") }

// A row is a line of a sheet as it came back, with its place.
type row struct {
	place string            // file:line
	cells map[string]string // by column
}

// Read reads a sheet that came back, checks it and joins it with the key. Lines on which a
// rater wrote nothing are left out: those ratings are missing. It reports all faults, with
// file and line.
func (a Asked) Read(name string, data []byte) (ratings []Rating, err error) {
	items := make(map[string]Item, len(a.Items))
	for _, it := range a.Items {
		items[it.ID] = it
	}
	rows, err := a.rows(name, data)
	faults := []error{err}
	places := make(map[string]string) // of ratings, by item and rater
	for _, r := range rows {
		it, known := items[strings.TrimSpace(r.cells["item"])]
		if !known {
			faults = append(faults, fmt.Errorf("%s: item %q is not on this run's sheets", r.place, termsafe.Text(r.cells["item"])))
			continue
		}
		rating, err := r.rating(it)
		of := it.ID + " " + rating.Rater
		switch {
		case err != nil:
			faults = append(faults, err)
		case rating.blank():
		case places[of] != "":
			faults = append(faults, fmt.Errorf("%s: %s already rated item %s, at %s", r.place, rating.Rater, it.ID, places[of]))
		default:
			places[of] = r.place
			ratings = append(ratings, rating)
		}
	}
	return ratings, errors.Join(faults...)
}

// rows reads a table with a heading that names the columns, in any order, divided by
// commas, or by the semicolons or tabs of some spreadsheets.
func (a Asked) rows(name string, data []byte) (rows []row, err error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	in := csv.NewReader(bytes.NewReader(data))
	heading, _, _ := bytes.Cut(data, []byte("\n"))
	for _, comma := range ";\t" {
		if bytes.ContainsRune(heading, comma) {
			in.Comma = comma
		}
	}
	lines, err := in.ReadAll()
	if err == nil && len(lines) == 0 {
		err = errors.New("it is empty")
	}
	wanted := a.columns()
	if err == nil && !slices.Equal(slices.Sorted(slices.Values(lines[0])), slices.Sorted(slices.Values(wanted))) {
		err = fmt.Errorf("its columns are %s", termsafe.Text(strings.Join(lines[0], ", ")))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; want CSV in UTF-8 with the columns %s", name, err, strings.Join(wanted, ", "))
	}
	for i, cells := range lines[1:] {
		r := row{fmt.Sprintf("%s, row %d", name, i+2), make(map[string]string)}
		for k, column := range lines[0] {
			r.cells[column] = spreadsheet.Text(cells[k])
		}
		if strings.Join(cells, "") != "" {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// verdicts are what raters may say of whether an answer is right.
var verdicts = map[string]note.Value{"yes": note.Right, "no": note.Wrong, "partly": note.Partly, "unsure": note.Unsure}

// marks are what raters may write into the column of a flag.
var marks = map[string]bool{"1": true, "yes": true, "true": true, "x": true, "0": false, "no": false, "false": false}

// rating returns what a line says of an item.
func (r row) rating(it Item) (Rating, error) {
	var faults []error
	cell := func(name string) string { return strings.ToLower(strings.TrimSpace(r.cells[name])) }
	wrong := func(name, want string) {
		faults = append(faults, fmt.Errorf("%s: item %s: %s is %q, want %s, or nothing if it was not rated", r.place, it.ID, name, termsafe.Text(cell(name)), want))
	}
	rating := Rating{Item: it.ID, Key: it.Key, Notes: strings.TrimSpace(r.cells["notes"]), Rater: termsafe.Text(strings.TrimSpace(r.cells["rater"]))}
	if s := cell("ucs"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 5 {
			wrong("ucs", "a whole number from 1 to 5")
		}
		rating.UCS = &n
	}
	if s := cell("correct"); s != "" {
		if rating.Correct = verdicts[s]; rating.Correct == "" {
			wrong("correct", "yes, no, partly or unsure")
		}
	}
	for _, name := range Flags {
		s := cell(name)
		if s == "" {
			continue
		}
		yes, known := marks[s]
		if !known {
			wrong(name, "1 or 0")
		}
		if rating.Flags == nil {
			rating.Flags = make(map[string]bool)
		}
		rating.Flags[name] = yes
	}
	if rating.Rater == "" && !rating.blank() {
		faults = append(faults, fmt.Errorf("%s: item %s is rated, but no rater is named", r.place, it.ID))
	}
	return rating, errors.Join(faults...)
}
