package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/record"
	"recallbench/metrics"
)

// judgeNotes say who judged the rows and from which prompt, where columns are
// about that: a judgement is worth what its judge is, and compares with those
// of no other.
func (f layout) judgeNotes(lines []*line, columns []metrics.Column) []string {
	var names []string
	for _, c := range columns {
		if f.judged[c.Name] {
			names = append(names, c.Name)
		}
	}
	lines = slices.DeleteFunc(slices.Clone(lines), func(l *line) bool {
		return !slices.ContainsFunc(f.scored[l.run], func(name string) bool { return slices.Contains(names, name) })
	})
	if len(lines) == 0 {
		return nil
	}
	var notes, seen []string
	for _, l := range lines {
		id := judgeID(l)
		if slices.Contains(seen, id) {
			continue
		}
		seen = append(seen, id)
		same := func(l *line) bool { return judgeID(l) == id }
		of := slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !same(l) })
		note := strings.Join(names, ", ") + ": " + f.judgedBy(of, l.run.Header.Judge)
		if len(of) < len(lines) {
			note += " (" + f.rows(lines, same) + ")"
		}
		notes = append(notes, note)
	}
	return notes
}

// unrated says why there is no value of what people rate.
const unrated = "nobody has rated the answers; 'bench rate export' writes them for people to rate, and no program does"

// ratingNotes say that columns which only people fill are empty.
func (f layout) ratingNotes(lines []*line, columns []metrics.Column) []string {
	var notes []string
	for _, c := range columns {
		spec, err := f.Metric(c.Name)
		if err != nil || spec.Of != metrics.Rated {
			continue
		}
		valued := func(l *line) bool {
			_, ok := l.summary(c, l.ids())
			return ok
		}
		if !slices.ContainsFunc(lines, valued) {
			notes = append(notes, c.Name+": "+unrated)
		}
	}
	return notes
}

func judgeID(l *line) string {
	if j := l.run.Header.Judge; j != nil {
		return j.ID
	}
	return ""
}

// judgedBy says who judged some lines.
func (f layout) judgedBy(lines []*line, j *record.Judge) string {
	if j == nil {
		return "not judged; 'bench judge' asks a language model about the answers"
	}
	note := fmt.Sprintf("judged by %s with the prompt %s, after the run and not as part of it", j.Reader, short(j.Prompts))
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
