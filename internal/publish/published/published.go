// Package published has the tables that papers and others printed, as data: every
// cell with its printed digits, and each table with its citation and its protocol.
// A report compares protocols before it compares numbers; [Audit] recomputes what
// the printed numbers allow.
//
// The cells are the CSV files under data, each with its line in the paper's text; papers and
// protocols are in tables.yaml. docs/reproduce.md lists what is there.
package published

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// A Paper is where tables were published.
type Paper struct {
	Key     string // beginning of the names of its tables, such as "xmemory"
	Title   string
	Authors string
	Year    int
	ID      string // such as "arXiv:2602.02007"
	// Secondary says where the numbers are from and how certain they are, if they were
	// not read in the paper; cells then have no line. Empty for a paper that was read.
	Secondary string
}

// Citation returns the paper in one line.
func (p *Paper) Citation() string {
	return fmt.Sprintf("%s, %q, %d, %s", p.Authors, p.Title, p.Year, p.ID)
}

// Text names the file with the paper's text, which the lines of cells count.
func (p *Paper) Text() string { return p.Key + ".txt" }

// A Table is a published table.
type Table struct {
	Name   string // in commands and configs, such as "xmemory-table1"
	Number string // in the paper, such as "Table 1"
	Title  string
	Paper  *Paper `yaml:"-"`
	*Protocol
	Rows []Row `yaml:"-"`

	PaperKey string   `yaml:"paper"`
	File     string   // of the cells, under data
	Keys     []string // columns that name a row; "model" is the reader
	Group    string   // column that splits a row's cells, such as "category"
	Only     string   // group of all cells, where they are of one
	Unit     string   // value_unit of its rows, in a file that has others; empty for all rows
	Values   []string // columns of numbers; nil if "metric" names the number in "value"
	Reads    string   `yaml:"reader"` // the reader of all rows, where the table has no column "model"
}

// A Row is one line of a published table.
type Row struct {
	Model string // the reader, as printed or as the text says; empty for none
	Label string // what else names the row, such as "Naive RAG"
	Cells []Cell
}

// A Cell is one published number.
type Cell struct {
	Group   string // such as "temporal"; empty in a table without groups
	Metric  string // a name of the protocol's Metrics
	Printed string // the digits as printed
	Value   float64
	StDev   string // as printed; empty for none
	// Line is the position of the cell in the text of the paper, from 1: in the
	// file that [Paper.Text] names. 0 if the paper was not read.
	Line int
	// Source is where the number is stated, in a table whose rows have other sources.
	Source string
}

// Name names the cell within its row.
func (c Cell) Name() string {
	if c.Group == "" {
		return c.Metric
	}
	return c.Group + " " + c.Metric
}

// Rounding returns half a unit of the last printed digit.
func (c Cell) Rounding() float64 { return half(c.Printed) }

// find returns the first element that is meant.
func find[T any](list []T, is func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Cell returns the cell of a group and metric.
func (r Row) Cell(group, metric string) (Cell, bool) {
	return find(r.Cells, func(c Cell) bool { return c.Group == group && c.Metric == metric })
}

// Key names the row within its table.
func (r Row) Key() string {
	if r.Model == "" {
		return r.Label
	}
	return r.Model + ", " + r.Label
}

// Row returns the row of a model and a label.
func (t *Table) Row(model, label string) (Row, bool) {
	return find(t.Rows, func(r Row) bool { return r.Model == model && r.Label == label })
}

// Groups returns the groups by which the table's cells are split, in the order
// of the columns; only the empty group if there are none.
func (t *Table) Groups() []string {
	var groups []string
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			groups = lists.AddNew(groups, c.Group)
		}
	}
	return groups
}

//go:embed data/*.csv
var data embed.FS

//go:embed tables.yaml
var about []byte

// specs are all tables, without their rows, in the order of lists.
var specs = sync.OnceValue(func() []*Table {
	var file struct {
		Papers []*Paper
		Tables []*Table
	}
	d := yaml.NewDecoder(bytes.NewReader(about))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		panic(err) // the file is part of the program
	}
	for _, t := range file.Tables {
		t.Paper = file.Papers[slices.IndexFunc(file.Papers, func(p *Paper) bool { return p.Key == t.PaperKey })]
	}
	return file.Tables
})

var load = sync.OnceValues(func() ([]*Table, error) {
	tables := specs()
	errs := lists.Map(tables, func(t *Table) error { return t.read(data) })
	return tables, errors.Join(errs...)
})

// List returns all tables. They are shared: do not change them.
func List() []*Table {
	tables, err := load()
	if err != nil {
		panic("published: embedded data: " + err.Error())
	}
	return slices.Clone(tables)
}

// Names returns the names of all tables, without reading them.
func Names() []string {
	return lists.Map(specs(), func(t *Table) string { return t.Name })
}

// Get returns the table with the given name. The error for an unknown name suggests the
// nearest one.
func Get(name string) (*Table, error) {
	if t, ok := find(List(), func(t *Table) bool { return strings.EqualFold(t.Name, name) }); ok {
		return t, nil
	}
	return nil, errors.New(suggest.Unknown("published table", name, Names()))
}
