package gate

import (
	"fmt"
	"slices"
	"strings"
)

// categories returns the checks of a tested bound by category, where the rules look
// into them: a fall of one may hide behind a gain of another.
func (c *checker) categories(x check) []check {
	if !c.rules.ByCategory || x.key.category != "" || x.bound.kind != boundMargin || !x.tested() {
		return nil
	}
	var all []check
	for _, m := range c.run.rows {
		if _, both := c.base.row(keyOf(m)); m.Category == "" || keyOf(m).all() != x.key || !both {
			continue
		}
		y := x
		y.key, y.categoryName = keyOf(m), m.CategoryName
		all = append(all, y)
	}
	return all
}

// hidden returns the checks of categories that fell beyond the margin, and are shown
// to, where the row over all requests is no regression, with their outcomes.
//
// A category that a rule names has an outcome already.
func (c *checker) hidden(x check, asked []check) ([]check, []Outcome) {
	var checks []check
	var outcomes []Outcome
	for _, y := range c.categories(x) {
		if r, ok := c.decided(y.contrastKey()); !ok || !r.Shown || !c.comparable(y) || slices.ContainsFunc(asked, func(a check) bool { return a.tested() && a.contrastKey() == y.contrastKey() }) {
			continue
		}
		if o := c.outcome(y); o.Verdict == Regression {
			o.Why += c.besides(y)
			checks, outcomes = append(checks, y), append(outcomes, o)
		}
	}
	return checks, outcomes
}

// besides says what became of all requests together.
func (c *checker) besides(x check) string {
	x.key, x.categoryName = x.key.all(), ""
	if r, ok := c.decided(x.contrastKey()); ok {
		return "; all requests together " + signed(r.Difference()*r.Column.Scale, r.Column.Digits)
	}
	return ""
}

// where names the categories in which a fall over all requests is shown.
func (c *checker) where(x check) string {
	var names []string
	for _, y := range c.categories(x) {
		if r, ok := c.decided(y.contrastKey()); ok && r.Shown && r.Worse() {
			names = append(names, fmt.Sprintf("%s (%s)", y.categoryName, signed(r.Difference()*r.Column.Scale, r.Column.Digits)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "; shown by itself in " + strings.Join(names, ", ")
}
