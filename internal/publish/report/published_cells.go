package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/published"
	"recallbench/metrics"
)

// compare returns the cells from the metric on.
func (c comparison) compare(t *Table, p pair, cell published.Cell) []Cell {
	metric, _ := c.table.Metric(cell.Metric)
	printed := t.publishedCell(c.table, p.row, cell, c.checks)
	name := metric.Name
	missing := func(why string) []Cell {
		return []Cell{text(name), printed, {}, {}, text("not measured", t.Note(why))}
	}
	column, why, ok := c.column(metric)
	if !ok {
		return missing(why)
	}
	name = column.Name
	scope, ok := c.scope(p.line, cell.Group, metric)
	if !ok {
		return missing("the run has no requests of category " + cell.Group)
	}
	shown := column
	_, decimals, _ := strings.Cut(cell.Printed, ".")
	shown.Digits, shown.Scale = len(decimals), 1
	if metric.Unit == published.Percent {
		shown.Scale = 100
	}
	measured, ok := c.measure(t, p.line, shown, cell.Group, scope)
	if !ok {
		return missing(c.absent(column.Name, column.Name+" has no value in the run"))
	}
	d := *measured.Value - cell.Value
	verdict := text("not comparable", t.notes(c.reasons(p, cell, metric, column, scope)...)...)
	if len(verdict.Notes) == 0 {
		verdict.Text = judge(cell, *measured.Value, measured.Interval)
	}
	return []Cell{text(name), printed, measured, {Text: signed(d, shown.Digits), Value: &d}, verdict}
}

// measure returns the measured cell: a mean over questions or over groups, as
// the published table has it.
func (c comparison) measure(t *Table, l *line, column metrics.Column, group string, s scope) (Cell, bool) {
	if c.sums(group) && c.table.Averaging == published.OverGroups { // each counts the same
		return c.overGroups(l, column)
	}
	b := *c.builder
	b.Intervals = true
	cell := b.cell(t, l, column, s.ids)
	if cell.Value == nil {
		return Cell{}, false
	}
	if n, _ := l.n(s.ids); c.sums(group) && n < len(l.items) {
		cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("over the categories of the published table: %d of %d requests", n, len(l.items))))
	}
	return cell, true
}

// judge says where a measured number lies beside a comparable published one.
// The published one is known to its last digit only.
func judge(cell published.Cell, measured float64, i *stats.Interval) string {
	switch {
	case i == nil:
		return "no interval"
	case i.Widen(cell.Rounding()).Contains(cell.Value):
		return "within interval"
	case measured > cell.Value:
		return "above"
	default:
		return "below"
	}
}

// sums reports whether a group of the table sums up the others.
func (c comparison) sums(group string) bool { return group == "" || group == c.table.Average }

// A scope is which requests of a line a published cell is about.
type scope struct {
	ids []string // categories
	// split is set when ids are the categories of the published table; else
	// the line's categories are other ones, and ids are all of them.
	split bool
}

// scope finds the requests for a published group. For a group that sums up the others
// these are the requests of the table's parts, whatever else the run has asked. For a
// metric that is over more questions, all.
func (c comparison) scope(l *line, group string, m published.Metric) (scope, bool) {
	var parts []string
	for _, id := range l.ids() {
		// Published tables call a category by its name or by the dataset's own id.
		is := func(group string) bool { return group == id || strings.EqualFold(group, l.dataset.CategoryName(id)) }
		if l.categories[id] == nil {
			continue
		}
		if !c.sums(group) && is(group) {
			return scope{[]string{id}, true}, true
		}
		if slices.ContainsFunc(c.table.Parts, func(p published.Part) bool { return is(p.Name) }) {
			parts = append(parts, id)
		}
	}
	switch {
	case !c.sums(group):
		return scope{}, false
	case len(parts) == 0:
		return scope{l.ids(), false}, true
	case m.Questions > c.table.N(c.table.Average, published.Metric{}):
		return scope{l.ids(), true}, true
	}
	return scope{parts, true}, true
}

// overGroups returns the mean over the groups of the table, each counting the
// same.
func (c comparison) overGroups(l *line, column metrics.Column) (Cell, bool) {
	var means []float64
	for _, seed := range l.bySeed() {
		if mean, ok := c.meanOfGroups(seed, column); ok {
			means = append(means, mean*column.Scale)
		}
	}
	if len(means) == 0 {
		return Cell{}, false
	}
	mean, sd := overMeans(means)
	cell := Cell{Text: decimal(mean, column.Digits), Value: &mean, Deviation: sd}
	if sd != nil {
		cell.Text += deviation(*sd, column.Digits)
	}
	return cell, true
}

func (c comparison) meanOfGroups(l *line, column metrics.Column) (float64, bool) {
	var sum float64
	for _, part := range c.table.Parts {
		scope, ok := c.scope(l, part.Name, published.Metric{})
		if !ok {
			return 0, false
		}
		s, ok := l.summary(column, scope.ids)
		if !ok {
			return 0, false
		}
		sum += s.mean
	}
	return sum / float64(len(c.table.Parts)), true
}

