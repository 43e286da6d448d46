package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// standInNote is about a row that the stand-in answered.
const standInNote = "stand-in: no language model answered; the figures show that the pipeline works, and say nothing about the method"

// unrated says why a metric of human ratings has no value.
const unrated = "nobody has rated the answers; 'bench judge people export' writes sheets for people to rate"

// rowNotes returns the notes on a row that do not depend on its numbers.
func (f layout) rowNotes(l *line) []string {
	notes := []string{standIn(l), l.run.Header.EditedNote(), servedNote(l.model), tuningNote(l), l.cell.AdapterNote(), l.cell.Switches, l.cell.Sees, importedNote(l)}
	if recorded := recordedText(l.run.Header, l.model); recorded != "" && f.model {
		notes = append(notes, l.model.Label+": "+recorded)
	}
	if n, _ := l.scored(); n < l.planned() && l.cell.Imported != nil {
		notes = append(notes, fmt.Sprintf("%d of %d questions have an imported answer", n, l.planned()))
	} else if n < l.planned() {
		notes = append(notes, fmt.Sprintf("%s is %s: %d of %d questions are scored", f.names[l.run], l.run.Header.Status, n, l.planned()))
	}
	return lists.Filter(notes, func(note string) bool { return note != "" })
}

// noneNote is about a row that no model answered.
const noneNote = "no model: answers are empty, and the stand-in embeds"

// standIn returns [standInNote] or [noneNote] if it applies.
func standIn(l *line) string {
	switch {
	case l.model.Backend == "none":
		return noneNote
	case l.model.Offline:
		return standInNote
	}
	return ""
}

// servedNote says which models answered, if not the requested one, and which ones served
// the calls of each role.
func servedNote(m record.Model) string {
	var notes []string
	if !m.Offline && len(m.Served) > 0 && !slices.Equal(m.Served, []string{m.Reader}) {
		notes = append(notes, fmt.Sprintf("requested %s, served by %s", m.Reader, strings.Join(m.Served, ", ")))
	}
	if weights := m.Weights(); len(weights) > 1 {
		notes = append(notes, "the server's weights changed: "+strings.Join(weights, ", "))
	}
	for _, role := range slices.Sorted(maps.Keys(m.Roles)) {
		if served := m.Roles[role].Served; len(served) > 0 {
			notes = append(notes, fmt.Sprintf("calls of the role %s served by %s", role, strings.Join(served, ", ")))
		}
	}
	return strings.Join(notes, "; ")
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
	text := "recorded " + m.Recorded[0]
	if last := m.Recorded[len(m.Recorded)-1]; last != m.Recorded[0] {
		text += " to " + last
	}
	if h.Repeated != nil {
		text += " (" + h.Repeated.String() + ")"
	}
	if len(m.Fingerprints) > 0 {
		text = strings.Join(m.Fingerprints, ", ") + ", " + text
	}
	return text
}

// tableNotes returns the notes on some columns of rows in one table.
func (f layout) tableNotes(lines []*line, columns []metrics.Column) []string {
	notes := slices.Concat(
		f.each(lines, func(l *line) string { return l.dataset.Caveat }),
		f.each(lines, keyNote),
		f.lengthNote(lines, columns),
		f.each(lines, f.shardNote),
		f.each(lines, seedNote),
		f.settingsDiffer(lines, mainSettings...),
		f.ownSettingsDiffer(lines, func(name string) bool { return name == "prompts" }),
		f.judgeNotes(lines, columns),
	)
	for _, c := range columns {
		if f.of[c.Name] == metrics.Rated && !valued(lines, c) {
			notes = append(notes, c.Name+": "+unrated)
		}
	}
	return notes
}

// keyNote says by which answer key a row is scored, and how many questions it leaves out;
// empty for the published key.
func keyNote(l *line) string {
	key := l.dataset.AnswerKey()
	if key == string(errata.Published) {
		return ""
	}
	return fmt.Sprintf("answer key %s, which leaves out %d of %s; 'bench table --keys' has the others", key, l.out(), Plural(len(l.items), "question"))
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
	if len(l.seeds) == 0 {
		return ""
	}
	return fmt.Sprintf("mean and, in parentheses, standard deviation over %d seeds (%s); errors are those of all", len(l.seeds), l.seed())
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
			if j := l.run.Header.FindJudge(judge); j == nil || l.model.Reader != j.Reader {
				return ""
			}
			return names + ": the judge judged its own answers"
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
	if served := servedNote(j.Model); served != "" {
		note += "; " + served
	}
	return note
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
func (b *builder) besideLength(t *Table, c metrics.Column) []tableColumn[*line] {
	length, ok := b.length()
	if !ok || !c.FallsWithLength {
		return nil
	}
	return []tableColumn[*line]{b.mean(t, length)}
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
