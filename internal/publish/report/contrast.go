package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/metrics"
)

// alpha is the level at which a test shows a difference or not.
const alpha = 0.05

// A Unit is what a test takes for independent of each other.
type Unit string

// The units of tests: samples, which are conversations, unless requests are asked for.
const (
	BySample  Unit = "sample"
	ByRequest Unit = "request"
)

func (u Unit) noun() string {
	if u == ByRequest {
		return "request"
	}
	return "conversation"
}

// A Contrast is one row of a comparison: the values of a column that two sides
// have for the same requests, compared with each other.
type Contrast struct {
	// Side is the place of the side among those compared, and Run and BaseRun name
	// it and what it is compared with.
	Side         int
	Run, BaseRun string
	// Dataset, Method and Model name what is compared, and BaseMethod and BaseModel
	// what it is compared with, which may have other labels. A row over several of
	// them has none.
	Dataset, Method, Model string
	BaseMethod, BaseModel  string
	Category               string // by its name; empty for all
	Column                 metrics.Column
	// Base and New are means, in the unit of the scores: of the pairs, or where the
	// sides cannot be paired of the means of their units, which are what is tested.
	Base, New float64
	// Paired tells whether answers to the same requests were brought together, and
	// Unpaired why not where they were not, or too few were for a test.
	Paired   bool
	Unpaired string
	N        int    // pairs, or requests of the smaller side
	Of       [2]int // requests behind the means, of the base and of the new side
	Samples  int    // conversations that they are about
	// Higher and Lower count the pairs whose new value is above and below the base.
	Higher, Lower int
	// EffectiveN is how many independent pairs would say as much; nil where it is
	// not known.
	EffectiveN *float64
	// Unit is what the test takes for independent, and Result what it says.
	Unit Unit
	infer.Result
	// Within and NotWorse are the row against a margin of equivalence, and of being
	// worse; nil where none was asked for, or nothing can be shown.
	Within, NotWorse *Margin
	// Missing says why there is nothing to test; empty where there is.
	Missing string
	// Notes are what a reader of this row could be misled by.
	Notes []string

	about string // what a unit is, where it is no conversation
	row   infer.Row
	// pairs and at are what is behind a row: requests, and the place of its column.
	pairs joined
	at    int
	// questions are the paired differences by conversation, a question each.
	questions [][]stats.Cluster
}

// A joined is the requests of two sides, in the order of their samples and ids.
type joined []joint

// A joint is a request with what each side has of it, the new one first; nil for nothing.
type joint struct {
	request
	items [2]*item
}

// joinRows brings together the requests of two rows: those of the same id of the same
// sample.
func joinRows(now, base *line) joined {
	j := make(joined, 0, len(now.seen))
	for key, it := range now.seen {
		j = append(j, joint{key, [2]*item{it, base.seen[key]}})
	}
	for key, it := range base.seen {
		if now.seen[key] == nil {
			j = append(j, joint{key, [2]*item{nil, it}})
		}
	}
	slices.SortFunc(j, func(a, b joint) int { return compareRequests(a.request, b.request) })
	return j
}

// common reports whether both sides have the request.
func (j joint) common() bool { return j.items[0] != nil && j.items[1] != nil }

// category is that of the new side, or where it does not have the request, of the base.
func (j joint) category() string { return cmp.Or(j.items[0], j.items[1]).category }

// in returns the requests of some categories. Pairs are in that of the new side; of what
// is not paired, each side has its own.
func (j joined) in(ids []string, paired bool) joined {
	var of joined
	for _, r := range j {
		if paired && !slices.Contains(ids, r.category()) {
			continue
		}
		for i, it := range r.items {
			if !paired && it != nil && !slices.Contains(ids, it.category) {
				r.items[i] = nil
			}
		}
		if r.items != [2]*item{} {
			of = append(of, r)
		}
	}
	return of
}

// fill computes the row from the values that requests have of the column at a place: of
// pairs, or where Unpaired says why there are none, of the sides apart. Where neither more
// nor less is better there is a difference, and no test.
func (c *Contrast) fill(j joined, at int) {
	c.Paired, c.Unit, c.pairs, c.at = c.Unpaired == "", cmp.Or(c.Unit, BySample), j, at
	if c.Paired {
		c.pair()
	} else {
		c.apart()
	}
}

