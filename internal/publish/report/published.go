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

// newPublished starts a table about a published one.
func newPublished(p *published.Table) *Table {
	t := &Table{Name: p.Name, Title: fmt.Sprintf("%s (%s: %s)", p.Name, p.Number, p.Title)}
	t.NoteTitle(p.Paper.Citation())
	if p.Has(func(_ published.Row, c published.Cell) bool { return c.StDev != "" }) {
		t.NoteTitle("published numbers have their standard deviations in parentheses, as printed")
	}
	return t
}

// publishedNames returns the columns that name published rows.
func publishedNames[R any](row func(R) published.Row) []Field[R] {
	return repeating(
		TextField("model", func(r R) string { return row(r).Model }),
		TextField("method", func(r R) string { return row(r).Label }),
	)
}

// Show lays out a published table with its protocol. Cells that do not fit others, by an
// audit, have a note.
func Show(p *published.Table, checks []published.Check) *Document {
	t := newPublished(p)
	t.NoteTitle(protocolNotes(p)...)
	groups := p.Groups()
	columns := publishedNames(func(m measurement) published.Row { return m.row })
	if len(groups) > 1 || groups[0] != "" {
		columns = append(columns, TextField("group", func(m measurement) string { return m.cell.Group }))
	}
	for _, metric := range p.Metrics {
		if !p.Has(func(_ published.Row, c published.Cell) bool { return c.Metric == metric.Name }) {
			continue
		}
		column := NumberField(metric.Name, func(m measurement) Cell {
			cell, _ := m.row.Cell(m.cell.Group, metric.Name)
			return t.publishedCell(p, m.row, cell, checks)
		})
		column.Notes = t.notes(strings.Join(given([]string{
			noteIf(metric.Column != "", "here %s", metric.Column),
			noteIf(metric.Questions > 0, "over %d questions", metric.Questions),
			noteIf(metric.Counting != "", "counts %s", metric.Counting),
		}), "; "))
		columns = append(columns, column)
	}
	var rows []measurement
	for _, r := range p.Rows {
		rows = append(rows, lists.Map(groups, func(g string) measurement { return measurement{row: r, cell: published.Cell{Group: g}} })...)
	}
	Fill(t, rows, columns...)
	for _, c := range checks { // of a whole row, for instance
		own := func(r published.Row, cell published.Cell) bool { return r.Key() == c.Row && cell.Name() == c.Cell }
		if !c.Agrees && c.Table == p.Name && !p.Has(own) {
			t.NoteTitle(fmt.Sprintf("audit of %s, %s: %s", c.Row, c.Cell, finding(c)))
		}
	}
	return &Document{Tables: []*Table{t}}
}

// publishedCell returns a cell with its audit note; empty for none.
func (t *Table) publishedCell(p *published.Table, r published.Row, c published.Cell, checks []published.Check) Cell {
	if c.Printed == "" {
		return Cell{}
	}
	cell := Cell{Text: c.Printed, Value: new(c.Value), Source: c.Source}
	if c.Line > 0 {
		cell.Source = p.Paper.Text() + ":" + strconv.Itoa(c.Line)
	}
	if sd, err := strconv.ParseFloat(c.StDev, 64); err == nil {
		cell.Text, cell.Deviation = cell.Text+" ("+c.StDev+")", &sd
	}
	for _, check := range checks {
		if !check.Agrees && check.Table == p.Name && check.Row == r.Key() && check.Cell == c.Name() {
			cell.Notes = append(cell.Notes, t.Note("audit: "+finding(check)))
		}
	}
	return cell
}

// finding describes a check's finding in one line.
func finding(c published.Check) string {
	s := c.Note
	if c.Recomputed != nil {
		s += ": printed " + c.Printed + ", recomputed " + recomputed(*c.Recomputed)
	}
	if c.Tolerance != nil {
		s += " ± " + recomputed(*c.Tolerance)
	}
	return s
}

// recomputed prints a number of the audit with its significant digits.
func recomputed(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(decimal(x, 4), "0"), ".")
}

// protocolNotes says how the numbers of a table were obtained.
func protocolNotes(p *published.Table) []string {
	parts := lists.Map(p.Parts, func(part published.Part) string {
		return part.Name + noteIf(part.N > 0, " %d", part.N)
	})
	notes := lists.Map([][2]string{
		{"numbers", p.Paper.Secondary},
		{"dataset", p.Dataset + ", " + p.Split},
		{"questions", strings.Join(parts, ", ")},
		{"average", string(p.Averaging)},
		{"category 5", p.Category5},
		{"judge", p.Judge},
		{"embeddings", p.Embedding},
		{"decoding", p.Decoding},
		{"not published", strings.Join(p.Unpublished, "; ")},
	}, func(note [2]string) string { return noteIf(note[1] != "", "%s: %s", note[0], note[1]) })
	return given(notes)
}

