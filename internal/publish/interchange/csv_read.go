package interchange

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// The names of columns that a table of scores is expected to have.
var (
	tableIDs      = []string{"id", "question_id", "item"}
	tableClusters = []string{"conversation", "sample", "cluster"}
	tableScores   = []string{"score", "correct"}
)

// readTable reads a table with a header line, separated by commas or tabs. Without a
// column of a known name, each one is a score that holds numbers.
func readTable(r *reading) error {
	var t tableColumns
	return r.eachRow(func(c *jsontree.Cursor, line int) {
		if t.header == nil {
			t = newTableColumns(lists.Map(c.Value.Fields, func(f jsontree.Field) string { return f.Name }), r)
		}
		t.read(r, c, line)
	})
}

// table reports whether the file looks like a table: no JSON, and with a header.
func (r *reading) table() bool {
	head, _ := r.nulls.in.Peek(64 << 10)
	first := r.first()
	return first != 0 && first != '{' && first != '[' && detectTable(datafile.TrimBOM(head)) != ""
}

// eachRow calls read for each row of a table, an object of texts by the names of the
// header.
func (r *reading) eachRow(read func(c *jsontree.Cursor, line int)) error {
	head, _ := r.nulls.in.Peek(64 << 10)
	line, _, _ := strings.Cut(string(head), "\n")
	lines := &lineCount{in: r.nulls.in} // as it is: NaN is a text here
	in := csv.NewReader(lines)
	in.ReuseRecord = true
	if strings.Contains(line, "\t") && !strings.Contains(line, ",") {
		in.Comma = '\t'
	}
	lines.until = 2 * MaxItem
	header, err := in.Read()
	if err != nil {
		return fmt.Errorf("%s:1: %w", r.file.Name, err)
	}
	header = slices.Clone(header)
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("%s:1: column %q is there twice", r.file.Name, name)
		}
	}
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		lines.until = in.InputOffset() + 2*MaxItem
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if pe, ok := errors.AsType[*csv.ParseError](err); ok {
			r.faults.Addf(pe.Line, "%w, want %d fields as the header has", pe.Err, len(header))
			if errors.Is(err, csv.ErrFieldCount) {
				continue
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.file.Name, err)
		}
		at, _ := in.FieldPos(0)
		v := jsontree.Value{Kind: jsontree.Object}
		for i, name := range header {
			v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: tableValue(strings.Clone(row[i]))})
		}
		read(jsontree.Root(&v, "", func(_ int, _, fault string) { r.faults.Addf(at, "%s", fault) }), at)
	}
}

// A tableColumns knows what the columns of a table are.
type tableColumns struct {
	header                []string
	id, cluster, category string
	scores                []string // by their names; nil for all that hold numbers
	own                   bool     // an export, whose first columns are no scores
}

func newTableColumns(header []string, r *reading) tableColumns {
	first := func(names []string) string {
		for _, name := range names {
			if slices.Contains(header, name) {
				return name
			}
		}
		return ""
	}
	t := tableColumns{header: header, id: first(tableIDs), cluster: first(tableClusters), category: first([]string{"category"})}
	if t.own = len(header) >= len(csvHead) && slices.Equal(header[:len(csvHead)], csvHead); !t.own && len(r.wanted) == 0 {
		t.scores = lists.Filter(header, func(name string) bool { return slices.Contains(tableScores, name) })
	}
	return t
}

// read reads a row. Its line is that of the first field.
func (t tableColumns) read(r *reading, c *jsontree.Cursor, line int) {
	it := Item{Answer: Answer{Line: line, Category: text(c.Value, t.category)}, Key: text(c.Value, t.id), Cluster: text(c.Value, t.cluster)}
	if t.own {
		it.Key, it.Side = text(c.Value, "sample")+"/"+text(c.Value, "request"), text(c.Value, "cell")
	}
	taken := []string{t.id, t.cluster, t.category, r.fieldsAt.ID, r.fieldsAt.Cluster, r.fieldsAt.Category, r.fieldsAt.Epoch}
	for _, f := range c.Value.Fields {
		known := slices.Contains(t.scores, f.Name)
		if !known && len(t.scores) > 0 || slices.Contains(taken, f.Name) || t.own && slices.Contains(csvHead, f.Name) {
			continue
		}
		x, ok := tableNumber(f.Value.Text)
		switch {
		case ok:
			it.score(f.Name, x, slices.Contains(tableScores, f.Name))
		case known:
			c.Faultf("%s is %q, want a number, true or false, or nothing", f.Name, f.Value.Text)
			return
		}
	}
	if status := text(c.Value, "status"); t.own && status != string(record.OK) {
		it.failAs(status, text(c.Value, "error_kind"), text(c.Value, "error_message"))
	}
	r.emit(c, it)
}

// tableValue returns a field as the value that its text may stand for.
func tableValue(s string) jsontree.Value {
	if lower := strings.ToLower(s); lower == "true" || lower == "false" {
		return jsontree.Value{Kind: jsontree.Bool, Text: lower}
	}
	if x, ok := tableNumber(s); ok && x != nil {
		return jsontree.Value{Kind: jsontree.Number, Text: s}
	}
	return jsontree.Value{Kind: jsontree.String, Text: s}
}

// tableNumber returns the number of a field, 1 and 0 for true and false, nil for an
// empty one, and whether it is one of these.
func tableNumber(s string) (*float64, bool) {
	switch s = strings.ToLower(strings.TrimSpace(s)); s {
	case "", "nan":
		return nil, true
	case "true":
		return new(1.0), true
	case "false":
		return new(0.0), true
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) {
		return nil, false
	}
	return &x, true
}
