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

// ResultOptions set how foreign results are compared.
type ResultOptions struct {
	ContrastOptions
	// Wanted are the columns to compare; if empty, all scores that both sides have. Where one
	// has no Scale, values in [0, 1] are shown in percent, and where it has no Lower, the
	// format says which direction is better.
	Wanted []interchange.ResultColumn
	// Force pairs items even if tasks or questions differ, tests the pairs even if many items
	// have no partner, and compares means of conversations if none has.
	Force bool
}

// leastPaired is the share of each side's items that must have a partner for a test: those
// without one are seldom like the others.
const leastPaired = 0.9

// mostOtherQuestions is the share of pairs whose questions may differ.
const mostOtherQuestions = 0.01

// ResultContrasts compares the scores of files with those of a base, as [Contrasts] does for
// runs. Items are paired by key. Epochs count by their mean, and an item without a cluster
// is its own cluster.
func ResultContrasts(base *interchange.Results, sides []*interchange.Results, o ResultOptions) (rows []*Contrast, notes []string, err error) {
	for i, side := range sides {
		p := &resultPair{o: o, now: side, base: base, names: [2]string{filepath.Base(side.Name), filepath.Base(base.Name)}}
		if p.names[0] == p.names[1] {
			p.names = [2]string{side.Name, base.Name}
		}
		of, fault := p.rows(i)
		rows, notes, err = append(rows, of...), lists.AddNew(notes, p.notes...), errors.Join(err, fault)
	}
	if err != nil {
		return nil, nil, err
	}
	decide(rows, o.ContrastOptions, 1)
	return rows, notes, nil
}

// A resultPair holds two files to compare.
type resultPair struct {
	o         ResultOptions
	now, base *interchange.Results
	names     [2]string // of the new one and of the base
	pairs     int       // items of the same key
	notes     []string
}

func (p *resultPair) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// rows returns a row for each column, or for each column and category.
func (p *resultPair) rows(side int) (rows []*Contrast, _ error) {
	columns, err := p.columns()
	if err := errors.Join(err, p.check()); err != nil {
		return nil, err
	}
	p.describe(columns)
	title := func(name string, r *interchange.Results) string { // with its digest, as it is not a run
		return fmt.Sprintf("%s (%s, sha256 %s)", name, r.Format, short(r.SHA256))
	}
	like := Contrast{Side: side, Run: title(p.names[0], p.now), BaseRun: title(p.names[1], p.base), Unit: p.o.Unit, row: infer.Row{Pair: side}}
	few, of := "", max(len(p.base.Items), len(p.now.Items))
	if p.pairs == 0 {
		like.Unpaired = "cannot be paired: no key is on both sides"
	} else if float64(p.pairs) < leastPaired*float64(of) && !p.o.Force {
		few = fmt.Sprintf("only %d of %d items are paired, so the means are those of all items; --force tests the pairs", p.pairs, of)
	}
	add := func(j joined, category string) {
		for at, column := range columns {
			r := contrastLike(like, j, column, at)
			if r.Category = category; few != "" {
				r.untested(few)
			}
			rows = append(rows, r)
		}
	}
	requests := joinRows(resultLine(p.now, columns), resultLine(p.base, columns))
	if p.o.By != Category {
		add(requests, "")
		return rows, nil
	}
	for _, category := range slices.Sorted(slices.Values(lists.Distinct(requests, joint.category))) {
		add(requests.in(category, like.Unpaired == ""), cmp.Or(category, "none"))
	}
	return rows, nil
}

// resultLine returns the items of a file as a row.
func resultLine(r *interchange.Results, columns []metrics.Column) *line {
	at := lists.Map(columns, func(c metrics.Column) int { return r.Column(c.Name) })
	return new(line).with(lists.Map(r.Items, func(it *interchange.ResultItem) *item {
		return &item{request: request{cmp.Or(it.Cluster, it.Key), it.Key}, category: it.Category, values: lists.Map(at, it.Value), repeats: lists.Map(at, it.Repeats)}
	}))
}

// untested gives a row the means of all items of its sides, without a test.
func (c *Contrast) untested(why string) {
	for side, mean := range []*float64{&c.New, &c.Base} {
		var all stats.Cluster
		for _, of := range c.pairs {
			if x := of.values(c.at)[side]; !math.IsNaN(x) {
				all.Add(x)
			}
		}
		*mean = all.Sum / float64(all.N)
	}
	c.Unpaired, c.Missing, c.row.Units, c.EffectiveN = why, why, nil, nil
}

