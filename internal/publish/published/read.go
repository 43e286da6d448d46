package published

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
)

func (t *Table) read(fsys fs.FS) error {
	f, err := fsys.Open(path.Join("data", t.File))
	if err != nil {
		return err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", t.File, err)
	}
	if len(records) < 2 {
		return fmt.Errorf("%s: no rows", t.File)
	}
	column := make(map[string]int)
	for i, name := range records[0] {
		column[name] = i
	}
	needed := slices.Concat(t.Keys, t.Values)
	if t.Paper.Secondary == "" {
		needed = append(needed, "line")
	}
	for _, name := range needed {
		if _, ok := column[name]; !ok {
			return fmt.Errorf("%s: no column %q in %q", t.File, name, records[0])
		}
	}
	for i, record := range records[1:] {
		if err := t.add(record, column); err != nil {
			return fmt.Errorf("%s:%d: %w", t.File, i+2, err)
		}
	}
	return nil
}

// add adds the cells of one line.
func (t *Table) add(record []string, column map[string]int) error {
	get := func(name string) string {
		if i, ok := column[name]; ok {
			return plain(record[i])
		}
		return ""
	}
	if t.Unit != "" && get("value_unit") != t.Unit {
		return nil
	}
	row := Row{Model: t.Reads}
	for _, key := range t.Keys {
		switch value := get(key); {
		case key == "model":
			row.Model = value
		case row.Label == "":
			row.Label = value
		case value != "":
			row.Label += " (" + value + ")"
		}
	}
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Model == row.Model && r.Label == row.Label })
	if i < 0 {
		i = len(t.Rows)
		t.Rows = append(t.Rows, row)
	}
	for _, c := range t.cells(get) {
		value, err := strconv.ParseFloat(c.Printed, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Metric, err)
		}
		c.Value = value
		c.Source = get("source")
		if c.Line, err = strconv.Atoi(get("line")); t.Paper.Secondary == "" && (err != nil || c.Line < 1) {
			return fmt.Errorf("%s: line is %q, want that of the paper's text, from 1", c.Metric, get("line"))
		}
		if _, ok := t.Metric(c.Metric); !ok {
			return fmt.Errorf("metric %q is not in the protocol", c.Metric)
		}
		if _, ok := t.Rows[i].Cell(c.Group, c.Metric); ok {
			return fmt.Errorf("%s, %s: second cell", row.Key(), c.Name())
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, c)
	}
	return nil
}

// cells returns the cells of one line, without their values.
func (t *Table) cells(get func(string) string) []Cell {
	group := t.Only
	if t.Group != "" {
		group = get(t.Group)
	}
	if t.Values == nil {
		return []Cell{{Group: group, Metric: get("metric"), Printed: get("value"), StDev: get("stdev")}}
	}
	return lists.Map(t.Values, func(name string) Cell { return Cell{Group: group, Metric: name, Printed: get(name)} })
}

// plain takes away the italics that some files keep from the paper.
func plain(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "<i>"), "</i>")
}

// half returns half a unit of the last printed digit.
func half(text string) float64 {
	_, decimals, _ := strings.Cut(text, ".")
	return 0.5 * math.Pow10(-len(decimals))
}
