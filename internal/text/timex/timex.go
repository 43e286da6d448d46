// Package timex finds expressions of time in English text and resolves them
// against the moment at which the text was said.
//
// [Find] reads a text and returns its expressions in order. A point in time
// ("yesterday", "last Friday", "March 2023") gets a half-open range of days
// and a phrase that a reader without the text's date understands: "7 May
// 2023", "the week before 9 June 2023". A duration ("for four years") or a
// frequency ("twice a week") gets a phrase only.
//
// All days are days of the anchor's own clock; the package knows no zones and
// never reads the system's clock.
package timex

import (
	"strconv"
	"time"
)

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
	Weekend
	Week
	Month
	Season
	Year
)

// An Expr is an expression of time found in a text.
type Expr struct {
	// Start and End are the byte offsets of the expression.
	Start, End int
	Kind       Kind
	Grain      Grain
	// From and To bound a point, half open. Both are zero for a point that
	// needs an anchor when there is none, and for other kinds.
	From, To time.Time
	// Vague is set when the range is a guess around the words, as for "a few
	// weeks ago".
	Vague bool
	// Relative is set when the words name the time by its distance from the
	// anchor: "yesterday", but not "7 May".
	Relative bool
	// Phrase says the time for a reader who does not know the anchor. It is the
	// wording of the text where nothing could be resolved.
	Phrase string
	// Years, Months and Days are the length of a duration; all 0 for other
	// kinds and for lengths that are not counted ("many years").
	Years, Months, Days int
}

// Resolved reports whether the expression has a place in the calendar.
func (e Expr) Resolved() bool { return e.Kind == Point && !e.From.IsZero() }

// FormatDay writes a day as "7 May 2023".
func FormatDay(t time.Time) string {
	return strconv.Itoa(t.Day()) + " " + t.Month().String() + " " + strconv.Itoa(t.Year())
}

// FormatMonth writes a month as "May 2023".
func FormatMonth(t time.Time) string {
	return t.Month().String() + " " + strconv.Itoa(t.Year())
}

// day cuts the time of day off.
func day(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func addDays(t time.Time, n int) time.Time { return t.AddDate(0, 0, n) }

// monthStart returns the first day of the month n months after t's.
func monthStart(t time.Time, n int) time.Time {
	return time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
}

func yearStart(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }

// weekStart returns the Monday of t's week.
func weekStart(t time.Time) time.Time {
	return addDays(day(t), -((int(t.Weekday()) + 6) % 7))
}
