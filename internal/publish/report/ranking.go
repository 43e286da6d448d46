package report

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Ranking is what a page draws of a dataset and a model: the rows that a [Screen] prints,
// with the numbers behind their texts. Numbers are in the unit of tables.
type Ranking struct {
	Dataset string      `json:"dataset"`
	Model   string      `json:"model"`
	Title   string      `json:"title"` // what the rows share
	Column  ShownColumn `json:"column"`
	// Text says which differences are statistically significant; empty where nothing was
	// compared. Notes say what the sentence hides, such as errors and few conversations.
	Text  string   `json:"text,omitempty"`
	Notes []string `json:"notes,omitempty"`
	// Columns are those of the table that have a value. Rows are the best first; what is not ranked comes last.
	Columns []RankingColumn `json:"columns"`
	Rows    []RankingRow    `json:"rows"`
	// Parts are the means by category, each in the order of Rows; none where there is one.
	Parts []RankingPart `json:"parts"`
	// Differences are the comparisons behind Text.
	Differences []Difference `json:"differences"`
}

// A ShownColumn says how the values of a column are printed.
type ShownColumn struct {
	Name   string  `json:"name"`
	Scale  float64 `json:"scale"`
	Digits int     `json:"digits"`
	Lower  bool    `json:"lower,omitempty"`
}

// A RankingColumn is a column of the table.
type RankingColumn struct {
	Name string `json:"name"`
	Head string `json:"head"`
	Doc  string `json:"doc,omitempty"`
	// More is set for columns that are shown when a reader asks for them.
	More bool `json:"more,omitempty"`
}

// An Estimate is a mean with its 95 % interval.
type Estimate struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	Text string   `json:"text"`
	N    int      `json:"n"` // values behind it
}

// A RankingRow is a row with its place.
type RankingRow struct {
	Label    string    `json:"label"`
	Method   string    `json:"method"`
	Run      string    `json:"run"` // id
	Estimate *Estimate `json:"estimate"`
	// Stands says in words how far the row is behind the best one, and Place is "best",
	// "worse" where that is significant, "apart" where the row is not ranked, or empty.
	Stands string `json:"stands,omitempty"`
	Place  string `json:"place,omitempty"`
	// Tokens are those of a question, and USD what the whole row cost; nil where not known.
	Tokens *float64 `json:"tokens,omitempty"`
	USD    *float64 `json:"usd,omitempty"`
	Cells  []string `json:"cells"` // in the order of the columns
}

// A RankingPart is the questions of a category.
type RankingPart struct {
	Name  string      `json:"name"`
	N     int         `json:"n"`
	Means []*Estimate `json:"means"`
}

// A Difference is how far one method lies above another.
type Difference struct {
	Side string  `json:"side"`
	Base string  `json:"base"`
	Mean float64 `json:"mean"`
	// Low and High bound the 95 % interval; nil where there is none.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	P    *float64 `json:"p,omitempty"` // adjusted
	// Verdict is that of [Contrast.Verdict], and Text the difference as tables print it.
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
}

// Rankings ranks the rows of some runs on each dataset with each model by the column that
// the options name or, where they name none, by the first that leads, that all runs have
// and that has values there; the verdict of a judge goes first. Spent returns what the
// rows of a run took. Differences have Holm's adjustment over all pairs of a dataset and
// a model.
func Rankings(runs []*Run, spent func(*Run) []record.Spent, o Options) ([]Ranking, error) {
	b, groups, err := openGroups(runs, o)
	if err != nil {
		return nil, err
	}
	of := func(l *line) record.Spent { return spentBy(spent(l.run), l) }
	return lists.Map(groups, func(g group) Ranking { return b.ranking(g, of) }), nil
}