// unit identifies the unit of a request. Samples of two datasets are not the same,
// whatever their ids.
func (c *Contrast) unit(r request) string {
	if c.Unit == ByRequest {
		return c.Dataset + "\x00" + r.sample + "\x00" + r.id
	}
	return c.Dataset + "\x00" + r.sample
}

// pair fills in a row whose sides are paired.
func (c *Contrast) pair() {
	lone, undefined, last := 0, 0, request{}
	for _, r := range c.pairs {
		if !r.common() {
			lone++
			continue
		}
		now, base := r.items[0].values[c.at], r.items[1].values[c.at]
		if math.IsNaN(now) || math.IsNaN(base) {
			undefined++
			continue
		}
		first := c.N == 0 || r.sample != last.sample
		if first {
			c.Samples++
			c.questions = append(c.questions, nil)
		}
		if first || c.Unit == ByRequest {
			c.row.Units = append(c.row.Units, infer.Unit{ID: c.unit(r.request)})
		}
		c.row.Units[len(c.row.Units)-1].Add(now - base)
		c.questions[c.Samples-1] = append(c.questions[c.Samples-1], r.repetitions(c.at))
		c.N, c.New, c.Base, last = c.N+1, c.New+now, c.Base+base, r.request
		switch {
		case now > base:
			c.Higher++
		case now < base:
			c.Lower++
		}
	}
	c.Of = [2]int{c.N, c.N}
	if lone > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("only one side has %d of %d requests, which are left out", lone, len(c.pairs)))
	}
	if undefined > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("no value on one of the sides for %d of %d requests, which are left out", undefined, undefined+c.N))
	}
	switch {
	case c.N == 0:
		c.Missing = "no request for which both sides have a value"
		return
	case c.Higher+c.Lower == 0:
		c.Missing = "all pairs have the same value on both sides"
	default:
		if n, ok := stats.EffectiveN(lists.Map(c.row.Units, clusterOf)); ok {
			c.EffectiveN = &n
		}
	}
	c.New /= float64(c.N)
	c.Base /= float64(c.N)
}

// leaveSame leaves a row whose pairs are all alike out of the family that is tested.
func (c *Contrast) leaveSame() {
	if c.Same() {
		c.row.Units = nil
	}
}

func clusterOf(u infer.Unit) stats.Cluster { return u.Cluster }

// repetitions returns the paired differences of a question at a place: of each repetition
// where both sides have as many, else of the means.
func (j joint) repetitions(at int) (q stats.Cluster) {
	var values [2][]float64
	for i, it := range j.items {
		values[i] = it.values[at : at+1]
		if it.repeats != nil {
			values[i] = it.repeats[at]
		}
	}
	if len(values[0]) != len(values[1]) {
		values = [2][]float64{j.items[0].values[at : at+1], j.items[1].values[at : at+1]}
	}
	for k := range values[0] {
		q.Add(values[0][k] - values[1][k])
	}
	return q
}

// apart fills in a row whose sides cannot be paired. Each unit counts by its mean. The
// means of conversations that both sides have are paired, where these are half or more
// of a side's; else all are held apart.
func (c *Contrast) apart() {
	type unit struct {
		id string
		of [2]stats.Cluster
	}
	var units []unit
	var n [2]int
	undefined, last := 0, request{}
	for _, r := range c.pairs {
		for side, it := range r.items {
			switch {
			case it == nil:
				continue
			case math.IsNaN(it.values[c.at]):
				undefined++
				continue
			}
			first := len(units) == 0 || r.sample != last.sample
			if first {
				c.Samples++
			}
			if first || c.Unit == ByRequest && r.request != last {
				units = append(units, unit{id: c.unit(r.request)})
			}
			units[len(units)-1].of[side].Add(it.values[c.at])
			n[side], last = n[side]+1, r.request
		}
	}
	c.N, c.Of, c.row.Unpaired = min(n[0], n[1]), [2]int{n[1], n[0]}, true
	if undefined > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("no value for %d of %d requests, which are left out", undefined, undefined+n[0]+n[1]))
	}
	if c.N == 0 {
		c.Missing = "a side has no value for any request"
		return
	}
	have := func(side int) int {
		return len(lists.Filter(units, func(u unit) bool { return u.of[side].N > 0 }))
	}
	both := lists.Filter(units, func(u unit) bool { return u.of[0].N > 0 && u.of[1].N > 0 })
	if 2*len(both) >= min(have(0), have(1)) {
		units, c.row.Unpaired, c.Samples, c.Of = both, false, len(both), [2]int{}
		for _, u := range both {
			d := infer.Unit{ID: u.id}
			d.Add(u.of[0].One().Sum - u.of[1].One().Sum)
			c.row.Units = append(c.row.Units, d)
			c.Of[0], c.Of[1] = c.Of[0]+u.of[1].N, c.Of[1]+u.of[0].N
		}
	}
	for side, means := range []*[]float64{&c.row.New, &c.row.Base} {
		for _, u := range units {
			if u.of[side].N > 0 {
				*means = append(*means, u.of[side].One().Sum)
			}
		}
	}
	c.New, c.Base = stat.Mean(c.row.New, nil), stat.Mean(c.row.Base, nil)
}

