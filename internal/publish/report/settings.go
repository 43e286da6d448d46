package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

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

// settingsDiffer says in which of some settings rows differ; missing settings do not count.
func (f layout) settingsDiffer(lines []*line, names ...string) []string {
	settings := make(map[*line]map[string]string)
	for _, l := range lines {
		settings[l] = l.settings()
	}
	var notes []string
	for _, name := range names {
		value := func(l *line) string { return settings[l][name] }
		have := lists.Filter(lines, func(l *line) bool { return value(l) != "" })
		if values := f.each(have, value); len(lists.Distinct(have, value)) > 1 {
			notes = append(notes, "rows differ in "+name+": "+strings.Join(values, "; "))
		}
	}
	return notes
}

// ownSettingsDiffer says in which settings the rows of the same method differ.
func (f layout) ownSettingsDiffer(lines []*line, own func(name string) bool) []string {
	var notes []string
	for _, use := range slices.Sorted(slices.Values(lists.Distinct(lines, func(l *line) string { return l.cell.Use }))) {
		of := lists.Filter(lines, func(l *line) bool { return l.cell.Use == use })
		names := make(map[string]bool)
		for _, l := range of {
			for name := range l.settings() {
				names[name] = own(name)
			}
		}
		maps.DeleteFunc(names, func(_ string, own bool) bool { return !own })
		notes = append(notes, f.settingsDiffer(of, slices.Sorted(maps.Keys(names))...)...)
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
