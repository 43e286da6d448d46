package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// findFull takes [Options].Full as the rows write it, or finds it where it is
// empty: the one method that others are variants of.
func (b *builder) findFull() error {
	var labels, fulls []string
	add := func(names *[]string, name string) {
		if name != "" && !slices.ContainsFunc(*names, func(have string) bool { return strings.EqualFold(have, name) }) {
			*names = append(*names, name)
		}
	}
	for _, l := range b.lines {
		add(&labels, l.cell.Method)
		add(&fulls, l.cell.VariantOf)
	}
	switch {
	case b.Full == "" && len(fulls) == 1:
		b.Full = fulls[0]
	case b.Full == "" && len(fulls) > 1:
		var there []string // exclude may have left a full method out
		for _, label := range labels {
			if slices.ContainsFunc(fulls, func(full string) bool { return strings.EqualFold(full, label) }) {
				there = append(there, strconv.Quote(label))
			}
		}
		if len(there) == 0 {
			return fmt.Errorf("nothing to ablate: no method that others are variants of is there: %s", strings.Join(fulls, "; "))
		}
		return fmt.Errorf("several methods have variants: name the one to ablate, of %s", strings.Join(there, ", "))
	case b.Full == "":
		return b.nameFull(labels)
	}
	i := slices.IndexFunc(labels, func(label string) bool { return strings.EqualFold(label, b.Full) })
	if i < 0 {
		return errors.New(suggest.Unknown("method label", b.Full, labels))
	}
	b.Full = labels[i]
	if !slices.ContainsFunc(b.lines, b.isVariant) {
		return fmt.Errorf("%q has no variants: no other method says that it is one of it, or uses the same as it does", b.Full)
	}
	return nil
}

// nameFull is the fault where nothing says which method is the full one.
func (b *builder) nameFull(labels []string) error {
	uses := make(map[string][]string)
	for _, l := range b.lines {
		uses[l.cell.Use] = lists.AddNew(uses[l.cell.Use], l.cell.Method)
	}
	var candidates []string
	for _, label := range labels {
		if slices.ContainsFunc(b.lines, func(l *line) bool { return l.cell.Method == label && len(uses[l.cell.Use]) > 1 }) {
			candidates = append(candidates, strconv.Quote(label))
		}
	}
	if len(candidates) == 0 {
		return errors.New("nothing to ablate: no method says that it is a variant of another, and no two use the same")
	}
	return fmt.Errorf("no method says of which it is a variant: name the full one, of %s", strings.Join(candidates, ", "))
}

func (b *builder) isFull(l *line) bool { return l.cell.Method == b.Full }

// isVariant reports whether a line is a variant of the full method: where any
// line says so, one that does, else one that uses the same method.
func (b *builder) isVariant(l *line) bool {
	says := func(l *line) bool { return strings.EqualFold(l.cell.VariantOf, b.Full) }
	switch {
	case b.isFull(l):
		return false
	case slices.ContainsFunc(b.lines, says):
		return says(l)
	}
	return slices.ContainsFunc(b.lines, func(full *line) bool { return b.isFull(full) && full.cell.Use == l.cell.Use })
}

// ablated returns, for each model, the lines of the full method and those of its
// variants, each in their order; nil where either has none.
func (b *builder) ablated(lines []*line) []*line {
	of := lists.Filter(lines, func(l *line) bool { return b.isFull(l) || b.isVariant(l) })
	if !slices.ContainsFunc(of, b.isFull) || !slices.ContainsFunc(of, b.isVariant) {
		return nil
	}
	model := func(l *line) string { return l.cell.Model }
	var all []*line
	for _, m := range lists.Distinct(of, model) {
		for _, is := range []func(*line) bool{b.isFull, b.isVariant} {
			all = append(all, lists.Filter(of, func(l *line) bool { return model(l) == m && is(l) })...)
		}
	}
	return all
}

// flat returns options by dotted paths, such as "search.uncertainty", as text:
// lists as JSON.
func flat(options map[string]any) map[string]string {
	all := make(map[string]string)
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			switch v := m[key].(type) {
			case map[string]any:
				walk(prefix+key+".", v)
			case string:
				all[prefix+key] = v
			default:
				// Options were read from JSON: there is nothing it cannot hold.
				if text, err := json.Marshal(v); err == nil {
					all[prefix+key] = string(text)
				}
			}
		}
	}
	walk("", options)
	return all
}

// changed returns the paths of the options in which a line that uses the same
// method as the full one differs from it, sorted. The full method may differ
// from run to run: a line is compared with that of its own.
func (f layout) changed(lines []*line) []string {
	paths := make(map[string]bool)
	for _, l := range lines {
		full := f.fullOf(l, lines)
		if full == nil || full.cell.Use != l.cell.Use {
			continue
		}
		own, other := flat(l.cell.Options), flat(full.cell.Options)
		for _, m := range []map[string]string{own, other} {
			for path := range m {
				if own[path] != other[path] {
					paths[path] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// fullOf returns the line of the full method that a line is compared with, nil for
// none.
func (f layout) fullOf(l *line, lines []*line) *line {
	if f.isFull(l) {
		return l
	}
	full, _ := f.base(l, lines)
	return full
}
