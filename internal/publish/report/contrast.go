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

// alpha is the significance level of tests.
const alpha = 0.05

// A Unit is what a test treats as independent.
type Unit string

// The units of tests: samples, which are conversations, or, if asked for, requests.
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

// A Contrast is one row of a comparison: the values of a column on two sides for the same
// requests, compared with each other.
type Contrast struct {
	// Side is the index of the side among those compared; Run and BaseRun name it and what
	// it is compared with.
	Side         int
	Run, BaseRun string
	// Dataset, Method and Model name what is compared, and BaseMethod and BaseModel what
	// it is compared with, whose labels may differ. They are empty in a row over several.
	Dataset, Method, Model string
	BaseMethod, BaseModel  string
	Category               string // by its name; empty for all
	Column                 metrics.Column
	// Base and New are means, in the unit of the scores: of the pairs, or, if the sides
	// cannot be paired, of the means of their units, which are what is tested.
	Base, New float64
	// Paired reports whether answers to the same requests were paired; Unpaired says why
	// they were not, or why too few were for a test.
	Paired   bool
	Unpaired string
	N        int    // pairs, or requests of the smaller side
	Of       [2]int // requests behind the means, of the base and of the new side
	Samples  int    // conversations of these requests
	// Higher and Lower count the pairs whose new value is above and below the base.
	Higher, Lower int
	// EffectiveN is the equivalent number of independent pairs; nil if it is not known.
	EffectiveN *float64
	// Unit is what the test treats as independent, and Result its result.
	Unit Unit
	infer.Result
	// Within and NotWorse test the row against a margin of equivalence and of
	// non-inferiority; nil if not requested, or if nothing can be tested.
	Within, NotWorse *Margin
	// Missing says why there is nothing to test; empty if there is something.
	Missing string
	// Notes say what could mislead a reader of this row.
	Notes []string

	about      string // what a unit is, if not a conversation
	line, base *line  // the sides, if they are rows of a table
	row        infer.Row
	// pairs and at are the requests behind a row and the index of its column.
	pairs joined
	at    int
	// questions are the paired differences of questions, by conversation.
	questions [][]stats.Cluster
}

// A joined holds the requests of two sides, in the order of their samples and ids.
type joined []joint

// A joint is a request with the item of each side, the new one first; nil if it has none.
type joint struct {
	request
	items [2]*item
}

// joinRows joins the requests of two rows by sample and id.
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

// category is that of the new side or, if it lacks the request, of the base.
func (j joint) category() string { return cmp.Or(j.items[0], j.items[1]).category }

// in returns the requests of a category. Pairs are in that of the new side; unpaired
// requests are in their own.
func (j joined) in(category string, paired bool) joined {
	var of joined
	for _, r := range j {
		for i, it := range r.items {
			if !paired && it != nil && it.category != category {
				r.items[i] = nil
			}
		}
		if r.items != [2]*item{} && r.category() == category {
			of = append(of, r)
		}
	}
	return of
}

// values returns the values of both sides in a column; NaN for none.
func (j joint) values(at int) (values [2]float64) {
	for i, it := range j.items {
		values[i] = math.NaN()
		if it != nil {
			values[i] = it.values[at]
		}
	}
	return values
}

// repetitions returns the paired differences of a question in a column: of each repetition
// if both sides have the same number, else of the means.
func (j joint) repetitions(at int) (q stats.Cluster) {
	now, base := j.items[0].values[at:at+1], j.items[1].values[at:at+1]
	if x, y := j.items[0].repeats, j.items[1].repeats; x != nil && y != nil && len(x[at]) == len(y[at]) {
		now, base = x[at], y[at]
	}
	for k := range now {
		q.Add(now[k] - base[k])
	}
	return q
}

// A contrastUnit holds the values of both sides for a unit, the new one first, and their
// pairs.
type contrastUnit struct {
	sides [2]stats.Cluster
	pairs infer.Unit
}

