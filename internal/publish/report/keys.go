package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// keyNotes say by which answer key rows are scored, where it is not the published
// one, and how many questions it leaves out.
func keyNotes(lines []*line) []string {
	var notes []string
	for _, l := range lines {
		if key := l.dataset.AnswerKey(); key != string(errata.Published) {
			n, _ := l.n(l.ids())
			notes = lists.AddNew(notes, fmt.Sprintf("answer key %s, which leaves out %d of %s; 'bench table --keys' has the others", key, l.out(l.ids()), Plural(n, "question")))
		}
	}
	return notes
}

// keyed is the lines of a dataset under each answer key, in the order of
// [errata.Keys]; those of all keys are of the same cells.
type keyed struct {
	layout
	keys [][]*line
}

// keyTables lays out the answer keys of each dataset that has errata.
func (b *builder) keyTables(runs []*Run) ([]*Table, error) {
	under := make([][]*line, len(errata.Keys()))
	for i, key := range errata.Keys() {
		for _, r := range runs {
			if r.Under == nil || !slices.ContainsFunc(r.Header.Datasets, func(d record.Dataset) bool { return len(d.Errata) > 0 }) {
				continue
			}
			lines, err := b.linesUnder(r, key)
			if err != nil {
				return nil, err
			}
			under[i] = append(under[i], lists.Filter(lines, func(l *line) bool { return len(l.dataset.Errata) > 0 })...)
		}
	}
	if len(under[0]) == 0 {
		return nil, errors.New("no run has errata, so there is one answer key; 'bench score RUN --errata locomo-audit' gives a run others")
	}
	columns := lists.Filter(b.columns, b.needsGold)
	if len(columns) == 0 {
		return nil, errors.New("no column depends on the answer key; want one of answers, evidence or judgements")
	}
	var tables []*Table
	split := lists.Map(under, byDataset)
	for i := range split[0] {
		keys := lists.Map(split, func(of [][]*line) []*line { return of[i] })
		k := keyed{layout: b.layout(keys[0]), keys: keys}
		tables = append(tables, k.ceilings())
		for _, c := range columns {
			tables = append(tables, k.table(c, "", asked(keys[0])))
			if b.By == Category {
				for _, id := range asked(keys[0]) {
					tables = append(tables, k.table(c, id, []string{id}))
				}
			}
		}
	}
	return tables, nil
}

// linesUnder returns the lines of a run under an answer key.
func (b *builder) linesUnder(r *Run, key errata.Key) ([]*line, error) {
	one := *r
	one.Scores = r.Under(key)
	b.scored[&one] = b.scored[r]
	lines, err := b.linesOf(&one)
	for _, l := range lines {
		l.run = r
	}
	return lines, err
}

// needsGold reports whether a column depends on gold answers or evidence.
func (b *builder) needsGold(c metrics.Column) bool {
	return !c.Neutral && b.of[c.Name] != metrics.Usage && b.of[c.Name] != metrics.Rated
}

