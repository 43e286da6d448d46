package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

const (
	allPairs   = 6  // up to this many methods, all pairs are compared; with more, each with the best
	fewSamples = 20 // below this many conversations, a note has their number
	fewNames   = 4  // how many methods a sentence names
)

// A Ranking has the rows of a dataset and a model, the best first, as pages draw them and a
// [Screen] prints them. Numbers are in the unit of tables.
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

	of func(*line) string
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

// A Ranker ranks the rows of some runs.
type Ranker struct {
	b     *builder
	runs  []*Run
	spent func(*Run) []record.Spent
}

// NewRanker reads the scores of runs. Spent returns what the rows of a run took.
func NewRanker(runs []*Run, spent func(*Run) []record.Spent, o Options) (*Ranker, error) {
	o.Published, o.Correct, o.Columns = nil, infer.Holm, nil
	b, err := open(runs, o)
	return &Ranker{b, runs, spent}, err
}

// Rankings ranks the rows on each dataset with each model by a column or, where none is
// named, by the first that leads, that all runs have and that has values there; the
// verdict of a judge goes first. Differences have Holm's adjustment over all pairs of a
// dataset and a model.
func (r *Ranker) Rankings(column string) ([]Ranking, error) {
	groups, err := r.groups(column)
	if err != nil {
		return nil, err
	}
	return lists.Map(groups, func(g *group) Ranking { return g.ranking(slices.Concat(g.columns(), g.means())) }), nil
}

// A group holds the rows of a dataset and a model, the best by a column first, and ceilings
// and controls last.
type group struct {
	*builder
	spent func(*Run) []record.Spent
	by    metrics.Column
	rows  []*line
	// pairs are the contrasts of memories with lower ones, tested together; none if the
	// column does not decide which answers are better.
	pairs []rankedPair
}

type rankedPair struct {
	above, below *line
	*Contrast
}

