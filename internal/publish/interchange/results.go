package interchange

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

	Question uint64 // a hash of its text; 0 where there is none
	Epochs   int
	Failed   int // of the epochs

	places []place
	values [][]float64 // of each column, in the order of the epochs and votes
}

// A place is where an epoch of an item stands.
type place struct {
	epoch, line int
	where       string
}

// Value returns the mean of the epochs in a column of the results, NaN where it is
// undefined.
func (it *ResultItem) Value(column int) float64 {
	values := it.Repeats(column)
	if len(values) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
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
	o.Side = cmp.Or(side, o.Side)
	sources, format, err := sourcesOf(path, o.Format)
	if err != nil {
		return nil, err
	}
	f, err := find("format of results", format, ResultFormats())
	if err != nil {
		return nil, err
	}
	r := newReading(ctx, path, format, strings.NewReader(""))
	r.scores, r.fieldsAt, r.combine, r.partial, r.wanted = true, o.Fields, o.Combine, o.Partial, o.Columns
	c := &compaction{r: r, sides: make(map[string]*sideItems)}
	r.take = c.take
	hash := sha256.New()
	sum := ""
	for _, s := range sources {
		if sum, err = s.read(r, f); err != nil {
			return nil, misnamed(path, o.Format, err)
		}
		fmt.Fprintln(hash, sum)
	}
	if len(sources) > 1 {
		sum = hex.EncodeToString(hash.Sum(nil))
	}
	results, err := c.results(name, o.Side, sum)
	return results, misnamed(path, o.Format, err)
}

// misnamed adds to an error what a file is where a person called it something else.
func misnamed(path, format string, err error) error {
	if err == nil || format == "" {
		return err
	}
	if _, is, unknown := sourcesOf(path, ""); unknown == nil && is != format {
		return fmt.Errorf("%w; it looks like %s, not %s", err, is, format)
	}
	return err
}

// A compaction holds the items of a file, by side.
type compaction struct {
	r     *reading
	order []string // of the sides
	sides map[string]*sideItems

	lacking int // items without an id
}

type sideItems struct {
	items   []*ResultItem
	byKey   map[string]*ResultItem
	columns []*ResultColumn
	places  map[string]int // of columns
	// scored tells whether any item has a number.
	scored bool
}

func (c *compaction) take(it Item) {
	if it.Invalid {
		c.r.invalid++
		return
	}
	fault := func(format string, args ...any) { c.r.faults.Addf(it.Line, prefix(it.Where)+format, args...) }
	if it.Key == "" {
		if c.lacking++; c.lacking == 1 {
			fault("the item has no id; --id FIELD names the field that pairs it with that of another file")
		}
		return
	}
	s := c.sides[it.Side]
	if s == nil {
		s = &sideItems{byKey: make(map[string]*ResultItem), places: make(map[string]int)}
		c.sides[it.Side], c.order = s, append(c.order, it.Side)
	}
	of := s.byKey[it.Key]
	if of == nil {
		of = &ResultItem{Key: strings.Clone(it.Key), Cluster: strings.Clone(it.Cluster), Category: strings.Clone(it.Category), Prompt: strings.Clone(it.Prompt)}
		if it.Question != "" {
			of.Question = questionHash(it.Question)
		}
		s.byKey[of.Key], s.items = of, append(s.items, of)
	}
	at := place{max(it.Epoch, 1), it.Line, it.Where}
	if i := slices.IndexFunc(of.places, func(p place) bool { return p.epoch == at.epoch }); i >= 0 {
		before := of.places[i]
		fault("item %s, epoch %d, is there twice, also at %s", quoted(it.Key), at.epoch, cmp.Or(before.where, fmt.Sprint("line ", before.line)))
		return
	}
	if of.Cluster != it.Cluster {
		fault("item %s belongs to %s, and in an earlier epoch to %s", quoted(it.Key), quoted(it.Cluster), quoted(of.Cluster))
		return
	}
	of.places, of.Epochs = append(of.places, at), of.Epochs+1
	if it.failed() {
		of.Failed++
	}
	s.add(of, it)
}