// Decide tests rows as one family.
func Decide(rows []*Contrast, o infer.Options) {
	family := lists.Map(rows, func(r *Contrast) infer.Row { return r.row })
	for i, result := range infer.Decide(family, o) {
		rows[i].Result = result
	}
}

// Difference is New - Base, in the unit of the scores.
func (c *Contrast) Difference() float64 { return c.New - c.Base }

// Better reports whether the difference, shown or not, is for the better. Of a
// column where neither is, no difference is better or worse.
func (c *Contrast) Better() bool { return c.good() > 0 }

// Worse reports whether the difference, shown or not, is for the worse.
func (c *Contrast) Worse() bool { return c.good() < 0 }

// good returns the difference with the sign that a better one has.
func (c *Contrast) good() float64 {
	switch d := c.Difference(); {
	case c.Column.Neutral:
		return 0
	case c.Column.Lower:
		return -d
	default:
		return d
	}
}

// Same reports whether each pair has the same value on both sides, so that there is
// nothing to test.
func (c *Contrast) Same() bool {
	return c.Paired && c.Unpaired == "" && c.N > 0 && c.Higher+c.Lower == 0
}

// neither is what is missing for a test of the length of answers.
const neither = "neither more nor less is better"

// Verdict sums the row up: "better" or "worse" where a difference is shown,
// "other" where it is neither, "~" where none is shown, "insufficient" where none
// could be, "=" where no pair differs, and nothing without a value or where neither
// more nor less is better. With a margin,
// "same within" it, "not worse by" it or "undecided" stand in place of "~".
func (c *Contrast) Verdict() string {
	switch {
	case c.Same():
		return "="
	case c.N == 0, c.Missing == neither:
		return ""
	case c.Insufficient != "":
		return "insufficient"
	case c.Shown && c.Better():
		return "better"
	case c.Shown && c.Worse():
		return "worse"
	case c.Shown:
		return "other"
	case c.Within.shown():
		return fmt.Sprintf("same within %g", c.Within.Size)
	case c.NotWorse.shown():
		return fmt.Sprintf("not worse by %g", c.NotWorse.Size)
	case c.Within != nil || c.NotWorse != nil:
		return "undecided"
	}
	return "~"
}

// units counts units by the name that readers know.
func (c *Contrast) units(n int) string { return Plural(n, cmp.Or(c.about, c.Unit.noun())) }

