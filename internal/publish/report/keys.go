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

// keyNote says by which answer key a row is scored, where it is not the published
// one, and how many questions it leaves out; empty where it is.
func keyNote(l *line) string {
	key := l.dataset.AnswerKey()
	if key == string(errata.Published) {
		return ""
	}
	return fmt.Sprintf("answer key %s, which leaves out %d of %s; 'bench table --keys' has the others", key, l.out(l.ids()), Plural(len(l.items), "question"))
}

// by returns the row under an answer key.
func (l *line) by(key errata.Key) *line { return l.under[slices.Index(errata.Keys(), key)] }

// objected counts the questions of a row whose published answer is objected to.
func (l *line) objected() int {
	excluded := l.by(errata.Excluded)
	return excluded.out(excluded.ids())
}

// ceiling is the share of the questions of a row whose published answer nobody objects to,
// in percent: the most that answers can be right by the published key.
func ceiling(n, objected int) float64 { return 100 * float64(n-objected) / float64(max(n, 1)) }

// keyTables lays out the rows of a dataset with errata under each answer key: how many
// questions are objected to, and the means in each column.
func (b *builder) keyTables(lines []*line) ([]*Table, error) {
	lines = lists.Filter(lines, func(l *line) bool { return l.under != nil })
	if len(lines) == 0 {
		return nil, nil
	}
	columns := lists.Filter(b.columns, func(c metrics.Column) bool {
		return !c.Neutral && b.of[c.Name] != metrics.Usage && b.of[c.Name] != metrics.Rated
	})
	if len(columns) == 0 {
		return nil, errors.New("no column depends on the answer key; want one of answers, evidence or judgements")
	}
	var tables []*Table
	if full := slices.MaxFunc(lines, func(x, y *line) int { return cmp.Compare(len(x.items), len(y.items)) }); len(full.categories) > 1 || b.By == "" {
		tables = append(tables, b.ceilings(full))
	}
	for _, c := range columns {
		tables = append(tables, b.keyTable(lines, c))
	}
	return tables, nil
}

