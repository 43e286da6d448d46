package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

const standInNote = "stand-in: no language model answered; the figures say that the pipeline runs, and nothing about the method"

// A layout says how the rows of a table are named: by the method, and by model,
// run and seed where the method alone does not tell them apart.
type layout struct {
	*builder
	model, run, seed bool
}

func (b *builder) layout(lines []*line) layout {
	f := layout{builder: b}
	models := make(map[string]bool)
	runs := make(map[[2]string]*Run)
	for _, l := range lines {
		models[l.cell.Model] = true
		name := [2]string{l.cell.Method, l.cell.Model}
		if other, ok := runs[name]; ok {
			f.run = f.run || other != l.run
			f.seed = f.seed || other == l.run
		}
		runs[name] = l.run
	}
	f.model = len(models) > 1
	return f
}

func (f layout) columns() []Column {
	columns := []Column{{Name: "method"}}
	if f.model {
		columns = append(columns, Column{Name: "model", Parts: true})
	}
	if f.run {
		columns = append(columns, Column{Name: "run"})
	}
	if f.seed {
		columns = append(columns, Column{Name: "seed"})
	}
	return columns
}

func (f layout) cells(t *Table, l *line) []Cell {
	method := text(l.cell.Method)
	if l.model.Offline {
		method.Notes = append(method.Notes, t.Note(standInNote))
	}
	method.Notes = append(method.Notes, t.notes(l.run.Header.EditedNote())...)
	if note := recordedText(l.model); note != "" && f.model {
		method.Notes = append(method.Notes, t.Note(l.model.Label+": "+note))
	}
	method.Notes = append(method.Notes, t.notes(servedNote(l.model), tuningNote(l))...)
	method.Notes = append(method.Notes, t.notes(l.cell.AdapterNote())...)
	method.Notes = append(method.Notes, t.notes(l.cell.Switches, l.cell.Sees)...)
	imported := importedNote(l)
	if imported != "" {
		method.Notes = append(method.Notes, t.Note(imported))
	}
	if n, _, planned := l.scored(); n < planned {
		note := fmt.Sprintf("the run is %s: %d of %d requests are scored", l.run.Header.Status, n, planned)
		switch {
		case imported != "":
			note = fmt.Sprintf("%d of %d requests have an imported answer", n, planned)
		case l.run.Header.Status == record.Complete:
			note += "; 'bench score' scores the rest"
		}
		method.Notes = append(method.Notes, t.Note(note))
	}
	return append([]Cell{method}, f.plainNames(l)[1:]...)
}

// servedNote says which models answered, where they are not the one asked for,
// and which served the calls of roles that the run made.
func servedNote(m record.Model) string {
	var notes []string
	if !m.Offline && len(m.Served) > 0 && !slices.Equal(m.Served, []string{m.Reader}) {
		notes = append(notes, fmt.Sprintf("asked for %s, served by %s", m.Reader, strings.Join(m.Served, ", ")))
	}
	if weights := m.Weights(); len(weights) > 1 {
		notes = append(notes, "the server changed its weights: "+strings.Join(weights, ", "))
	}
	for _, role := range slices.Sorted(maps.Keys(m.Roles)) {
		if served := m.Roles[role].Served; len(served) > 0 {
			notes = append(notes, fmt.Sprintf("calls of the role %s served by %s", role, strings.Join(served, ", ")))
		}
	}
	return strings.Join(notes, "; ")
}

// importedNote says where the answers of a row come from, if not from this program.
func importedNote(l *line) string {
	from := l.cell.Imported
	if from == nil {
		return ""
	}
	var note strings.Builder
	fmt.Fprintf(&note, "imported from %s (%s, sha256 %s)", from.File, from.Format, short(from.SHA256))
	for i, field := range slices.Sorted(maps.Keys(from.Accepted)) {
		sep := "; accepted although the file contradicts the dataset:"
		if i > 0 {
			sep = ","
		}
		fmt.Fprintf(&note, "%s %s (%d)", sep, field, from.Accepted[field])
	}
	return note.String()
}

// tuningNote says which options of a row were chosen before the run, and by what.
func tuningNote(l *line) string {
	for _, t := range l.run.Header.Tunings {
		if t.Method != l.cell.Method || t.Model != l.cell.Model {
			continue
		}
		best := t.Points[t.Chosen]
		var options, on []string
		for _, key := range slices.Sorted(maps.Keys(best.Options)) {
			options = append(options, fmt.Sprintf("%s %v", key, best.Options[key]))
		}
		for _, d := range t.Datasets {
			on = append(on, d.Label)
		}
		return fmt.Sprintf("%s: chosen of %d points by %s %.4f on %s, %d requests",
			strings.Join(options, ", "), len(t.Points), t.Column, best.Score, strings.Join(on, ", "), t.Requests)
	}
	return ""
}

