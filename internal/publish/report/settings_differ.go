package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// settingsDiffer says in what rows that stand side by side differ beside the method.
func (f layout) settingsDiffer(lines []*line) []string {
	var notes []string
	for _, a := range attributes {
		if note := f.differ(lines, a.name, a.of); note != "" {
			notes = append(notes, note)
		}
	}
	// Each method has prompts of its own: only rows of one method can differ.
	uses := make(map[string][]*line)
	for _, l := range lines {
		uses[l.cell.Use] = append(uses[l.cell.Use], l)
	}
	for _, use := range slices.Sorted(maps.Keys(uses)) {
		if note := f.differ(uses[use], "prompts", func(l *line) string { return short(l.cell.Prompts) }); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// attributes are what rows should have in common, each with how to read it of
// a row, empty where the row has none.
var attributes = []struct {
	name string
	of   func(*line) string
}{
	{"data", func(l *line) string { return short(l.dataset.SHA256) }},
	{"dataset settings", func(l *line) string { return settings(l.dataset.Settings) }},
	{"answer key", func(l *line) string { return l.dataset.AnswerKey() }},
	{"reader", func(l *line) string { return l.model.Reader }},
	{"tokenizer", func(l *line) string { return l.model.Tokens }},
	{"embedder", func(l *line) string { return l.model.Settings["embedder"] }},
	{"k", func(l *line) string { return option(l, "k") }},
	{"program", func(l *line) string {
		return strings.TrimSpace(l.run.Header.Binary.Version + " " + short(l.run.Header.Binary.Commit))
	}},
}

// differ returns a note when rows have different values, else the empty
// string.
func (f layout) differ(lines []*line, name string, of func(*line) string) string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return of(l) == "" })
	values := lists.Distinct(lines, func(l *line) string { return of(l) })
	if len(values) < 2 {
		return ""
	}
	parts := lists.Map(values, func(v string) string {
		return fmt.Sprintf("%s (%s)", v, f.rows(lines, func(l *line) bool { return of(l) == v }))
	})
	return "rows differ in " + name + ": " + strings.Join(parts, "; ")
}

// rows names the rows that are in a set, as shortly as it can be done: by
// their methods, models or runs when these have no row outside the set.
func (f layout) rows(lines []*line, in func(*line) bool) string {
	var shortest []string
	for _, key := range []func(*line) string{
		f.name,
		func(l *line) string { return f.names[l.run] },
		func(l *line) string { return l.cell.Method },
		func(l *line) string { return l.cell.Model },
	} {
		names := lists.Distinct(lists.Filter(lines, in), key)
		outside := lists.Map(lists.Filter(lines, func(l *line) bool { return !in(l) }), key)
		shared := slices.ContainsFunc(names, func(n string) bool { return slices.Contains(outside, n) })
		if shortest == nil || !shared && len(names) <= len(shortest) {
			shortest = names
		}
	}
	return strings.Join(shortest, ", ")
}

// option returns an option of the line's method as JSON, empty for none.
func option(l *line, name string) string {
	v, ok := l.cell.Options[name]
	if !ok {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// settings prints a map in one line, by key.
func settings(m map[string]string) string {
	parts := lists.Map(slices.Sorted(maps.Keys(m)), func(k string) string { return k + "=" + m[k] })
	return strings.Join(parts, " ")
}

// short returns the beginning of a digest.
func short(digest string) string { return digest[:min(len(digest), 12)] }

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
		for _, id := range lists.Distinct(scored, func(l *line) string { return judgeID(l, judge) }) {
			same := func(l *line) bool { return judgeID(l, judge) == id }
			by := lists.Filter(scored, same)
			note := strings.Join(lists.Map(of, func(c metrics.Column) string { return c.Name }), ", ") + ": " + f.judgedBy(by, by[0].run.Header.FindJudge(judge))
			if len(by) < len(scored) {
				note += " (" + f.rows(scored, same) + ")"
			}
			notes = append(notes, note)
		}
	}
	return notes
}

// bandNotes say, of rows with several judges, between which scores these judge them.
func (f layout) bandNotes(lines []*line, columns []metrics.Column) []string {
	judged := lists.Filter(columns, func(c metrics.Column) bool {
		kind, _, _ := strings.Cut(c.Name, ":")
		return kind == metrics.JudgeColumn
	})
	var notes []string
	for _, l := range lines {
		var low, high float64
		var least, most string
		for _, c := range judged {
			s, ok := l.summary(c, l.ids())
			if !ok || s.n == 0 {
				continue
			}
			x := s.mean * c.Scale
			if least == "" || x < low {
				low, least = x, c.Name
			}
			if most == "" || x > high {
				high, most = x, c.Name
			}
		}
		if least != most {
			notes = append(notes, fmt.Sprintf("%s: %s to %s by judge (%s, %s)", f.name(l), decimal(high, judged[0].Digits), decimal(low, judged[0].Digits), most, least))
		}
	}
	return notes
}

// unrated says why there is no value of what people rate.
const unrated = "nobody has rated the answers; 'bench rate export' writes them for people to rate, and no program does"

// ratingNotes say that columns which only people fill are empty.
func (f layout) ratingNotes(lines []*line, columns []metrics.Column) []string {
	var notes []string
	for _, c := range columns {
		if f.of[c.Name] != metrics.Rated {
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

func judgeID(l *line, name string) string {
	if j := l.run.Header.FindJudge(name); j != nil {
		return j.ID
	}
	return ""
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
