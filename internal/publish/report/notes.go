package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Field is a column of a table and a function for its cells.
type Field[R any] struct {
	Column
	Of func(R) Cell
	// best is the column of a metric whose best means are marked; nil for none.
	best *metrics.Column
}

// Fill sets the columns of a table, and a row for each of rows.
func Fill[R any](t *Table, rows []R, fields ...Field[R]) {
	t.Columns = lists.Map(fields, func(f Field[R]) Column { return f.Column })
	t.Rows = make([][]Cell, len(rows))
	for i, r := range rows {
		t.Rows[i] = lists.Map(fields, func(f Field[R]) Cell { return f.Of(r) })
	}
}

// TextField is a column of texts.
func TextField[R any](name string, of func(R) string) Field[R] {
	return Field[R]{Column: Column{Name: name}, Of: func(r R) Cell { return text(of(r)) }}
}

// NumberField is a column of numbers.
func NumberField[R any](name string, of func(R) Cell) Field[R] {
	return Field[R]{Column: Column{Name: name, Number: true}, Of: of}
}

// NotedField is a column of texts with notes, of which empty ones are skipped.
func NotedField[R any](t *Table, name string, of func(R) (text string, notes []string)) Field[R] {
	return Field[R]{Column: Column{Name: name}, Of: func(r R) Cell {
		s, notes := of(r)
		return text(s, t.notes(notes...)...)
	}}
}

// A layout sets how the rows of a table are named: by the method, and by model, run and seed
// if the method alone does not distinguish them.
type layout struct {
	*builder
	parts []namePart
	model bool // rows differ in it
}

// A namePart is a part of the name of a row, and the text that joins it to the parts before it.
type namePart struct {
	name, join string
	of         func(*line) string
}

func (b *builder) layout(lines []*line) layout {
	f := layout{builder: b}
	var run, seed bool
	runs := make(map[[2]string]*Run)
	for _, l := range lines {
		name := [2]string{l.cell.Method, l.cell.Model}
		if other, ok := runs[name]; ok {
			run, seed = run || other != l.run, seed || other == l.run
		}
		runs[name] = l.run
		f.model = f.model || l.cell.Model != lines[0].cell.Model
	}
	f.parts = []namePart{{"method", "", func(l *line) string { return l.cell.Method }}}
	if f.model {
		f.parts = append(f.parts, namePart{"model", " with ", func(l *line) string { return l.cell.Model }})
	}
	if run {
		f.parts = append(f.parts, namePart{"run", " of ", func(l *line) string { return f.names[l.run] }})
	}
	if seed {
		f.parts = append(f.parts, namePart{"seed", ", seed ", (*line).seed})
	}
	return f
}

// named returns the columns that name rows.
func (f layout) named() []Field[*line] {
	return lists.Map(f.parts, func(p namePart) Field[*line] { return TextField(p.name, p.of) })
}

// noted returns the columns that name rows, with the notes on each row.
func (f layout) noted(t *Table) []Field[*line] {
	fields := f.named()
	fields[0] = NotedField(t, fields[0].Name, func(l *line) (string, []string) { return l.cell.Method, f.rowNotes(l) })
	return fields
}

// mean returns the field with the means of a metric's column.
func (b *builder) mean(t *Table, c metrics.Column) Field[*line] {
	field := NumberField(c.Name, func(l *line) Cell { return b.cell(t, l, c, l.ids()) })
	field.best = &c
	return field
}

// fillRows is [Fill] for the rows of runs, with the best means marked.
func (t *Table) fillRows(lines []*line, fields []Field[*line]) {
	Fill(t, lines, fields...)
	for i, f := range fields {
		if f.best != nil {
			t.markBest(i, *f.best, lines)
		}
	}
}

// name returns the name of a row in a note.
func (f layout) name(l *line) string {
	return strings.Join(lists.Map(f.parts, func(p namePart) string { return p.join + p.of(l) }), "")
}

