package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
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

// A ShownColumn is a column, and whether lower is better.
type ShownColumn struct {
	Name  string `json:"name"`
	Lower bool   `json:"lower,omitempty"`
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

// An Estimate is a mean with its 95 % interval, if any, and as tables print it.
type Estimate struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	Text string   `json:"text"`
}

// A RankingRow is a row with its place.
type RankingRow struct {
	Label    string    `json:"label"`
	Method   string    `json:"method"`
	Run      string    `json:"run"` // id
	Estimate *Estimate `json:"estimate"`
	// Stands says in words how far the row is behind the best one, and Place is "best",
	// "worse" where that is significant, "apart" where the row is not ranked, or empty.
	Stands string   `json:"stands,omitempty"`
	Place  string   `json:"place,omitempty"`
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
	Side     string `json:"side"`
	Base     string `json:"base"`
	Estimate        // of the difference
	Verdict  string `json:"verdict"` // that of [Contrast.Verdict]
}

// Rankings ranks the rows on each dataset with each model by a column or, where none is
// named, by the first that leads, that all runs have and that has values there; the
// verdict of a judge goes first. Differences have Holm's adjustment over all pairs of a
// dataset and a model. Spent returns what the rows of a run took.
func (f *Facts) Rankings(column string, spent func(*Run) []record.Spent, o Options) ([]Ranking, error) {
	groups, err := f.groups(column, spent, o)
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
	pairs []*Contrast
}

// groups groups the rows by dataset and model, ranked as [Facts.Rankings] says or, where
// no column leads, by the first column.
func (f *Facts) groups(column string, spent func(*Run) []record.Spent, o Options) (groups []*group, err error) {
	o.Correct, o.Columns = infer.Holm, nil
	b, err := f.with(o)
	if err != nil {
		return nil, err
	}
	columns := b.leading()
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
		g := &group{builder: b, spent: spent, by: columns[i], rows: rank(lines, columns[i])}
		if decides {
			g.compare()
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// leading returns the columns that may decide and that all runs have, first verdicts of
// judges, or those on evidence if no model answered.
func (b *builder) leading() []metrics.Column {
	var first, others []metrics.Column
	answered := slices.ContainsFunc(b.lines, func(l *line) bool { return l.model.Backend != noModel })
	for _, spec := range b.specs {
		c := spec.Columns[0]
		lacks := func(r *Run) bool { return !b.measures(r, c) }
		switch {
		case slices.ContainsFunc(b.runs, lacks), !testable(c), !spec.Leads():
		case strings.HasPrefix(c.Name, metrics.RefusalColumn+":"): // says nothing about correctness
		case spec.Of == metrics.Judgement && metrics.JudgeOf(c.Name) != "contains": // which compares words
			first = append(first, c)
		case spec.Of == metrics.Evidence && !answered:
			first = append(first, c)
		default:
			others = append(others, c)
		}
	}
	return append(first, others...)
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
			g.pairs = append(g.pairs, c)
		}
	}
	Decide(g.pairs, g.infer(g.rows[0].run.Header.Seed))
}

// ranking lays out a group with some columns.
func (g *group) ranking(columns []RankingColumn) Ranking {
	c, first := g.by, g.rows[0]
	r := Ranking{
		Dataset: first.cell.Dataset, Model: first.cell.Model, Title: g.title(), Column: ShownColumn{c.Name, c.Lower},
		Columns: lists.Filter(columns, func(column RankingColumn) bool {
			return slices.ContainsFunc(g.rows, func(l *line) bool { return column.of(l) != "" })
		}),
		Rows: []RankingRow{}, Parts: []RankingPart{}, Differences: []Difference{},
	}
	if len(g.pairs) > 0 {
		r.Text, r.Notes = g.sentence(), g.notes()
	}
	for _, l := range g.rows {
		row := RankingRow{Label: g.label(l), Method: l.cell.Method, Run: l.run.Header.ID, Estimate: g.estimate(l, c, l.ids())}
		row.Place, row.Stands = g.stands(l)
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
		r.Differences = append(r.Differences, Difference{p.Method, p.BaseMethod, *estimateOf(p.differenceCell(true)), p.Verdict()})
	}
	return r
}

// estimateOf returns a number of a table.
func estimateOf(cell Cell) *Estimate {
	e := &Estimate{Mean: *cell.Value, Text: cell.Text}
	if i := cell.Interval; i != nil {
		e.Low, e.High = &i.Lo, &i.Hi
	}
	return e
}

