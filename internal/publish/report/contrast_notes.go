package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// columnNotes says which columns only one side is scored with.
func (c *contraster) columnNotes(side int) {
	for _, column := range c.columns {
		for _, at := range []int{c.base, side} {
			if !c.measured(side, column.Name) && !slices.Contains(c.scored[c.sides[at].Run], column.Name) {
				c.note("%s is not compared: %s is not scored with it", column.Name, c.names[at])
			}
		}
	}
}

// matchNotes says in what the cells that are compared with each other differ, and
// what else a reader of all rows could be misled by.
func (c *contraster) matchNotes(side int, found []match) {
	c.eachMatch(found, func(m match) []string { return c.unlike(side, m) }, "the sides differ in %s")
	c.eachMatch(found, func(m match) []string { return c.lone(side, m) }, "%s")
	for i, at := range []int{c.base, side} {
		c.eachMatch(found, func(m match) []string { return c.state(at, []*line{m.base, m.side}[i]) }, "%s")
	}
}

// eachMatch adds the notes about matches, each once, with the methods that it is
// about where these are not all.
func (c *contraster) eachMatch(found []match, about func(match) []string, format string) {
	var texts []string
	of := make(map[string][]string)
	for _, m := range found {
		for _, text := range about(m) {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = lists.AddNew(of[text], m.side.cell.Method)
		}
	}
	all := lists.Distinct(found, func(m match) string { return m.side.cell.Method })
	for _, text := range texts {
		if methods := of[text]; len(methods) < len(all) {
			text += " (" + strings.Join(methods, ", ") + ")"
		}
		c.note(format, text)
	}
}

// lone counts the requests that one line of a match alone has, where they are left
// out.
func (c *contraster) lone(side int, m match) []string {
	if m.unpaired != "" {
		return nil
	}
	var texts []string
	for i, at := range []int{side, c.base} {
		n := 0
		for _, r := range m.requests {
			if r.items[1-i] == nil {
				n++
			}
		}
		if n > 0 {
			texts = append(texts, fmt.Sprintf("%s of %d only in %s, and left out", Plural(n, "request"), len(m.requests), c.names[at]))
		}
	}
	return texts
}

// state says what there is to know of a line of a side.
func (c *contraster) state(at int, l *line) []string {
	var texts []string
	add := func(format string, args ...any) { texts = append(texts, fmt.Sprintf(format, args...)) }
	if l.model.Offline {
		add(standInNote)
	}
	if note := l.run.Header.EditedNote(); note != "" {
		add("%s", note)
	}
	if l.dataset.Caveat != "" {
		add("%s", l.dataset.Caveat)
	}
	for _, name := range c.judges() {
		if j := l.run.Header.FindJudge(name); j != nil {
			add("%s of %s: %s", strings.TrimSpace("judge "+name), c.names[at], l.run.Header.Trust(j))
		}
	}
	for _, seed := range l.bySeed() {
		if n := len(lists.Filter(seed.items, func(it *item) bool { return len(it.unasked) > 0 })); n > 0 {
			add("judges were not asked about %d answers of %s, for which an audit stands: its error is in no interval and no p-value here", n, c.names[at])
		}
	}
	if n, _, planned := l.scored(); n < planned {
		if importedNote(l) != "" {
			add("%s has an imported answer to %d of %d requests", c.names[at], n, planned)
		} else {
			add("%s is %s: %d of %d requests are scored", c.names[at], l.run.Header.Status, n, planned)
		}
	}
	if n, failed := l.n(l.ids()); len(failed) > 0 {
		add("failed requests count as they do in tables, most as 0: %d of %d in %s", countAll(failed), n*len(l.bySeed()), c.names[at])
	}
	if len(l.seeds) > 0 {
		add("each request of %s counts by its mean over %d seeds (%s)", c.names[at], len(l.seeds), l.seed())
	}
	return texts
}

// unlike lists what two lines differ in beside their answers.
func (c *contraster) unlike(side int, m match) []string {
	var texts []string
	differ := func(what, base, now string) {
		if base != now {
			texts = append(texts, fmt.Sprintf("%s: %s in %s, %s in %s", what, cmp.Or(base, "none"), c.names[c.base], cmp.Or(now, "none"), c.names[side]))
		}
	}
	same := m.base.cell.Use == m.side.cell.Use
	if m.base.cell.Method == m.side.cell.Method {
		differ("method", m.base.cell.Use, m.side.cell.Use)
	}
	for _, a := range attributes {
		if a.name == "data" && m.unpaired != "" || a.name == "k" && same {
			continue // said by the rows, or by the options
		}
		differ(a.name, a.of(m.base), a.of(m.side))
	}
	if same {
		options := maps.Clone(m.base.cell.Options)
		if options == nil {
			options = make(map[string]any)
		}
		maps.Copy(options, m.side.cell.Options)
		for _, name := range slices.Sorted(maps.Keys(options)) {
			differ("option "+name, option(m.base, name), option(m.side, name))
		}
		differ("prompts", short(m.base.cell.Prompts), short(m.side.cell.Prompts))
	}
	differ("categories", categoryMap(m.base), categoryMap(m.side))
	differ("served models", strings.Join(m.base.model.Served, ", "), strings.Join(m.side.model.Served, ", "))
	differ("seed", m.base.seed(), m.side.seed())
	for _, name := range c.judges() {
		differ(strings.TrimSpace("judge "+name), judgeID(m.base, name), judgeID(m.side, name))
	}
	if m.base.model.Offline != m.side.model.Offline {
		texts = append(texts, "what answers: one is the stand-in, which is no language model")
	}
	return texts
}