// only names the rows that a note is about, by methods, models or runs if these have no other
// rows; empty if it is about all.
func (f layout) only(lines []*line, in func(*line) bool) string {
	of, others := lists.Filter(lines, in), lists.Filter(lines, func(l *line) bool { return !in(l) })
	if len(others) == 0 {
		return ""
	}
	names := lists.Distinct(of, f.name)
	for _, p := range f.parts {
		short := lists.Distinct(of, p.of)
		shared := slices.ContainsFunc(others, func(l *line) bool { return slices.Contains(short, p.of(l)) })
		if !shared && len(short) <= len(names) {
			names = short
		}
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// each returns a note for each text about rows, which names the rows unless it is about all.
func (f layout) each(lines []*line, about func(*line) string) []string {
	return lists.Map(given(lists.Distinct(lines, about)), func(text string) string {
		return text + f.only(lines, func(l *line) bool { return about(l) == text })
	})
}

// title names the dataset of rows, and their model if they share one.
func (f layout) title(lines []*line) string {
	d, m := lines[0].dataset, lines[0].model
	title := d.Label + noteIf(d.Name != d.Label, " (%s)", d.Name)
	if !slices.ContainsFunc(lines, func(l *line) bool { return l.dataset.Requests != d.Requests || l.dataset.Samples != d.Samples }) {
		title += ": " + Plural(d.Requests, "question") + " about " + Plural(lines[0].conversations(), "conversation")
	}
	if f.model {
		return title
	}
	recorded := recordedText(lines[0].run.Header, m)
	return title + ", model " + m.Label + noteIf(m.Reader != m.Label, " (%s)", m.Reader) + noteIf(recorded != "", ", %s", recorded)
}

// standInNote is about a row that the stand-in answered.
const standInNote = "stand-in: no language model answered; the figures show that the pipeline works, and say nothing about the method"

// unrated says why a metric of human ratings has no value.
const unrated = "nobody has rated the answers; 'bench judge people export' writes sheets for people to rate"

// rowNotes returns the notes on a row that do not depend on its numbers.
func (f layout) rowNotes(l *line) []string {
	recorded, planned := recordedText(l.run.Header, l.model), l.planned()
	n, _ := l.scored()
	missing := noteIf(n < planned, "%s is %s: %d of %d questions are scored", f.names[l.run], l.run.Header.Status, n, planned)
	if l.cell.Imported != nil {
		missing = noteIf(n < planned, "%d of %d questions have an imported answer", n, planned)
	}
	return given([]string{
		standIn(l), l.run.Header.EditedNote(), servedNote(l.model), tuningNote(l), l.cell.AdapterNote(), l.cell.Switches, l.cell.Sees, importedNote(l),
		noteIf(recorded != "" && f.model, "%s: %s", l.model.Label, recorded), missing,
	})
}

// standIn says which part of a row's answers no model gave, if any.
func standIn(l *line) string {
	if l.model.Backend == "none" {
		return "no model: answers are empty, and the stand-in embeds"
	}
	return noteIf(l.model.Offline, standInNote)
}

// servedNote says which models answered, if not the requested one, and which ones served
// the calls of each role.
func servedNote(m record.Model) string {
	weights := m.Weights()
	notes := []string{
		noteIf(!m.Offline && len(m.Served) > 0 && !slices.Equal(m.Served, []string{m.Reader}), "requested %s, served by %s", m.Reader, strings.Join(m.Served, ", ")),
		noteIf(len(weights) > 1, "the server's weights changed: %s", strings.Join(weights, ", ")),
	}
	for _, role := range slices.Sorted(maps.Keys(m.Roles)) {
		served := m.Roles[role].Served
		notes = append(notes, noteIf(len(served) > 0, "calls of the role %s served by %s", role, strings.Join(served, ", ")))
	}
	return strings.Join(given(notes), "; ")
}

// importedNote says where the answers of a row come from, if they were imported.
func importedNote(l *line) string {
	from := l.cell.Imported
	if from == nil {
		return ""
	}
	note := fmt.Sprintf("imported from %s (%s, sha256 %s)", from.File, from.Format, short(from.SHA256))
	accepted := lists.Map(slices.Sorted(maps.Keys(from.Accepted)), func(field string) string {
		return fmt.Sprintf("; accepted although the file contradicts the dataset: %s (%d)", field, from.Accepted[field])
	})
	return note + strings.Join(accepted, "")
}

// tuningNote says which options of a row were chosen before the run, and how.
func tuningNote(l *line) string {
	i := slices.IndexFunc(l.run.Header.Tunings, func(t record.Tuning) bool { return t.Method == l.cell.Method && t.Model == l.cell.Model })
	if i < 0 {
		return ""
	}
	t := l.run.Header.Tunings[i]
	best := t.Points[t.Chosen]
	options := lists.Map(slices.Sorted(maps.Keys(best.Options)), func(key string) string { return fmt.Sprintf("%s %v", key, best.Options[key]) })
	on := lists.Map(t.Datasets, func(d record.Dataset) string { return d.Label })
	return fmt.Sprintf("%s: chosen from %d points by %s %.4f on %s, %d questions",
		strings.Join(options, ", "), len(t.Points), t.Column, best.Score, strings.Join(on, ", "), t.Requests)
}

// recordedText says which server gave the recorded replies of a model, and when; it is empty
// without recordings.
func recordedText(h record.Header, m record.Model) string {
	if len(m.Recorded) == 0 {
		return ""
	}
	first, last := m.Recorded[0], m.Recorded[len(m.Recorded)-1]
	text := "recorded " + first + noteIf(last != first, " to %s", last)
	if h.Repeated != nil {
		text += " (" + h.Repeated.String() + ")"
	}
	return strings.Join(append(slices.Clone(m.Fingerprints), text), ", ")
}

// tableNotes returns the notes on some columns of rows in one table.
func (f layout) tableNotes(lines []*line, columns []metrics.Column) []string {
	notes := slices.Concat(
		f.each(lines, func(l *line) string { return l.dataset.Caveat }),
		f.each(lines, func(l *line) string {
			key := l.dataset.AnswerKey()
			return noteIf(key != string(errata.Published), "answer key %s, which leaves out %d of %s; 'bench table --keys' has the others", key, l.out(), Plural(len(l.items), "question"))
		}),
		f.lengthNote(lines, columns),
		f.each(lines, f.shardNote),
		f.each(lines, seedNote),
		f.settingsDiffer(lines, isMainSetting),
	)
	for _, of := range groupBy(lines, func(l *line) string { return l.cell.Use }) { // whose own settings others lack
		notes = append(notes, f.settingsDiffer(of, func(name string) bool { return name == "prompts" })...)
	}
	notes = append(notes, f.judgeNotes(lines, columns)...)
	for _, c := range columns {
		if f.of[c.Name] == metrics.Rated && !valued(lines, c) {
			notes = append(notes, c.Name+": "+unrated)
		}
	}
	return notes
}

func (f layout) shardNote(l *line) string {
	s := l.run.Header.Shard
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s is shard %d/%d: it has this part of the conversations only", f.names[l.run], s.Index, s.Of)
}

// seedNote lists the seeds that a row's means are over.
func seedNote(l *line) string {
	return noteIf(len(l.seeds) > 0, "mean and, in parentheses, standard deviation over %d seeds (%s); errors are those of all", len(l.seeds), l.seed())
}

// given returns the notes that are not empty.
func given(notes []string) []string {
	return lists.Filter(notes, func(note string) bool { return note != "" })
}

// noteIf formats a note; empty unless it applies.
func noteIf(applies bool, format string, args ...any) string {
	if !applies {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// intervalNotes says how the intervals of columns were computed and how far to trust them.
func intervalNotes(lines []*line, columns []metrics.Column) []string {
	samples := 0
	for _, l := range lines {
		samples = max(samples, len(l.samples))
	}
	binary := slices.ContainsFunc(columns, func(c metrics.Column) bool { return c.Binary })
	switch {
	case samples == 0:
		return nil
	case samples == 1 && !binary:
		return []string{"no intervals: they resample whole conversations, and there is only one"}
	}
	notes := []string{fmt.Sprintf("%g %% interval: %d resamples of whole conversations, seed %d; for pass rates, the Wilson interval of the effective n",
		100*stats.Level, stats.Resamples, lines[0].run.Header.Seed)}
	if samples < stats.FewClusters {
		notes = append(notes, fmt.Sprintf("the intervals rest on %d conversations, fewer than %d, and are rough", samples, stats.FewClusters))
	}
	return notes
}

// judgeNotes says which judge judged the rows with which prompt, if there are columns of
// verdicts. Verdicts of different judges are not comparable.
func (f layout) judgeNotes(lines []*line, columns []metrics.Column) []string {
	judged := lists.Filter(columns, func(c metrics.Column) bool { return f.of[c.Name] == metrics.Judgement })
	judgeOf := func(c metrics.Column) string { return metrics.JudgeOf(c.Name) } // empty for the run's own judge
	var notes []string
	for _, judge := range slices.Sorted(slices.Values(lists.Distinct(judged, judgeOf))) {
		of := lists.Filter(judged, func(c metrics.Column) bool { return judgeOf(c) == judge })
		scored := lists.Filter(lines, func(l *line) bool {
			return slices.ContainsFunc(of, func(c metrics.Column) bool { return f.measures(l.run, c) })
		})
		names := strings.Join(columnNames(of), ", ")
		notes = append(notes, f.each(scored, func(l *line) string { return names + ": " + judgedBy(l, judge) })...)
		notes = append(notes, f.each(scored, func(l *line) string {
			j := l.run.Header.FindJudge(judge)
			return noteIf(j != nil && l.model.Reader == j.Reader, "%s: the judge judged its own answers", names)
		})...)
	}
	return notes
}

// judgedBy says which judge judged a row.
func judgedBy(l *line, judge string) string {
	j := l.run.Header.FindJudge(judge)
	if j == nil {
		return "not judged; 'bench judge' has a language model judge the answers"
	}
	h := l.run.Header
	note := fmt.Sprintf("judged by %s with the prompt %s, after the run; %s", j.Reader, short(j.Prompts), h.Trust(j))
	if j.Name != "" {
		note = h.Described(j)
	}
	served := servedNote(j.Model)
	return note + noteIf(served != "", "; %s", served)
}

// valued reports whether some line has a value of a column.
func valued(lines []*line, c metrics.Column) bool {
	return slices.ContainsFunc(lines, func(l *line) bool { _, ok := l.summary(c, l.ids()); return ok })
}

// longer is the ratio of lengths of answers from which a column that falls with length says
// more about length than about correctness.
const longer = 2

// length returns the column of the length of answers.
func (b *builder) length() (metrics.Column, bool) { return b.column(metrics.WordsSpec.Name) }

// showLength adds the length of answers to selected columns that fall with it.
func (b *builder) showLength() {
	falls := slices.ContainsFunc(b.columns, func(c metrics.Column) bool { return c.FallsWithLength })
	if c, ok := b.length(); ok && falls && !hasColumn(b.columns, c.Name) {
		b.columns = append(b.columns, c)
	}
}

// besideLength returns the column of the length of answers for a table of one column that
// falls with it, and none for other tables.
func (b *builder) besideLength(t *Table, c metrics.Column) []Field[*line] {
	length, ok := b.length()
	if !ok || !c.FallsWithLength {
		return nil
	}
	return []Field[*line]{b.mean(t, length)}
}

// lengthNote warns that columns fall with length and rows differ in it, so that they do not
// say which is better.
func (f layout) lengthNote(lines []*line, columns []metrics.Column) []string {
	words, ok := f.length()
	columns = lists.Filter(columns, func(c metrics.Column) bool { return c.FallsWithLength })
	length := func(l *line) float64 { s, _ := l.summary(words, l.ids()); return s.answered }
	lines = lists.Filter(lines, func(l *line) bool { return ok && length(l) > 0 })
	if len(columns) == 0 || len(lines) == 0 {
		return nil
	}
	compare := func(x, y *line) int { return cmp.Compare(length(x), length(y)) }
	least, most := slices.MinFunc(lines, compare), slices.MaxFunc(lines, compare)
	if length(most) <= longer*length(least) {
		return nil
	}
	return []string{fmt.Sprintf("do not compare rows by %s, because longer answers score lower: %s words in %s, %s in %s",
		strings.Join(columnNames(columns), ", "), decimal(length(least), 1), f.name(least), decimal(length(most), 1), f.name(most))}
}

// SettingsOf returns the settings of a row of a run by name, which rows should share to be
// comparable: the hash and settings of the dataset, the answer key, the number of questions,
// models, method, prompts, seeds, judges and the method's options. The cells are those of
// the row's seeds; nil for none. A missing setting is empty.
func SettingsOf(h record.Header, cells []record.Cell) map[string]string {
	if len(cells) == 0 {
		return nil
	}
	cell := cells[0]
	d, _ := h.Dataset(cell.Dataset)
	m, _ := h.Model(cell.Model)
	of := map[string]string{
		"data": short(d.SHA256), "settings": sorted(d.Settings), "key": d.AnswerKey(), "questions": strconv.Itoa(cell.Planned),
		"reader": m.Reader, "embedder": m.Settings["embedder"], "tokenizer": m.Tokens, "k": optionOf(cell, "k"),
		"program":       strings.TrimSpace(h.Binary.Version + " " + short(h.Binary.Commit)),
		"method":        cell.Use,
		"prompts":       short(cell.Prompts),
		"seed":          strings.Join(lists.Map(cells, func(c record.Cell) string { return strconv.FormatUint(c.Seed, 10) }), ", "),
		"served models": strings.Join(m.Served, ", "),
	}
	names := make(map[string]string)
	for _, c := range d.Categories {
		names[c.ID] = d.CategoryName(c.ID)
	}
	of["categories"] = sorted(names)
	if h.Judge != nil {
		of["judge"] = h.Judge.Reader + " " + h.Judge.ID
	}
	for _, j := range h.Judges {
		of["judge "+j.Name] = j.ID
	}
	for name := range cell.Options {
		if name != "k" {
			of["option "+name] = optionOf(cell, name)
		}
	}
	return of
}

// settings returns those of the row.
func (l *line) settings() map[string]string {
	return SettingsOf(l.run.Header, lists.Map(l.bySeed(), func(s *line) record.Cell { return s.cell }))
}

// mainSettings are those that the numbers of every row depend on.
var mainSettings = []string{"data", "settings", "key", "reader", "tokenizer", "embedder", "k", "program"}

func isMainSetting(name string) bool { return slices.Contains(mainSettings, name) }

// settingsDiffer says in which of some settings rows differ; missing settings do not count.
func (f layout) settingsDiffer(lines []*line, wanted func(name string) bool) (notes []string) {
	names, settings := slices.Clone(mainSettings), make(map[*line]map[string]string)
	for _, l := range lines {
		settings[l] = l.settings()
		names = lists.AddNew(names, slices.Sorted(maps.Keys(settings[l]))...)
	}
	for _, name := range lists.Filter(names, wanted) {
		value := func(l *line) string { return settings[l][name] }
		have := lists.Filter(lines, func(l *line) bool { return value(l) != "" })
		if values := f.each(have, value); len(lists.Distinct(have, value)) > 1 {
			notes = append(notes, "rows differ in "+name+": "+strings.Join(values, "; "))
		}
	}
	return notes
}

// optionOf returns an option of a cell as JSON, empty if it has none.
func optionOf(c record.Cell, name string) string {
	v, ok := c.Options[name]
	if !ok {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "" // cannot happen: options were read from JSON
	}
	return string(text)
}

// flat returns options by dotted paths, such as "search.uncertainty", as text:
// lists as JSON.
func flat(options map[string]any) map[string]string {
	all := make(map[string]string)
	for key, value := range options {
		switch v := value.(type) {
		case map[string]any:
			for path, text := range flat(v) {
				all[key+"."+path] = text
			}
		case string:
			all[key] = v
		default:
			if text, err := json.Marshal(v); err == nil {
				all[key] = string(text)
			}
		}
	}
	return all
}

// sorted prints a map in one line, by key.
func sorted(m map[string]string) string {
	parts := lists.Map(slices.Sorted(maps.Keys(m)), func(k string) string { return k + "=" + m[k] })
	return strings.Join(parts, " ")
}

// short returns the beginning of a digest.
func short(digest string) string { return digest[:min(len(digest), 12)] }