// fill computes the row from the requests' values of a column: from pairs or, if Unpaired
// says why there are none, from each side separately.
func (c *Contrast) fill(j joined, at int) {
	c.Paired, c.Unit, c.pairs, c.at = c.Unpaired == "", cmp.Or(c.Unit, BySample), j, at
	var units []contrastUnit
	var n [2]int
	left, sample := 0, ""
	for _, r := range j {
		values := r.values(at)
		has := [2]bool{!math.IsNaN(values[0]), !math.IsNaN(values[1])}
		if c.Paired && !(has[0] && has[1]) || !has[0] && !has[1] {
			left++
			continue
		}
		first := len(units) == 0 || r.sample != sample
		if sample = r.sample; first {
			c.Samples++
		}
		if first || c.Unit == ByRequest { // samples of two datasets differ even if their ids are equal
			id := c.Dataset + "\x00" + r.sample
			if c.Unit == ByRequest {
				id += "\x00" + r.id
			}
			units = append(units, contrastUnit{pairs: infer.Unit{ID: id}})
		}
		u := &units[len(units)-1]
		for side, x := range values {
			if has[side] {
				u.sides[side].Add(x)
				n[side]++
			}
		}
		if !c.Paired {
			continue
		}
		u.pairs.Add(values[0] - values[1])
		c.New, c.Base = c.New+values[0], c.Base+values[1]
		if first {
			c.questions = append(c.questions, nil)
		}
		c.questions[c.Samples-1] = append(c.questions[c.Samples-1], r.repetitions(at))
		switch {
		case values[0] > values[1]:
			c.Higher++
		case values[0] < values[1]:
			c.Lower++
		}
	}
	if left > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d of %d questions are left out, because a side has no value", left, len(j)))
	}
	c.N, c.Of = min(n[0], n[1]), [2]int{n[1], n[0]}
	switch {
	case c.N == 0:
		c.Missing = "no question has a value on both sides"
	case c.Paired:
		c.pair(units)
	default:
		c.apart(units)
	}
}

// pair fills in a row whose sides are paired.
func (c *Contrast) pair(units []contrastUnit) {
	c.New, c.Base = c.New/float64(c.N), c.Base/float64(c.N)
	c.row.Units = lists.Map(units, func(u contrastUnit) infer.Unit { return u.pairs })
	if c.Same() {
		c.Missing = "all pairs have the same value on both sides"
	} else if n, ok := stats.EffectiveN(lists.Map(c.row.Units, func(u infer.Unit) stats.Cluster { return u.Cluster })); ok {
		c.EffectiveN = &n
	}
}

// apart fills in a row whose sides cannot be paired. Each unit counts by its mean. The
// means of conversations that both sides have are paired if these are at least half of
// each side's; else all are treated as unpaired.
func (c *Contrast) apart(units []contrastUnit) {
	have := func(sides ...int) []contrastUnit {
		return lists.Filter(units, func(u contrastUnit) bool {
			return !slices.ContainsFunc(sides, func(side int) bool { return u.sides[side].N == 0 })
		})
	}
	both := have(0, 1)
	if c.row.Unpaired = 2*len(both) < min(len(have(0)), len(have(1))); !c.row.Unpaired {
		units, c.Samples, c.Of = both, len(both), [2]int{}
		for _, u := range both {
			d := infer.Unit{ID: u.pairs.ID}
			d.Add(u.sides[0].One().Sum - u.sides[1].One().Sum)
			c.row.Units = append(c.row.Units, d)
			c.Of[0], c.Of[1] = c.Of[0]+u.sides[1].N, c.Of[1]+u.sides[0].N
		}
	}
	for side, means := range []*[]float64{&c.row.New, &c.row.Base} {
		*means = lists.Map(have(side), func(u contrastUnit) float64 { return u.sides[side].One().Sum })
	}
	c.New, c.Base = stat.Mean(c.row.New, nil), stat.Mean(c.row.Base, nil)
}

// contrastLike returns a row like another about a column of requests, whose index is given.
func contrastLike(c Contrast, j joined, column metrics.Column, at int) *Contrast {
	c.Column = column
	c.fill(j, at)
	c.leaveSame()
	return &c
}

