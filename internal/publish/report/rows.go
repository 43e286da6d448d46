package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
	runs := make(map[[2]string]*Run)
	for _, l := range lines {
		name := [2]string{l.cell.Method, l.cell.Model}
		if other, ok := runs[name]; ok {
			f.run = f.run || other != l.run
			f.seed = f.seed || other == l.run
		}
		runs[name] = l.run
		f.model = f.model || l.cell.Model != lines[0].cell.Model
	}
	return f
}

// columns head the cells that name rows.
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

// plainNames returns the cells that name a row, without notes: the table of the
// means has them.
func (f layout) plainNames(l *line) []Cell {
	cells := []Cell{text(l.cell.Method)}
	if f.model {
		cells = append(cells, text(l.cell.Model))
	}
	if f.run {
		cells = append(cells, text(f.names[l.run]))
	}
	if f.seed {
		cells = append(cells, text(l.seed()))
	}
	return cells
}

// cells returns the cells that name a row, with what has to be said of it.
func (f layout) cells(t *Table, l *line) []Cell {
	cells := f.plainNames(l)
	cells[0].Notes = t.notes(f.rowNotes(l)...)
	return cells
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

// rowNotes are what has to be said of a row, whatever its numbers.
func (f layout) rowNotes(l *line) []string {
	notes := []string{l.run.Header.EditedNote(), servedNote(l.model), tuningNote(l), l.cell.AdapterNote(), l.cell.Switches, l.cell.Sees, importedNote(l)}
	if l.model.Offline {
		notes = slices.Insert(notes, 0, standInNote)
	}
	if note := recordedText(l.model); note != "" && f.model {
		notes = append(notes, l.model.Label+": "+note)
	}
	if n, _, planned := l.scored(); n < planned {
		note := fmt.Sprintf("%s is %s: %d of %d requests are scored", f.names[l.run], l.run.Header.Status, n, planned)
		switch {
		case l.cell.Imported != nil:
			note = fmt.Sprintf("%d of %d requests have an imported answer", n, planned)
		case l.run.Header.Status == record.Complete:
			note += "; 'bench score' scores the rest"
		}
		notes = append(notes, note)
	}
	return lists.Filter(notes, func(note string) bool { return note != "" })
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
	note := fmt.Sprintf("imported from %s (%s, sha256 %s)", from.File, from.Format, short(from.SHA256))
	accepted := lists.Map(slices.Sorted(maps.Keys(from.Accepted)), func(field string) string { return fmt.Sprintf("%s (%d)", field, from.Accepted[field]) })
	if len(accepted) > 0 {
		note += "; accepted although the file contradicts the dataset: " + strings.Join(accepted, ", ")
	}
	return note
}

// tuningNote says which options of a row were chosen before the run, and by what.
func tuningNote(l *line) string {
	i := slices.IndexFunc(l.run.Header.Tunings, func(t record.Tuning) bool { return t.Method == l.cell.Method && t.Model == l.cell.Model })
	if i < 0 {
		return ""
	}
	t := l.run.Header.Tunings[i]
	best := t.Points[t.Chosen]
	options := lists.Map(slices.Sorted(maps.Keys(best.Options)), func(key string) string { return fmt.Sprintf("%s %v", key, best.Options[key]) })
	on := lists.Map(t.Datasets, func(d record.Dataset) string { return d.Label })
	return fmt.Sprintf("%s: chosen of %d points by %s %.4f on %s, %d requests",
		strings.Join(options, ", "), len(t.Points), t.Column, best.Score, strings.Join(on, ", "), t.Requests)
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

// title names the dataset of rows, and their model where it is one.
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

// titleNotes are what has to be said of a table of some columns of rows.
func (f layout) titleNotes(t *Table, lines []*line, columns []metrics.Column) {
	for _, l := range lines {
		t.noteOnce(l.dataset.Caveat)
	}
	for _, l := range lines {
		t.noteOnce(keyNote(l))
	}
	t.NoteTitle(f.lengthNote(lines, columns))
	for _, l := range lines {
		if s := l.run.Header.Shard; s != nil {
			t.noteOnce(fmt.Sprintf("%s is shard %d/%d: it asked this part of the samples alone", f.names[l.run], s.Index, s.Of))
		}
	}
	t.NoteTitle(slices.Concat(f.seedNotes(lines), f.settingsDiffer(lines), f.judgeNotes(lines, columns), f.bandNotes(lines, columns), f.ratingNotes(lines, columns))...)
	if f.Intervals {
		t.NoteTitle(intervalNotes(lines, columns, fmt.Sprintf("in parentheses the %g %% interval: ", 100*stats.Level))...)
	}
}

// noteOnce adds a footnote about the whole table, unless it is empty or there.
func (t *Table) noteOnce(note string) {
	if !slices.Contains(t.Notes, note) {
		t.NoteTitle(note)
	}
}

// seedNotes say over which seeds the numbers of lines are means.
func (f layout) seedNotes(lines []*line) []string {
	var notes []string
	for _, seeds := range lists.Distinct(lists.Filter(lines, func(l *line) bool { return len(l.seeds) > 0 }), (*line).seed) {
		same := func(l *line) bool { return len(l.seeds) > 0 && l.seed() == seeds }
		note := fmt.Sprintf("mean and, in parentheses, standard deviation over %d seeds (%s); errors are those of all", strings.Count(seeds, ",")+1, seeds)
		if slices.ContainsFunc(lines, func(l *line) bool { return !same(l) }) {
			note += ": " + f.rows(lines, same)
		}
		notes = append(notes, note)
	}
	return notes
}

// intervalNotes say how intervals came about and how far to trust them. The first begins
// with what they are.
func intervalNotes(lines []*line, columns []metrics.Column, what string) []string {
	samples, requests := 0, 0
	for _, l := range lines {
		samples, requests = max(samples, len(l.samples)), max(requests, len(l.items))
	}
	binary := slices.ContainsFunc(columns, func(c metrics.Column) bool { return c.Binary })
	switch {
	case requests == 0:
		return nil
	case samples == 1 && !binary:
		return []string{"no intervals: they come from resampling whole samples, and there is one"}
	}
	how := what + fmt.Sprintf("%d resamples of whole samples, seed %d", stats.Resamples, lines[0].run.Header.Seed)
	if several(lines) {
		how += ", each request by its mean over the seeds"
	}
	if binary {
		how += "; for pass rates the Wilson interval of the effective n"
	}
	notes := []string{how}
	if samples < stats.FewClusters {
		notes = append(notes, fmt.Sprintf("the intervals rest on %d samples, fewer than %d: read them as rough", samples, stats.FewClusters))
	}
	for _, c := range columns { // the first whose effective n is known
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
		return append(notes, fmt.Sprintf("requests about one sample are alike: in %s, %d of them tell as much as %s independent ones", c.Name, requests, lo))
	}
	return notes
}

// judgeNotes say who judged the rows and from which prompt, where columns are
// about that: a judgement is worth what its judge is, and compares with those
// of no other.
func (f layout) judgeNotes(lines []*line, columns []metrics.Column) []string {
	judged := lists.Filter(columns, func(c metrics.Column) bool { return f.of[c.Name] == metrics.Judgement })
	judgeOf := func(c metrics.Column) string { return metrics.JudgeOf(c.Name) } // empty for the run's own
	var notes []string
	for _, judge := range slices.Sorted(slices.Values(lists.Distinct(judged, judgeOf))) {
		of := lists.Filter(judged, func(c metrics.Column) bool { return judgeOf(c) == judge })
		scored := lists.Filter(lines, func(l *line) bool {
			return slices.ContainsFunc(of, func(c metrics.Column) bool { return f.measures(l.run, c) })
		})
		id := func(l *line) string {
			if j := l.run.Header.FindJudge(judge); j != nil {
				return j.ID
			}
			return ""
		}
		for _, one := range lists.Distinct(scored, id) {
			same := func(l *line) bool { return id(l) == one }
			by := lists.Filter(scored, same)
			note := strings.Join(columnNames(of), ", ") + ": " + f.judgedBy(by, by[0].run.Header.FindJudge(judge))
			if len(by) < len(scored) {
				note += " (" + f.rows(scored, same) + ")"
			}
			notes = append(notes, note)
		}
	}
	return notes
}

// judgedBy says who judged some lines.
func (f layout) judgedBy(lines []*line, j *record.Judge) string {
	if j == nil {
		return "not judged; 'bench judge' asks a language model about the answers"
	}
	h := lines[0].run.Header
	note := fmt.Sprintf("judged by %s with the prompt %s, after the run and not as part of it; %s", j.Reader, short(j.Prompts), h.Trust(j))
	if j.Name != "" {
		note = h.Described(j)
	}
	if served := servedNote(j.Model); served != "" {
		note += "; " + served
	}
	own := func(l *line) bool { return l.model.Reader == j.Reader }
	if slices.ContainsFunc(lines, own) {
		note += "; it judged answers of its own"
		if slices.ContainsFunc(lines, func(l *line) bool { return !own(l) }) {
			note += ", those of " + f.rows(lines, own)
		}
	}
	return note
}

// bandNotes say, of rows with several judges, between which scores these judge them.
func (f layout) bandNotes(lines []*line, columns []metrics.Column) []string {
	type score struct {
		column metrics.Column
		mean   float64
	}
	var notes []string
	for _, l := range lines {
		var scores []score
		for _, c := range columns {
			if s, ok := l.summary(c, l.ids()); ok && (c.Name == metrics.JudgeColumn || strings.HasPrefix(c.Name, metrics.JudgeColumn+":")) {
				scores = append(scores, score{c, s.mean})
			}
		}
		if len(scores) < 2 {
			continue
		}
		compare := func(a, b score) int { return cmp.Compare(a.mean, b.mean) }
		low, high := slices.MinFunc(scores, compare), slices.MaxFunc(scores, compare)
		if low.column.Name != high.column.Name {
			shown := func(s score) string { return decimal(s.mean*s.column.Scale, s.column.Digits) }
			notes = append(notes, fmt.Sprintf("%s: %s to %s by judge (%s, %s)", f.name(l), shown(high), shown(low), high.column.Name, low.column.Name))
		}
	}
	return notes
}

// unrated says why there is no value of what people rate.
const unrated = "nobody has rated the answers; 'bench judge people export' writes them for people to rate, and no program does"

// ratingNotes say that columns which only people fill are empty.
func (f layout) ratingNotes(lines []*line, columns []metrics.Column) []string {
	var notes []string
	for _, c := range columns {
		if f.of[c.Name] == metrics.Rated && !valued(lines, c) {
			notes = append(notes, c.Name+": "+unrated)
		}
	}
	return notes
}

// valued reports whether some line has a value of a column.
func valued(lines []*line, c metrics.Column) bool {
	return slices.ContainsFunc(lines, func(l *line) bool { _, ok := l.summary(c, l.ids()); return ok })
}

// longer is how many times as long as others answers are from which on a column that
// falls with length says more of length than of what is right.
const longer = 2

// words returns the column of the length of answers.
func (b *builder) words() (metrics.Column, bool) { return b.column(metrics.WordsSpec.Name) }

// showWords adds the length of answers to selected columns that fall with it.
func (b *builder) showWords() {
	falls := slices.ContainsFunc(b.columns, func(c metrics.Column) bool { return c.FallsWithLength })
	if c, ok := b.words(); ok && falls && !hasColumn(b.columns, c.Name) {
		b.columns = append(b.columns, c)
	}
}

// wordsBeside adds the length of answers to a table of one column that falls with it,
// whose rows are some lines.
func (b *builder) wordsBeside(t *Table, lines []*line, c metrics.Column) {
	words, ok := b.words()
	if !ok || !c.FallsWithLength {
		return
	}
	t.Columns = append(t.Columns, Column{Name: words.Name, Number: true})
	for i, l := range lines {
		t.Rows[i] = append(t.Rows[i], b.cell(t, l, words, l.ids()))
	}
}

// lengthNote says that columns fall with length and rows differ in it, so that they do
// not tell which is better; empty where they do.
func (f layout) lengthNote(lines []*line, columns []metrics.Column) string {
	words, ok := f.words()
	columns = lists.Filter(columns, func(c metrics.Column) bool { return c.FallsWithLength })
	length := func(l *line) float64 { s, _ := l.summary(words, l.ids()); return s.answered }
	lines = lists.Filter(lines, func(l *line) bool { return ok && length(l) > 0 })
	if len(columns) == 0 || len(lines) == 0 {
		return ""
	}
	compare := func(x, y *line) int { return cmp.Compare(length(x), length(y)) }
	least, most := slices.MinFunc(lines, compare), slices.MaxFunc(lines, compare)
	if length(most) <= longer*length(least) {
		return ""
	}
	return fmt.Sprintf("do not compare rows by %s, as longer answers score lower there: %s words in %s, %s in %s",
		enumerate(columnNames(columns), "and"), decimal(length(least), 1), f.name(least), decimal(length(most), 1), f.name(most))
}

// noteLengths is lengthNote for the rows of a comparison.
func noteLengths(rows []*Contrast) {
	for _, r := range rows {
		for _, w := range rows {
			same := w.Side == r.Side && w.Dataset == r.Dataset && w.Method == r.Method && w.Model == r.Model && w.Category == r.Category
			if !same || w.Column.Name != metrics.WordsSpec.Name || !r.Column.FallsWithLength || r.Same() {
				continue
			}
			if least, most := min(w.Base, w.New), max(w.Base, w.New); least > 0 && most > longer*least {
				r.Notes = append(r.Notes, fmt.Sprintf("longer answers score lower here: %s words in the base, %s in the new side", decimal(w.Base, 1), decimal(w.New, 1)))
			}
		}
	}
}