func (b *builder) ranking(g group, spent func(*line) record.Spent) Ranking {
	c := g.column
	r := Ranking{
		Dataset: g.dataset, Model: g.model, Title: b.screenTitle(g), Column: ShownColumn{c.Name, c.Scale, c.Digits, c.Lower},
		Rows: []RankingRow{}, Parts: []RankingPart{}, Differences: []Difference{},
	}
	if len(g.pairs) > 0 {
		r.Text, r.Notes = g.sentence(), g.notes()
	}
	columns := b.screenColumns(g, spent)
	columns = columns[1 : len(columns)-1] // the method and its place are of the row
	for _, m := range b.known {
		columns = append(columns, screenColumn{m.Name, func(row ranked) string {
			if e := b.estimate(row.line, m, row.ids()); e != nil {
				return e.Text
			}
			return ""
		}})
	}
	own := len(columns) - len(b.known)
	var filled []screenColumn
	for i, column := range columns {
		if !slices.ContainsFunc(g.rows, func(row ranked) bool { return column.of(row) != "" }) {
			continue
		}
		filled = append(filled, column)
		shown := RankingColumn{Name: column.head, Head: column.head, More: i >= own}
		if shown.More {
			shown.Name = "mean " + column.head
			shown.Doc = b.doc(column.head)
		}
		r.Columns = append(r.Columns, shown)
	}
	tokens, _ := b.column("tokens-query")
	for _, row := range g.rows {
		one := RankingRow{Label: row.label, Method: row.cell.Method, Run: row.run.Header.ID, Estimate: b.estimate(row.line, c, row.ids()), Stands: g.stands(row)}
		one.Place = place(one.Stands)
		if e, ok := row.summary(tokens, row.ids()); ok {
			one.Tokens = new(e.mean * tokens.Scale)
		}
		if s := spent(row.line); s.Cost != nil {
			one.USD = new(*s.Cost * float64(s.Requests))
		}
		one.Cells = lists.Map(filled, func(column screenColumn) string { return column.of(row) })
		r.Rows = append(r.Rows, one)
	}
	ids := asked(lists.Map(g.rows, func(row ranked) *line { return row.line }))
	for _, id := range ids {
		if len(ids) == 1 {
			break // the whole
		}
		first := g.rows[0].line
		means := lists.Map(g.rows, func(row ranked) *Estimate { return b.estimate(row.line, c, []string{id}) })
		if slices.ContainsFunc(means, func(e *Estimate) bool { return e != nil }) {
			r.Parts = append(r.Parts, RankingPart{Name: first.dataset.CategoryName(id), N: len(first.categories[id]), Means: means})
		}
	}
	r.Differences = lists.Map(g.pairs, func(p rankedPair) Difference {
		d := Difference{Side: p.Method, Base: p.BaseMethod, Mean: p.Difference() * c.Scale, Verdict: p.Verdict(), P: p.Adjusted, Text: p.differenceCell(true).Text}
		if p.Interval != nil {
			d.Low, d.High = bounds(p.Interval.Scale(c.Scale))
		}
		return d
	})
	return r
}

// place is the verdict of a row in one word.
func place(stands string) string {
	switch {
	case stands == standsApart:
		return "apart"
	case stands == standsBest:
		return "best"
	case strings.HasPrefix(stands, standsWorse+" "):
		return "worse"
	}
	return ""
}

func bounds(i stats.Interval) (low, high *float64) { return &i.Lo, &i.Hi }

// estimate is the mean of a column over some categories of a line; nil where it has none.
func (b *builder) estimate(l *line, c metrics.Column, ids []string) *Estimate {
	s, ok := l.summary(c, ids)
	if !ok {
		return nil
	}
	e := &Estimate{Mean: s.mean * c.Scale, N: s.n, Text: decimal(s.mean*c.Scale, c.Digits)}
	if i, ok := b.interval(l, c, ids, s); ok {
		e.Low, e.High = bounds(i.Scale(c.Scale))
	}
	return e
}

// doc is what the metric of a column measures.
func (b *builder) doc(column string) string {
	for _, spec := range b.specs {
		if hasColumn(spec.Columns, column) {
			return spec.Doc
		}
	}
	return ""
}
