// Package timex finds expressions of time in English text.
//
// [Find] reads a text and returns its expressions in order. A point in time that
// the words alone place in the calendar ("7 May 2023", "March 2023", "the Friday
// before 20 May 2023") has its first day; of one that depends on when the text was
// said ("yesterday", "May 7th") only the words are known.
package timex

import "time"

// A Kind says what an expression stands for.
type Kind int

// The kinds of expressions.
const (
	// Point is a place in the calendar: a day, a week, a month, a year.
	Point Kind = iota
	// Duration is a length of time, such as "three weeks".
	Duration
	// Frequency says how often, such as "twice a week".
	Frequency
)

// A Grain is the size of the calendar unit that a point names.
type Grain int

// The grains, from the finest.
const (
	Day Grain = iota
	Week
	Month
	Year
)

// An Expr is an expression of time found in a text.
type Expr struct {
	// Start and End are the byte offsets of the expression.
	Start, End int
	Kind       Kind
	Grain      Grain
	// From is the first day of a point; zero where the words do not place it.
	From time.Time
	// Vague is set when the words name a part of the grain, as in "early March 2022".
	Vague bool
}

// Resolved reports whether the words place the expression in the calendar.
func (e Expr) Resolved() bool { return e.Kind == Point && !e.From.IsZero() }

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
