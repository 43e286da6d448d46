package interchange

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// MaxResults is the size in bytes above which a file of results is refused, packed or
// unpacked, 4 GiB.
const MaxResults = 4 << 30

// Majority makes the score of several votes what more than half of them say, in place
// of their mean.
const Majority = "majority"

// ResultOptions say how results are read.
type ResultOptions struct {
	Format  string     // of [ResultFormats]; empty to find out
	Fields  ItemFields // what overrides the format's own ids and groups
	Side    string     // of a file with several
	Columns []string   // those that are compared; empty for all
	Combine string     // how votes become a score: empty for their mean, or [Majority]
	Partial bool       // take a log that is not finished
}

// Results are the scores that one file, or one side of it, gives to items.
type Results struct {
	Name   string // as it was given
	Format string
	SHA256 string // of the file, or of the hashes of several
	Side   string
	// About is what the file says of all items: its task, model, judge and the like.
	About   map[string]string
	Columns []ResultColumn // by name
	Items   []*ResultItem  // in the order of the file
	Notes   []string
}

// A ResultColumn is a column of scores.
type ResultColumn struct {
	Name string
	// Unit tells that all values lie in [0, 1], and Binary that each is 0 or 1.
	Unit, Binary bool
	Better       bool // higher is better, by the rules of the format
	Usage        bool // what an answer took: tokens or milliseconds
	// Scale is what tables multiply by and Lower whether lower is better, where the
	// file says so; else 0 and nil.
	Scale float64
	Lower *bool
}

// A ResultItem is an item, with its values in each column.
type ResultItem struct {
	Key, Cluster, Category, Prompt string

	Question uint64 // a hash of its text but for case and white space; 0 where there is none
	Epochs   int
	Failed   int // of the epochs

	places []place
	values [][]float64 // of each column, in the order of the epochs and votes
}

// A place is where an epoch of an item stands.
type place struct{ epoch, line int }

// Value returns the mean of the epochs in a column of the results, NaN where it is
// undefined.
func (it *ResultItem) Value(column int) float64 {
	values := it.Repeats(column)
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values)) // NaN for none
}

// Repeats returns the values of the epochs and votes in a column.
func (it *ResultItem) Repeats(column int) []float64 {
	if column >= len(it.values) {
		return nil
	}
	return it.values[column]
}

// Column returns the place of a column; -1 where there is none.
func (r *Results) Column(name string) int {
	return slices.IndexFunc(r.Columns, func(c ResultColumn) bool { return c.Name == name })
}

// ReadResults reads the scores of a file or folder, or of FILE#SIDE. The items are held
// without their texts, so that a file may be larger than memory. All that is not as
// its format has it comes as one error.
func ReadResults(ctx context.Context, name string, o ResultOptions) (*Results, error) {
	path, side := splitSide(name)
	if side != "" {
		o.Side = side
	}
	c := &compaction{reading: newReading(ctx, o), sides: make(map[string]*sideItems)}
	c.scores, c.take = true, c.add
	if err := c.files(path, ResultFormats()); err != nil {
		return nil, err
	}
	return c.results(name)
}

// A compaction holds the items of a file, by side.
type compaction struct {
	*reading
	order []string // of the sides
	sides map[string]*sideItems

	lacking int // items without an id, of which the first is a fault
}

type sideItems struct {
	Results
	byKey map[string]*ResultItem
	// scored tells whether any item has a number.
	scored bool
}

