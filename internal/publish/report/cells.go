package report

import (
	"fmt"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// Words returns a row of texts.
func Words(texts ...string) []Cell {
	return lists.Map(texts, func(s string) Cell { return text(s) })
}

func text(s string, notes ...int) Cell { return Cell{Text: s, Notes: notes} }

// Whole returns the cell of a whole number.
func Whole(n int) Cell { return Cell{Text: strconv.Itoa(n), Value: new(float64(n))} }

// Decimal returns the cell of a number with some digits after the point, and its interval,
// if any, in parentheses.
func Decimal(x float64, digits int, i *stats.Interval) Cell {
	return numberCell(x, i, func(x float64) string { return decimal(x, digits) })
}

// Percent returns the cell of a share from 0 to 1 in percent, as [Decimal] does.
func Percent(x float64, i *stats.Interval) Cell {
	if i != nil {
		i = new(i.Scale(100))
	}
	return Decimal(100*x, 2, i)
}

// Change returns the cell of a difference as [Decimal] does, with a plus sign if it is above
// 0 as printed.
func Change(x float64, digits int, i *stats.Interval) Cell {
	return numberCell(x, i, func(x float64) string { return signed(x, digits) })
}

func numberCell(x float64, i *stats.Interval, text func(float64) string) Cell {
	c := Cell{Text: text(x), Value: &x, Interval: i}
	if i != nil {
		c.Text += fmt.Sprintf(" (%s, %s)", text(i.Lo), text(i.Hi))
	}
	return c
}

// PValue returns the cell of a p-value, nil for none. Values too small for four decimals are
// printed as a bound, because their digits depend on the tails of the assumed distribution.
func PValue(p *float64) Cell {
	if p != nil && *p < 0.0001 {
		return Cell{Text: "<0.0001", Value: p}
	}
	return scaled(p, 1, 4)
}

// scaled prints a number in the unit of the scores in that of a column; nil is none.
func scaled(x *float64, scale float64, digits int) Cell {
	if x == nil {
		return Cell{}
	}
	return Decimal(*x*scale, digits, nil)
}

// decimal prints a number with fixed decimals, and zero without a minus sign.
func decimal(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// signed prints a difference, with a plus sign if it is above 0 as printed.
func signed(x float64, digits int) string {
	s := decimal(x, digits)
	if x > 0 && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}

// deviation prints a standard deviation as it follows its number.
func deviation(sd float64, digits int) string { return " (" + decimal(sd, digits) + ")" }

// Numbers returns a column of labels followed by columns of numbers.
func Numbers(label string, names ...string) []Column {
	return append([]Column{{Name: label}}, lists.Map(names, func(n string) Column { return Column{Name: n, Number: true} })...)
}

// Plural prints a number with its noun, in the plural unless it is 1.
func Plural(n int, kind string) string {
	if n != 1 {
		kind += "s"
	}
	return strconv.Itoa(n) + " " + kind
}

// enumerate lists names with a conjunction before the last.
func enumerate(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
