package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"recallbench/internal/calc/lists"
	"recallbench/metrics"
)

// ContrastOptions say what is compared and how.
type ContrastOptions struct {
	// Options are Metric and Columns, whose columns are compared; no others are used.
	Options
	// Rows says what a row is: empty for a method on a dataset with a model,
	// "category" for these split by category, "dataset" or "method" for one row over
	// all that is on a dataset or of a method.
	Rows string
	// EquivalentWithin and NotWorseBy are margins that rows are compared with, in the
	// unit of the tables; 0 for none.
	EquivalentWithin, NotWorseBy float64
	// Undecided leaves the tests of the rows to [Decide].
	Undecided bool
}

// RowKinds are the values of [ContrastOptions].Rows.
func RowKinds() []string { return []string{Category, "dataset", "method"} }

// Contrasts holds sides against a base, and returns the rows with what a reader could
// be misled by. Cells are matched by dataset, method and model. Where both sides have
// one dataset of a name, one method on a dataset, or one model of a method, labels
// may differ.
//
// Answers are paired by sample and request id, and those of several seeds by their
// means; requests that only one side has are left out. Where the data are others,
// or no request is on both sides, the means of conversations are compared.
//
// It is an error where nothing matches, or no column is on both sides.
func Contrasts(base Side, sides []Side, o ContrastOptions) ([]Contrast, []string, error) {
	c, err := newContraster(append([]Side{base}, sides...), o)
	if err != nil {
		return nil, nil, err
	}
	var faults []error
	for i := range sides {
		faults = append(faults, c.compare(i+1))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	if !o.Undecided {
		Decide(c.rows, o.infer(base.Header.Seed))
	}
	holdMargins(c.rows, o)
	noteLengths(c.rows)
	return lists.Map(c.rows, func(r *Contrast) Contrast { return *r }), c.notes, nil
}

// newContraster reads sides.
func newContraster(sides []Side, o ContrastOptions) (*contraster, error) {
	runs := lists.Distinct(sides, func(s Side) *Run { return s.Run })
	b, err := newBuilder(o.Options, runs...)
	if err != nil {
		return nil, err
	}
	c := &contraster{builder: b, options: o, sides: sides}
	if err := errors.Join(b.selectColumns(), c.selectTested()); err != nil {
		return nil, err
	}
	c.showWords()
	c.nameSides(runs)
	return c, c.read(runs)
}

// A contraster holds what the rows of one comparison share.
type contraster struct {
	*builder
	options ContrastOptions
	sides   []Side
	base    int // the place of the side that others are compared with
	names   []string
	lines   [][]*line // of each side
	rows    []*Contrast
	notes   []string
}

func (c *contraster) note(format string, args ...any) {
	c.notes = lists.AddNew(c.notes, fmt.Sprintf(format, args...))
}

// read reads the lines of the sides, the runs side by side.
func (c *contraster) read(runs []*Run) error {
	lines, faults := make([][]*line, len(runs)), make([]error, len(runs))
	var all sync.WaitGroup
	for i, r := range runs {
		all.Go(func() { lines[i], faults[i] = c.linesOf(r) })
	}
	all.Wait()
	c.lines = lists.Map(c.sides, func(s Side) []*line {
		return lists.Filter(lines[slices.Index(runs, s.Run)], func(l *line) bool {
			return (s.Method == "" || l.cell.Method == s.Method) && (s.Model == "" || l.cell.Model == s.Model)
		})
	})
	return errors.Join(faults...)
}

// nameSides finds names that tell the sides apart.
func (c *contraster) nameSides(runs []*Run) {
	c.nameRuns(runs)
	for i, s := range c.sides {
		name := cmp.Or(c.builder.names[s.Run], s.Name)
		if s.Method != "" {
			name += ":" + s.Method
		}
		if s.Model != "" {
			name += "@" + s.Model
		}
		if slices.Contains(c.names, name) {
			name = fmt.Sprintf("%s (side %d)", name, i+1)
		}
		c.names = append(c.names, name)
	}
}

func (c *contraster) compare(side int) error {
	found, err := c.matches(side)
	if err != nil {
		return err
	}
	measured := func(column metrics.Column) bool { return c.measured(side, column.Name) }
	if !slices.ContainsFunc(c.columns, measured) {
		return fmt.Errorf("nothing to compare: %s and %s are scored with no column that is the same", c.names[c.base], c.names[side])
	}
	c.columnNotes(side)
	c.matchNotes(side, found)
	for _, s := range c.scopes(side, found) {
		c.addRows(s)
	}
	return nil
}

// selectTested leaves out the selected columns that have no value of each request.
func (c *contraster) selectTested() error {
	var rest []metrics.Column
	for _, column := range c.columns {
		switch {
		case column.Weight != "":
			c.note("%s is not compared: its mean is weighted by %s", column.Name, column.Weight)
		case column.Sample:
			c.note("%s is not compared: it is a number of a sample's memory, not of a request", column.Name)
		case column.Total:
			c.note("%s is not compared: it is a sum, not a mean over requests", column.Name)
		default:
			rest = append(rest, column)
		}
	}
	c.columns = rest
	if len(rest) == 0 {
		return errors.New("no column to compare: none of those selected is a mean over requests")
	}
	return nil
}