// judges are the names of those whose columns are compared, the empty one that of the
// column judge.
func (c *contraster) judges() []string {
	judged := lists.Filter(c.columns, func(column metrics.Column) bool { return c.of[column.Name] == metrics.Judgement })
	return lists.Distinct(judged, func(column metrics.Column) string { return metrics.JudgeOf(column.Name) })
}

// categoryMap names the categories of a line that have a name.
func categoryMap(l *line) string {
	names := lists.Map(l.dataset.Categories, func(category record.Category) string { return category.ID + "=" + l.dataset.CategoryName(category.ID) })
	return strings.Join(names, " ")
}

// contrastNotes say what the rows of a side are, and how they came about. The
// adjustment is over all rows.
func contrastNotes(all, rows []Contrast, o ContrastOptions) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	has := slices.ContainsFunc[[]Contrast]
	if has(rows, func(r Contrast) bool { return r.Paired }) {
		add("pairs: answers to the same request on both sides, by sample and id")
	}
	results := lists.Map(rows, func(r Contrast) infer.Result { return r.Result })
	family := lists.Map(all, func(r Contrast) infer.Result { return r.Result })
	notes = append(notes, testNotes(results, family, o.Options)...)
	notes = append(append(notes, marginNotes(o)...), reachNotes(rows)...)
	if has(rows, Contrast.Same) {
		add("=: all pairs have the same value on both sides, and there is nothing to test")
	}
	return notes
}

// testNotes say how results were found; the adjustment is over a family of them.
func testNotes(results, family []infer.Result, o Options) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	has := slices.ContainsFunc[[]infer.Result]
	by := cmp.Or(o.Unit, BySample).noun()
	var tests []string
	for _, x := range []struct{ name, says string }{
		{infer.SignFlip, fmt.Sprintf("sign flips of %ss, exact or %d", by, infer.Draws)},
		{infer.CR2, fmt.Sprintf("t by the CR2 error of fewer than %d %ss", infer.FlipUnits, by)},
		{infer.Permutation, fmt.Sprintf("permutation of whole %ss, as nothing is paired", by)},
	} {
		if has(results, func(r infer.Result) bool { return r.Test == x.name }) {
			tests = append(tests, x.says)
		}
	}
	if len(tests) > 0 {
		add("p: %s", strings.Join(tests, "; "))
	}
	if len(tests) > 0 && o.Unit == ByRequest {
		add("p takes requests for independent of each other, as --unit request asks; those about one conversation are alike, so it finds differences too often")
	}
	n := 0
	for _, r := range family {
		if r.Adjusted != nil {
			n++
		}
	}
	if n > 0 {
		correct := cmp.Or(o.Correct, infer.MaxT)
		if correct == infer.MaxT && !has(family, func(r infer.Result) bool { return r.Test == infer.SignFlip }) {
			correct = infer.Holm
		}
		how := map[string]string{
			infer.None: "not adjusted for the %s: one in 20 without any difference is found to differ by chance",
			infer.BH:   "adjusted by Benjamini and Hochberg over %s: of the differences that are shown one in 20 may be chance",
			infer.Holm: "adjusted by Holm over %s", infer.MaxT: "adjusted over %s by max-T of joint flips, or Holm where these do not decide",
		}[correct]
		add("~: p is above %g and no difference is shown, which is not to say that there is none; p is "+how, alpha, Plural(n, "test"))
	}
	if has(results, func(r infer.Result) bool {
		return r.Insufficient != "" && r.Insufficient != infer.NoUnits && r.Units > 0
	}) {
		add("insufficient: no difference could be shown, however large; --accept-two accepts two conversations, and --unit request takes requests for independent")
	}
	if has(results, func(r infer.Result) bool { return r.Interval != nil }) {
		add("in parentheses the %g %% interval of the difference, by the same test, not adjusted", 100*stats.Level)
	}
	return notes
}

// reachNotes say what detectable differences are.
func reachNotes(rows []Contrast) []string {
	var notes []string
	if slices.ContainsFunc(rows, func(r Contrast) bool { return r.Detectable != nil }) {
		notes = append(notes, fmt.Sprintf("detectable: the smallest difference that is shown in %g %% of comparisons like this one, before any adjustment", 100*infer.Power))
	}
	if slices.ContainsFunc(rows, func(r Contrast) bool { return r.AtSix != nil }) {
		notes = append(notes, fmt.Sprintf("with %d: the same of %d conversations with the same spread, where there are fewer", infer.FlipUnits, infer.FlipUnits))
	}
	return notes
}
