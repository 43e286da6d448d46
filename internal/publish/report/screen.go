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
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

// screenLines is how many lines a [Screen] has at most.
const screenLines = 25

// A Screen shows the results of a run in at most 25 lines: for each dataset and model its
// rows, the best first, which differences are statistically significant or why none can
// be, caveats, and what to look at next.
type Screen struct {
	groups []screenGroup
	said   string // of all answers
	next   [][2]string
}

// A screenGroup is the part of a screen about a dataset and a model.
type screenGroup struct {
	title string
	grid  [][]string // the head, then the rows
	below []string   // sentences
	short string     // the group in a line
}

// ScreenOptions set what a screen adds to the scores.
type ScreenOptions struct {
	Options
	// Spent are the sums of the records, for the prices; see [Summarize].
	Spent []record.Spent
	// Next are commands with descriptions.
	Next [][2]string
}

// NewScreen reads the scores of a run.
func NewScreen(r *Run, o ScreenOptions) (*Screen, error) {
	b, groups, err := openGroups([]*Run{r}, o.Options)
	if err != nil {
		return nil, err
	}
	s := &Screen{next: o.Next, groups: lists.Map(groups, func(g group) screenGroup {
		return b.screen(g, func(l *line) record.Spent { return spentBy(o.Spent, l) })
	})}
	answers, failed := 0, 0
	for _, l := range b.lines {
		n, errors := l.scored()
		answers, failed = answers+n, failed+errors
	}
	s.said = fmt.Sprintf("%d answers, %d errors.", answers, failed)
	if failed == 0 {
		s.said = fmt.Sprintf("%d answers, no errors.", answers)
	}
	if len(s.groups) == 0 {
		s.said += " No metric has a value; 'bench table' shows the reasons."
	}
	return s, nil
}

// A screenColumn is a column of a screen with a cell for each row.
type screenColumn struct {
	head string
	of   func(ranked) string
}

// screenColumns returns the columns of a group, including those without information.
func (b *builder) screenColumns(g group, spent func(*line) record.Spent) []screenColumn {
	c := g.column
	columns := []screenColumn{{"method", func(r ranked) string { return r.label }}}
	if metrics.Decides(c.Name) > 0 {
		columns = append(columns, screenColumn{"right", func(r ranked) string { return strconv.Itoa(b.answers(r.line, c, metrics.Right)) }})
		if right, wrong := metrics.Bounds(c.Name); right > wrong {
			columns = append(columns, screenColumn{"unclear", func(r ranked) string { return strconv.Itoa(b.answers(r.line, c, metrics.Unclear)) }})
		}
	}
	columns = append(columns, screenColumn{c.Name, func(r ranked) string { return shortMean(c, r.mean) }})
	if g.rows[0].conversations() > 1 {
		columns = append(columns, screenColumn{"95 % interval", func(r ranked) string {
			i, ok := b.interval(r.line, c, r.ids(), r.total)
			if !ok {
				return ""
			}
			return shortMean(c, i.Lo) + " to " + shortMean(c, i.Hi)
		}})
	}
	for _, beside := range [][2]string{{"words", "words"}, {"evidence-recall", "evidence"}, {"tokens-query", "tokens"}} {
		if m, ok := b.column(beside[0]); ok && m.Name != c.Name {
			columns = append(columns, screenColumn{beside[1], func(r ranked) string {
				of, ok := r.summary(m, r.ids())
				if !ok {
					return ""
				}
				return shortMean(m, of.mean)
			}})
		}
	}
	return append(columns,
		screenColumn{"cost", func(r ranked) string {
			s := spent(r.line)
			if s.Cost == nil || *s.Cost == 0 {
				return ""
			}
			return "$" + decimal(*s.Cost*float64(s.Requests), 2)
		}},
		screenColumn{"errors", func(r ranked) string { _, failed := r.scored(); return strconv.Itoa(failed) }},
		screenColumn{"", g.stands})
}

