package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
)

// screenLines is how many lines a [Screen] has at most.
const screenLines = 25

// A Screen shows the results of a run in at most 25 lines: for each dataset and model its
// rows, the best first, which differences are statistically significant or why none can
// be, caveats, and what to look at next.
type Screen struct {
	parts []screenPart
	said  string // of all answers
	next  [][2]string
}

// A screenPart is the part of a screen about a dataset and a model.
type screenPart struct {
	title string
	grid  [][]string // the head, then the rows
	below []string   // sentences
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
	ranker, err := NewRanker([]*Run{r}, func(*Run) []record.Spent { return o.Spent }, o.Options)
	if err != nil {
		return nil, err
	}
	groups, err := ranker.groups("")
	if err != nil {
		return nil, err
	}
	s := &Screen{next: o.Next, parts: lists.Map(groups, (*group).screen)}
	answers, failed := 0, 0
	for _, l := range ranker.b.lines {
		n, errors := l.scored()
		answers, failed = answers+n, failed+errors
	}
	s.said = fmt.Sprintf("%d answers, %d errors.", answers, failed)
	if failed == 0 {
		s.said = fmt.Sprintf("%d answers, no errors.", answers)
	}
	if len(groups) == 0 {
		s.said += " No metric has a value; 'bench table' shows the reasons."
	}
	return s, nil
}

// screen lays out a group. Columns that are the same in all rows become a sentence.
func (g *group) screen() screenPart {
	r := g.ranking(g.columns())
	s := screenPart{title: r.Title, grid: make([][]string, len(r.Rows)+1)}
	add := func(head string, cells []string) {
		for i, cell := range append([]string{head}, cells...) {
			s.grid[i] = append(s.grid[i], cell)
		}
	}
	add("method", lists.Map(r.Rows, func(row RankingRow) string { return row.Label }))
	var shared []string
	for i, c := range r.Columns {
		cells := lists.Map(r.Rows, func(row RankingRow) string { return row.Cells[i] })
		switch same := len(slices.Compact(slices.Clone(cells))) == 1; {
		case same && c.Head == "errors" && cells[0] == "0":
		case same && len(cells) > 1 && c.Head != g.by.Name:
			shared = append(shared, c.Head+" "+cells[0])
		default:
			add(c.Head, cells)
		}
	}
	if slices.ContainsFunc(r.Rows, func(row RankingRow) bool { return row.Stands != "" }) {
		add("", lists.Map(r.Rows, func(row RankingRow) string { return row.Stands }))
	}
	if len(shared) > 0 {
		s.title += " In all rows: " + strings.Join(shared, ", ") + "."
	}
	switch {
	case len(g.pairs) > 0:
		s.below = append([]string{r.Text}, r.Notes[:min(len(r.Notes), 3)]...)
	case len(g.rows) > 1:
		s.below = []string{"No ranking: no column of this run decides which answers are better."}
	case g.rows[0].model.Offline:
		s.below = []string{g.rows[0].offlineSentence()}
	}
	return s
}

// Text writes the screen for a terminal of a width, in characters. What does not fit in 25
// lines is left to 'bench table'.
func (s *Screen) Text(w io.Writer, width int) error {
	const more = "More in 'bench table'."
	lines, tail := s.lines(width, -1), s.tail(width)
	if over := len(lines) + len(tail) - screenLines; over > 0 && len(s.parts) == 1 {
		lines = append(s.lines(width, len(s.parts[0].grid)-over-1), more)
	} else if over > 0 {
		lines = append(lines[:screenLines-len(tail)-2], "", more)
	}
	_, err := io.WriteString(w, strings.Join(append(lines, tail...), "\n")+"\n")
	return err
}

// lines lays out all parts, each with at most some lines of its grid; negative for all.
func (s *Screen) lines(width, most int) []string {
	var lines []string
	for _, part := range s.parts {
		rows := part.grid
		if most >= 0 {
			rows = rows[:min(len(rows), max(2, most))]
		}
		lines = slices.Concat(lines, wrap(part.title, width), []string{""}, setColumns(rows, width))
		if len(part.below) > 0 {
			lines = append(lines, "")
		}
		for _, sentence := range part.below {
			lines = append(lines, wrap(sentence, width)...)
		}
		lines = append(lines, "")
	}
	return lines
}

// tail says how many answers there are and what to look at next.
func (s *Screen) tail(width int) []string {
	lines, longest := wrap(s.said, width), 0
	for i, n := range s.next {
		if i == 0 {
			lines = append(lines, "")
		}
		longest = max(longest, utf8.RuneCountInString(n[0]))
	}
	for _, n := range s.next {
		lines = append(lines, fmt.Sprintf("%-*s  %s", longest, n[0], n[1]))
	}
	return lines
}

// setColumns sets rows below their head, with the first and last columns left-aligned. If
// they are too wide, it leaves out columns from the right, except the last, and names them.
func setColumns(grid [][]string, width int) []string {
	grid = lists.Map(grid, func(row []string) []string {
		return lists.Map(row, func(cell string) string { return printable(cell, longestCell) })
	})
	wide := func(column int) int {
		return slices.Max(lists.Map(grid, func(row []string) int { return utf8.RuneCountInString(row[column]) }))
	}
	total := -2
	for i := range grid[0] {
		total += wide(i) + 2
	}
	var dropped []string
	for len(grid[0]) > 2 && total > width {
		i := len(grid[0]) - 1
		if grid[0][i] == "" && i > 2 {
			i--
		}
		dropped, total = append(dropped, cmp.Or(grid[0][i], "difference to the best")), total-wide(i)-2
		grid = lists.Map(grid, func(row []string) []string { return slices.Delete(row, i, i+1) })
	}
	lines := lists.Map(grid, func(row []string) string {
		var text strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", wide(i)-utf8.RuneCountInString(cell))
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