// ceilings lays out how many questions of each category are objected to, and the
// questions under each key.
func (b *builder) ceilings(l *line) *Table {
	d := l.dataset
	t := &Table{Name: d.Label + ", answer keys", Title: d.Label + ", questions under each answer key", Rows: [][]Cell{}}
	t.Columns = []Column{{Name: "category"}, {Name: "objected", Head: "objected to", Number: true}, {Name: "ceiling", Number: true}}
	for _, key := range errata.Keys() {
		t.Columns = append(t.Columns, Column{Name: string(key), Number: true})
	}
	t.NoteTitle(provenance([]*line{l})...)
	t.NoteTitle("ceiling: the share of the questions whose published answer nobody objects to, in percent")
	ids := asked([]*line{l})
	for _, id := range append(slices.Clone(ids), "") {
		name, of := "all", l
		if id != "" {
			name, of = d.CategoryName(id), l.filtered(func(it *item) bool { return it.category == id })
		}
		row := []Cell{text(name), count(of.objected()), scaled(new(ceiling(len(of.items), of.objected())), 1, 2)}
		for _, u := range of.under {
			row = append(row, count(len(of.items)-u.out(u.ids())))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// provenance says what the keys rest on.
func provenance(lines []*line) []string {
	var notes []string
	for _, l := range lines {
		notes = lists.AddNew(notes, lists.Map(l.dataset.Errata, func(o record.Overlay) string {
			by := ""
			if o.Attribution != "" {
				by = " by " + o.Attribution
			}
			return fmt.Sprintf("errata %s%s, %s, %s", o, by, o.License, o.Source)
		})...)
	}
	return append(notes, "excluded leaves out the questions whose answer is objected to; corrected takes the corrected answers, and leaves out the questions that have none; lenient takes published and corrected answers")
}

// keyTable lays out a column under each key, with a rank among the rows and the difference
// to the first key.
func (b *builder) keyTable(lines []*line, c metrics.Column) *Table {
	f := b.layout(lines)
	d := lines[0].dataset
	t := &Table{Name: d.Label + " by key: " + c.Name, Title: d.Label + ", " + c.Name + " under each answer key", BestOf: f.bestOf(), Columns: f.columns()}
	t.NoteTitle(provenance(lines)...)
	f.titleNotes(t, lines, []metrics.Column{c})
	if b.of[c.Name] == metrics.Judgement {
		t.NoteTitle("judgements are about the published answers: where a key accepts another answer they are left out")
	}
	t.Rows = lists.Map(lines, func(l *line) []Cell { return f.cells(t, l) })
	orders := f.orders(lines, c)
	for k, key := range errata.Keys() {
		head := func(name string) {
			t.Columns = append(t.Columns, Column{Name: strings.TrimSpace(string(key) + " " + name), Group: string(key), Number: true})
		}
		head("n")
		head("") // the mean
		if k > 0 {
			head("change")
		}
		head("rank")
		mean := len(t.Rows[0]) + 1
		for i, l := range lines {
			s, ok := l.under[k].summary(c, l.under[k].ids())
			base, _ := l.under[0].summary(c, l.under[0].ids())
			cell := f.cell(new(Table), l.under[k], c, l.under[k].ids())
			cell.Notes = nil // n says how many have a value
			if k == 0 && ok {
				cell.Notes = t.notes(b.aboveCeiling(l, c, s))
			}
			row := append(slices.Clone(t.Rows[i]), count(s.n), cell)
			if k > 0 {
				change := Cell{}
				if x := (s.mean - base.mean) * c.Scale; ok && base.n > 0 {
					change = Cell{Text: signed(x, c.Digits), Value: &x}
				}
				row = append(row, change)
			}
			rank := Cell{}
			if r := rankOf(lines, l, k, c); r > 0 {
				rank = count(r)
			}
			for _, o := range orders {
				if o.key == k && (o.first == l || o.second == l) {
					rank.Notes = append(rank.Notes, t.Note(o.text))
				}
			}
			t.Rows[i] = append(row, rank)
		}
		t.markBest(mean, c, lines)
	}
	b.wordsBeside(t, lines, c)
	return t
}

// rankOf returns the rank of a line in a column under a key, 1 for the best, equal means
// with the same; 0 for a line without a mean.
func rankOf(lines []*line, l *line, key int, c metrics.Column) int {
	s, ok := l.under[key].summary(c, l.under[key].ids())
	if !ok || c.Neutral {
		return 0
	}
	return 1 + len(lists.Filter(lines, func(other *line) bool {
		o, ok := other.under[key].summary(c, other.under[key].ids())
		return ok && better(o.mean, s.mean, c) > 0
	}))
}

// aboveCeiling says that a row counts more answers right than have an undisputed gold
// answer, and how many of those objected to it counts right. Empty for a column that
// is not of right and wrong, and below the ceiling.
func (b *builder) aboveCeiling(l *line, c metrics.Column, s summary) string {
	n, objected := len(l.items), l.objected()
	least := int(math.Ceil(s.mean*float64(n) - float64(n-objected) - 1e-9))
	if !c.Binary || n != s.n || least <= 0 {
		return ""
	}
	right := 0.0
	for _, it := range l.by(errata.Excluded).items {
		if p := l.under[0].seen[it.request]; it.out && p != nil && p.values[b.at(c.Name)] > 0 {
			right += p.values[b.at(c.Name)]
		}
	}
	return fmt.Sprintf("above the ceiling of %s: at least %d of the answers counted right agree with a gold answer that is objected to; %s of %d are",
		decimal(ceiling(n, objected), 2), least, decimal(right, 0), objected)
}

// An order is two rows of which the first is ahead under the first key, and the second
// under another one.
type order struct {
	key           int
	first, second *line
	text          string
}

// orders finds the rows whose order changes from the first key to another, and what a test
// says of their differences.
func (f layout) orders(lines []*line, c metrics.Column) []order {
	if c.Neutral || !testable(c) {
		return nil
	}
	var all []order
	for _, x := range lines {
		for _, y := range lines {
			under := func(a, b *line, key int) (text string, ahead bool) {
				r := f.contrast(newMatch(b.under[key], a.under[key]), c, 0)
				one, ok := a.under[key].summary(c, a.under[key].ids())
				other, has := b.under[key].summary(c, b.under[key].ids())
				if !ok || !has || better(one.mean, other.mean, c) <= 0 {
					return "", false
				}
				Decide([]*Contrast{r}, infer.Options{AcceptTwo: f.AcceptTwo, Correct: f.Correct, Seed: a.run.Header.Seed})
				shown := "nothing can be shown with " + r.units(r.Units)
				if r.Insufficient == "" && r.P != nil {
					shown = fmt.Sprintf("%s, p %.2g", map[bool]string{true: "shown", false: "not shown"}[r.Shown], *r.P)
				}
				return fmt.Sprintf("%s over %s under %s (%s, %s; %s)", f.name(a), f.name(b), errata.Keys()[key],
					decimal(one.mean*c.Scale, c.Digits), decimal(other.mean*c.Scale, c.Digits), shown), true
			}
			for key := 1; key < len(errata.Keys()); key++ {
				before, ahead := under(x, y, 0)
				if !ahead {
					break
				}
				if after, behind := under(y, x, key); behind {
					all = append(all, order{key, x, y, "order changes between keys: " + before + ", " + after})
				}
			}
		}
	}
	return all
}