// screen lays out a group.
func (b *builder) screen(g group, spent func(*line) record.Spent) screenGroup {
	best := g.rows[0]
	s := screenGroup{title: b.screenTitle(g), grid: make([][]string, len(g.rows)+1)}
	var same []string
	for i, column := range b.screenColumns(g, spent) {
		cells := lists.Map(g.rows, column.of)
		all := len(lists.Distinct(cells, func(s string) string { return s })) == 1
		switch {
		case all && (cells[0] == "" || column.head == "errors" && cells[0] == "0"):
			continue
		case all && i > 0 && len(cells) > 1 && column.head != g.column.Name:
			same = append(same, column.head+" "+cells[0])
			continue
		}
		for k, cell := range append([]string{column.head}, cells...) {
			s.grid[k] = append(s.grid[k], cell)
		}
	}
	if len(same) > 0 {
		s.title += " In all rows: " + strings.Join(same, ", ") + "."
	}
	switch {
	case len(g.pairs) > 0:
		notes := g.notes()
		s.below = append([]string{g.sentence()}, notes[:min(len(notes), 3)]...)
	case len(g.rows) > 1:
		s.below = []string{"No ranking: no column of this run decides which answers are better."}
	case best.model.Offline:
		s.below = []string{offlineSentence(best.line)}
	}
	s.short = fmt.Sprintf("%s, %s: %s has %s %s.", g.dataset, g.model, best.label, g.column.Name, shortMean(g.column, best.mean))
	if len(g.rows) > 1 {
		s.short += fmt.Sprintf(" %s is next, %s.", g.rows[1].label, cmp.Or(g.stands(g.rows[1]), "not tested"))
	}
	return s
}

// screenTitle says what the rows of a group share.
func (b *builder) screenTitle(g group) string {
	best := g.rows[0]
	question, conversation := best.dataset.Nouns()
	title := fmt.Sprintf("%s: %s about %s. ", g.dataset, Plural(len(best.items), question), Plural(best.conversations(), conversation))
	if best.cell.Imported != nil {
		title += "Imported answers, model "
	}
	title += g.model
	if days := best.model.Recorded; len(days) > 0 {
		title += ", recorded " + days[len(days)-1]
	}
	if key := best.dataset.AnswerKey(); key != string(errata.Published) {
		title += fmt.Sprintf(", answer key %s, which leaves out %s", key, Plural(best.out(), question))
	}
	if n := len(best.seeds); n > 1 {
		title += fmt.Sprintf(", means over %d seeds", n)
	}
	if beat := b.notBeaten(lists.Map(g.rows, func(r ranked) *line { return r.line }), g.column); len(beat) > 0 {
		title += ". No memory is significantly better than " + enumerate(beat, "or")
	}
	return title + "."
}

// The verdicts on a row beside the best one.
const (
	standsBest  = "best"
	standsWorse = "worse"
	standsApart = "not ranked"
)

// stands says how far a row is behind the best: "worse" only if the difference is
// statistically significant.
func (g group) stands(r ranked) string {
	if r.cell.Sees != "" {
		return standsApart
	}
	for _, p := range g.pairs {
		switch {
		case p.above > 0 || p.Interval == nil:
			continue
		case r.line == g.rows[0].line && p.Shown:
			return standsBest
		case r.line != g.rows[p.below].line:
			continue
		}
		scale := p.Column.Scale
		if p.Column.Lower {
			scale = -scale
		}
		i := p.Interval.Scale(scale)
		behind := fmt.Sprintf("(%s to %s)", decimal(min(i.Lo, i.Hi), 1), decimal(max(i.Lo, i.Hi), 1))
		if p.Shown {
			return fmt.Sprintf(standsWorse+" by %s %s", decimal(p.Difference()*scale, 1), behind)
		}
		return "no difference shown " + behind
	}
	return ""
}

// answers counts the answers of a row with a verdict, by a column that decides.
func (b *builder) answers(l *line, c metrics.Column, verdict metrics.Verdict) int {
	at, span := b.at(c.Name), b.at(metrics.SpanColumn)
	return len(lists.Filter(l.items, func(it *item) bool {
		if it.out || it.status != record.OK || math.IsNaN(it.values[at]) {
			return false
		}
		if _, unasked := it.unasked[c.Name]; unasked && span >= 0 { // the value is a rate; f1@span decided
			return metrics.By(metrics.SpanColumn, &it.values[span]) == verdict
		}
		return metrics.By(c.Name, &it.values[at]) == verdict
	}))
}

