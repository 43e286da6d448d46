package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/config"
	"recallbench/internal/publish/published"
	"recallbench/internal/result/judge"
	metrics "recallbench/metrics/suite"
)

// Kinds returns the keys of a config that name plug-ins.
func Kinds() []string {
	return []string{"datasets", "methods", "models", "metrics", "judges", "published"}
}

// An Item is something that a config can name.
type Item struct {
	Kind    string `json:"kind"` // the config's key
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Source  string `json:"source,omitzero"`
	License string `json:"license,omitzero"`
	// Options of a dataset, method or model.
	Options []config.Option `json:"options,omitzero"`
	// Categories of a dataset's questions, or the groups of a published table.
	Categories []string `json:"categories,omitzero"`
	// Columns of a metric, and whether its name takes a rank.
	Columns []Column `json:"columns,omitzero"`
	Ranks   bool     `json:"ranks,omitzero"`
	// Clone is the repository with the prompts of a judge's authors. Replies says how
	// replies to them are read and limited.
	Clone   string `json:"clone,omitzero"`
	Replies string `json:"replies,omitzero"`
	// Dataset of a published table, and the details for a reproduction that the paper
	// leaves out.
	Dataset     string   `json:"dataset,omitzero"`
	Unpublished []string `json:"unpublished,omitzero"`
}

// A Column is a number that a metric gives for each answer.
type Column struct {
	Name  string `json:"name"`
	Lower bool   `json:"lower_is_better"`
}

// Text describes the item, with its options if full, with tabs between columns.
func (it Item) Text(full bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n    %s\n", it.Name, it.Doc)
	lines := [][2]string{{"source", it.Source}, {"license", it.License}, {"clone", it.Clone}, {"replies", it.Replies}}
	if full {
		lines = append(lines, [2]string{"dataset", it.Dataset}, [2]string{"categories", strings.Join(it.Categories, ", ")}, [2]string{"not published", strings.Join(it.Unpublished, "; ")})
	}
	if full && it.Ranks {
		lines = append(lines, [2]string{"at rank k", it.Name + "@k, such as " + it.Name + "@5"})
	}
	for _, line := range lines {
		if line[1] != "" {
			fmt.Fprintf(&b, "    %s: %s\n", line[0], line[1])
		}
	}
	if full && len(it.Columns) > 0 {
		b.WriteString("    columns:\n")
		for _, c := range it.Columns {
			fmt.Fprintf(&b, "      %s\t%s is better\n", c.Name, map[bool]string{true: "lower", false: "higher"}[c.Lower])
		}
	}
	if full && len(it.Options) > 0 {
		b.WriteString("    options, with their defaults:\n")
		for _, o := range it.Options {
			if len(o.Values) > 0 {
				o.Doc += " One of " + strings.Join(o.Values, ", ") + "."
			}
			value, _ := json.Marshal(o.Default) // it came out of JSON
			fmt.Fprintf(&b, "      %s\t%s\t%s\n", o.Key, strings.Trim(string(value), `"`), o.Doc)
		}
	}
	return b.String()
}

// Inventory returns everything that a config can name, by kind.
func Inventory() (items []Item, err error) {
	p := Plugins()
	add := func(it Item, options any) {
		var fault error
		it.Options, fault = config.Describe(it.Kind, it.Name, options)
		items, err = append(items, it), errors.Join(err, fault)
	}
	for _, d := range p.Datasets {
		it := Item{Kind: "datasets", Name: d.Name, Doc: d.Doc, Source: d.Source, License: d.License}
		for _, c := range d.Categories {
			it.Categories = append(it.Categories, strings.Join(slices.Compact([]string{c.ID, c.Name}), " "))
		}
		add(it, d.Options)
	}
	for _, m := range p.Methods {
		add(Item{Kind: "methods", Name: m.Name, Doc: m.Doc, Source: m.Source}, m.Options)
	}
	for _, m := range p.Models {
		add(Item{Kind: "models", Name: m.Name, Doc: m.Doc}, m.Options)
	}
	for _, m := range metrics.All() {
		it := Item{Kind: "metrics", Name: m.Name, Doc: m.Doc, Source: m.Source, Ranks: m.At != nil}
		for _, c := range m.Columns {
			it.Columns = append(it.Columns, Column{c.Name, c.Lower})
		}
		items = append(items, it)
	}
	for _, p := range judge.Profiles() {
		clone := strings.TrimSpace(p.Authors.Repository + " " + p.Authors.Commit)
		items = append(items, Item{Kind: "judges", Name: p.Name, Doc: p.Doc, Source: p.Source, Clone: clone, Replies: p.Protocol()})
	}
	for _, t := range published.List() {
		items = append(items, Item{
			Kind: "published", Name: t.Name, Doc: t.Title, Source: t.Number + " of " + t.Paper.Citation(),
			Dataset: t.Dataset, Categories: t.Groups(), Unpublished: t.Unpublished,
		})
	}
	return items, err
}