// add takes an item, or an epoch of one.
func (c *compaction) add(it *Answer) {
	fault := func(format string, args ...any) { c.faults.Addf(it.Line, prefix(it.Where)+format, args...) }
	switch {
	case it.Invalid:
		c.invalid++
		return
	case it.Key == "":
		if c.lacking++; c.lacking > 1 {
			return
		}
		fault("the item has no id; --id FIELD names the field that pairs it with items of another file")
		return
	}
	s := c.sides[it.Side]
	if s == nil {
		s = &sideItems{byKey: make(map[string]*ResultItem)}
		c.sides[it.Side], c.order = s, append(c.order, it.Side)
	}
	of := s.byKey[it.Key]
	if of == nil {
		of = &ResultItem{Key: strings.Clone(it.Key), Cluster: strings.Clone(it.Cluster), Category: strings.Clone(it.Gold.Category), Prompt: strings.Clone(it.Prompt)}
		if it.Gold.Question != "" {
			h := fnv.New64a()
			_, _ = io.WriteString(h, collapsed(it.Gold.Question)) // never fails
			of.Question = h.Sum64()
		}
		s.byKey[of.Key], s.Items = of, append(s.Items, of)
	}
	at := place{max(it.Epoch, 1), it.Line}
	if i := slices.IndexFunc(of.places, func(p place) bool { return p.epoch == at.epoch }); i >= 0 {
		fault("item %s, epoch %d, occurs twice, also at line %d", quoted(it.Key), at.epoch, of.places[i].line)
		return
	}
	if of.Cluster != it.Cluster {
		fault("item %s belongs to %s, and in an earlier epoch to %s", quoted(it.Key), quoted(it.Cluster), quoted(of.Cluster))
		return
	}
	if of.places, of.Epochs = append(of.places, at), of.Epochs+1; it.failed() {
		of.Failed++
	}
	for _, score := range it.Scores {
		column := ResultColumn{Name: score.Column, Better: score.Better}
		for _, vote := range score.Votes {
			s.value(of, column, &vote)
		}
		if len(score.Votes) == 0 {
			s.value(of, column, score.Value)
		}
	}
	if u, ok := it.usage(); ok {
		s.value(of, ResultColumn{Name: "tokens-input", Usage: true}, new(float64(u.Input)))
		s.value(of, ResultColumn{Name: "tokens-output", Usage: true}, new(float64(u.Output)))
	}
	if ms := it.Record.Time.Total; ms > 0 {
		s.value(of, ResultColumn{Name: "latency-ms", Usage: true}, &ms)
	}
}

// collapsed is a text in lower case with single spaces.
func collapsed(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// value adds a value of an item to a column; nil is undefined.
func (s *sideItems) value(of *ResultItem, column ResultColumn, x *float64) {
	at := s.Column(column.Name)
	if at < 0 {
		at = len(s.Columns)
		column.Unit, column.Binary = true, true
		s.Columns = append(s.Columns, column)
	}
	for len(of.values) <= at {
		of.values = append(of.values, nil)
	}
	c := &s.Columns[at]
	c.Better = c.Better && column.Better
	if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
		return
	}
	s.scored = s.scored || !column.Usage
	c.Unit = c.Unit && *x >= 0 && *x <= 1
	c.Binary = c.Binary && (*x == 0 || *x == 1)
	of.values[at] = append(of.values[at], *x)
}

// results returns the items of one side: the one that was asked for, the only one, or the
// one without a filter.
func (c *compaction) results(name string) (*Results, error) {
	if err := c.faults.Err(); err != nil {
		return nil, err
	}
	switch {
	case len(c.order) == 0:
		return nil, fmt.Errorf("%s has no items", name)
	case c.Side != "" && c.sides[c.Side] == nil:
		return nil, c.noSide(c.order)
	case c.Side != "":
	case len(c.order) == 1:
		c.Side = c.order[0]
	case c.sides["none"] != nil: // what lm-eval calls a filter that does nothing
		c.Side = "none"
	default:
		return nil, fmt.Errorf("%s has %d sides, want one as FILE#SIDE: %s", name, len(c.order), strings.Join(lists.Map(c.order, quoted), ", "))
	}
	s := c.sides[c.Side]
	if !s.scored {
		return nil, fmt.Errorf("%s has no scores of its answers (%d); import it with a dataset, or judge it", name, len(s.Items))
	}
	s.Name, s.Format, s.SHA256, s.Side, s.About, s.Notes = name, c.file.Format, c.file.SHA256, c.Side, c.about, c.notes
	maps.DeleteFunc(s.About, func(_, value string) bool { return value == "" })
	for i := range s.Columns {
		said := c.columns[s.Columns[i].Name]
		s.Columns[i].Scale, s.Columns[i].Lower = said.Scale, said.Lower
	}
	if c.invalid > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d samples that the file marks as invalid are left out", c.invalid))
	}
	return &s.Results, nil
}