// shortMean prints a mean for a screen: with one decimal, but tokens as whole numbers with
// thousands separators.
func shortMean(c metrics.Column, x float64) string {
	if math.IsNaN(x) {
		return ""
	}
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

// Text writes the screen for a terminal of a width, in characters.
func (s *Screen) Text(w io.Writer, width int) error {
	lines := s.lines(width, math.MaxInt)
	if over := len(lines) - screenLines; over > 0 && len(s.groups) > 1 {
		lines = s.overview(width)
	} else if over > 0 {
		lines = s.lines(width, max(1, len(s.groups[0].grid)-over-2))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// lines lays out all groups, each with a limited number of rows.
func (s *Screen) lines(width, most int) []string {
	var lines []string
	for _, g := range s.groups {
		lines = append(append(lines, wrap(g.title, width)...), "")
		rows := g.grid[:min(len(g.grid)-1, most)+1]
		lines = append(lines, setColumns(rows, width)...)
		if n := len(g.grid) - len(rows); n > 0 {
			lines = append(lines, fmt.Sprintf("%d more rows in 'bench table'.", n))
		}
		if len(g.below) > 0 {
			lines = append(lines, "")
		}
		for _, sentence := range g.below {
			lines = append(lines, wrap(sentence, width)...)
		}
		lines = append(lines, "")
	}
	return append(lines, s.tail(width)...)
}

// overview has a line for each group.
func (s *Screen) overview(width int) []string {
	tail := s.tail(width)
	var lines []string
	for i, g := range s.groups {
		short := wrap(g.short, width)
		if len(lines)+len(short)+len(tail)+2 > screenLines {
			lines = append(lines, fmt.Sprintf("%d more in 'bench table'.", len(s.groups)-i))
			break
		}
		lines = append(lines, short...)
	}
	return append(append(lines, ""), tail...)
}

// tail says how many answers there are and what to look at next.
func (s *Screen) tail(width int) []string {
	lines := wrap(s.said, width)
	if len(s.next) == 0 {
		return lines
	}
	longest := slices.Max(lists.Map(s.next, func(n [2]string) int { return utf8.RuneCountInString(n[0]) }))
	return append(append(lines, ""), lists.Map(s.next, func(n [2]string) string { return fmt.Sprintf("%-*s  %s", longest, n[0], n[1]) })...)
}

// setColumns sets rows below their head, with the first and last columns left-aligned. If
// they are too wide, it leaves out columns from the right, except the last, and adds a line
// that names them.
func setColumns(grid [][]string, width int) []string {
	grid = lists.Map(grid, func(row []string) []string {
		return lists.Map(row, func(cell string) string { return printable(cell, longestCell) })
	})
	widths := make([]int, len(grid[0]))
	total := -2
	for i := range widths {
		widths[i] = slices.Max(lists.Map(grid, func(row []string) int { return utf8.RuneCountInString(row[i]) }))
		total += widths[i] + 2
	}
	var dropped []string
	for len(widths) > 2 && total > width {
		i := len(widths) - 1
		if grid[0][i] == "" && i > 2 {
			i--
		}
		dropped = append(dropped, cmp.Or(grid[0][i], "difference to the best"))
		total -= widths[i] + 2
		widths = slices.Delete(widths, i, i+1)
		for k := range grid {
			grid[k] = slices.Delete(grid[k], i, i+1)
		}
	}
	lines := lists.Map(grid, func(row []string) string {
		var text strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 || grid[0][i] == "" {
				text.WriteString(cell + pad + "  ")
			} else {
				text.WriteString(pad + cell + "  ")
			}
		}
		return strings.TrimRight(text.String(), " ")
	})
	if len(dropped) > 0 {
		slices.Reverse(dropped)
		lines = append(lines, wrap("Not shown at this width: "+strings.Join(dropped, ", ")+".", width)...)
	}
	return lines
}

// wrap breaks a text at spaces into lines of a width, or as wide as its longest word.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(termsafe.Text(s)) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		line = join(line, word)
	}
	return append(lines, line)
}