// estimate is the mean of a column over some categories of a row; nil where it has none.
func (b *builder) estimate(l *line, c metrics.Column, ids []string) *Estimate {
	s, ok := l.summary(c, ids)
	if !ok {
		return nil
	}
	cell := scaled(&s.mean, c.Scale, c.Digits)
	if i, ok := b.interval(l, c, ids, s); ok {
		cell.Interval = new(i.Scale(c.Scale))
	}
	return estimateOf(cell)
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
	add(c.Name, meanText(c, shortMean))
	if g.rows[0].conversations() > 1 {
		add("95 % interval", func(l *line) string {
			s, _ := l.all(c)
			if i, ok := g.interval(l, c, l.ids(), s); ok {
				return shortMean(c, i.Lo) + " to " + shortMean(c, i.Hi)
			}
			return ""
		})
	}
	for _, beside := range [][2]string{{"words", "words"}, {"evidence-recall", "evidence"}, {"tokens-query", "tokens"}} {
		if m, ok := g.column(beside[0]); ok && m.Name != c.Name {
			add(beside[1], meanText(m, shortMean))
		}
	}
	add("cost", func(l *line) string {
		usd := paid(spentBy(g.spent(l.run), l))
		return noteIf(usd != nil && *usd != 0, "$%s", decimal(*cmp.Or(usd, new(0.0)), 2))
	})
	add("errors", func(l *line) string { _, failed := l.scored(); return strconv.Itoa(failed) })
	return all
}

// means are the columns with the means of all metrics.
func (g *group) means() []RankingColumn {
	return lists.Map(g.known, func(c metrics.Column) RankingColumn {
		spec := g.specs[slices.IndexFunc(g.specs, func(s *metrics.Spec) bool { return hasColumn(s.Columns, c.Name) })]
		full := func(c metrics.Column, x float64) string { return decimal(x*c.Scale, c.Digits) }
		return RankingColumn{Name: "mean " + c.Name, Head: c.Name, Doc: spec.Doc, More: true, of: meanText(c, full)}
	})
}

// meanText prints the means of rows; empty for none.
func meanText(c metrics.Column, text func(metrics.Column, float64) string) func(*line) string {
	return func(l *line) string {
		if s, ok := l.all(c); ok {
			return text(c, s.mean)
		}
		return ""
	}
}