// A publication lays out a published table next to the rows of the same dataset.
type publication struct {
	layout
	table  *published.Table
	checks []published.Check // that put a cell in doubt
	lines  []*line           // of the dataset, without those that answered nothing
}

// A measurement is a cell of a published row and what a run's row has for it.
type measurement struct {
	row  published.Row
	cell published.Cell
	line *line
	// column is that of the run; measured and difference are empty without a value.
	column               string
	measured, difference Cell
	verdict              string
	why                  []string
}

// besides lays out a published table next to the measured rows; nothing if every request
// failed.
func (b *builder) besides(table *published.Table) []*Table {
	// A claim in the text may be wrong even if the cell is right.
	s := publication{table: table, checks: lists.Filter(published.Audit(), func(c published.Check) bool { return c.Kind != published.Claim })}
	lines := lists.Filter(b.lines, func(l *line) bool { return l.dataset.Name == table.Dataset })
	s.layout = b.layout(lines)
	if len(lines) == 0 {
		t := newPublished(table)
		t.NoteTitle(fmt.Sprintf("not measured: the table is about %s, the run has %s", table.Dataset, strings.Join(lists.Distinct(b.lines, func(l *line) string { return l.dataset.Name }), ", ")))
		for _, l := range b.lines {
			t.NoteTitle(lists.Map(l.run.Header.Skipped, func(what string) string { return "skipped: " + what })...)
		}
		return []*Table{t}
	}
	if s.lines = lists.Filter(lines, func(l *line) bool { return !l.allFailed() }); len(s.lines) == 0 {
		return nil
	}
	rows := lists.Filter(table.Rows, func(r published.Row) bool {
		return r.Model == "" || s.AllReaders || slices.ContainsFunc(s.lines, func(l *line) bool { return s.readerOf(l) == r.Model })
	})
	var measured []measurement
	var alone []published.Row
	for _, row := range rows {
		of := lists.Filter(s.lines, func(l *line) bool { return strings.EqualFold(l.cell.Method, row.Label) && s.stands(l, row.Model) })
		if len(of) == 0 {
			alone = append(alone, row)
		}
		for _, l := range of {
			measured = append(measured, lists.Map(row.Cells, func(c published.Cell) measurement { return measurement{row: row, cell: c, line: l} })...)
		}
	}
	tables := lists.Filter([]*Table{s.cellTable(measured), s.unmeasured(alone, lines)}, func(t *Table) bool { return len(t.Rows) > 0 })
	if len(rows) < len(table.Rows) && len(tables) > 0 {
		tables[0].NoteTitle("'bench table RUN --published all' adds the published rows of other models")
	}
	return tables
}

// reader returns the reader of a row of the table that answered a row of a run.
func (s publication) reader(l *line) (published.Reader, bool) {
	i := slices.IndexFunc(s.table.Readers, func(r published.Reader) bool {
		return !l.model.Offline && slices.ContainsFunc(s.table.Rows, func(row published.Row) bool { return row.Model == r.Row }) &&
			(r.Is(l.model.Reader) || slices.ContainsFunc(l.model.Served, r.Is))
	})
	if i < 0 {
		return published.Reader{}, false
	}
	return s.table.Readers[i], true
}

// readerOf returns the reader of the table that a run's row is compared with: the one that
// answered it, else the first.
func (s publication) readerOf(l *line) string {
	if r, ok := s.reader(l); ok {
		return r.Row
	}
	return s.table.Rows[0].Model
}

// stands reports whether a row is compared with the rows of a model: those of its own
// reader, if the table has it; else those of the first reader or, if all readers are
// requested, of each.
func (s publication) stands(l *line, model string) bool {
	_, own := s.reader(l)
	return model == "" || s.readerOf(l) == model || s.AllReaders && !own
}