// Reason says why nothing can be shown, and what would help; empty where something
// can.
func (c *Contrast) Reason() string {
	if c.Missing != "" {
		return c.Missing
	}
	switch c.Insufficient {
	case "":
		return ""
	case infer.NoUnits:
		return "a value is beyond the range of numbers"
	case infer.OneUnit:
		return fmt.Sprintf("one %s is not enough; add 2 for a t-test or %d for a sign-flip test", cmp.Or(c.about, c.Unit.noun()), infer.FlipUnits-1)
	case infer.TwoUnits:
		return cmp.Or(c.Reach(), c.units(c.Units)) + "; a difference of two counts as shown only where that is accepted"
	case infer.FewDiffer:
		return fmt.Sprintf("some of %s do not differ, and the others differ by the same mean, where a t-test finds too much; add %d for sign flips", c.units(c.Units), infer.FlipUnits-c.Units)
	case infer.SameMean:
		return fmt.Sprintf("all of %s differ by the same mean, where a t-test finds too much; add %d for sign flips", c.units(c.Units), infer.FlipUnits-c.Units)
	case infer.Coarse: // below
	case infer.FewOnSide:
		return fmt.Sprintf("a side has fewer than three %ss", c.Unit.noun())
	}
	text := c.units(c.Units)
	if c.Test == infer.Permutation {
		text += " on a side"
	}
	text += fmt.Sprintf(": p is at least %.2g", c.Least)
	if c.Tests > 1 {
		text += ", which the adjustment for " + Plural(c.Tests, "test") + " leaves above the level"
	}
	if c.Needed > 0 {
		text += fmt.Sprintf("; add %d", c.Needed-c.Units)
	}
	return text
}

// Reach says what the few units of a row can show, and what six would; empty where
// there are as many.
func (c *Contrast) Reach() string {
	if c.AtSix == nil || c.Detectable == nil {
		return ""
	}
	scaled := func(x float64) string { return decimal(x*c.Column.Scale, c.Column.Digits) }
	return fmt.Sprintf("%s: below %s nothing can be shown; %d with the same spread would show %s", c.units(c.Units), scaled(*c.Detectable), infer.FlipUnits, scaled(*c.AtSix))
}

// A Fact is the value that a row has of a question about a conversation.
type Fact struct {
	Conversation, Question string
	Value                  float64
}

// ContrastFacts pairs the facts of two rows by conversation and question, to be tested by
// [Decide] with other rows as one family. The pair is the number of the two among these.
func ContrastFacts(base, now []Fact, c metrics.Column, pair int) *Contrast {
	row := func(facts []Fact) *line {
		return new(line).with(lists.Map(facts, func(f Fact) *item {
			return &item{request: request{f.Conversation, f.Question}, values: []float64{f.Value}}
		}))
	}
	x := &Contrast{Column: c, row: infer.Row{Pair: pair}}
	x.fill(joinRows(row(now), row(base)), 0)
	return x
}

// A Margin is what was found of a row against a margin, in the unit of the table.
type Margin struct {
	Size float64
	P    float64 // one-sided, not adjusted
}

// shown reports whether the row keeps to the margin.
func (m *Margin) shown() bool { return m != nil && m.P <= alpha }

// holdMargins tests rows against the margins of the options.
func holdMargins(rows []*Contrast, o ContrastOptions) {
	for _, r := range rows {
		units := r.row.Units
		if r.Column.Lower { // less is better
			units = lists.Map(units, func(u infer.Unit) infer.Unit { u.Sum = -u.Sum; return u })
		}
		if m, ok := infer.Within(units, o.EquivalentWithin/r.Column.Scale); ok {
			r.Within = &Margin{o.EquivalentWithin, m.Same}
		}
		if m, ok := infer.Within(units, o.NotWorseBy/r.Column.Scale); ok && !r.Column.Neutral {
			r.NotWorse = &Margin{o.NotWorseBy, m.NotLess}
		}
	}
}

// A Fallen is a request that is worse on the new side, in the unit of tables.
type Fallen struct {
	Sample  string  `json:"sample"`
	Request string  `json:"request"`
	Base    float64 `json:"baseline"`
	New     float64 `json:"value"`
}

// Fallen returns the pairs that are worse on the new side, at most so many, those that
// fell the most first.
func (c *Contrast) Fallen(most int) []Fallen {
	by := func(f Fallen) float64 {
		risen := Contrast{Column: c.Column, Base: f.New, New: f.Base}
		return risen.good()
	}
	var all []Fallen
	for _, j := range c.pairs {
		if !c.Paired || !j.common() {
			continue
		}
		f := Fallen{j.sample, j.id, j.items[1].values[c.at] * c.Column.Scale, j.items[0].values[c.at] * c.Column.Scale}
		if by(f) > 1e-9 {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b Fallen) int { return cmp.Compare(by(b), by(a)) })
	return all[:min(most, len(all))]
}
