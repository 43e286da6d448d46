package published

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// twinScores is how many scores rows must have for their equality to say
// anything.
const twinScores = 3

// twins looks for rows whose scores are all those of an earlier row of the
// same table.
func (a *audit) twins(t *Table) {
	for i, r := range t.Rows {
		scores := t.scores(r)
		if i == 0 || len(scores) < twinScores {
			continue
		}
		c := Check{
			Kind: Twins, Table: t.Name, Row: r.Key(), Cell: "all scores",
			Printed: strings.Join(scores, ", "), Agrees: true, Note: "no earlier row has the same scores",
		}
		for _, other := range t.Rows[:i] {
			if strings.Join(t.scores(other), ", ") == c.Printed {
				c.Agrees = false
				c.Note = t.twinNote(r, other)
				break
			}
		}
		a.checks = append(a.checks, c)
	}
}

// scores returns the printed scores of a row: what is in percent.
func (t *Table) scores(r Row) []string {
	var scores []string
	for _, c := range r.Cells {
		if m, _ := t.Metric(c.Metric); m.Unit == Percent {
			scores = append(scores, c.Printed)
		}
	}
	return scores
}

// twinNote says of two rows with the same scores what tells them apart, and
// whether chance may have made them equal.
func (t *Table) twinNote(r, twin Row) string {
	note := "the same scores as " + twin.Key()
	var differ []string
	for _, c := range r.Cells {
		if d, ok := twin.Cell(c.Group, c.Metric); ok && c.Printed != d.Printed {
			differ = append(differ, fmt.Sprintf("%s is %s there and %s here", c.Name(), d.Printed, c.Printed))
		}
	}
	if len(differ) > 0 {
		note += "; but " + differ[0]
	}
	if len(differ) > 1 {
		note += fmt.Sprintf(", and %d more cells differ", len(differ)-1)
	}
	if step := t.coarseness(); step > 1 {
		note += fmt.Sprintf("; every rate of the table is a multiple of %d, so chance may do it", step)
	}
	return note
}

// coarseness returns the largest whole number that all scores of the table's
// groups are multiples of; 0 where one of them is not whole.
func (t *Table) coarseness() int {
	step := 0
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			if m, _ := t.Metric(c.Metric); m.Unit != Percent || c.Group == t.Average {
				continue
			}
			if c.Value != math.Trunc(c.Value) {
				return 0
			}
			for rest := int(c.Value); rest != 0; {
				step, rest = rest, step%rest
			}
		}
	}
	return step
}

// maxStep bounds the search for the number of questions behind rates.
const maxStep = 200

// steps checks rates of passed questions against the number of questions that
// the paper states: with n questions, a rate is a multiple of 1/n.
func (a *audit) steps(t *Table) {
	for _, m := range t.Metrics {
		for _, p := range t.Parts {
			if !m.Binary || p.N == 0 {
				continue
			}
			var rates []number
			var off []string
			for _, r := range t.Rows {
				c, ok := r.Cell(p.Name, m.Name)
				if !ok {
					continue
				}
				n := t.number(r, c)
				rates = append(rates, n)
				if !n.fraction(p.N) {
					off = append(off, c.Printed)
				}
			}
			c := Check{
				Kind: Step, Table: t.Name, Row: "all rows", Cell: Cell{Group: p.Name, Metric: m.Name}.Name(),
				Printed: "n = " + strconv.Itoa(p.N), Agrees: len(off) == 0,
				Note: fmt.Sprintf("every rate is a number of %dths", p.N),
			}
			if n := fits(rates); n > 0 {
				c.Recomputed = new(float64(n))
			}
			if len(off) > 0 {
				c.Note = fmt.Sprintf("no number of %dths gives %s; recomputed is the smallest n that gives every rate", p.N, strings.Join(off, ", "))
			}
			a.checks = append(a.checks, c)
		}
	}
}

// fraction reports whether a percentage can be that of a whole number out of n.
func (a number) fraction(n int) bool {
	k := math.Round(a.at / 100 * float64(n))
	return a.agrees(whole(100 * k / float64(n)))
}

// fits returns the smallest n that all rates can be of; 0 for none in reach.
func fits(rates []number) int {
	for n := 1; n <= maxStep; n++ {
		all := true
		for _, r := range rates {
			all = all && r.fraction(n)
		}
		if all {
			return n
		}
	}
	return 0
}