// name names a row in a note.
func (f layout) name(l *line) string {
	name := l.cell.Method
	if f.model {
		name += " with " + l.cell.Model
	}
	if f.run {
		name += " of " + f.names[l.run]
	}
	if f.seed {
		name += ", seed " + l.seed()
	}
	return name
}

func (b *builder) mainTable(lines []*line) *Table {
	columns, missing := b.valued(lines, b.columns)
	t := &Table{Name: lines[0].dataset.Label, Title: b.layout(lines).title(lines)}
	if len(missing) > 0 {
		t.NoteTitle("no row has a value of " + enumerate(lists.Map(missing, func(c metrics.Column) string { return c.Name }), "and"))
	}
	return b.meansTable(lines, t, columns)
}

// valued returns the columns of which some line has a value, and those of which none has.
// Where the options name columns, or none has a value, all are shown, as are those that
// models and people fill in after the run.
func (b *builder) valued(lines []*line, columns []metrics.Column) (some, none []metrics.Column) {
	for _, c := range columns {
		after := b.of[c.Name] == metrics.Judgement || c.Name == metrics.UCSSpec.Name
		if after || slices.ContainsFunc(lines, func(l *line) bool { _, ok := l.summary(c, l.ids()); return ok }) {
			some = append(some, c)
		} else {
			none = append(none, c)
		}
	}
	if len(b.Columns) > 0 || len(some) == 0 {
		return columns, nil
	}
	return some, none
}

// metricTables lays out each metric of more than one column, unless the
// options name the columns to show.
func (b *builder) metricTables(lines []*line) []*Table {
	if len(b.Columns) > 0 {
		return nil
	}
	label := lines[0].dataset.Label
	var tables []*Table
	for _, spec := range b.wide {
		if some, _ := b.valued(lines, spec.Columns); len(some) == 0 {
			continue
		}
		t := &Table{Name: label + ": " + spec.Name, Title: label + ", " + spec.Name + ": " + spec.Doc}
		tables = append(tables, b.meansTable(lines, t, spec.Columns))
	}
	return tables
}

// meansTable fills t with the means of columns over all requests.
func (b *builder) meansTable(lines []*line, t *Table, columns []metrics.Column) *Table {
	f := b.layout(lines)
	t.Rows, t.BestOf = [][]Cell{}, f.bestOf()
	n, failed := Column{Name: "n", Number: true, Said: true}, Column{Name: "errors", Number: true, Said: true}
	for _, l := range lines {
		asked, errors := l.n(l.ids())
		n.Said, failed.Said = n.Said && asked == lines[0].dataset.Requests && asked == l.dataset.Requests, failed.Said && len(errors) == 0
	}
	t.Columns = append(f.columns(), n, failed)
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Name: c.Name, Number: true})
	}
	f.titleNotes(t, lines, columns)
	for _, l := range lines {
		ids := l.ids()
		n, failed := l.n(ids)
		errors := errorCell(t, failed)
		errors.Notes = append(errors.Notes, t.notes(l.bounds(columns, ids))...)
		row := append(f.cells(t, l), count(n), errors)
		for _, c := range columns {
			row = append(row, b.cell(t, l, c, ids))
		}
		t.Rows = append(t.Rows, row)
	}
	first := len(t.Columns) - len(columns)
	for i, c := range columns {
		t.markBest(first+i, c, lines)
	}
	return t
}

// Plural counts things of a kind.
func Plural(n int, kind string) string {
	if n != 1 {
		kind += "s"
	}
	return strconv.Itoa(n) + " " + kind
}

// bestOf says among which rows the best is marked.
func (f layout) bestOf() string {
	if f.model {
		return "of its model"
	}
	return ""
}

func (f layout) title(lines []*line) string {
	d := lines[0].dataset
	title := d.Label
	if d.Name != d.Label {
		title += " (" + d.Name + ")"
	}
	if !slices.ContainsFunc(lines, func(l *line) bool { return l.dataset.Requests != d.Requests || l.dataset.Samples != d.Samples }) {
		title += ": " + Plural(d.Requests, "request") + " about " + Plural(d.Samples, "sample")
	}
	if !f.model {
		m := lines[0].model
		title += ", model " + m.Label
		if m.Reader != m.Label {
			title += " (" + m.Reader + ")"
		}
		if recorded := recordedText(m); recorded != "" {
			title += ", " + recorded
		}
	}
	return title
}

// recordedText says which server gave the recorded replies of a model, and when;
// it is empty where none was recorded.
func recordedText(m record.Model) string {
	if len(m.Recorded) == 0 {
		return ""
	}
	text := "recorded " + m.Recorded[0]
	if last := m.Recorded[len(m.Recorded)-1]; last != m.Recorded[0] {
		text += " to " + last
	}
	if len(m.Fingerprints) > 0 {
		text = strings.Join(m.Fingerprints, ", ") + ", " + text
	}
	return text
}

