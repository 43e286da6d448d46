// Package wording reads the words and sentences from which a dataset is built.
package wording

import "strings"

// Tables are lists of sentences, by the name of a table and a key.
type Tables map[string]map[string][]string

// Parse reads tables: "== NAME" begins a table, "KEY:" an entry of it, and each
// indented line is a sentence. Empty lines and those that begin with # are left out.
func Parse(text string) Tables {
	all := make(Tables)
	var table map[string][]string
	var key string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			table = make(map[string][]string)
			all[name] = table
		} else if sentence, ok := strings.CutPrefix(line, "  "); ok {
			table[key] = append(table[key], sentence)
		} else if !strings.HasPrefix(line, "#") {
			key = strings.TrimSuffix(line, ":")
		}
	}
	return all
}

// Words returns the set of the words of an entry of the table words.
func (t Tables) Words(key string) map[string]bool {
	all := make(map[string]bool)
	for _, line := range t["words"][key] {
		for word := range strings.FieldsSeq(line) {
			all[word] = true
		}
	}
	return all
}