// ceilings lays out how many questions of each category are objected to, and the
// questions under each key. The share that is left is the most that answers can be
// right by the published key.
func (k keyed) ceilings() *Table {
	full := slices.MaxFunc(k.keys[0], func(a, b *line) int {
		x, _ := a.n(a.ids())
		y, _ := b.n(b.ids())
		return cmp.Compare(x, y)
	})
	at := slices.Index(k.keys[0], full)
	d := full.dataset
	t := &Table{Name: d.Label + ", answer keys", Title: d.Label + ", questions under each answer key", Rows: [][]Cell{}}
	t.Columns = []Column{{Name: "category"}, {Name: "objected", Head: "objected to", Number: true}, {Name: "ceiling", Number: true}}
	for _, key := range errata.Keys() {
		t.Columns = append(t.Columns, Column{Name: string(key), Number: true})
	}
	t.NoteTitle(k.provenance()...)
	t.NoteTitle("ceiling: the share of the questions whose published answer nobody objects to, in percent")
	ids := asked([]*line{full})
	for _, id := range append(slices.Clone(ids), "") {
		name, of := "all", ids
		if id != "" {
			name, of = d.CategoryName(id), []string{id}
		}
		n, objected := k.objected(at, of)
		ceiling := ceilingOf(n, objected)
		row := []Cell{text(name), count(objected), {Text: decimal(ceiling, 2), Value: &ceiling}}
		for _, lines := range k.keys {
			row = append(row, count(n-lines[at].out(of)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// objected counts the questions of some categories that a row was asked, and those
// of them whose published answer is objected to.
func (k keyed) objected(row int, ids []string) (n, objected int) {
	n, _ = k.keys[0][row].n(ids)
	return n, k.under(errata.Excluded)[row].out(ids)
}

func (k keyed) under(key errata.Key) []*line { return k.keys[slices.Index(errata.Keys(), key)] }

// ceilingOf returns the share of n questions that are not objected to, in percent; 0
// for none.
func ceilingOf(n, objected int) float64 {
	return 100 * float64(n-objected) / float64(max(n, 1))
}

// provenance says what the keys rest on.
func (k keyed) provenance() []string {
	var notes []string
	for _, l := range k.keys[0] {
		for _, o := range l.dataset.Errata {
			by := ""
			if o.Attribution != "" {
				by = " by " + o.Attribution
			}
			notes = lists.AddNew(notes, fmt.Sprintf("errata %s%s, %s, %s", o, by, o.License, o.Source))
		}
	}
	return append(notes, "excluded leaves out the questions whose answer is objected to; corrected takes the corrected answers, and leaves out the questions that have none; lenient takes published and corrected answers")
}

// table lays out a column over some categories under each key, with a rank among
// the rows and the difference to the first key.
func (k keyed) table(c metrics.Column, category string, ids []string) *Table {
	d := k.keys[0][0].dataset
	t := &Table{Name: d.Label + " by key: " + c.Name, Title: d.Label + ", " + c.Name + " under each answer key", Rows: [][]Cell{}, BestOf: k.bestOf()}
	if category != "" {
		t.Name += ", " + category
		t.Title += ", " + d.CategoryName(category)
	}
	t.Columns = k.columns()
	names := len(t.Columns)
	t.NoteTitle(k.provenance()...)
	k.titleNotes(t, k.keys[0], []metrics.Column{c})
	if k.of[c.Name] == metrics.Judgement {
		t.NoteTitle("judgements are about the published answers: where a key accepts another answer they are left out")
	}
	ranks := lists.Map(k.keys, func(lines []*line) []int { return ranksOf(lines, c, ids) })
	for i, key := range errata.Keys() {
		head := func(name string) {
			t.Columns = append(t.Columns, Column{Name: strings.TrimSpace(string(key) + " " + name), Group: string(key), Number: true})
		}
		head("n")
		head("") // the mean
		if i > 0 {
			head("change")
		}
		head("rank")
	}
	for row, l := range k.keys[0] {
		cells := k.cells(t, l)
		base, _ := l.summary(c, ids)
		for i, lines := range k.keys {
			s, ok := lines[row].summary(c, ids)
			score := k.cell(new(Table), lines[row], c, ids)
			score.Notes = nil // n says how many have a value
			if i == 0 && ok {
				score.Notes = t.notes(k.aboveCeiling(row, c, ids, s))
			}
			cells = append(cells, count(s.n), score)
			if i > 0 && ok && base.n > 0 {
				change := (s.mean - base.mean) * c.Scale
				cells = append(cells, Cell{Text: signed(change, c.Digits), Value: &change})
			} else if i > 0 {
				cells = append(cells, Cell{})
			}
			cells = append(cells, rankCell(ranks[i][row]))
		}
		t.Rows = append(t.Rows, cells)
	}
	k.markSwaps(t, c, ids, names)
	at := names + 1
	for i := range k.keys {
		t.markBest(at, c, k.keys[0])
		at += 3
		if i > 0 {
			at++
		}
	}
	k.wordsBeside(t, k.keys[0], c)
	return t
}

func rankCell(rank int) Cell {
	if rank == 0 {
		return Cell{}
	}
	return count(rank)
}

// ranksOf returns the ranks of lines in a column, 1 for the best, equal means with
// the same; 0 for a line without a mean.
func ranksOf(lines []*line, c metrics.Column, ids []string) []int {
	ranks := make([]int, len(lines))
	for i, l := range lines {
		s, ok := l.summary(c, ids)
		if !ok || c.Neutral {
			continue
		}
		ranks[i] = 1
		for _, other := range lines {
			if of, ok := other.summary(c, ids); ok && ahead(c, of.mean, s.mean) {
				ranks[i]++
			}
		}
	}
	return ranks
}

// ahead reports whether the mean x of a column is better than y.
func ahead(c metrics.Column, x, y float64) bool {
	if c.Lower {
		x, y = y, x
	}
	return x > y
}

// aboveCeiling says that a row counts more answers right than have an undisputed gold
// answer, and how many of those objected to it counts right. Empty for a column that
// is not of right and wrong, and below the ceiling.
func (k keyed) aboveCeiling(row int, c metrics.Column, ids []string, s summary) string {
	n, objected := k.objected(row, ids)
	if !c.Binary || n != s.n {
		return ""
	}
	least := int(math.Ceil(s.mean*float64(n) - float64(n-objected) - 1e-9))
	if least <= 0 {
		return ""
	}
	note := fmt.Sprintf("above the ceiling of %s: at least %d of the answers counted right agree with a gold answer that is objected to", decimal(ceilingOf(n, objected), 2), least)
	right := 0.0
	for _, it := range k.under(errata.Excluded)[row].items {
		if p := k.keys[0][row].seen[it.request]; it.out && p != nil && slices.Contains(ids, it.category) && p.values[k.at(c.Name)] > 0 {
			right += p.values[k.at(c.Name)]
		}
	}
	return note + fmt.Sprintf("; %s of %d are", decimal(right, 0), objected)
}

// markSwaps marks the rows whose order changes from the first key to another, and
// says between which rows, and what a test says of them.
func (k keyed) markSwaps(t *Table, c metrics.Column, ids []string, names int) {
	if c.Neutral || !testable(c) {
		return
	}
	mean := func(key, row int) (float64, bool) {
		s, ok := k.keys[key][row].summary(c, ids)
		return s.mean, ok
	}
	for a := range k.keys[0] {
		for b := range k.keys[0] {
			for key := 1; key < len(k.keys); key++ {
				a0, ok1 := mean(0, a)
				b0, ok2 := mean(0, b)
				a1, ok3 := mean(key, a)
				b1, ok4 := mean(key, b)
				if !ok1 || !ok2 || !ok3 || !ok4 || !ahead(c, a0, b0) || !ahead(c, b1, a1) {
					continue
				}
				means := func(x, y float64) string {
					return fmt.Sprintf("(%s, %s; %%s)", decimal(x*c.Scale, c.Digits), decimal(y*c.Scale, c.Digits))
				}
				x, y := k.name(k.keys[0][a]), k.name(k.keys[0][b])
				note := t.Note(fmt.Sprintf("order changes between keys: %s over %s under %s "+means(a0, b0)+", %s over %s under %s "+means(b1, a1),
					x, y, errata.Published, k.test(0, a, b, c, ids), y, x, errata.Keys()[key], k.test(key, b, a, c, ids)))
				at := names + 2 // the rank under the first key
				for i := 1; i <= key; i++ {
					at += 4
				}
				for _, row := range []int{a, b} {
					t.Rows[row][at].Notes = append(t.Rows[row][at].Notes, note)
				}
			}
		}
	}
}

// test says whether the difference of two rows is shown under a key.
func (k keyed) test(key, a, b int, c metrics.Column, ids []string) string {
	x, y := k.keys[key][a], k.keys[key][b]
	both := lists.Filter(joinRequests(x, y), func(j joint) bool { return j.common() && slices.Contains(ids, j.category()) })
	pairs := joined(both).pair(k.at(c.Name), k.Unit)
	if len(pairs.a) == 0 {
		return "no pairs"
	}
	r := infer.Decide([]infer.Row{{Units: pairs.units}}, k.infer(x.run.Header.Seed))[0]
	switch {
	case r.Insufficient != "" || r.P == nil:
		return "nothing can be shown with " + k.Unit.of(r.Units)
	case r.Shown:
		return fmt.Sprintf("shown, p %.2g", *r.P)
	}
	return fmt.Sprintf("not shown, p %.2g", *r.P)
}
