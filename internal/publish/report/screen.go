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

// A Screen says what a run found, in at most 25 lines: for each dataset and model its
// rows, the best first, which differences are statistically significant or why none can
// be, what changes the reading, and what to look at next.
type Screen struct {
	groups []screenGroup
	said   string // of all answers
	next   [][2]string
}

// A screenGroup is what a screen says of a dataset and a model.
type screenGroup struct {
	title, verdict string
	notes          []string
	head           []string
	rows           [][]string
	left           int      // leading columns that are set flush left
	short          []string // the group as one row of a table of groups
}

// ScreenOptions say what a screen adds to the scores.
type ScreenOptions struct {
	Options
	// Spent are the sums of the records, for the prices; see [Summarize].
	Spent []record.Spent
	// Next are commands with what they do.
	Next [][2]string
}

// NewScreen reads the scores of a run.
func NewScreen(r *Run, o ScreenOptions) (*Screen, error) {
	b, groups, err := openGroups([]*Run{r}, o.Options)
	if err != nil {
		return nil, err
	}
	s := &Screen{next: o.Next}
	for _, g := range groups {
		s.groups = append(s.groups, b.screen(g, o))
	}
	answers, failed := 0, 0
	for _, l := range b.lines {
		n, errors, _ := l.scored()
		answers, failed = answers+n, failed+errors
	}
	s.said = fmt.Sprintf("%s, %s.", Plural(answers, "answer"), Plural(failed, "error"))
	if failed == 0 {
		s.said = Plural(answers, "answer") + ", no errors."
	}
	if len(s.groups) == 0 {
		s.said += " No metric has a value; 'bench table' says why."
	}
	return s, nil
}

// A screenColumn is a column of a screen: what each row has there.
type screenColumn struct {
	head string
	of   func(ranked) string
}

