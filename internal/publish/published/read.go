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

// read reads the rows of the table from its file.
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
	for _, record := range records[1:] {
		line := make(map[string]string)
		for i, name := range records[0] { // without the italics of the paper
			line[name] = strings.TrimSuffix(strings.TrimPrefix(record[i], "<i>"), "</i>")
		}
		if t.Unit == "" || line["value_unit"] == t.Unit {
			if err := t.add(line); err != nil {
				return fmt.Errorf("%s: %q: %w", t.File, record, err)
			}
		}
	}
	return nil
}

// add adds the cells of one line.
func (t *Table) add(line map[string]string) (err error) {
	row := Row{Model: t.Reads}
	for _, key := range t.Keys {
		switch value := line[key]; {
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
	cells := []Cell{{Metric: line["metric"], Printed: line["value"], StDev: line["stdev"]}}
	if t.Values != nil {
		cells = lists.Map(t.Values, func(name string) Cell { return Cell{Metric: name, Printed: line[name]} })
	}
	for _, c := range cells {
		if c.Group = t.Only; t.Group != "" {
			c.Group = line[t.Group]
		}
		if c.Value, err = strconv.ParseFloat(c.Printed, 64); err != nil {
			return err
		}
		c.Source = line["source"]
		if c.Line, err = strconv.Atoi(line["line"]); err != nil && t.Paper.Secondary == "" {
			return err
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, c)
	}
	return nil
}

// half returns half a unit of the last printed digit.
func half(text string) float64 {
	_, decimals, _ := strings.Cut(text, ".")
	return 0.5 * math.Pow10(-len(decimals))
}
