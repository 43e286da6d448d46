package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/interchange"
	"recallbench/metrics"
)

// A ResultColumn says how a column of foreign results is read. Without one, values in
// [0, 1] are shown in percent, and which direction is better is what their format says.
type ResultColumn struct {
	Name  string
	Lower *bool   // whether lower is better; nil where nobody said
	Scale float64 // what tables multiply by; 0 where nobody said
}

// ResultOptions say how foreign results are compared with each other.
type ResultOptions struct {
	ContrastOptions
	Wanted   []ResultColumn // the columns to compare; all of both sides that are scores where empty
	Unpaired bool           // compare means of conversations where no key is on both sides
	Force    bool           // pair tasks of different names, and questions of different texts
	Partial  bool           // test the pairs though many items of a side have no partner
}

// leastPaired is the share of each side's items that must pair for a test: those that
// have no partner are seldom like the others.
const leastPaired = 0.9

// mostOtherQuestions is the share of pairs that may ask other questions.
const mostOtherQuestions = 0.01

// ResultContrasts holds the scores of files against those of a base, as [Contrasts]
// does those of runs. Items are paired by key. Epochs count by their mean, and an item
// without a cluster is one of its own.
func ResultContrasts(base *interchange.Results, sides []*interchange.Results, o ResultOptions) ([]Contrast, []string, error) {
	if o.Rows != "" && o.Rows != Category {
		return nil, nil, fmt.Errorf("--by %s is of runs; results of other tools can be split by %s", o.Rows, Category)
	}
	var rows []*Contrast
	var notes []string
	var faults []error
	names := sideNames(append([]*interchange.Results{base}, sides...))
	for i, side := range sides {
		p := &resultPair{o: o, sides: [2]resultSide{{side, names[i+1]}, {base, names[0]}}}
		of, err := p.rows(i)
		faults = append(faults, err)
		rows, notes = append(rows, of...), lists.AddNew(notes, p.notes...)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	if !o.Undecided {
		Decide(rows, o.infer(1))
	}
	holdMargins(rows, o.ContrastOptions)
	return lists.Map(rows, func(r *Contrast) Contrast { return *r }), notes, nil
}

// sideNames name files by their last parts, as many as tell them apart.
func sideNames(all []*interchange.Results) (names []string) {
	for parts := 1; parts <= 8; parts++ {
		names = lists.Map(all, func(r *interchange.Results) string {
			split := strings.Split(filepath.ToSlash(r.Name), "/")
			return strings.Join(split[max(0, len(split)-parts):], "/")
		})
		if len(lists.Distinct(names, func(name string) string { return name })) == len(all) {
			break
		}
	}
	return names
}

// A resultPair is two files that are compared with each other, the new side first.
type resultPair struct {
	o     ResultOptions
	sides [2]resultSide
	notes []string
}

type resultSide struct {
	*interchange.Results
	name string
}

func (p *resultPair) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// rows returns a row for each column, or for each of each category.
func (p *resultPair) rows(side int) ([]*Contrast, error) {
	now, base := p.sides[0], p.sides[1]
	for _, s := range []resultSide{base, now} {
		for _, text := range s.Notes {
			p.note("%s: %s", s.name, text)
		}
	}
	if a, b := base.About["task"], now.About["task"]; a != "" && b != "" && a != b && !p.o.Force {
		return nil, fmt.Errorf("%s is of the task %q and %s of %q; --force pairs their items all the same", base.Name, a, now.Name, b)
	}
	columns, err := p.columns()
	if err != nil {
		return nil, err
	}
	pairs, err := p.check()
	if err != nil {
		return nil, err
	}
	p.differences(pairs)
	p.failures(columns)
	requests := joinRows(now.line(columns), base.line(columns))
	why, few := "", ""
	if of := max(len(base.Items), len(now.Items)); pairs == 0 {
		why = "cannot be paired: no key is on both sides"
	} else if float64(pairs) < leastPaired*float64(of) && !p.o.Partial {
		few = fmt.Sprintf("%d of %d items are paired, and the means are those of all items; --force compares the pairs", pairs, of)
	}
	var rows []*Contrast
	add := func(j joined, category string) {
		for at, column := range columns {
			r := &Contrast{Side: side, Run: now.title(), BaseRun: base.title(), Category: category, Column: column, Unpaired: why, Unit: p.o.Unit, row: infer.Row{Pair: side}}
			r.fill(j, at)
			r.leaveSame()
			if few != "" {
				r.untested(few)
			}
			rows = append(rows, r)
		}
	}
	if p.o.Rows == "" {
		add(requests, "")
		return rows, nil
	}
	for _, category := range slices.Sorted(slices.Values(lists.Distinct(requests, joint.category))) {
		add(requests.in([]string{category}, why == ""), cmp.Or(category, "none"))
	}
	return rows, nil
}

// title names a side with what shows that it is no run.
func (s resultSide) title() string {
	return fmt.Sprintf("%s (%s, sha256 %s)", s.name, s.Format, short(s.SHA256))
}

// line returns the items of a side as the facts of a row.
func (s resultSide) line(columns []metrics.Column) *line {
	at := lists.Map(columns, func(c metrics.Column) int { return s.Column(c.Name) })
	return new(line).with(lists.Map(s.Items, func(it *interchange.ResultItem) *item {
		return &item{request: request{cmp.Or(it.Cluster, it.Key), it.Key}, category: it.Category, values: lists.Map(at, it.Value), repeats: lists.Map(at, it.Repeats)}
	}))
}

// untested gives a row the means of all items of its sides, and no test.
func (c *Contrast) untested(why string) {
	for side, mean := range []*float64{&c.New, &c.Base} {
		var all stats.Cluster
		for _, of := range c.pairs {
			if it := of.items[side]; it != nil && !math.IsNaN(it.values[c.at]) {
				all.Add(it.values[c.at])
			}
		}
		*mean = all.Sum / float64(all.N)
	}
	c.Unpaired, c.Missing, c.row.Units, c.EffectiveN = why, why, nil, nil
}

// check counts the pairs, and reports what does not go together.
func (p *resultPair) check() (pairs int, _ error) {
	now, base := p.sides[0], p.sides[1]
	byKey := make(map[string]*interchange.ResultItem, len(now.Items))
	for _, it := range now.Items {
		byKey[it.Key] = it
	}
	var other, questions, prompts int
	var faults []error
	for _, it := range base.Items {
		first := byKey[it.Key]
		if first == nil {
			continue
		}
		pairs++
		if a, b := cmp.Or(it.Cluster, it.Key), cmp.Or(first.Cluster, first.Key); a != b && len(faults) < 10 {
			faults = append(faults, fmt.Errorf("item %q belongs to %q in %s and to %q in %s; want one cluster", it.Key, a, base.Name, b, now.Name))
		}
		if it.Question != 0 && first.Question != 0 {
			questions++
			if it.Question != first.Question {
				other++
			}
		}
		if it.Prompt != first.Prompt {
			prompts++
		}
	}
	if pairs == 0 && !p.o.Unpaired {
		return 0, fmt.Errorf("%s and %s have no item of the same key: %s; %s; --id FIELD names what pairs them, --force compares means of conversations",
			base.Name, now.Name, base.examples(), now.examples())
	}
	if other > 0 {
		p.note("%d of %d pairs ask other questions on the two sides", other, questions)
		if float64(other) > mostOtherQuestions*float64(questions) && !p.o.Force {
			faults = append(faults, fmt.Errorf("%d of %d pairs of %s and %s ask other questions; want the same items, or --force", other, questions, base.Name, now.Name))
		}
	}
	if prompts > 0 {
		p.note("the sides differ in prompts: %d of %d pairs", prompts, pairs)
	}
	return pairs, errors.Join(faults...)
}

// examples shows the first keys of a file.
func (s resultSide) examples() string {
	keys := lists.Map(s.Items[:min(len(s.Items), 2)], func(it *interchange.ResultItem) string { return fmt.Sprintf("%q", it.Key) })
	return fmt.Sprintf("%s has %s", s.Name, strings.Join(keys, ", "))
}

// differences says how much of the sides is paired, and what they differ in.
func (p *resultPair) differences(pairs int) {
	now, base := p.sides[0], p.sides[1]
	p.note("%s has %s, %s has %d: %s, %d and %d on one side only", base.name, Plural(len(base.Items), "item"), now.name, len(now.Items), Plural(pairs, "pair"), len(base.Items)-pairs, len(now.Items)-pairs)
	if !slices.ContainsFunc(now.Items, func(it *interchange.ResultItem) bool { return it.Cluster != "" }) {
		p.note("items are taken for independent; name what they share with --cluster")
	}
	about := make(map[string]string)
	maps.Copy(about, now.About)
	maps.Copy(about, base.About)
	for _, name := range slices.Sorted(maps.Keys(about)) {
		if a, b := base.About[name], now.About[name]; a != b && name != "task" {
			p.note("the sides differ in %s: %s in %s, %s in %s", name, cmp.Or(a, "not known"), base.name, cmp.Or(b, "not known"), now.name)
		}
	}
}

// failures says what the means of a side are, without and with its failed items.
func (p *resultPair) failures(columns []metrics.Column) {
	for _, s := range []resultSide{p.sides[1], p.sides[0]} {
		epochs, failed := 0, 0
		for _, it := range s.Items {
			epochs, failed = max(epochs, it.Epochs), failed+it.Failed
		}
		if epochs > 1 {
			p.note("each item of %s counts by the mean of up to %d epochs", s.name, epochs)
		}
		for _, c := range columns {
			at, sum, n, none := s.Column(c.Name), 0.0, 0, 0
			for _, it := range s.Items {
				if x := it.Value(at); !math.IsNaN(x) {
					sum, n = sum+x, n+1
				} else if it.Failed > 0 {
					none++
				}
			}
			if n > 0 && none > 0 {
				p.note("%d answers of %s failed, and have no value: its mean of %s is %s without them, %s with 0 for them", failed, s.name, c.Name,
					decimal(sum/float64(n)*c.Scale, c.Digits), decimal(sum/float64(n+none)*c.Scale, c.Digits))
			}
		}
	}
}

// columns finds the columns that both sides have: those that are wanted, or all scores.
func (p *resultPair) columns() ([]metrics.Column, error) {
	now, base := p.sides[0], p.sides[1]
	wanted := p.o.Wanted
	if len(wanted) == 0 {
		for i, s := range []resultSide{base, now} {
			for _, c := range s.Columns {
				switch both := base.Column(c.Name) >= 0 && now.Column(c.Name) >= 0; {
				case c.Usage:
				case !both:
					p.note("%s is not compared: only %s has it", c.Name, s.name)
				case i == 0:
					wanted = append(wanted, ResultColumn{Name: c.Name})
				}
			}
		}
	}
	names := func(s resultSide) string {
		return strings.Join(lists.Map(s.Columns, func(c interchange.ResultColumn) string { return c.Name }), ", ")
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("no score is in both files: %s has %s; %s has %s", base.Name, names(base), now.Name, names(now))
	}
	var columns []metrics.Column
	for _, w := range wanted {
		for _, s := range p.sides {
			if s.Column(w.Name) < 0 {
				return nil, fmt.Errorf("%s has no column %q; it has %s", s.Name, w.Name, names(s))
			}
		}
		a, b := base.Columns[base.Column(w.Name)], now.Columns[now.Column(w.Name)]
		percent := 1.0
		if a.Unit && b.Unit {
			percent = 100
		}
		lower := cmp.Or(w.Lower, a.Lower, b.Lower)
		c := metrics.Column{Name: w.Name, Scale: cmp.Or(w.Scale, a.Scale, b.Scale, percent), Digits: 2, Binary: a.Binary && b.Binary}
		c.Lower = lower != nil && *lower || lower == nil && a.Usage
		c.Neutral = lower == nil && !(a.Better && b.Better) && !a.Usage
		columns = append(columns, c)
	}
	if i := slices.IndexFunc(columns, func(c metrics.Column) bool { return c.Neutral }); i >= 0 {
		p.note("the file does not tell whether higher is better: --column %s=better:higher says so", columns[i].Name)
	}
	return columns, nil
}