// questionHash is that of a question without its case and white space.
func questionHash(question string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, collapsed(question)) // never fails
	return h.Sum64()
}

// add adds the scores of an epoch, and what it used.
func (s *sideItems) add(of *ResultItem, it Item) {
	for _, score := range it.Scores {
		column := ResultColumn{Name: score.Column, Better: score.Better}
		for _, vote := range score.Votes {
			s.value(of, column, &vote)
		}
		if len(score.Votes) == 0 {
			s.value(of, column, score.Value)
		}
	}
	if u := it.Usage; u != nil {
		s.value(of, ResultColumn{Name: "tokens-input", Usage: true}, new(float64(u.Input)))
		s.value(of, ResultColumn{Name: "tokens-output", Usage: true}, new(float64(u.Output)))
	}
	if len(it.Stages) > 0 {
		s.value(of, ResultColumn{Name: "latency-ms", Usage: true}, new(it.Total()))
	}
}

func (s *sideItems) value(of *ResultItem, column ResultColumn, x *float64) {
	at, ok := s.places[column.Name]
	if !ok {
		at = len(s.columns)
		column.Unit, column.Binary = true, true
		s.columns, s.places[column.Name] = append(s.columns, &column), at
	}
	for len(of.values) <= at {
		of.values = append(of.values, nil)
	}
	c := s.columns[at]
	c.Better = c.Better && column.Better || !ok && column.Better
	if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
		return
	}
	s.scored = s.scored || !column.Usage
	c.Unit = c.Unit && *x >= 0 && *x <= 1
	c.Binary = c.Binary && (*x == 0 || *x == 1)
	of.values[at] = append(of.values[at], *x)
}

// results returns the items of one side.
func (c *compaction) results(name, side, sum string) (*Results, error) {
	r := c.r
	if r.lineFaults*10 > r.linesRead {
		return nil, fmt.Errorf("%w; %d of %d lines are not, and at most one in ten may be", r.firstBroken, r.lineFaults, r.linesRead)
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	s, side, err := c.side(name, side)
	if err != nil {
		return nil, err
	}
	to := &Results{Name: name, Format: r.file.Format, SHA256: sum, Side: side, About: r.about, Items: s.items, Notes: r.notes}
	maps.DeleteFunc(to.About, func(_, value string) bool { return value == "" })
	for _, column := range s.columns {
		said := r.columns[column.Name]
		column.Scale, column.Lower = said.Scale, said.Lower
		to.Columns = append(to.Columns, *column)
	}
	if r.lineFaults > 0 {
		to.Notes = append(to.Notes, fmt.Sprintf("%d of %d lines are left out, the first: %v", r.lineFaults, r.linesRead, r.firstBroken))
	}
	if r.invalid > 0 {
		to.Notes = append(to.Notes, fmt.Sprintf("%d samples that the file calls invalid are left out", r.invalid))
	}
	return to, nil
}

// side chooses the side of a file: the one that was asked for, the only one, or the
// one without a filter.
func (c *compaction) side(name, side string) (*sideItems, string, error) {
	has := func(s string) bool { return c.sides[s] != nil }
	switch {
	case len(c.order) == 0:
		return nil, "", fmt.Errorf("%s: there is no item in it", name)
	case side != "" && !has(side):
		return nil, "", fmt.Errorf("%s: no side %s; it has %s", name, quoted(side), strings.Join(lists.Map(c.order, quoted), ", "))
	case side != "":
	case len(c.order) == 1:
		side = c.order[0]
	case has("none"): // what lm-eval calls a filter that does nothing
		side = "none"
	default:
		return nil, "", fmt.Errorf("%s: it has %d sides, want one as FILE#SIDE: %s", name, len(c.order), strings.Join(lists.Map(c.order, quoted), ", "))
	}
	s := c.sides[side]
	if !s.scored {
		return nil, "", fmt.Errorf("%s: it has %d answers and no scores; import it with a dataset, or judge it", name, len(s.items))
	}
	return s, side, nil
}