// absent says why a column has no value: what people would have to rate, no run
// has by itself, and of anything else what is given holds.
func (c comparison) absent(column, otherwise string) string {
	if spec, err := c.Metric(column); err == nil && spec.Of == metrics.Rated {
		return unrated
	}
	return otherwise
}

// column returns the measured column for a published metric: the one that
// measures the same or, where the run does not have it, another dialect of it.
func (c comparison) column(m published.Metric) (column metrics.Column, why string, ok bool) {
	if m.Column == "" {
		return metrics.Column{}, "this program has no metric that measures " + m.Name, false
	}
	i := c.at(m.Column)
	if i < 0 {
		base, _, dialect := strings.Cut(m.Column, "@")
		i = slices.IndexFunc(c.known, func(have metrics.Column) bool { return dialect && strings.HasPrefix(have.Name, base+"@") })
	}
	if i < 0 {
		return metrics.Column{}, c.absent(m.Column, "the run has no "+m.Column), false
	}
	return c.known[i], "", true
}

// reasons lists why a measured cell may not be compared with a published one,
// from the protocol of the table and the header of the run. No reasons means
// comparable.
func (c comparison) reasons(p pair, cell published.Cell, m published.Metric, column metrics.Column, s scope) []string {
	var reasons []string
	add := func(differs bool, format string, args ...any) {
		if differs {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	table, l := c.table, p.line
	method, _ := table.Method(p.row)
	reader, known := table.Reader(p.row.Model)

	if l.model.Offline {
		add(true, "reader: the stand-in, which is no language model; published with %s", p.row.Model)
	} else if own, ok := c.reader(l); known && (!ok || own.Row != p.row.Model) {
		add(true, "reader: %s; published with %s", l.model.Reader, p.row.Model)
	}
	embedder := l.model.Settings["embedder"]
	add(table.Paper.Secondary != "", "published numbers: %s", table.Paper.Secondary)
	if c.of[column.Name] == metrics.Judgement {
		judge := "none"
		if j := l.run.Header.Judge; j != nil {
			judge = j.Reader
		}
		add(table.Judge != "", "judge: %s; published with %s", judge, table.Judge)
	}
	add(table.Embedding != "" && !method.NoEmbedding && embedder != table.Embedding,
		"embeddings: %s; published with %s", cmp.Or(embedder, "not known"), table.Embedding)

	add(l.dataset.Caveat != "", "data: %s", l.dataset.Caveat)
	add(len(table.Data) == 0, "data: which files were used is not published")
	add(len(table.Data) > 0 && !slices.Contains(table.Data, l.dataset.SHA256),
		"data: sha256 %s; published on %s", short(l.dataset.SHA256), strings.Join(lists.Map(table.Data, short), " or "))
	key := l.dataset.AnswerKey()
	add(key != string(errata.Published), "answer key: %s; published with %s", key, errata.Published)
	// Where the categories are the table's, adversarial questions are a category
	// of their own and in no cell.
	policy := l.dataset.Settings["category5"]
	add(table.Category5 != "" && !s.split && policy != table.Category5,
		"category 5: %s; published with %s", cmp.Or(policy, "policy not known"), table.Category5)
	n, _ := l.n(s.ids)
	want := table.N(cell.Group, m)
	add(want == 0, "questions: how many is not published")
	add(want > 0 && n != want, "questions: %d; published over %d", n, want)
	add(c.sums(cell.Group) && table.Averaging == "", "averaging: over questions; how the published mean is taken is not known")

	add(column.Name != m.Column, "metric: %s; published %s", column.Name, m.Column)
	if m.Unit == published.Tokens {
		add(!sameTokenizer(l.model.Tokens, reader),
			"tokens: counted with %s; published with %s", cmp.Or(l.model.Tokens, "no tokenizer"), cmp.Or(reader.Tokenizer, "the provider's own count"))
		add(m.Counting == "", "tokens: what is counted is not published")
	}

	k := optionOf(l.cell, "k")
	add(method.K > 0 && k != strconv.Itoa(method.K), "k: %s; published with %d", cmp.Or(k, "none"), method.K)
	for _, what := range method.Unpublished {
		add(true, "not published: %s", what)
	}
	return reasons
}

// sameTokenizer reports whether a line's tokenizer is the reader's: by its name,
// or a tokenizer.json in a folder that has the model's name.
func sameTokenizer(name string, reader published.Reader) bool {
	folder, _, file := strings.Cut(name, "/tokenizer.json")
	return name == reader.Tokenizer || file && (reader.Is(folder) || slices.ContainsFunc(reader.Names, func(n string) bool {
		return strings.EqualFold(path.Base(n), folder)
	}))
}
