package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/metrics"
)

// columnNotes says which columns only one side is scored with.
func (c *contraster) columnNotes(side int) {
	for i, at := range []int{0, side} {
		other := []int{side, 0}[i]
		for _, column := range c.columns {
			if !slices.Contains(c.scored[c.sides[at].Run], column.Name) || slices.Contains(c.scored[c.sides[other].Run], column.Name) {
				continue
			}
			base, _, _ := strings.Cut(column.Name, "@")
			var dialects []string
			for _, name := range c.scored[c.sides[other].Run] {
				if of, _, ok := strings.Cut(name, "@"); ok && of == base {
					dialects = append(dialects, name)
				}
			}
			instead := ""
			if len(dialects) > 0 {
				instead = ", which has " + strings.Join(dialects, ", ") + ": another dialect, and no number to set beside it"
			}
			c.note("%s is not compared: %s is not scored with it%s", column.Name, c.names[other], instead)
		}
	}
}

// unlikeNotes says in what the cells that are held against each other differ.
func (c *contraster) unlikeNotes(side int, found []match) {
	var texts []string
	of := make(map[string][]string)
	for _, m := range found {
		for _, text := range c.unlikeMatch(side, m) {
			if of[text] == nil {
				texts = append(texts, text)
			}
			if !slices.Contains(of[text], m.side.cell.Method) {
				of[text] = append(of[text], m.side.cell.Method)
			}
		}
	}
	var all []string
	for _, m := range found {
		if !slices.Contains(all, m.side.cell.Method) {
			all = append(all, m.side.cell.Method)
		}
	}
	for _, text := range texts {
		if methods := of[text]; len(methods) < len(all) {
			text += " (" + strings.Join(methods, ", ") + ")"
		}
		c.note("the sides differ in %s", text)
	}
}

// unlikeMatch lists what two lines differ in beside their answers.
func (c *contraster) unlikeMatch(side int, m match) []string {
	var texts []string
	differ := func(what, base, now string) {
		if base != now {
			texts = append(texts, fmt.Sprintf("%s: %s in %s, %s in %s", what, or(base, "none"), c.names[0], or(now, "none"), c.names[side]))
		}
	}
	same := m.base.cell.Use == m.side.cell.Use
	if m.base.cell.Method == m.side.cell.Method {
		differ("method", m.base.cell.Use, m.side.cell.Use)
	}
	for _, a := range attributes {
		if a.name == "data" && m.unpaired != "" || a.name == "k" && same {
			continue // said by the rows, or by the options
		}
		differ(a.name, a.of(m.base), a.of(m.side))
	}
	if same {
		options := maps.Clone(m.base.cell.Options)
		if options == nil {
			options = make(map[string]any)
		}
		maps.Copy(options, m.side.cell.Options)
		for _, name := range slices.Sorted(maps.Keys(options)) {
			differ("option "+name, option(m.base, name), option(m.side, name))
		}
		differ("prompts", short(m.base.cell.Prompts), short(m.side.cell.Prompts))
	}
	differ("categories", categoryMap(m.base), categoryMap(m.side))
	differ("shard", shardOf(m.base), shardOf(m.side))
	if slices.ContainsFunc(c.columns, func(column metrics.Column) bool { return c.judged[column.Name] }) {
		differ("judge", judgeOf(m.base), judgeOf(m.side))
	}
	if m.base.model.Offline != m.side.model.Offline {
		texts = append(texts, "what answers: one is the offline backend, which is no language model")
	}
	return texts
}

// categoryMap names the categories of a line that have a name.
func categoryMap(l *line) string {
	var names []string
	for _, category := range l.dataset.Categories {
		names = append(names, category.ID+"="+categoryName(l.dataset, category.ID))
	}
	return strings.Join(names, " ")
}

func shardOf(l *line) string {
	s := l.run.Header.Shard
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

func judgeOf(l *line) string {
	j := l.run.Header.Judge
	if j == nil {
		return ""
	}
	return fmt.Sprintf("%s, prompts %s", j.Reader, short(j.Prompts))
}
