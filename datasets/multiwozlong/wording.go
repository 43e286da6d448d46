package multiwozlong

import (
	_ "embed"
	"strings"
)

//go:embed wording.txt
var wording string

// The tables of wording.txt, which says what they are for: sentences by slot, or
// by the kind of an entity and the slot.
var (
	tables       = parseWording(wording)
	phrases      = tables["phrases"]
	updated      = tables["updated"]["any"]
	settled      = tables["settled"]
	pronouns     = tables["pronouns"]
	omitted      = tables["omitted"]
	descriptions = tables["descriptions"]
)

// parseWording reads tables: "== NAME" begins a table, "KEY:" an entry of it, and
// each indented line is a sentence. Lines that begin with # are comments.
func parseWording(text string) map[string]map[string][]string {
	all := make(map[string]map[string][]string)
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

// sentences returns those of a table for a slot of a kind of entity.
func sentences(table map[string][]string, kind, slot string) []string {
	if list := table[kind+" "+slot]; list != nil {
		return list
	}
	return table[slot]
}

// wordList returns a list of words.
func wordList(name string) []string { return strings.Fields(strings.Join(tables["words"][name], " ")) }
