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
	"cmp"
	"embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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
func (c Cell) Rounding() float64 {
	_, decimals, _ := strings.Cut(c.Printed, ".")
	return 0.5 * math.Pow10(-len(decimals))
}

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

// Has reports whether a cell of the table is of a kind.
func (t *Table) Has(kind func(Row, Cell) bool) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return kind(r, c) })
	})
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
		panic("published: embedded tables: " + err.Error())
	}
	for _, t := range file.Tables {
		t.Paper, _ = find(file.Papers, func(p *Paper) bool { return p.Key == t.PaperKey })
	}
	return file.Tables
})

// List returns all tables. They are shared: do not change them.
var List = sync.OnceValue(func() []*Table {
	for _, t := range specs() {
		if err := t.read(); err != nil {
			panic("published: embedded data: " + err.Error())
		}
	}
	return specs()
})

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

// read reads the rows of the table from its file.
func (t *Table) read() error {
	content, err := data.ReadFile("data/" + t.File)
	if err != nil {
		return err
	}
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", t.File, err)
	}
	for _, record := range records[1:] {
		line := make(map[string]string)
		for i, name := range records[0] { // without the italics of the paper
			line[name] = strings.TrimSuffix(strings.TrimPrefix(record[i], "<i>"), "</i>")
		}
		if t.Unit != "" && line["value_unit"] != t.Unit {
			continue
		}
		if err := t.add(line); err != nil {
			return fmt.Errorf("%s: %q: %w", t.File, record, err)
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
		c.Group, c.Source = cmp.Or(line[t.Group], t.Only), line["source"]
		if c.Value, err = strconv.ParseFloat(c.Printed, 64); err != nil {
			return err
		}
		if c.Line, err = strconv.Atoi(line["line"]); err != nil && t.Paper.Secondary == "" {
			return err
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, c)
	}
	return nil
}

// Claim is the kind of a check of a number or an order that the text states.
const Claim = "claim"

// A Check is one comparison of printed numbers with each other.
type Check struct {
	Kind  string `json:"kind"` // what is recomputed, such as an average
	Table string `json:"table"`
	Row   string `json:"row"`
	Cell  string `json:"cell"`
	// Printed is what the paper has, Recomputed what follows from its other
	// numbers; nil if the check is not about a number.
	Printed    string   `json:"printed"`
	Recomputed *float64 `json:"recomputed,omitempty"`
	// Tolerance is how far the two may be apart when every number was rounded
	// to the digits that are printed.
	Tolerance *float64 `json:"tolerance,omitempty"`
	Agrees    bool     `json:"agrees"`
	Note      string   `json:"note"`
}

//go:embed data/audit.jsonl
var audited []byte

// Audit returns what recomputing the published tables found: all checks, those
// that agree too, in the order of the tables and their rows. The tables are
// fixed, and so are the findings: a test recomputes them from the cells.
var Audit = sync.OnceValue(func() (all []Check) {
	for line := range bytes.Lines(audited) {
		var c Check
		if err := json.Unmarshal(line, &c); err != nil {
			panic("published: embedded audit: " + err.Error())
		}
		all = append(all, c)
	}
	return all
})

// A Protocol says how the numbers of a table came about, as far as the paper or
// its authors' releases say. A measured number is comparable with a published
// one only if the protocols agree; an empty field was not published.
type Protocol struct {
	Dataset string // this program's name of it
	// Data lists the SHA-256 digests of the files that are known to have been
	// used; empty if the paper does not identify them.
	Data  []string
	Split string // what part of the dataset, in words
	// Parts are the groups of questions by which cells are split.
	Parts []Part
	// Average is the group that averages the others.
	Average   string
	Averaging Averaging
	// Category5 is the treatment of adversarial questions, as this program
	// names the policy.
	Category5 string
	Readers   []Reader
	Judge     string // model and rule, in words; empty if no model judged
	Embedding string // model
	Decoding  string
	Metrics   []Metric
	Methods   []Method
	// Unpublished lists what a reproduction needs and the paper does not say.
	Unpublished []string
}

// A Part is a group of questions.
type Part struct {
	Name string // in the cells' Group
	N    int    // number of questions; 0 for not published
}

// An Averaging says what an average is a mean of.
type Averaging string

// The ways to average.
const (
	OverQuestions Averaging = "over questions" // each question counts the same
	OverGroups    Averaging = "over groups"    // each group counts the same
)

// A Reader is a model that answered.
type Reader struct {
	Row       string   // in the rows' Model
	Names     []string // other names of the same model
	Tokenizer string   // that tokens were counted with; empty for the provider's own count
}

// Is reports whether name names the reader.
func (r Reader) Is(name string) bool { return name == r.Row || slices.Contains(r.Names, name) }

// A Metric says what the numbers of a metric mean.
type Metric struct {
	Name string // in the cells' Metric
	// Column is the column of this program that measures the same, in the same
	// dialect; empty if there is none.
	Column string
	Unit   Unit
	// Questions is the number of questions that the mean is over, where it is
	// not the protocol's.
	Questions int
	// Counting says what is counted and what is not, for tokens.
	Counting string
}

// A Unit says what a number counts: also "ratio" (in [0, 1], as printed), "mean" (of
// something), "count" (a whole number, printed in full), "rating" (of people) or "ms".
type Unit string

// The units that comparisons treat apart: a ratio times 100, and a mean number of tokens.
const (
	Percent Unit = "percent"
	Tokens  Unit = "tokens"
)

// A Method says what is known about a row's method.
type Method struct {
	Row string // the row's Label
	// Model limits what is said to the row of one reader; empty for all that
	// no other entry is about.
	Model string
	// Use is this program's name of the method, whether it has it or not.
	Use string
	K   int // blocks given to the reader; 0 for none or not published
	// NoEmbedding is set for a method that embeds nothing.
	NoEmbedding bool
	// Unpublished lists the options that the paper does not say.
	Unpublished []string
}

// Metric returns the metric with the given name.
func (p *Protocol) Metric(name string) (Metric, bool) {
	return find(p.Metrics, func(m Metric) bool { return m.Name == name })
}

// Method returns what is known of the method of a row.
func (p *Protocol) Method(r Row) (Method, bool) {
	if m, ok := find(p.Methods, func(m Method) bool { return m.Row == r.Label && m.Model == r.Model }); ok {
		return m, true
	}
	return find(p.Methods, func(m Method) bool { return m.Row == r.Label && m.Model == "" })
}

// Reader returns the reader of a row.
func (p *Protocol) Reader(model string) (Reader, bool) {
	return find(p.Readers, func(r Reader) bool { return r.Row == model })
}

// N returns the number of questions behind a cell, 0 for not published.
func (p *Protocol) N(group string, m Metric) (n int) {
	sums := group == "" || group == p.Average
	if sums && m.Questions > 0 {
		return m.Questions
	}
	for _, part := range p.Parts {
		if sums && part.N == 0 {
			return 0
		}
		if sums || part.Name == group {
			n += part.N
		}
	}
	return n
}