// screenColumns are the columns of a group with a verdict, before those that say nothing
// are left out.
func (b *builder) screenColumns(g group, v Verdict, o ScreenOptions) []screenColumn {
	c, best := g.column, g.best()[0]
	alone := *b // whose intervals are of this column
	alone.columns = []metrics.Column{c}
	columns := []screenColumn{{"method", func(r ranked) string { return r.label }}}
	if metrics.Decides(c.Name) > 0 {
		columns = append(columns, screenColumn{"right", func(r ranked) string { right, _ := b.counts(r.line, c); return strconv.Itoa(right) }})
		if right, wrong := metrics.Bounds(c.Name); right > wrong {
			columns = append(columns, screenColumn{"unclear", func(r ranked) string { _, unclear := b.counts(r.line, c); return strconv.Itoa(unclear) }})
		}
	}
	columns = append(columns, screenColumn{c.Name, func(r ranked) string { return shortMean(c, r.mean) }})
	if best.dataset.Samples > 1 {
		columns = append(columns, screenColumn{"95 % interval", func(r ranked) string {
			i, ok := alone.interval(r.line, c, r.ids(), r.total)
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
			s, _ := spentBy(o.Spent, r.line)
			if s.Cost == nil || *s.Cost == 0 {
				return ""
			}
			return "$" + decimal(*s.Cost*float64(s.Requests), 2)
		}},
		screenColumn{"errors", func(r ranked) string { _, failed, _ := r.scored(); return strconv.Itoa(failed) }},
		screenColumn{"", func(r ranked) string {
			if r.cell.Sees != "" {
				return "not ranked"
			}
			return stands(r.label, best.label, c, v)
		}})
}

// screen lays out a group.
func (b *builder) screen(g group, o ScreenOptions) screenGroup {
	rows, c := g.best(), g.column
	best := rows[0]
	question, conversation := best.dataset.Nouns()
	title := fmt.Sprintf("%s: %s about %s. ", g.dataset, Plural(len(best.items), question), Plural(best.dataset.Samples, conversation))
	if best.cell.Imported != nil {
		title += "Imported answers, model "
	}
	title += g.model
	if days := best.model.Recorded; len(days) > 0 {
		title += ", recorded " + days[len(days)-1]
	}
	if beat := b.notBeaten(lists.Map(rows, func(r ranked) *line { return r.line }), c); len(beat) > 0 {
		title += ". No memory is significantly better than " + enumerate(beat, "or")
	}
	v := cmp.Or(b.verdict(g), new(Verdict))
	s := screenGroup{verdict: v.Text, notes: v.Notes, left: 1, rows: make([][]string, len(rows))}
	var same []string
	for i, column := range b.screenColumns(g, *v, o) {
		cells := lists.Map(rows, column.of)
		all := len(lists.Distinct(cells, func(s string) string { return s })) == 1
		switch {
		case all && (cells[0] == "" || column.head == "errors" && cells[0] == "0"):
			continue
		case all && i > 0 && len(cells) > 1 && column.head != c.Name:
			same = append(same, column.head+" "+cells[0])
			continue
		}
		s.head = append(s.head, column.head)
		for k, cell := range cells {
			s.rows[k] = append(s.rows[k], cell)
		}
	}
	if len(same) > 0 {
		title += "; in all rows: " + strings.Join(same, ", ")
	}
	if key := best.dataset.AnswerKey(); key != string(errata.Published) {
		title += fmt.Sprintf("; answer key %s, which leaves out %s", key, Plural(best.out(best.ids()), question))
	}
	if n := len(best.seeds); n > 1 {
		title += fmt.Sprintf("; means over %d seeds", n)
	}
	s.title = title + "."
	if best.model.Offline {
		s.notes = lists.AddNew(s.notes, standInSentence)
	}
	if s.verdict == "" && len(rows) > 1 {
		s.verdict = "No ranking: no column of this run decides which answers are better."
	}
	s.notes = s.notes[:min(len(s.notes), 3)]
	second := ""
	if len(rows) > 1 {
		second = rows[1].label + " " + cmp.Or(stands(rows[1].label, best.label, c, *v), "is next")
	}
	s.short = []string{g.dataset, g.model, best.label, shortMean(c, best.mean) + " " + c.Name, second}
	return s
}

// stands says how far a row is behind the best one, by the comparisons of a verdict: worse
// only where the difference is statistically significant.
func stands(method, best string, c metrics.Column, v Verdict) string {
	for _, d := range v.Differences {
		switch {
		case method == best && (d.Side == best || d.Base == best) && (d.Verdict == "better" || d.Verdict == "worse"):
			return "best"
		case method == best || d.Low == nil || d.Side != method && d.Base != method || d.Side != best && d.Base != best:
			continue
		}
		behind, low, high := d.Mean, *d.Low, *d.High
		if (d.Side == method) != c.Lower {
			behind, low, high = -behind, -high, -low
		}
		text := fmt.Sprintf("(%s to %s)", decimal(low, 1), decimal(high, 1))
		if d.Verdict == "better" || d.Verdict == "worse" {
			return fmt.Sprintf("worse by %s %s", decimal(behind, 1), text)
		}
		return "no difference shown " + text
	}
	return ""
}

// counts returns how many answers of a row are right, and how many are unclear, by a
// column that decides.
func (b *builder) counts(l *line, c metrics.Column) (right, unclear int) {
	at := b.at(c.Name)
	for _, it := range l.items {
		if it.out || it.status != record.OK || math.IsNaN(it.values[at]) {
			continue
		}
		verdict := metrics.By(c.Name, &it.values[at])
		if _, unasked := it.unasked[c.Name]; unasked { // the value is a rate, and f1@span decided
			if span := b.at(metrics.SpanColumn); span >= 0 {
				verdict = metrics.By(metrics.SpanColumn, &it.values[span])
			}
		}
		if verdict == metrics.Right {
			right++
		}
		if verdict == metrics.Unclear {
			unclear++
		}
	}
	return right, unclear
}

// shortMean prints a mean for a screen: with one decimal, and tokens without any and with a
// comma before each three digits.
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
		lines = s.lines(width, max(1, len(s.groups[0].rows)-over-1))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// lines lays out all groups, each with so many rows at most.
func (s *Screen) lines(width, most int) []string {
	var lines []string
	for _, g := range s.groups {
		lines = append(lines, wrap(g.title, width)...)
		lines = append(lines, "")
		rows := g.rows[:min(len(g.rows), most)]
		lines = append(lines, columnsOf(g.head, rows, g.left, width)...)
		if left := len(g.rows) - len(rows); left > 0 {
			lines = append(lines, fmt.Sprintf("%d more rows in 'bench table'.", left))
		}
		if g.verdict != "" {
			lines = append(append(lines, ""), wrap(g.verdict, width)...)
		}
		for _, n := range g.notes {
			lines = append(lines, wrap(n, width)...)
		}
		lines = append(lines, "")
	}
	return append(lines, s.tail(width)...)
}

// overview lays out a row for each group.
func (s *Screen) overview(width int) []string {
	tail := s.tail(width)
	most := screenLines - len(tail) - 3
	groups := s.groups[:min(len(s.groups), most)]
	lines := columnsOf([]string{"dataset", "model", "best", "score", "second"}, lists.Map(groups, func(g screenGroup) []string { return g.short }), 5, width)
	if left := len(s.groups) - len(groups); left > 0 {
		lines = append(lines, fmt.Sprintf("%d more in 'bench table'.", left))
	}
	return append(append(lines, ""), tail...)
}

// tail says how many answers there are and what to look at next.
func (s *Screen) tail(width int) []string {
	lines := wrap(s.said, width)
	if len(s.next) == 0 {
		return lines
	}
	longest := 0
	for _, n := range s.next {
		longest = max(longest, utf8.RuneCountInString(n[0]))
	}
	lines = append(lines, "")
	for _, n := range s.next {
		lines = append(lines, fmt.Sprintf("%-*s  %s", longest, n[0], n[1]))
	}
	return lines
}

// columnsOf sets rows below their heads, the first columns and the last flush left. Where
// they are wider than the width, columns are left out from the right, but for the last,
// and a line says which.
func columnsOf(head []string, rows [][]string, left, width int) []string {
	head = slices.Clone(head)
	rows = lists.Map(rows, func(row []string) []string {
		return lists.Map(row, func(cell string) string { return printable(cell, longestCell) })
	})
	widths := func(i int) int {
		most := utf8.RuneCountInString(head[i])
		for _, row := range rows {
			most = max(most, utf8.RuneCountInString(row[i]))
		}
		return most
	}
	total := func() int {
		sum := -2
		for i := range head {
			sum += widths(i) + 2
		}
		return sum
	}
	var dropped []string
	for len(head) > left+1 && total() > width {
		i := len(head) - 1
		if head[i] == "" && i > left+1 {
			i--
		}
		dropped = append(dropped, cmp.Or(head[i], "difference to the best"))
		head = slices.Delete(head, i, i+1)
		for k := range rows {
			rows[k] = slices.Delete(rows[k], i, i+1)
		}
	}
	var lines []string
	for _, row := range append([][]string{head}, rows...) {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths(i)-utf8.RuneCountInString(cell))
			if i < left || head[i] == "" {
				b.WriteString(cell + pad + "  ")
			} else {
				b.WriteString(pad + cell + "  ")
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	if len(dropped) > 0 {
		slices.Reverse(dropped)
		lines = append(lines, wrap("Not shown at this width: "+strings.Join(dropped, ", ")+".", width)...)
	}
	return lines
}

// wrap breaks a text at blanks into lines of a width, or as wide as its longest word.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(termsafe.Text(s)) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
