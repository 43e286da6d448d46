package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// SettingsOf returns by name what a row of a run is made with, which numbers of rows should
// have in common to be compared: the hash and settings of the dataset, the answer key, the
// number of questions, models, method, prompts, seeds, judges and the method's options. The
// cells are those of the row's seeds; nil for none. A setting that a row does not have is
// empty.
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

// settings are those of the row.
func (l *line) settings() map[string]string {
	return SettingsOf(l.run.Header, lists.Map(l.bySeed(), func(s *line) record.Cell { return s.cell }))
}

// settingNames returns the names of settings, those that numbers depend on first.
func settingNames(all ...map[string]string) []string {
	names := []string{"data", "settings", "key", "reader", "tokenizer", "embedder", "k", "program"}
	for _, of := range all {
		names = lists.AddNew(names, slices.Sorted(maps.Keys(of))...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "questions" }) // which rows count
}

// settingsDiffer says in what rows that stand side by side differ beside the method. Each
// method has prompts of its own: only rows of one method can differ in these.
func (f layout) settingsDiffer(lines []*line) []string {
	settings := make(map[*line]map[string]string)
	uses := make(map[string][]*line)
	for _, l := range lines {
		settings[l] = l.settings()
		uses[l.cell.Use] = append(uses[l.cell.Use], l)
	}
	var notes []string
	differ := func(lines []*line, name string) {
		lines = lists.Filter(lines, func(l *line) bool { return settings[l][name] != "" })
		values := lists.Distinct(lines, func(l *line) string { return settings[l][name] })
		if len(values) < 2 {
			return
		}
		parts := lists.Map(values, func(v string) string {
			return fmt.Sprintf("%s (%s)", v, f.rows(lines, func(l *line) bool { return settings[l][name] == v }))
		})
		notes = append(notes, "rows differ in "+name+": "+strings.Join(parts, "; "))
	}
	for _, name := range settingNames() {
		differ(lines, name)
	}
	for _, use := range slices.Sorted(maps.Keys(uses)) {
		differ(uses[use], "prompts")
	}
	return notes
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

// optionOf returns an option of a cell as JSON, empty where it has none.
func optionOf(c record.Cell, name string) string {
	v, ok := c.Options[name]
	if !ok {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "" // there is nothing that JSON cannot hold: options were read from it
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
