package main

import (
	"recallbench/configs"
	"recallbench/configs/suite"
	"recallbench/internal/published"
	metricsuite "recallbench/metrics/suite"
)

// kinds are the keys of a config that name plug-ins.
func kinds() []string { return []string{"datasets", "methods", "models", "metrics", "published"} }

// An item is something that a config can name: a JSON line of list.
type item struct {
	Kind    string `json:"kind"` // the config's key
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Source  string `json:"source,omitzero"`
	License string `json:"license,omitzero"`
	// Options of a dataset, method or model.
	Options []configs.Option `json:"options,omitzero"`
	// Categories of a dataset's questions, or the groups of a published table.
	Categories []string `json:"categories,omitzero"`
	// Columns of a metric, and whether its name takes a rank.
	Columns []column `json:"columns,omitzero"`
	Ranks   bool     `json:"ranks,omitzero"`
	// Dataset of a published table, and what a reproduction would need and the
	// paper does not say.
	Dataset     string   `json:"dataset,omitzero"`
	Unpublished []string `json:"unpublished,omitzero"`
}

// A column is a number that a metric gives for each answer.
type column struct {
	Name  string `json:"name"`
	Lower bool   `json:"lower_is_better"`
}

// inventory returns the items of some kinds.
func inventory(kinds []string) ([]item, error) {
	var items []item
	for _, kind := range kinds {
		some, err := itemsOf(kind)
		if err != nil {
			return nil, err
		}
		items = append(items, some...)
	}
	return items, nil
}

func itemsOf(kind string) (items []item, err error) {
	p := suite.Plugins()
	add := func(it item, options any) {
		it.Kind = kind
		described, e := configs.Describe(kind, it.Name, options)
		if e != nil {
			err = e
		}
		it.Options = described
		items = append(items, it)
	}
	switch kind {
	case "datasets":
		for _, d := range p.Datasets {
			it := item{Name: d.Name, Doc: d.Doc, Source: d.Source, License: d.License}
			for _, c := range d.Categories {
				it.Categories = append(it.Categories, c.ID+" "+c.Name)
			}
			add(it, d.Options)
		}
	case "methods":
		for _, m := range p.Methods {
			add(item{Name: m.Name, Doc: m.Doc, Source: m.Source}, m.Options)
		}
	case "models":
		for _, m := range p.Models {
			add(item{Name: m.Name, Doc: m.Doc}, m.Options)
		}
	case "metrics":
		for _, m := range metricsuite.All() {
			it := item{Name: m.Name, Doc: m.Doc, Source: m.Source, Ranks: m.At != nil}
			for _, c := range m.Columns {
				it.Columns = append(it.Columns, column{c.Name, c.Lower})
			}
			add(it, nil)
		}
	case "published":
		for _, t := range published.List() {
			add(item{
				Name: t.Name, Doc: t.Title, Source: t.Number + " of " + t.Paper.Citation(),
				Dataset: t.Dataset, Categories: t.Groups(), Unpublished: t.Unpublished,
			}, nil)
		}
	}
	return items, err
}