// check counts the pairs, and reports sides that do not match.
func (p *resultPair) check() error {
	if a, b := p.base.About["task"], p.now.About["task"]; a != "" && b != "" && a != b && !p.o.Force {
		return fmt.Errorf("%s is of the task %q and %s of %q; --force pairs their items anyway", p.base.Name, a, p.now.Name, b)
	}
	byKey := make(map[string]*interchange.ResultItem, len(p.now.Items))
	for _, it := range p.now.Items {
		byKey[it.Key] = it
	}
	questions, prompts := 0, 0 // which differ
	for _, it := range p.base.Items {
		now := byKey[it.Key]
		if now == nil {
			continue
		}
		p.pairs++
		if a, b := cmp.Or(it.Cluster, it.Key), cmp.Or(now.Cluster, now.Key); a != b {
			return fmt.Errorf("item %q belongs to %q in %s and to %q in %s; want one cluster", it.Key, a, p.base.Name, b, p.now.Name)
		}
		if it.Question != 0 && now.Question != 0 && it.Question != now.Question {
			questions++
		}
		if it.Prompt != now.Prompt {
			prompts++
		}
	}
	if prompts > 0 {
		p.note("the sides differ in prompts: %d of %d pairs", prompts, p.pairs)
	}
	if questions > 0 {
		p.note("the sides differ in questions: %d of %d pairs", questions, p.pairs)
	}
	switch {
	case p.o.Force:
	case p.pairs == 0:
		return fmt.Errorf("%s and %s have no item with the same key (first keys: %s and %s); --id FIELD names the key, --force compares means of conversations",
			p.base.Name, p.now.Name, firstKey(p.base), firstKey(p.now))
	case float64(questions) > mostOtherQuestions*float64(p.pairs):
		return fmt.Errorf("%d of %d pairs of %s and %s have different questions; want the same items, or --force", questions, p.pairs, p.base.Name, p.now.Name)
	}
	return nil
}

func firstKey(r *interchange.Results) string {
	if len(r.Items) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", r.Items[0].Key)
}

// describe notes how many items are paired, how the sides differ, and what failed.
func (p *resultPair) describe(columns []metrics.Column) {
	p.note("%s has %d items, %s has %d, and %d of each are paired", p.names[1], len(p.base.Items), p.names[0], len(p.now.Items), p.pairs)
	if !slices.ContainsFunc(p.now.Items, func(it *interchange.ResultItem) bool { return it.Cluster != "" }) {
		p.note("items are treated as independent; if they share conversations, name the field with --cluster")
	}
	names := lists.AddNew(slices.Collect(maps.Keys(p.now.About)), slices.Collect(maps.Keys(p.base.About))...)
	for _, name := range slices.Sorted(slices.Values(names)) {
		if a, b := p.base.About[name], p.now.About[name]; a != b && name != "task" {
			p.note("the sides differ in %s: %s in %s, %s in %s", name, cmp.Or(a, "not known"), p.names[1], cmp.Or(b, "not known"), p.names[0])
		}
	}
	for i, r := range []*interchange.Results{p.base, p.now} {
		name := p.names[1-i]
		for _, text := range r.Notes {
			p.note("%s: %s", name, text)
		}
		for _, c := range columns {
			var with stats.Cluster
			failed := 0
			for _, it := range r.Items {
				if x := it.Value(r.Column(c.Name)); !math.IsNaN(x) {
					with.Add(x)
				} else if it.Failed > 0 {
					failed++
				}
			}
			if with.N > 0 && failed > 0 {
				p.note("%d answers of %s failed: its mean of %s is %s without them, %s with 0 for them", failed, name, c.Name,
					decimal(with.Sum/float64(with.N)*c.Scale, c.Digits), decimal(with.Sum/float64(with.N+failed)*c.Scale, c.Digits))
			}
		}
	}
}

// columns returns the columns that both sides have: the wanted ones, or all scores.
func (p *resultPair) columns() (columns []metrics.Column, _ error) {
	wanted := p.o.Wanted
	if len(wanted) == 0 {
		for _, c := range p.base.Columns {
			if !c.Usage && p.now.Column(c.Name) >= 0 {
				wanted = append(wanted, interchange.ResultColumn{Name: c.Name})
			}
		}
	}
	names := func(r *interchange.Results) string {
		return strings.Join(lists.Map(r.Columns, func(c interchange.ResultColumn) string { return c.Name }), ", ")
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("the files have no score in common: %s has %s; %s has %s", p.base.Name, names(p.base), p.now.Name, names(p.now))
	}
	for _, w := range wanted {
		for _, r := range []*interchange.Results{p.now, p.base} {
			if r.Column(w.Name) < 0 {
				return nil, fmt.Errorf("%s has no column %q; it has %s", r.Name, w.Name, names(r))
			}
		}
		a, b := p.base.Columns[p.base.Column(w.Name)], p.now.Columns[p.now.Column(w.Name)]
		percent := 1.0
		if a.Unit && b.Unit {
			percent = 100
		}
		lower := cmp.Or(w.Lower, a.Lower, b.Lower)
		c := metrics.Column{Name: w.Name, Scale: cmp.Or(w.Scale, a.Scale, b.Scale, percent), Digits: 2, Binary: a.Binary && b.Binary}
		c.Lower = lower != nil && *lower || lower == nil && a.Usage
		c.Neutral = lower == nil && !(a.Better && b.Better) && !a.Usage
		if columns = append(columns, c); c.Neutral {
			p.note("the file does not say whether higher is better; if so, give --column %s=better:higher", c.Name)
		}
	}
	return columns, nil
}