// cellTable lays out the cells of published rows next to the measured ones.
func (s publication) cellTable(cells []measurement) *Table {
	t := newPublished(s.table)
	t.Title += ", published and measured"
	lines := lists.Distinct(cells, func(m measurement) *line { return m.line })
	t.NoteTitle(s.each(lines, seedNote)...)
	t.NoteTitle(intervalNotes(lines, s.columns)...)
	t.NoteTitle("the verdict is about the interval", "the prompts are those of the run; whether they match the paper's is not checked")
	for i := range cells {
		s.measure(t, &cells[i])
	}
	columns := append(publishedNames(func(m measurement) published.Row { return m.row }), repeating(
		NotedField(t, "measured by", func(m measurement) (string, []string) {
			return s.name(m.line), []string{standIn(m.line), m.line.run.Header.EditedNote()}
		}),
		TextField("group", func(m measurement) string { return cmp.Or(m.cell.Group, "all") }),
	)...)
	Fill(t, cells, append(columns,
		TextField("metric", func(m measurement) string { return m.column }),
		NumberField("published", func(m measurement) Cell { return t.publishedCell(s.table, m.row, m.cell, s.checks) }),
		NumberField("measured", func(m measurement) Cell { return m.measured }),
		NumberField("difference", func(m measurement) Cell { return m.difference }),
		NotedField(t, "verdict", func(m measurement) (string, []string) { return m.verdict, m.why }),
	)...)
	return t
}

// measure measures a published cell: by a mean over questions or over groups, as the
// published table has it.
func (s publication) measure(t *Table, m *measurement) {
	metric, _ := s.table.Metric(m.cell.Metric)
	m.column, m.verdict = metric.Name, "not measured"
	column, ok := s.column(metric.Column)
	if !ok {
		m.why = []string{"the run has no " + cmp.Or(metric.Column, "metric that measures "+metric.Name)}
		return
	}
	m.column = column.Name
	ids, split := s.scope(m.line, m.cell.Group, metric)
	if len(ids) == 0 {
		m.why = []string{"the run has no questions of category " + m.cell.Group}
		return
	}
	shown := column
	_, decimals, _ := strings.Cut(m.cell.Printed, ".")
	if shown.Digits, shown.Scale = len(decimals), 1; metric.Unit == published.Percent {
		shown.Scale = 100
	}
	b := *s.builder
	b.Intervals = true
	if m.measured = b.cell(t, m.line, shown, ids); s.sums(m.cell.Group) && s.table.Averaging == published.OverGroups { // each counts the same
		m.measured = s.overGroups(m.line, shown)
	}
	if m.measured.Value == nil {
		m.why = []string{column.Name + " has no value in the run"}
		if s.of[column.Name] == metrics.Rated {
			m.why = []string{unrated}
		}
		return
	}
	m.difference = Change(*m.measured.Value-m.cell.Value, shown.Digits, nil)
	if m.why = s.reasons(m, metric, column, ids, split); len(m.why) > 0 {
		m.verdict = "not comparable"
	} else {
		m.verdict = judge(m.cell, *m.measured.Value, m.measured.Interval)
	}
}

// judge compares a measured number with a comparable published one, which is known to
// its last digit only.
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

// sums reports whether a group of the table combines the others.
func (s publication) sums(group string) bool { return group == "" || group == s.table.Average }

// scope finds the categories of a row for a published group. For a group that combines the
// others, these are the categories of the table's parts, whatever else the run asked; for a
// metric over more questions, all. Split reports whether the categories are those of the
// table.
func (s publication) scope(l *line, group string, m published.Metric) (ids []string, split bool) {
	// Published tables use a category's name or the dataset's own id.
	in := func(groups ...string) []string {
		return lists.Filter(asked([]*line{l}), func(id string) bool {
			return slices.ContainsFunc(groups, func(g string) bool { return g == id || strings.EqualFold(g, l.dataset.CategoryName(id)) })
		})
	}
	if !s.sums(group) {
		return in(group), true
	}
	parts := in(lists.Map(s.table.Parts, func(p published.Part) string { return p.Name })...)
	if len(parts) == 0 || m.Questions > s.table.N(s.table.Average, published.Metric{}) {
		return l.ids(), len(parts) > 0
	}
	return parts, true
}

// overGroups returns the unweighted mean over the groups of the table; empty if a group has
// no value.
func (s publication) overGroups(l *line, column metrics.Column) Cell {
	var means []float64
	for _, seed := range l.bySeed() {
		sum := 0.0
		for _, part := range s.table.Parts {
			ids, _ := s.scope(seed, part.Name, published.Metric{})
			of, ok := seed.summary(column, ids)
			if !ok {
				return Cell{}
			}
			sum += of.mean
		}
		means = append(means, sum/float64(len(s.table.Parts))*column.Scale)
	}
	mean, sd := overMeans(means)
	return scaled(&mean, 1, column.Digits).withDeviation(sd, column.Digits)
}

