package report

import (
	"fmt"
	"strconv"

	"recallbench/internal/calc/stats"
)

// Words returns a row of texts.
func Words(texts ...string) (cells []Cell) {
	for _, s := range texts {
		cells = append(cells, text(s))
	}
	return cells
}

// Whole returns the cell of a whole number.
func Whole(n int) Cell { return count(n) }

// Decimal returns the cell of a number with some digits after the point, and its interval,
// if any, in parentheses.
func Decimal(x float64, digits int, i *stats.Interval) Cell {
	c := Cell{Text: strconv.FormatFloat(x, 'f', digits, 64), Value: &x, Interval: i}
	if i != nil {
		c.Text += fmt.Sprintf(" (%.*f, %.*f)", digits, i.Lo, digits, i.Hi)
	}
	return c
}

// Percent returns the cell of a share from 0 to 1 in percent, as [Decimal] does.
func Percent(x float64, i *stats.Interval) Cell {
	if i != nil {
		i = new(i.Scale(100))
	}
	return Decimal(100*x, 2, i)
}

// Numbers returns a column of labels followed by columns of numbers.
func Numbers(label string, names ...string) []Column {
	columns := []Column{{Name: label}}
	for _, n := range names {
		columns = append(columns, Column{Name: n, Number: true})
	}
	return columns
}
