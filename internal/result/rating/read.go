package rating

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/text/suggest"
)

// A row is a line of a sheet as it came back, with its place.
type row struct {
	file  string
	line  int
	cells map[string]string // by column
	quote bool              // whether the file marks formulas, as CSV does
}

func (r row) faultf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...))
}

// readSheet reads a sheet that came back, as CSV or JSON. It returns what it
// could read, and all faults.
func (a Asked) readSheet(file string, data []byte) ([]row, error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	if bytes.ContainsRune(data, 0) {
		return nil, fmt.Errorf("%s: it holds NUL characters; save it as CSV in UTF-8, or as JSON", file)
	}
	if first := bytes.TrimLeft(data, " \t\r\n"); len(first) > 0 && first[0] == '{' {
		return a.readJSON(file, data)
	}
	return readCSV(file, data, a.columns())
}

// readCSV reads a table with a heading that names the wanted columns, in any
// order, divided by commas, or by the semicolons or tabs of some spreadsheets.
func readCSV(file string, data []byte, wanted []string) ([]row, error) {
	heading, _, _ := bytes.Cut(data, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(data))
	for _, comma := range []rune{';', '\t'} {
		if bytes.Count(heading, []byte(string(comma))) >= len(wanted)-1 {
			in.Comma = comma
		}
	}
	in.FieldsPerRecord = -1
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it is empty, want the columns %s", file, strings.Join(wanted, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := checkHead(file, head, wanted); err != nil {
		return nil, err
	}
	var rows []row
	var faults []error
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, errors.Join(faults...)
		}
		if err != nil {
			return rows, errors.Join(append(faults, fmt.Errorf("%s: %w", file, err))...)
		}
		if !slices.ContainsFunc(record, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			continue
		}
		line, _ := in.FieldPos(0)
		r := row{file: file, line: line, cells: make(map[string]string), quote: true}
		if len(record) != len(head) {
			faults = append(faults, r.faultf("%d cells, the heading has %d", len(record), len(head)))
			continue
		}
		for i, name := range head {
			r.cells[strings.TrimSpace(name)] = spreadsheet.Text(record[i])
		}
		rows = append(rows, r)
	}
}

func checkHead(file string, head, wanted []string) error {
	var faults []error
	have := make(map[string]bool)
	for _, name := range head {
		switch name = strings.TrimSpace(name); {
		case !slices.Contains(wanted, name):
			faults = append(faults, fmt.Errorf("%s:1: %s", file, suggest.Unknown("column", name, wanted)))
		case have[name]:
			faults = append(faults, fmt.Errorf("%s:1: column %q comes twice", file, name))
		}
		have[name] = true
	}
	for _, name := range wanted {
		if !have[name] {
			faults = append(faults, fmt.Errorf("%s:1: column %q is missing", file, name))
		}
	}
	return errors.Join(faults...)
}

func (a Asked) readJSON(file string, data []byte) ([]row, error) {
	lineAt := func(offset int) int { return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n")) }
	tree, err := jsontree.Parse(data)
	if err != nil {
		offset := 0
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			offset = se.Offset
		}
		return nil, fmt.Errorf("%s:%d: %w", file, lineAt(offset), err)
	}
	var faults []error
	root := jsontree.Root(tree, "", func(offset int, path, fault string) {
		if path != "" {
			fault = path + ": " + fault
		}
		faults = append(faults, fmt.Errorf("%s:%d: %s", file, lineAt(offset), fault))
	})
	unknownFields(root, []string{"rater", "items"})
	rater, _ := root.Text("rater")
	var rows []row
	if items := root.Field("items", jsontree.Array); items != nil {
		for _, c := range items.Items() {
			if !c.Is(jsontree.Object) {
				continue
			}
			before := len(faults)
			unknownFields(c, slices.Concat(seen, []string{a.value()}, marks))
			r := row{file: file, line: lineAt(c.Value.Offset), cells: map[string]string{"rater": rater}}
			for _, name := range seen {
				r.cells[name], _ = c.Text(name)
			}
			r.cells[a.value()] = c.OptionalScalar(a.value())
			r.cells["notes"] = c.OptionalText("notes")
			for _, name := range Flags {
				if f := c.Optional(name); f != nil && f.Is(jsontree.Bool) {
					r.cells[name] = f.Value.Text
				}
			}
			if len(faults) == before { // else what is not there would be a fault again
				rows = append(rows, r)
			}
		}
	}
	return rows, errors.Join(faults...)
}

// unknownFields reports the fields of an object that a sheet does not have.
func unknownFields(c *jsontree.Cursor, known []string) {
	for i := range c.Value.Fields {
		if name := c.Value.Fields[i].Name; !slices.Contains(known, name) {
			c.At(i).Faultf("%s", suggest.Unknown("field", name, known))
		}
	}
}