// reasons lists why a measured cell is not comparable with a published one, from the
// protocol of the table and the header of the run. Without reasons it is comparable.
func (s publication) reasons(m *measurement, metric published.Metric, column metrics.Column, ids []string, split bool) []string {
	var reasons []string
	add := func(differs bool, format string, args ...any) {
		if differs {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	table, l, group := s.table, m.line, m.cell.Group
	method, _ := table.Method(m.row)
	reader, known := table.Reader(m.row.Model)
	own, _ := s.reader(l)
	add(l.model.Offline, "reader: the stand-in, which is not a language model; published with %s", m.row.Model)
	add(!l.model.Offline && known && own.Row != m.row.Model, "reader: %s; published with %s", l.model.Reader, m.row.Model)
	add(table.Paper.Secondary != "", "published numbers: %s", table.Paper.Secondary)
	judge := "none"
	if j := l.run.Header.Judge; j != nil {
		judge = j.Reader
	}
	add(s.of[column.Name] == metrics.Judgement && table.Judge != "", "judge: %s; published with %s", judge, table.Judge)
	embedder := l.model.Settings["embedder"]
	add(table.Embedding != "" && !method.NoEmbedding && embedder != table.Embedding,
		"embeddings: %s; published with %s", cmp.Or(embedder, "not known"), table.Embedding)

	add(l.dataset.Caveat != "", "data: %s", l.dataset.Caveat)
	add(len(table.Data) == 0, "data: the paper does not say which files were used")
	add(len(table.Data) > 0 && !slices.Contains(table.Data, l.dataset.SHA256),
		"data: sha256 %s; published on %s", short(l.dataset.SHA256), strings.Join(lists.Map(table.Data, short), " or "))
	key := l.dataset.AnswerKey()
	add(key != string(errata.Published), "answer key: %s; published with %s", key, errata.Published)
	// If the categories are the table's, adversarial questions are a category of their own
	// and in no cell.
	policy := l.dataset.Settings["category5"]
	add(table.Category5 != "" && !split && policy != table.Category5, "category 5: %s; published with %s", cmp.Or(policy, "policy not known"), table.Category5)
	n := l.count(ids)
	want := table.N(group, metric)
	add(want == 0, "questions: their number is not published")
	add(want > 0 && n != want, "questions: %d; published over %d", n, want)
	add(s.sums(group) && table.Averaging == "", "averaging: over questions; how the published mean was computed is not known")

	tokens := metric.Unit == published.Tokens
	add(tokens && !sameTokenizer(l.model.Tokens, reader), "tokens: counted with %s; published with %s",
		cmp.Or(l.model.Tokens, "no tokenizer"), cmp.Or(reader.Tokenizer, "the provider's own count"))
	add(tokens && metric.Counting == "", "tokens: what is counted is not published")
	k := optionOf(l.cell, "k")
	add(method.K > 0 && k != strconv.Itoa(method.K), "k: %s; published with %d", cmp.Or(k, "none"), method.K)
	for _, what := range method.Unpublished {
		add(true, "not published: %s", what)
	}
	return reasons
}

// sameTokenizer reports whether a line's tokenizer is the reader's, by its name or by a
// tokenizer.json in a folder with the model's name.
func sameTokenizer(name string, reader published.Reader) bool {
	folder, _, file := strings.Cut(name, "/tokenizer.json")
	return name == reader.Tokenizer || file && (reader.Is(folder) || slices.ContainsFunc(reader.Names, func(n string) bool {
		return strings.EqualFold(path.Base(n), folder)
	}))
}

// unmeasured lists the published rows without a partner among some rows, with their summary
// cells and the reason.
func (s publication) unmeasured(rows []published.Row, lines []*line) *Table {
	t := newPublished(s.table)
	t.Name, t.Title = t.Name+", not measured", t.Title+": rows without a measurement"
	columns := publishedNames(func(r published.Row) published.Row { return r })
	for _, m := range s.table.Metrics {
		summary := func(r published.Row) published.Cell {
			whole, _ := r.Cell("", m.Name)
			average, _ := r.Cell(s.table.Average, m.Name)
			return cmp.Or(whole, average)
		}
		if slices.ContainsFunc(rows, func(r published.Row) bool { return summary(r).Printed != "" }) {
			columns = append(columns, NumberField(m.Name, func(r published.Row) Cell { return t.publishedCell(s.table, r, summary(r), s.checks) }))
		}
	}
	Fill(t, rows, append(columns, TextField("why", func(r published.Row) string {
		of := lists.Filter(lines, func(l *line) bool { return strings.EqualFold(l.cell.Method, r.Label) })
		switch {
		case len(of) == 0:
			return fmt.Sprintf("no method of the run is labelled %q", r.Label)
		case of[0].allFailed():
			return "every question failed"
		}
		return "measured with another reader, " + of[0].model.Reader
	}))...)
	return t
}