// groups groups the rows by dataset and model, ranked as [Ranker.Rankings] says or, where
// no column leads, by the first column.
func (r *Ranker) groups(column string) (groups []*group, err error) {
	b := r.b
	columns := b.leading(r.runs)
	decides := len(columns) > 0
	if column != "" {
		if columns, err = b.namedColumns([]string{column}); err != nil {
			return nil, err
		}
		decides = testable(columns[0]) && !columns[0].Neutral
	} else if !decides {
		columns = b.columns
	}
	for _, lines := range groupBy(b.lines, func(l *line) string { return l.cell.Dataset + "\x00" + l.cell.Model }) {
		i := slices.IndexFunc(columns, func(c metrics.Column) bool { return valued(lines, c) })
		if i < 0 {
			continue
		}
		g := &group{builder: b, spent: r.spent, by: columns[i], rows: rank(lines, columns[i])}
		if decides {
			g.compare()
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// leading returns the columns that may decide and that all runs have, verdicts of judges
// first.
func (b *builder) leading(runs []*Run) []metrics.Column {
	var judged, others []metrics.Column
	for _, spec := range b.specs {
		c := spec.Columns[0]
		lacks := func(r *Run) bool { return !b.measures(r, c) }
		switch {
		case slices.ContainsFunc(runs, lacks), !testable(c), !spec.Leads():
		case strings.HasPrefix(c.Name, metrics.RefusalColumn+":"): // says nothing about correctness
		case spec.Of == metrics.Judgement && metrics.JudgeOf(c.Name) != "contains": // which compares words
			judged = append(judged, c)
		default:
			others = append(others, c)
		}
	}
	return append(judged, others...)
}

// rank orders rows by a column: memories before ceilings and controls, and rows without a
// value last.
func rank(lines []*line, c metrics.Column) []*line {
	mean := func(l *line) float64 {
		if s, ok := l.all(c); ok {
			return s.mean
		}
		return math.NaN()
	}
	return slices.SortedStableFunc(slices.Values(lines), func(x, y *line) int {
		a, b := mean(x), mean(y)
		switch {
		case x.memory() != y.memory():
			return strings.Compare(x.cell.Sees, y.cell.Sees)
		case math.IsNaN(a) || math.IsNaN(b):
			return cmp.Compare(b, a) // NaN is least
		}
		return better(b, a, c)
	})
}

// memory reports whether a row is of a memory and not of a ceiling or control.
func (l *line) memory() bool { return l.cell.Sees == "" }

func (g *group) memories() []*line { return lists.Filter(g.rows, (*line).memory) }

// label names a row among those of all runs.
func (g *group) label(l *line) string {
	if len(g.names) > 1 {
		return l.cell.Method + " of " + l.run.Name
	}
	return l.cell.Method
}

// compare contrasts the memories of a group: all pairs or, if there are many, each with
// the best.
func (g *group) compare() {
	memories := g.memories()
	for i, above := range memories {
		if i > 0 && len(memories) > allPairs {
			break
		}
		for _, below := range memories[i+1:] {
			c := g.contrast(newMatch(below, above), g.by, len(g.pairs))
			if c.N == 0 {
				continue
			}
			c.leaveSame()
			_, c.about = above.dataset.Nouns()
			c.Method, c.BaseMethod = g.label(above), g.label(below)
			g.pairs = append(g.pairs, rankedPair{above, below, c})
		}
	}
	Decide(lists.Map(g.pairs, func(p rankedPair) *Contrast { return p.Contrast }), g.infer(g.rows[0].run.Header.Seed))
}

// ranking lays out a group with some columns.
func (g *group) ranking(columns []RankingColumn) Ranking {
	c, first := g.by, g.rows[0]
	r := Ranking{
		Dataset: first.cell.Dataset, Model: first.cell.Model, Title: g.title(), Column: ShownColumn{c.Name, c.Scale, c.Digits, c.Lower},
		Columns: lists.Filter(columns, func(column RankingColumn) bool {
			return slices.ContainsFunc(g.rows, func(l *line) bool { return column.of(l) != "" })
		}),
		Rows: []RankingRow{}, Parts: []RankingPart{}, Differences: []Difference{},
	}
	if len(g.pairs) > 0 {
		r.Text, r.Notes = g.sentence(), g.notes()
	}
	tokens, _ := g.column("tokens-query")
	for _, l := range g.rows {
		row := RankingRow{Label: g.label(l), Method: l.cell.Method, Run: l.run.Header.ID, Estimate: g.estimate(l, c, l.ids()), USD: g.cost(l)}
		row.Place, row.Stands = g.stands(l)
		if s, ok := l.all(tokens); ok {
			row.Tokens = new(s.mean * tokens.Scale)
		}
		row.Cells = lists.Map(r.Columns, func(column RankingColumn) string { return column.of(l) })
		r.Rows = append(r.Rows, row)
	}
	if ids := asked(g.rows); len(ids) > 1 {
		for _, id := range ids {
			part := RankingPart{first.dataset.CategoryName(id), len(first.categories[id]), lists.Map(g.rows, func(l *line) *Estimate { return g.estimate(l, c, []string{id}) })}
			if slices.ContainsFunc(part.Means, func(e *Estimate) bool { return e != nil }) {
				r.Parts = append(r.Parts, part)
			}
		}
	}
	for _, p := range g.pairs {
		d := Difference{Side: p.Method, Base: p.BaseMethod, Mean: p.Difference() * c.Scale, Verdict: p.Verdict(), P: p.Adjusted, Text: p.differenceCell(true).Text}
		if p.Interval != nil {
			i := p.Interval.Scale(c.Scale)
			d.Low, d.High = &i.Lo, &i.Hi
		}
		r.Differences = append(r.Differences, d)
	}
	return r
}

// estimate is the mean of a column over some categories of a row; nil where it has none.
func (b *builder) estimate(l *line, c metrics.Column, ids []string) *Estimate {
	s, ok := l.summary(c, ids)
	if !ok {
		return nil
	}
	e := &Estimate{Mean: s.mean * c.Scale, N: s.n, Text: decimal(s.mean*c.Scale, c.Digits)}
	if i, ok := b.interval(l, c, ids, s); ok {
		i = i.Scale(c.Scale)
		e.Low, e.High = &i.Lo, &i.Hi
	}
	return e
}

// cost is what the answers of a row cost, in dollars; nil where it is not known.
func (g *group) cost(l *line) *float64 {
	s := spentBy(g.spent(l.run), l)
	if s.Cost == nil {
		return nil
	}
	return new(*s.Cost * float64(s.Requests))
}

// columns are those of a screen.
func (g *group) columns() []RankingColumn {
	c := g.by
	var all []RankingColumn
	add := func(head string, of func(*line) string) {
		all = append(all, RankingColumn{Name: head, Head: head, of: of})
	}
	if metrics.Decides(c.Name) > 0 {
		add("right", func(l *line) string { return strconv.Itoa(g.answers(l, metrics.Right)) })
		if right, wrong := metrics.Bounds(c.Name); right > wrong {
			add("unclear", func(l *line) string { return strconv.Itoa(g.answers(l, metrics.Unclear)) })
		}
	}
	mean := func(c metrics.Column) func(*line) string {
		return func(l *line) string {
			s, ok := l.all(c)
			if !ok {
				return ""
			}
			return shortMean(c, s.mean)
		}
	}
	add(c.Name, mean(c))
	if g.rows[0].conversations() > 1 {
		add("95 % interval", func(l *line) string {
			s, _ := l.all(c)
			i, ok := g.interval(l, c, l.ids(), s)
			if !ok {
				return ""
			}
			return shortMean(c, i.Lo) + " to " + shortMean(c, i.Hi)
		})
	}
	for _, beside := range [][2]string{{"words", "words"}, {"evidence-recall", "evidence"}, {"tokens-query", "tokens"}} {
		if m, ok := g.column(beside[0]); ok && m.Name != c.Name {
			add(beside[1], mean(m))
		}
	}
	add("cost", func(l *line) string {
		if usd := g.cost(l); usd != nil && *usd != 0 {
			return "$" + decimal(*usd, 2)
		}
		return ""
	})
	add("errors", func(l *line) string { _, failed := l.scored(); return strconv.Itoa(failed) })
	return all
}

// means are the columns with the means of all metrics.
func (g *group) means() []RankingColumn {
	return lists.Map(g.known, func(c metrics.Column) RankingColumn {
		spec := g.specs[slices.IndexFunc(g.specs, func(s *metrics.Spec) bool { return hasColumn(s.Columns, c.Name) })]
		return RankingColumn{Name: "mean " + c.Name, Head: c.Name, Doc: spec.Doc, More: true, of: func(l *line) string {
			if s, ok := l.all(c); ok {
				return decimal(s.mean*c.Scale, c.Digits)
			}
			return ""
		}}
	})
}

// answers counts the answers of a row with a verdict, by the column of the group.
func (g *group) answers(l *line, verdict metrics.Verdict) int {
	at, span := l.places[g.by.Name], g.at(metrics.SpanColumn)
	return len(lists.Filter(l.items, func(it *item) bool {
		if it.out || it.status != record.OK || math.IsNaN(it.values[at]) {
			return false
		}
		if _, unasked := it.unasked[g.by.Name]; unasked && span >= 0 { // the value is a rate; f1@span decided
			return metrics.By(metrics.SpanColumn, &it.values[span]) == verdict
		}
		return metrics.By(g.by.Name, &it.values[at]) == verdict
	}))
}

// shortMean prints a mean with one decimal, but tokens as whole numbers with thousands
// separators.
func shortMean(c metrics.Column, x float64) string {
	x *= c.Scale
	if !strings.HasPrefix(c.Name, metrics.TokensSpec.Name) {
		return decimal(x, min(c.Digits, 1))
	}
	s := decimal(x, 0)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// title says what the rows of a group share.
func (g *group) title() string {
	first := g.rows[0]
	question, conversation := first.dataset.Nouns()
	title := fmt.Sprintf("%s: %s about %s. ", first.cell.Dataset, Plural(len(first.items), question), Plural(first.conversations(), conversation))
	if first.cell.Imported != nil {
		title += "Imported answers, model "
	}
	title += first.cell.Model
	if days := first.model.Recorded; len(days) > 0 {
		title += ", recorded " + days[len(days)-1]
		if again := first.run.Header.Repeated; again != nil {
			title += " (" + again.String() + ")"
		}
	}
	if key := first.dataset.AnswerKey(); key != string(errata.Published) {
		title += fmt.Sprintf(", answer key %s, which leaves out %s", key, Plural(first.out(), question))
	}
	if n := len(first.seeds); n > 1 {
		title += fmt.Sprintf(", means over %d seeds", n)
	}
	if beat := g.notBeaten(g.rows, g.by); len(beat) > 0 {
		title += ". No memory is significantly better than " + enumerate(beat, "or")
	}
	return title + "."
}

// stands says how far a row is behind the best, and its place: "worse" only if the
// difference is statistically significant.
func (g *group) stands(l *line) (place, words string) {
	best := g.rows[0]
	if !l.memory() {
		return "apart", "not ranked"
	}
	for _, p := range g.pairs {
		switch {
		case p.above != best || p.Interval == nil:
			continue
		case l == best && p.Shown:
			return "best", "best"
		case l != p.below:
			continue
		}
		scale := p.Column.Scale
		if p.Column.Lower {
			scale = -scale
		}
		i := p.Interval.Scale(scale)
		behind := fmt.Sprintf("(%s to %s)", decimal(min(i.Lo, i.Hi), 1), decimal(max(i.Lo, i.Hi), 1))
		if p.Shown {
			return "worse", "worse by " + decimal(p.Difference()*scale, 1) + " " + behind
		}
		return "", "no difference shown " + behind
	}
	return "", ""
}

// sentence says which differences are significant.
func (g *group) sentence() string {
	worse := make(map[*line][]string) // than a row
	beaten := make(map[*line]bool)
	var names, better []string
	detectable, same := 0.0, true
	for _, p := range g.pairs {
		names, same = lists.AddNew(names, p.Method, p.BaseMethod), same && p.Same()
		if p.Detectable != nil {
			detectable = max(detectable, *p.Detectable*p.Column.Scale)
		}
		if p.Shown {
			worse[p.above], beaten[p.below] = append(worse[p.above], p.BaseMethod), true
		}
	}
	for _, l := range g.rows {
		if len(worse[l]) > 0 && !beaten[l] {
			others := few(worse[l])
			if len(worse[l]) > 2 && len(worse[l]) == len(g.memories())-1 {
				others = "all others"
			}
			better = append(better, g.label(l)+" is significantly better than "+others)
		}
	}
	switch {
	case same:
		return fmt.Sprintf("In %s, %s score the same on every question.", g.by.Name, few(names))
	case len(better) > 0:
		return fmt.Sprintf("%s in %s.", strings.Join(better, "; "), g.by.Name)
	case detectable == 0:
		return "No ranking yet: " + g.pairs[0].Reason() + "."
	}
	return fmt.Sprintf("No difference in %s between %s is statistically significant; one of %s would be.", g.by.Name, few(names), decimal(detectable, g.by.Digits))
}

// few lists names; of many, it lists some and the number of others.
func few(names []string) string {
	if len(names) > fewNames {
		names = append(slices.Clone(names[:fewNames-1]), fmt.Sprintf("%d others", len(names)-fewNames+1))
	}
	return enumerate(names, "and")
}

// notes returns the caveats of the sentence.
func (g *group) notes() []string {
	var notes []string
	for _, l := range g.memories() {
		if n, failed := l.scored(); 100*failed > n {
			notes = append(notes, fmt.Sprintf("%s failed on %d of %d questions, which count as wrong.", g.label(l), failed, n))
		}
	}
	samples, tested := math.MaxInt, false
	for _, p := range g.pairs {
		samples, tested = min(samples, p.Samples), tested || p.P != nil
		if p.Unpaired != "" {
			notes = lists.AddNew(notes, fmt.Sprintf("%s and %s cannot be compared question by question: %s.", p.BaseMethod, p.Method, p.Unpaired))
		}
	}
	if samples < fewSamples && tested {
		notes = append(notes, fmt.Sprintf("The test rests on %s.", g.pairs[0].units(samples)))
	}
	if g.rows[0].model.Offline {
		notes = append(notes, g.rows[0].offlineSentence())
	}
	return notes
}

// offlineSentence says what answered in place of a language model.
func (l *line) offlineSentence() string {
	if l.model.Backend == "none" {
		return "No model took part: answers are empty, and the stand-in embeds."
	}
	return "The stand-in answered, which is not a language model: nothing here is comparable with published numbers."
}