// leaveSame excludes a row whose pairs are all equal from the tested family.
func (c *Contrast) leaveSame() {
	if c.Same() {
		c.row.Units = nil
	}
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

// Better reports whether the difference, significant or not, is for the better. If a
// column has no better direction, no difference is better or worse.
func (c *Contrast) Better() bool { return c.good() > 0 }

// Worse reports whether the difference, significant or not, is for the worse.
func (c *Contrast) Worse() bool { return c.good() < 0 }

// good is above 0 if the difference is for the better, and below if it is for the worse.
func (c *Contrast) good() int {
	if c.Column.Neutral {
		return 0
	}
	return better(c.New, c.Base, c.Column)
}

// Same reports whether all pairs have equal values on both sides, which leaves nothing to
// test.
func (c *Contrast) Same() bool {
	return c.Paired && c.Unpaired == "" && c.N > 0 && c.Higher+c.Lower == 0
}

// neither says why the length of answers is not tested.
const neither = "neither higher nor lower is better"

// Verdict returns "better" or "worse" if the difference is significant, or "other" if the
// column has no better direction; "~" if it is not significant; "insufficient" if it could
// not be; "=" if no pair differs; and nothing without a value, or for the length of answers.
// With a margin, "same within" it, "not worse by" it or "undecided" replace "~".
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

// units counts units by the name that readers see.
func (c *Contrast) units(n int) string { return Plural(n, cmp.Or(c.about, c.Unit.noun())) }

// Reason says why no difference could be significant, and what would help; empty if one
// could be.
func (c *Contrast) Reason() string {
	if c.Missing != "" {
		return c.Missing
	}
	more := infer.FlipUnits - c.Units
	switch c.Insufficient {
	case "":
		return ""
	case infer.NoUnits:
		return "a value is out of the range of numbers"
	case infer.OneUnit:
		return fmt.Sprintf("one %s is not enough; add 2 for a t-test or %d for a sign-flip test", cmp.Or(c.about, c.Unit.noun()), infer.FlipUnits-1)
	case infer.TwoUnits:
		return cmp.Or(c.Reach(), c.units(c.Units)) + "; two are tested only with --accept-two"
	case infer.FewDiffer, infer.SameMean:
		return fmt.Sprintf("%s, all differing by the same mean, for which a t-test is too lenient; add %d for sign flips", c.units(c.Units), more)
	case infer.FewOnSide:
		return "a side has fewer than three units"
	case infer.Coarse: // below
	}
	text := fmt.Sprintf("%s: p is at least %.2g, before the adjustment for %s", c.units(c.Units), c.Least, Plural(c.Tests, "test"))
	if c.Needed > 0 {
		text += fmt.Sprintf("; add %d", c.Needed-c.Units)
	}
	return text
}

// Reach says which difference the few units of a row can detect, and which six would;
// empty if there are six or more.
func (c *Contrast) Reach() string {
	if c.AtSix == nil || c.Detectable == nil {
		return ""
	}
	scaled := func(x float64) string { return decimal(x*c.Column.Scale, c.Column.Digits) }
	return fmt.Sprintf("%s: differences below %s cannot be significant; with %d of the same spread, %s would be", c.units(c.Units), scaled(*c.Detectable), infer.FlipUnits, scaled(*c.AtSix))
}

// A Margin is the result of testing a row against a margin, in the unit of the table.
type Margin struct {
	Size float64
	P    float64 // one-sided, not adjusted
}

// p is nil for no margin.
func (m *Margin) p() *float64 {
	if m == nil {
		return nil
	}
	return &m.P
}

// shown reports whether the row is within the margin.
func (m *Margin) shown() bool { return m != nil && m.P <= alpha }

// ContrastTable lays out the rows of [Contrasts], with their notes: a table for
// each side. With all, it adds columns that tell how a row was computed; without,
// the table fits a terminal.
func ContrastTable(rows []*Contrast, notes []string, o ContrastOptions, all bool) *Document {
	d := &Document{Tables: []*Table{}}
	for _, side := range lists.Distinct(rows, func(r *Contrast) int { return r.Side }) {
		of := lists.Filter(rows, func(r *Contrast) bool { return r.Side == side })
		t := &Table{Name: of[0].Run + " against " + of[0].BaseRun, Title: of[0].Run + " against " + of[0].BaseRun}
		t.NoteTitle(notes...)
		d.Tables = append(d.Tables, t)
		show := shownFields{names: t.contrastNames(of, all), means: true, interval: true, all: all}
		t.fillContrasts(of, show, o)
		t.NoteTitle(testNotes(rows, show, o)...)
	}
	return d
}

// contrastNames returns the columns that name rows, if they differ between rows; the title
// has what all share.
func (t *Table) contrastNames(rows []*Contrast, all bool) []Field[*Contrast] {
	return repeating(lists.Filter([]Field[*Contrast]{
		TextField("dataset", func(r *Contrast) string { return r.Dataset }),
		TextField("method", func(r *Contrast) string { return besides(r.Method, r.BaseMethod) }),
		TextField("model", func(r *Contrast) string { return besides(r.Model, r.BaseModel) }),
		TextField("category", func(r *Contrast) string { return r.Category }),
	}, func(c Field[*Contrast]) bool {
		names := lists.Distinct(rows, func(r *Contrast) string { return c.Of(r).Text })
		titled := len(names) == 1 && names[0] != "" && !all && (c.Name == "dataset" || c.Name == "model")
		if titled {
			t.Title += map[string]string{"dataset": " on ", "model": ", model "}[c.Name] + names[0]
		}
		return !titled && (len(names) > 1 || names[0] != "")
	})...)
}

// repeating marks columns whose value often repeats from row to row.
func repeating[R any](columns ...Field[R]) []Field[R] {
	for i := range columns {
		columns[i].Repeats = true
	}
	return columns
}

// besides names what is compared with something else.
func besides(name, base string) string { return name + noteIf(name != base, " against %s", base) }

// shownFields sets which columns a table of contrasts has besides the difference and its test.
type shownFields struct {
	names                []Field[*Contrast]
	means, interval, all bool
	marks                bool // only marks, in place of a table of contrasts
}

// fillContrasts lays out rows.
func (t *Table) fillContrasts(rows []*Contrast, show shownFields, o ContrastOptions) {
	columns := slices.Clone(show.names)
	add := func(in bool, name, head string, of func(*Contrast) Cell) {
		if in {
			field := NumberField(name, of)
			field.Head = head
			columns = append(columns, field)
		}
	}
	scaledBy := func(of func(*Contrast) *float64) func(*Contrast) Cell {
		return func(r *Contrast) Cell { return scaled(of(r), r.Column.Scale, r.Column.Digits) }
	}
	mean := func(of func(*Contrast) *float64) func(*Contrast) Cell {
		return scaledBy(func(r *Contrast) *float64 {
			if r.N == 0 {
				return nil
			}
			return of(r)
		})
	}
	columns = append(columns, NotedField(t, "metric", func(r *Contrast) (string, []string) { return r.Column.Name, r.Notes }))
	add(show.means, "base", "", mean(func(r *Contrast) *float64 { return &r.Base }))
	add(show.means, "new", "", mean(func(r *Contrast) *float64 { return &r.New }))
	add(true, "difference", "", func(r *Contrast) Cell { return r.differenceCell(show.interval) })
	columns = append(columns, NotedField(t, "verdict", func(r *Contrast) (string, []string) {
		if r.Same() {
			return r.Verdict(), nil
		}
		return r.Verdict(), []string{r.Reason(), r.Unpaired}
	}))
	if show.all {
		columns = append(columns, TextField("test", func(r *Contrast) string { return r.Test }), TextField("unit", func(r *Contrast) string { return string(r.Unit) }))
	}
	add(true, "p", "", func(r *Contrast) Cell { return PValue(r.P) })
	add(o.Correct != infer.None, "p-adjusted", infer.CorrectionHead(o.Correct), func(r *Contrast) Cell { return PValue(r.Adjusted) })
	add(o.EquivalentWithin > 0, "p-equivalent", fmt.Sprintf("p (within %g)", o.EquivalentWithin), func(r *Contrast) Cell { return PValue(r.Within.p()) })
	add(o.NotWorseBy > 0, "p-not-worse", fmt.Sprintf("p (not worse by %g)", o.NotWorseBy), func(r *Contrast) Cell { return PValue(r.NotWorse.p()) })
	add(true, "pairs", "", t.pairsCell)
	add(show.all, "higher", "", func(r *Contrast) Cell { return Whole(r.Higher) })
	add(show.all, "lower", "", func(r *Contrast) Cell { return Whole(r.Lower) })
	add(true, "samples", "", func(r *Contrast) Cell { return Whole(r.Samples) })
	add(show.all, "effective-n", "effective n", func(r *Contrast) Cell { return scaled(r.EffectiveN, 1, 0) })
	add(true, "detectable", "", scaledBy(func(r *Contrast) *float64 { return r.Detectable }))
	few := slices.ContainsFunc(rows, func(r *Contrast) bool { return r.AtSix != nil })
	add(show.means && few || show.all, "detectable-six", fmt.Sprint("with ", infer.FlipUnits), scaledBy(func(r *Contrast) *float64 { return r.AtSix }))
	Fill(t, rows, columns...)
}

// fillFamily lays out contrasts of the rows of a run, with the notes on their tests.
func (b *builder) fillFamily(t *Table, family []*Contrast, show shownFields) {
	o := ContrastOptions{Options: b.Options}
	t.fillContrasts(family, show, o)
	t.NoteTitle(testNotes(family, show, o)...)
}

// differenceCell prints the difference, with its interval if requested.
func (c *Contrast) differenceCell(interval bool) Cell {
	if c.N == 0 {
		return Cell{}
	}
	var i *stats.Interval
	if interval && c.Interval != nil {
		i = new(c.Interval.Scale(c.Column.Scale))
	}
	return Change(c.Difference()*c.Column.Scale, c.Column.Digits, i)
}

// pairsCell counts the pairs of a row, or says what is compared instead.
func (t *Table) pairsCell(c *Contrast) Cell {
	if c.Paired {
		return Whole(c.N)
	}
	return Cell{Notes: t.notes(fmt.Sprintf("means of %ss, each counting once, over %d questions of the base and %d of the new side", c.Unit.noun(), c.Of[0], c.Of[1]))}
}

// adjustments describes how p-values are adjusted, by correction.
var adjustments = map[string]string{
	infer.None: "not adjusted: without any difference, one in 20 is significant by chance",
	infer.BH:   "adjusted by Benjamini and Hochberg: one in 20 of the significant differences may be chance",
	infer.Holm: "adjusted by Holm",
	infer.MaxT: "adjusted by max-T of joint flips, or by Holm where these are not used",
}

// testNotes says how rows of a family were tested, in fixed sentences that docs/comparing.md
// explains.
func testNotes(family []*Contrast, show shownFields, o ContrastOptions) []string {
	var notes []string
	add := func(in bool, format string, args ...any) {
		if in {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	has := func(is func(*Contrast) bool) bool { return slices.ContainsFunc(family, is) }
	by := func(test string) bool { return has(func(r *Contrast) bool { return r.Test == test }) }
	unit, wide := o.Unit.noun(), !show.marks
	add(wide && has(func(r *Contrast) bool { return r.Paired }), "pairs: answers to the same question on both sides, by conversation and id")
	add(by(infer.SignFlip), "p: sign flips of %ss, exact or %d", unit, infer.Draws)
	add(by(infer.CR2), "p: t-test with the CR2 error, for fewer than %d %ss", infer.FlipUnits, unit)
	add(by(infer.Permutation), "p: permutation of whole %ss, because nothing is paired", unit)
	add(o.Unit == ByRequest && has(func(r *Contrast) bool { return r.P != nil }),
		"p treats questions as independent (--unit request); those about one conversation are not, so it finds differences too often")
	tests := len(lists.Filter(family, func(r *Contrast) bool { return r.Adjusted != nil }))
	add(tests > 0, "~: no difference shown (p above %g over %s), which does not mean that there is none; p is %s",
		alpha, Plural(tests, "test"), adjustments[cmp.Or(o.Correct, infer.MaxT)])
	add(has(func(r *Contrast) bool { return r.Insufficient != "" && r.Insufficient != infer.NoUnits && r.Units > 0 }),
		"insufficient: no difference, however large, could be significant; --accept-two tests two conversations, and --unit request treats questions as independent")
	add(show.interval && has(func(r *Contrast) bool { return r.Interval != nil }), "in parentheses the %g %% interval of the difference, by the same test, not adjusted", 100*stats.Level)
	add(o.EquivalentWithin > 0 || o.NotWorseBy > 0, "margins: one-sided t-tests with the CR2 error at 5 %%, two of them for equivalence, not adjusted; undecided: neither a difference nor a margin is significant")
	add(wide && has(func(r *Contrast) bool { return r.Detectable != nil }), "detectable: the smallest difference that is significant in %g %% of comparisons like this one, before any adjustment", 100*infer.Power)
	add(show.means && has(func(r *Contrast) bool { return r.AtSix != nil }), "with %d: the same for %[1]d conversations with the same spread, if there are fewer", infer.FlipUnits)
	add(has((*Contrast).Same), "=: all pairs have equal values on both sides, so there is nothing to test")
	return notes
}
