package rating

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/text/suggest"
)

// A row is a line of a sheet as it came back, with its place.
type row struct {
	file  string
	line  int
	cells map[string]string // by column
}

func (r row) faultf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...))
}

// readSheet reads a sheet that came back. It returns what it could read, and all
// faults.
func (a Asked) readSheet(file string, data []byte) ([]row, error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	if bytes.ContainsRune(data, 0) {
		return nil, fmt.Errorf("%s: it holds NUL characters; save it as CSV in UTF-8", file)
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
		r := row{file: file, line: line, cells: make(map[string]string)}
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
