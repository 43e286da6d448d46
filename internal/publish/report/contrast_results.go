package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

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
	var rows []*Contrast
	var notes []string
	var faults []error
	names := sideNames(append([]*interchange.Results{base}, sides...))
	for i, side := range sides {
		p := &resultPair{o: o, side: i, results: [2]*interchange.Results{side, base}, names: [2]string{names[i+1], names[0]}}
		if err := p.join(); err != nil {
			faults = append(faults, err)
			continue
		}
		of, err := p.rows()
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
func sideNames(all []*interchange.Results) []string {
	tail := func(name string, parts int) string {
		split := strings.Split(strings.ReplaceAll(name, "\\", "/"), "/")
		return strings.Join(split[max(0, len(split)-parts):], "/")
	}
	parts := 1
	for ; parts < 8; parts++ {
		if len(lists.Distinct(all, func(r *interchange.Results) string { return tail(r.Name, parts) })) == len(all) {
			break
		}
	}
	return lists.Map(all, func(r *interchange.Results) string { return tail(r.Name, parts) })
}

// title names a side with what shows that it is no run.
func (p *resultPair) title(side int) string {
	r := p.results[side]
	return fmt.Sprintf("%s (%s, sha256 %s)", p.names[side], r.Format, short(r.SHA256))
}

// A resultPair is two files that are compared with each other, the side first.
type resultPair struct {
	o       ResultOptions
	side    int
	results [2]*interchange.Results
	names   [2]string
	notes   []string

	columns []metrics.Column
	joined  joined
	why     string                             // why nothing is paired; empty where it is
	few     string                             // why the pairs are not tested; empty where they are
	byKey   map[string]*interchange.ResultItem // of the side
}

func (p *resultPair) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// join pairs the items, and says what does not go together.
func (p *resultPair) join() error {
	now, base := p.results[0], p.results[1]
	for i := 1; i >= 0; i-- {
		for _, text := range p.results[i].Notes {
			p.note("%s: %s", p.names[i], text)
		}
	}
	if a, b := base.About["task"], now.About["task"]; a != "" && b != "" && a != b && !p.o.Force {
		return fmt.Errorf("%s is of the task %q and %s of %q; --force pairs their items all the same", base.Name, a, now.Name, b)
	}
	if err := p.selectColumns(); err != nil {
		return err
	}
	places := make(map[string]int)
	var other, questions, prompts, pairs int
	var faults []error
	for side, r := range p.results {
		at := lists.Map(p.columns, func(c metrics.Column) int { return r.Column(c.Name) })
		for _, it := range r.Items {
			values := lists.Map(at, it.Value)
			place, ok := places[it.Key]
			if !ok {
				place = len(p.joined)
				places[it.Key] = place
				p.joined = append(p.joined, joint{request: request{cmp.Or(it.Cluster, it.Key), it.Key}})
			}
			j := &p.joined[place]
			j.items[side] = &item{category: it.Category, values: values, repeats: lists.Map(at, it.Repeats)}
			if side == 0 || j.items[0] == nil {
				continue
			}
			pairs++
			if sample := cmp.Or(it.Cluster, it.Key); sample != j.sample && len(faults) < 10 {
				faults = append(faults, fmt.Errorf("item %q belongs to %q in %s and to %q in %s; want one cluster", it.Key, sample, base.Name, j.sample, now.Name))
			}
			first := p.of(places, it.Key)
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
	}
	if pairs == 0 {
		p.why = "cannot be paired: no key is on both sides"
		if !p.o.Unpaired {
			return fmt.Errorf("%s and %s have no item of the same key: %s; %s; --id FIELD names what pairs them, --unpaired compares means of conversations",
				base.Name, now.Name, examples(base), examples(now))
		}
		faults = nil
	} else if of := max(len(base.Items), len(now.Items)); float64(pairs) < leastPaired*float64(of) && !p.o.Partial {
		p.few = fmt.Sprintf("%d of %d items are paired, and the means are those of all items; --partial compares the pairs", pairs, of)
	}
	slices.SortFunc(p.joined, func(a, b joint) int { return compareRequests(a.request, b.request) })
	p.coverage(pairs)
	if other > 0 {
		p.note("%d of %d pairs ask other questions on the two sides", other, questions)
		if float64(other) > mostOtherQuestions*float64(questions) && !p.o.Force {
			faults = append(faults, fmt.Errorf("%d of %d pairs of %s and %s ask other questions; want the same items, or --force", other, questions, base.Name, now.Name))
		}
	}
	if prompts > 0 {
		p.note("the sides differ in prompts: %d of %d pairs", prompts, pairs)
	}
	return errors.Join(faults...)
}

// of returns the item of the side that has a key.
func (p *resultPair) of(places map[string]int, key string) *interchange.ResultItem {
	if p.byKey == nil {
		p.byKey = make(map[string]*interchange.ResultItem, len(places))
		for _, it := range p.results[0].Items {
			p.byKey[it.Key] = it
		}
	}
	return p.byKey[key]
}

// examples shows the first keys of a file.
func examples(r *interchange.Results) string {
	keys := lists.Map(r.Items[:min(len(r.Items), 2)], func(it *interchange.ResultItem) string { return fmt.Sprintf("%q", it.Key) })
	return fmt.Sprintf("%s has %s", r.Name, strings.Join(keys, ", "))
}

// coverage says how much of the sides is paired, and what they differ in.
func (p *resultPair) coverage(pairs int) {
	now, base := p.results[0], p.results[1]
	p.note("%s has %s, %s has %d: %s, %d and %d on one side only", p.names[1], Plural(len(base.Items), "item"), p.names[0], len(now.Items), Plural(pairs, "pair"), len(base.Items)-pairs, len(now.Items)-pairs)
	if !slices.ContainsFunc(now.Items, func(it *interchange.ResultItem) bool { return it.Cluster != "" }) {
		p.note("items are taken for independent; name what they share with --cluster")
	}
	for _, name := range slices.Sorted(maps.Keys(about(base, now))) {
		if a, b := base.About[name], now.About[name]; a != b && name != "task" {
			p.note("the sides differ in %s: %s in %s, %s in %s", name, cmp.Or(a, "not known"), p.names[1], cmp.Or(b, "not known"), p.names[0])
		}
	}
	for i := 1; i >= 0; i-- {
		r, epochs, failed := p.results[i], 0, 0
		for _, it := range r.Items {
			epochs = max(epochs, it.Epochs)
			failed += it.Failed
		}
		if epochs > 1 {
			p.note("each item of %s counts by the mean of up to %d epochs", p.names[i], epochs)
		}
		if failed > 0 {
			p.failed(r, p.names[i], failed)
		}
	}
}

// failed says what the means of a side are, without and with its failed items.
func (p *resultPair) failed(r *interchange.Results, name string, failed int) {
	for _, c := range p.columns {
		at, sum, n, none := r.Column(c.Name), 0.0, 0, 0
		for _, it := range r.Items {
			if x := it.Value(at); !math.IsNaN(x) {
				sum, n = sum+x, n+1
			} else if it.Failed > 0 {
				none++
			}
		}
		if n > 0 && none > 0 {
			p.note("%d answers of %s failed, and have no value: its mean of %s is %s without them, %s with 0 for them", failed, name, c.Name,
				decimal(sum/float64(n)*c.Scale, c.Digits), decimal(sum/float64(n+none)*c.Scale, c.Digits))
		}
	}
}

func about(all ...*interchange.Results) map[string]string {
	union := make(map[string]string)
	for _, r := range all {
		maps.Copy(union, r.About)
	}
	return union
}

// selectColumns finds the columns that both sides have.
func (p *resultPair) selectColumns() error {
	now, base := p.results[0], p.results[1]
	wanted := p.o.Wanted
	if len(wanted) == 0 {
		for _, c := range base.Columns {
			switch other := now.Column(c.Name); {
			case c.Usage:
			case other < 0:
				p.note("%s is not compared: only %s has it", c.Name, p.names[1])
			default:
				wanted = append(wanted, ResultColumn{Name: c.Name})
			}
		}
		for _, c := range now.Columns {
			if !c.Usage && base.Column(c.Name) < 0 {
				p.note("%s is not compared: only %s has it", c.Name, p.names[0])
			}
		}
	}
	unknown := ""
	for _, w := range wanted {
		for _, r := range p.results {
			if r.Column(w.Name) < 0 {
				return fmt.Errorf("%s has no column %q; it has %s", r.Name, w.Name, strings.Join(columnNames(r), ", "))
			}
		}
		a, b := base.Columns[base.Column(w.Name)], now.Columns[now.Column(w.Name)]
		w.Scale = cmp.Or(w.Scale, a.Scale, b.Scale)
		w.Lower = cmp.Or(w.Lower, a.Lower, b.Lower)
		c := metrics.Column{Name: w.Name, Scale: w.Scale, Digits: 2, Binary: a.Binary && b.Binary, Neutral: w.Lower == nil && !(a.Better && b.Better) && !a.Usage}
		c.Lower = w.Lower != nil && *w.Lower || w.Lower == nil && a.Usage
		if c.Scale == 0 {
			c.Scale = 1
			if a.Unit && b.Unit {
				c.Scale = 100
			}
		}
		if c.Neutral {
			unknown = cmp.Or(unknown, c.Name)
		}
		p.columns = append(p.columns, c)
	}
	if unknown != "" {
		p.note("the file does not tell whether higher is better: --column %s=better:higher says so", unknown)
	}
	if len(p.columns) == 0 {
		return fmt.Errorf("no score is in both files: %s has %s; %s has %s", base.Name, strings.Join(columnNames(base), ", "), now.Name, strings.Join(columnNames(now), ", "))
	}
	return nil
}

func columnNames(r *interchange.Results) []string {
	return lists.Map(r.Columns, func(c interchange.ResultColumn) string { return c.Name })
}

// untested gives a row the means of all items of its sides, and no test.
func (p *resultPair) untested(r *Contrast, j joined, at int) {
	for side, mean := range []*float64{&r.New, &r.Base} {
		var all stats.Cluster
		for _, of := range j {
			if it := of.items[side]; it != nil && !math.IsNaN(it.values[at]) {
				all.Add(it.values[at])
			}
		}
		*mean = all.Sum / float64(all.N)
	}
	r.Unpaired, r.Missing, r.row.Units, r.EffectiveN = p.few, p.few, nil, nil
}

// rows returns a row for each column, or for each of each category.
func (p *resultPair) rows() ([]*Contrast, error) {
	var rows []*Contrast
	add := func(j joined, category string) {
		for at, column := range p.columns {
			r := &Contrast{
				Side: p.side, Run: p.title(0), BaseRun: p.title(1), Category: category, Column: column,
				Paired: p.why == "", Unpaired: p.why, Unit: cmp.Or(p.o.Unit, BySample),
			}
			r.row.Pair = p.side
			fillRow(r, j, at)
			if p.why == "" && p.few != "" {
				p.untested(r, j, at)
			}
			rows = append(rows, r)
		}
	}
	switch p.o.Rows {
	case "":
		add(p.joined, "")
	case Category:
		for _, category := range slices.Sorted(slices.Values(lists.Distinct(p.joined, joint.category))) {
			add(p.joined.in(category, p.why == ""), cmp.Or(category, "none"))
		}
	default:
		return nil, fmt.Errorf("--by %s is of runs; results of other tools can be split by %s", p.o.Rows, Category)
	}
	return rows, nil
}