func (f layout) titleNotes(t *Table, lines []*line, columns []metrics.Column) {
	var notes []string
	for _, l := range lines {
		if c := l.dataset.Caveat; c != "" && !slices.Contains(notes, c) {
			notes = append(notes, c)
		}
	}
	notes = append(notes, keyNotes(lines)...)
	notes = append(notes, f.lengthNotes(lines, columns)...)
	notes = append(notes, f.shardNotes(lines)...)
	notes = append(notes, f.seedNotes(lines)...)
	notes = append(notes, f.settingsDiffer(lines)...)
	notes = append(notes, f.judgeNotes(lines, columns)...)
	notes = append(notes, f.bandNotes(lines, columns)...)
	notes = append(notes, f.ratingNotes(lines, columns)...)
	if f.Intervals {
		notes = append(notes, intervalNotes(lines, columns)...)
	}
	t.NoteTitle(notes...)
}

// intervalNotes say how intervals came about and how far to trust them.
func intervalNotes(lines []*line, columns []metrics.Column) []string {
	samples, requests := 0, 0
	for _, l := range lines {
		n, _ := l.n(l.ids())
		samples, requests = max(samples, len(l.samples)), max(requests, n)
	}
	if requests == 0 {
		return nil
	}
	in, each := "parentheses", ""
	if several(lines) {
		in, each = "the last parentheses", ", each request by its mean over the seeds"
	}
	binary := slices.ContainsFunc(columns, func(c metrics.Column) bool { return c.Binary })
	if samples == 1 && !binary {
		return []string{"no intervals: they come from resampling whole samples, and there is one"}
	}
	how := fmt.Sprintf("in %s the %g %% interval: %d resamples of whole samples, seed %d%s", in, 100*stats.Level, stats.Resamples, lines[0].run.Header.Seed, each)
	if binary {
		how += "; for pass rates the Wilson interval of the effective n"
	}
	notes := []string{how}
	if samples < stats.FewClusters {
		notes = append(notes, fmt.Sprintf("the intervals rest on %d samples, fewer than %d: read them as rough", samples, stats.FewClusters))
	}
	return append(notes, effectiveNotes(lines, columns, requests)...)
}

// effectiveNotes say, for the first column where it is known, how many
// independent requests those of a sample are worth.
func effectiveNotes(lines []*line, columns []metrics.Column, requests int) []string {
	for _, c := range columns {
		var worth []float64
		for _, l := range lines {
			s, _ := l.summary(c, l.ids())
			if n, ok := stats.EffectiveN(s.clusters); ok {
				worth = append(worth, n)
			}
		}
		if len(worth) == 0 {
			continue
		}
		lo, hi := decimal(slices.Min(worth), 0), decimal(slices.Max(worth), 0)
		if lo != hi {
			lo += " to " + hi
		}
		return []string{fmt.Sprintf("requests about one sample are alike: in %s, %d of them tell as much as %s independent ones", c.Name, requests, lo)}
	}
	return nil
}

func errorCell(t *Table, failed map[record.Status]int) Cell {
	total := 0
	var kinds []string
	for _, status := range slices.Sorted(maps.Keys(failed)) {
		total += failed[status]
		kinds = append(kinds, fmt.Sprintf("%d %s", failed[status], status))
	}
	c := count(total)
	if len(kinds) > 1 || failed[record.Error] != total {
		c.Notes = append(c.Notes, t.Note("failed requests by status: "+strings.Join(kinds, ", ")))
	}
	return c
}

// markBest marks the best of a column among the rows of each model; several
// when they print alike, none when all do. A row whose requests all failed is out
// of it: it asked for few tokens because it answered nothing. So is a ceiling or a
// control, which is no memory.
func (t *Table) markBest(column int, c metrics.Column, lines []*line) {
	groups := make(map[string][]int)
	for i, row := range t.Rows {
		if !c.Neutral && !lines[i].allFailed() && lines[i].cell.Sees == "" && row[column].Value != nil {
			groups[lines[i].cell.Model] = append(groups[lines[i].cell.Model], i)
		}
	}
	for _, rows := range groups {
		best := slices.MinFunc(rows, func(a, b int) int { return better(*t.Rows[b][column].Value, *t.Rows[a][column].Value, c) })
		shown := func(i int) string { s, _, _ := strings.Cut(t.Rows[i][column].Text, " "); return s }
		same := slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return shown(i) != shown(best) })
		if len(same) == len(rows) {
			continue
		}
		for _, i := range same {
			t.Rows[i][column].Best = true
		}
	}
}
