package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/published"
	"recallbench/metrics"
)

// compare returns the cells from the metric on.
func (c comparison) compare(t *Table, p pair, cell published.Cell) []Cell {
	printed := t.publishedCell(c.table, p.row, cell, c.checks)
	m := c.find(t, p, cell)
	if m.missing != "" {
		return []Cell{text(m.name), printed, {}, {}, text("not measured", t.Note(m.missing))}
	}
	d := *m.cell.Value - cell.Value
	difference := Cell{Text: signed(d, m.digits), Value: new(d)}
	var verdict Cell
	verdict.Notes = append(verdict.Notes, t.notes(m.reasons...)...)
	verdict.Text = "not comparable"
	if len(verdict.Notes) == 0 {
		verdict.Text = judge(cell, *m.cell.Value, m.cell.Interval)
	}
	return []Cell{text(m.name), printed, m.cell, difference, verdict}
}

// A measurement is what a line has beside a published cell.
type measurement struct {
	name    string // of the column, or of the published metric where there is none
	digits  int    // of the published cell
	cell    Cell
	reasons []string // why the two may not be compared
	missing string   // why there is none; empty where there is
}

// find looks for the measurement beside a published cell.
func (c comparison) find(t *Table, p pair, cell published.Cell) measurement {
	metric, _ := c.table.Metric(cell.Metric)
	m := measurement{name: metric.Name}
	if _, decimals, ok := strings.Cut(cell.Printed, "."); ok {
		m.digits = len(decimals)
	}
	column, why, ok := c.column(metric)
	if !ok {
		m.missing = why
		return m
	}
	m.name = column.Name
	scope, ok := c.scope(p.line, cell.Group, metric)
	if !ok {
		m.missing = "the run has no requests of category " + cell.Group
		return m
	}
	shown := column
	shown.Digits, shown.Scale = m.digits, 1
	if metric.Unit == published.Percent {
		shown.Scale = 100
	}
	if m.cell, ok = c.measure(t, p.line, shown, cell.Group, scope); !ok {
		m.missing = c.absent(column.Name, column.Name+" has no value in the run")
		return m
	}
	m.reasons = c.reasons(p, cell, metric, column, scope)
	return m
}

// measure returns the measured cell: a mean over questions or over groups, as
// the published table has it.
func (c comparison) measure(t *Table, l *line, column metrics.Column, group string, s scope) (Cell, bool) {
	if c.sums(group) && c.table.Averaging == published.OverGroups {
		return c.overGroups(l, column)
	}
	b := *c.builder
	b.Intervals = true
	cell := b.cell(t, l, column, s.ids)
	if cell.Value == nil {
		return Cell{}, false
	}
	n, _ := l.n(s.ids)
	if all, _ := l.n(l.ids()); c.sums(group) && n < all {
		cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("over the categories of the published table: %d of %d requests", n, all)))
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
		"data: sha256 %s; published on %s", short(l.dataset.SHA256), shortAll(table.Data))
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

	k := blocks(l)
	add(method.K > 0 && k != method.K, "k: %s; published with %d", cmp.Or(optionOf(l.cell, "k"), "none"), method.K)
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

// blocks returns the option k of a line's method, 0 for none.
func blocks(l *line) int {
	var k int
	if err := json.Unmarshal([]byte(cmp.Or(optionOf(l.cell, "k"), "0")), &k); err != nil {
		return 0
	}
	return k
}

// shortAll returns the beginnings of digests.
func shortAll(digests []string) string {
	all := lists.Map(digests, short)
	return strings.Join(all, " or ")
}