// answers counts the answers of a row with a verdict, by the column of the group.
func (g *group) answers(l *line, verdict metrics.Verdict) int {
	at := l.places[g.by.Name]
	span, spans := l.places[metrics.SpanColumn]
	return len(lists.Filter(l.items, func(it *item) bool {
		if it.out || it.status != record.OK || math.IsNaN(it.values[at]) {
			return false
		}
		if _, unasked := it.unasked[g.by.Name]; unasked && spans { // the value is a rate; f1@span decided
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
	key := first.dataset.AnswerKey()
	title += noteIf(key != string(errata.Published), ", answer key %s, which leaves out %s", key, Plural(first.out(), question))
	title += noteIf(len(first.seeds) > 0, ", means over %d seeds", len(first.seeds))
	if beat := g.notBeaten(g.rows, g.by); len(beat) > 0 {
		title += ". No memory is significantly better than " + enumerate(beat, "or")
	}
	return title + "."
}

// stands says how far a row is behind the best, and its place: "worse" only if the
// difference is statistically significant.
func (g *group) stands(l *line) (place, words string) {
	if !l.memory() {
		return "apart", "not ranked"
	}
	for _, p := range g.pairs {
		if p.line != g.rows[0] || p.Interval == nil || l != p.base && !(l == p.line && p.Shown) {
			continue
		}
		if l == p.line {
			return "best", "best"
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
			worse[p.line], beaten[p.base] = append(worse[p.line], p.BaseMethod), true
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
func (g *group) notes() (notes []string) {
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

// noModel is the backend of a run without a chat model.
const noModel = "none"

// offlineSentence says what answered in place of a language model.
func (l *line) offlineSentence() string {
	if l.model.Backend == noModel {
		return "No model took part: answers are empty, and the stand-in embeds."
	}
	return "The stand-in answered, which is not a language model: nothing here is comparable with published numbers."
}

// screenLines is how many lines a screen has at most.
const screenLines = 25

// ScreenOptions set what a screen adds to the scores.
type ScreenOptions struct {
	Options
	// Spent are the sums of the records, for the prices; see [Summarize].
	Spent []record.Spent
	// Next are commands with descriptions.
	Next [][2]string
}

// WriteScreen shows the results of a run in at most 25 lines of a width, in characters: for
// each dataset and model its rows, the best first, which differences are statistically
// significant or why none can be, caveats, and what to look at next. What does not fit is left
// to 'bench table'.
func WriteScreen(w io.Writer, r *Run, width int, o ScreenOptions) error {
	facts, err := Read([]*Run{r}, o.Options)
	if err != nil {
		return err
	}
	groups, err := facts.groups("", func(*Run) []record.Spent { return o.Spent }, o.Options)
	if err != nil {
		return err
	}
	screen := func(most int) (lines []string) {
		for _, g := range groups {
			lines = append(lines, g.screen(width, most)...)
		}
		return lines
	}
	const more = "More in 'bench table'."
	lines, tail := screen(math.MaxInt), wrap(facts.answered(len(groups) > 0), width)
	if len(o.Next) > 0 {
		longest := slices.Max(lists.Map(o.Next, func(n [2]string) int { return utf8.RuneCountInString(n[0]) }))
		tail = append(tail, "")
		for _, n := range o.Next {
			tail = append(tail, fmt.Sprintf("%-*s  %s", longest, n[0], n[1]))
		}
	}
	if over := len(lines) + len(tail) - screenLines; over > 0 && len(groups) == 1 {
		lines = append(screen(len(groups[0].rows)-over), more)
	} else if over > 0 {
		lines = append(lines[:screenLines-len(tail)-2], "", more)
	}
	_, err = io.WriteString(w, strings.Join(append(lines, tail...), "\n")+"\n")
	return err
}

// answered says how many answers and errors there are, and whether nothing is ranked.
func (f *Facts) answered(ranked bool) string {
	answers, failed := 0, 0
	for _, l := range f.rows {
		n, errors := l.scored()
		answers, failed = answers+n, failed+errors
	}
	said := fmt.Sprintf("%d answers, %s errors.", answers, cmp.Or(noteIf(failed > 0, "%d", failed), "no"))
	if !ranked {
		said += " No metric has a value; 'bench table' shows the reasons."
	}
	return said
}

// screen lays out at most some lines of a group, a head and a row at least. Columns that are
// the same in all rows become a sentence.
func (g *group) screen(width, most int) []string {
	r := g.ranking(g.columns())
	column := func(head string, of func(RankingRow) string) []string {
		return append([]string{head}, lists.Map(r.Rows, of)...)
	}
	columns := [][]string{column("method", func(row RankingRow) string { return row.Label })}
	var shared []string
	for i, c := range r.Columns {
		cells := column(c.Head, func(row RankingRow) string { return row.Cells[i] })
		switch same := len(slices.Compact(slices.Clone(cells[1:]))) == 1; {
		case same && c.Head == "errors" && cells[1] == "0":
		case same && len(r.Rows) > 1 && c.Head != g.by.Name:
			shared = append(shared, c.Head+" "+cells[1])
		default:
			columns = append(columns, cells)
		}
	}
	if slices.ContainsFunc(r.Rows, func(row RankingRow) bool { return row.Stands != "" }) {
		columns = append(columns, column("", func(row RankingRow) string { return row.Stands }))
	}
	if len(shared) > 0 {
		r.Title += " In all rows: " + strings.Join(shared, ", ") + "."
	}
	var below []string
	switch {
	case len(g.pairs) > 0:
		below = append([]string{"", r.Text}, r.Notes[:min(len(r.Notes), 3)]...)
	case len(g.rows) > 1:
		below = []string{"", "No ranking: no column of this run decides which answers are better."}
	case g.rows[0].model.Offline:
		below = []string{"", g.rows[0].offlineSentence()}
	}
	lines := slices.Concat(wrap(r.Title, width), []string{""}, setColumns(columns, max(2, min(most, len(r.Rows)+1)), width))
	for _, sentence := range below {
		lines = append(lines, wrap(sentence, width)...)
	}
	return append(lines, "")
}

// setColumns sets some rows of columns, the first of which is their head; the first column and
// one without a head are left-aligned. If they are too wide, it leaves out columns from the
// right, except the last, and names them.
func setColumns(columns [][]string, rows, width int) []string {
	columns = lists.Map(columns, func(c []string) []string {
		return lists.Map(c[:rows], func(cell string) string { return printable(cell, longestCell) })
	})
	wide := func(column []string) int { return slices.Max(lists.Map(column, utf8.RuneCountInString)) }
	total := -2
	for _, c := range columns {
		total += wide(c) + 2
	}
	var dropped []string
	for len(columns) > 2 && total > width {
		i := len(columns) - 1
		if columns[i][0] == "" && i > 2 {
			i--
		}
		dropped = append([]string{cmp.Or(columns[i][0], "difference to the best")}, dropped...)
		total -= wide(columns[i]) + 2
		columns = slices.Delete(columns, i, i+1)
	}
	lines := make([]string, rows)
	for i := range lines {
		for k, c := range columns {
			pad := wide(c)
			if k == 0 || c[0] == "" {
				pad = -pad
			}
			lines[i] += fmt.Sprintf("%*s  ", pad, c[i])
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if len(dropped) > 0 {
		lines = append(lines, wrap("Not shown at this width: "+strings.Join(dropped, ", ")+".", width)...)
	}
	return lines
}

// wrap breaks a text at spaces into lines of a width, or as wide as its longest word.
func wrap(s string, width int) []string {
	words := strings.Join(strings.Fields(termsafe.Text(s)), " ")
	return fold(strings.SplitAfter(words, " "), width)
}
