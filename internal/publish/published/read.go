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
	f, err := fsys.Open(path.Join("data", t.file))
	if err != nil {
		return err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", t.file, err)
	}
	if len(records) < 2 {
		return fmt.Errorf("%s: no rows", t.file)
	}
	column := make(map[string]int)
	for i, name := range records[0] {
		column[name] = i
	}
	for _, name := range slices.Concat(t.keys, t.values, []string{"line"}) {
		if _, ok := column[name]; !ok {
			return fmt.Errorf("%s: no column %q in %q", t.file, name, records[0])
		}
	}
	for i, record := range records[1:] {
		if err := t.add(record, column); err != nil {
			return fmt.Errorf("%s:%d: %w", t.file, i+2, err)
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
	row := Row{Model: t.reader}
	for _, key := range t.keys {
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
		if c.Line, err = strconv.Atoi(get("line")); err != nil || c.Line < 1 {
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
	group := t.only
	if t.group != "" {
		group = get(t.group)
	}
	if t.values == nil {
		return []Cell{{Group: group, Metric: get("metric"), Printed: get("value"), StDev: get("stdev")}}
	}
	return lists.Map(t.values, func(name string) Cell { return Cell{Group: group, Metric: name, Printed: get(name)} })
}

// plain takes away the italics that some files keep from the paper.
func plain(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "<i>"), "</i>")
}

// A number is a printed number, or what was computed from printed ones: its
// value taking the digits as they are, and the range that the value can have
// when each printed number was rounded to its last digit. The range is carried
// through every step (interval arithmetic), so a tolerance is never guessed.
type number struct {
	at, lo, hi float64
	from       place // the first cell that it was computed from
}

// A place is where a cell stands.
type place struct{ table, row, cell string }

// rounded returns the number that was printed as text.
func rounded(text string) number {
	at, err := strconv.ParseFloat(text, 64)
	if err != nil {
		at = math.NaN() // fails every comparison
	}
	h := half(text)
	return number{at: at, lo: at - h, hi: at + h}
}

// half returns half a unit of the last printed digit.
func half(text string) float64 {
	_, decimals, _ := strings.Cut(text, ".")
	return 0.5 * math.Pow10(-len(decimals))
}

// whole returns a number that is exact.
func whole(x float64) number { return number{at: x, lo: x, hi: x} }

func (a number) plus(b number) number {
	return number{a.at + b.at, a.lo + b.lo, a.hi + b.hi, a.from}
}

func (a number) minus(b number) number {
	return number{a.at - b.at, a.lo - b.hi, a.hi - b.lo, a.from}
}

func (a number) times(factor float64) number {
	return number{a.at * factor, a.lo * factor, a.hi * factor, a.from}
}

// over returns a / b, for numbers that are not negative.
func (a number) over(b number) number {
	return number{a.at / b.at, a.lo / b.hi, a.hi / b.lo, a.from}
}

// share returns a as a percentage of b.
func (a number) share(b number) number { return a.over(b).times(100) }

// gain returns by how many percent a is above b.
func (a number) gain(b number) number { return a.share(b).minus(whole(100)) }

// largest returns the largest of some numbers.
func largest(first number, rest ...number) number {
	m := first
	for _, n := range rest {
		if n.at > m.at {
			m.at, m.from = n.at, n.from
		}
		m.lo, m.hi = max(m.lo, n.lo), max(m.hi, n.hi)
	}
	return m
}

// tolerance returns how far a printed number may be from the computed one, on
// its side of it, before the two contradict each other.
func (a number) tolerance(printed number) float64 {
	if printed.at >= a.at {
		return a.hi - a.at + printed.at - printed.lo
	}
	return a.at - a.lo + printed.hi - printed.at
}

// agrees reports whether one value can be both a and b. The slack is for the
// floating-point error of sums of decimal fractions, far below a digit.
func (a number) agrees(b number) bool {
	const slack = 1e-9
	return a.lo <= b.hi+slack && b.lo <= a.hi+slack
}
