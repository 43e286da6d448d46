package report

import (
	"fmt"
	"slices"
	"strings"
)

// A texFloat is a table as it floats to a page: all of a [Table], or some of its
// columns and rows.
type texFloat struct {
	table     *Table
	size      texSize
	columns   []*texColumn
	rows      []texRow
	continued bool
}

// environment returns the float that spans both columns of a page where one is
// too narrow.
func (f texFloat) environment() string {
	if f.size.width(f.columns) > texHalf {
		return "table*"
	}
	return "table"
}

func (f texFloat) begin() string {
	label := "tab:" + anchor(f.table.Name)
	s := `\begin{` + f.environment() + "}\n\\centering\n"
	if f.continued {
		return s + `\tablename~\ref{` + label + "}, continued\\par\\medskip\n"
	}
	title := texBroken(printable(f.table.Title, longestCell))
	marks, _ := texMarks("", f.table.TitleNotes)
	legend := ""
	if f.table.hasBest() {
		legend = ". " + join("In bold the best", texBroken(printable(f.table.BestOf, longestCell)))
	}
	return s + `\caption{` + title + marks + legend + "}\n\\label{" + label + "}\n\\smallskip\n"
}

func (f texFloat) end() string { return `\end{` + f.environment() + "}\n" }

// tabular returns the cells.
func (f texFloat) tabular() string {
	var b strings.Builder
	if f.size.command != "" {
		b.WriteString(f.size.command + "\n")
	}
	// In a column of broken texts \\ would end a line of them.
	end := ` \\`
	if slices.ContainsFunc(f.columns, func(c *texColumn) bool { return c.set > 0 }) {
		end = ` \tabularnewline`
		// Without a space before it, a first word would not be broken.
		b.WriteString("\\def\\broken{\\raggedright\\hspace{0pt}}\n")
	}
	fmt.Fprintf(&b, "\\setlength{\\tabcolsep}{%gpt}\n\\begin{tabular}{@{}%s@{}}\n\\toprule\n", f.size.gap, f.size.columnTypes(f.columns))
	b.WriteString(f.groups(end))
	var lines [][]string
	var heads []string
	for _, c := range f.columns {
		heads = append(heads, c.headCell())
	}
	lines = append(lines, heads)
	for _, r := range f.rows {
		var line []string
		if r.name == "" {
			for _, c := range f.columns {
				line = append(line, c.cells[r.row].in(c.set))
			}
		}
		lines = append(lines, line)
	}
	rows := padded(lines)
	for i, row := range rows {
		switch {
		case i == 0:
			b.WriteString(row + end + "\n\\midrule\n")
		case f.rows[i-1].name != "":
			if i > 1 {
				b.WriteString("\\midrule\n")
			}
			fmt.Fprintf(&b, "\\multicolumn{%d}{@{}l}{%s}%s\n", len(f.columns), f.rows[i-1].name, end)
		default:
			b.WriteString(row + end + "\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String()
}

// groups returns the line of heads above several columns, empty for none.
func (f texFloat) groups(end string) string {
	var cells, rules []string
	for i := 0; i < len(f.columns); {
		group, n := f.columns[i].Group, 1
		if group == "" {
			cells = append(cells, "")
			i++
			continue
		}
		for i+n < len(f.columns) && f.columns[i+n].Group == group {
			n++
		}
		s, _ := tex(printable(group, longestCell))
		cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, n, s))
		rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, i+1, i+n))
		i += n
	}
	if len(rules) == 0 {
		return ""
	}
	return strings.Join(cells, " & ") + end + "\n" + strings.Join(rules, " ") + "\n"
}

// padded returns rows of cells, whose separators stand below each other.
func padded(lines [][]string) []string {
	var widths []int
	for _, line := range lines {
		for i, s := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(s)))
		}
	}
	rows := make([]string, len(lines))
	for n, line := range lines {
		for i, s := range line {
			if i < len(line)-1 {
				s += strings.Repeat(" ", widths[i]-len([]rune(s))) + " & "
			}
			rows[n] += s
		}
	}
	return rows
}

// notes returns the notes as they stand below a table.
func (f texFloat) notes() string {
	if len(f.table.Notes) == 0 {
		return ""
	}
	return "\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\footnotesize\\raggedright\n" + f.noteTexts() + "\\end{minipage}\n"
}

// notesBehind returns notes that are too many for a page, as text that may break
// between pages.
func (f texFloat) notesBehind() string {
	return "\\begingroup\n\\footnotesize\\raggedright\\parindent0pt\nNotes to \\tablename~\\ref{tab:" + anchor(f.table.Name) + "}:\\par\n" + f.noteTexts() + "\\endgroup\n"
}

func (f texFloat) noteTexts() string {
	var b strings.Builder
	for i, n := range f.table.Notes {
		s := texBroken(printable(n, longestNote))
		fmt.Fprintf(&b, "\\textsuperscript{%s}~%s\\par\n", texNote(i+1), s)
	}
	return b.String()
}
