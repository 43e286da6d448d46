package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/lists"
	"recallbench/internal/record"
)

// changed tells what a method has otherwise than in its baseline that may well be
// the change that the gate is asked about: its prompts, seeds and options.
func changed(run, base record.Header, k rowKey) []string {
	now, was := cellsOf(run, k), cellsOf(base, k)
	if len(now) == 0 || len(was) == 0 {
		return nil
	}
	var notes []string
	differ := func(what, before, after string) {
		if before != after {
			notes = append(notes, fmt.Sprintf("%s on %s: %s %s in the baseline, %s in the run", k.method, k.dataset, what, orNone(before), orNone(after)))
		}
	}
	seeds := func(cells []record.Cell) string {
		names := lists.Map(cells, func(c record.Cell) string { return strconv.FormatUint(c.Seed, 10) })
		return strings.Join(names, ", ")
	}
	short := func(sha256 string) string { return sha256[:min(len(sha256), 12)] }
	differ("method", was[0].Use, now[0].Use)
	differ("prompts", short(was[0].Prompts), short(now[0].Prompts))
	differ("seed", seeds(was), seeds(now))
	names := slices.Sorted(maps.Keys(was[0].Options))
	for _, name := range slices.Sorted(maps.Keys(now[0].Options)) {
		names = insert(names, name)
	}
	for _, name := range names {
		if name != string(K) { // an attribute
			differ("option "+name, optionOf(was[0], name), optionOf(now[0], name))
		}
	}
	return notes
}

// cellsOf returns the cells of a row: one for each seed.
func cellsOf(h record.Header, k rowKey) []record.Cell {
	return slices.DeleteFunc(slices.Clone(h.Cells), func(c record.Cell) bool {
		return c.Dataset != k.dataset || c.Method != k.method || c.Model != k.model
	})
}

// optionOf returns an option of a cell as JSON, empty where it has none.
func optionOf(c record.Cell, name string) string {
	v, ok := c.Options[name]
	if !ok {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
