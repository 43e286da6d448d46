package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/published"
	"recallbench/internal/text/suggest"
	metricsuite "recallbench/metrics/suite"
)

func newListCommand(a *app) *cobra.Command {
	var verbose, lines bool
	cmd := &cobra.Command{
		Use:   "list [" + strings.Join(kinds(), "|") + "] [NAME...]",
		Short: "List what a config can name",
		Long: `List prints the datasets, methods, models, metrics and published tables that a
config can name: those of one kind, or all. With names it prints those, and their
options with defaults and meaning.`,
		Example: `  bench list methods
  bench list methods xmemory flat-rag
  bench list metrics --json`,
		ValidArgs: kinds(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && !slices.Contains(kinds(), args[0]) {
				return errors.New(suggest.Unknown("kind", args[0], kinds()))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			listed := kinds()
			if len(args) > 0 {
				listed = args[:1]
			}
			items, err := inventory(listed)
			if err != nil {
				return err
			}
			if len(args) > 1 {
				verbose = true
				if items, err = named(items, args[1:]); err != nil {
					return err
				}
			}
			if lines {
				return jsonout.Encode(json.NewEncoder(a.stdout), items...)
			}
			var b strings.Builder
			for i, it := range items {
				if len(listed) > 1 && (i == 0 || items[i-1].Kind != it.Kind) {
					fmt.Fprintf(&b, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), strings.ToUpper(it.Kind))
				}
				b.WriteString(it.text())
				if verbose {
					b.WriteString(it.details())
				}
			}
			return a.columns(b.String())
		},
	}
	cmd.Flags().BoolVarP(&verbose, "full", "v", false, "print options too, with defaults and meaning")
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each to stdout and nothing else")
	return cmd
}

// named returns the items of some names, in the order of the names. Its error names
// all that are unknown.
func named(items []item, names []string) (found []item, err error) {
	var faults []error
	for _, name := range names {
		at := slices.IndexFunc(items, func(it item) bool { return it.Name == name })
		if at < 0 {
			faults = append(faults, errors.New(suggest.Unknown("name", name, lists.Map(items, func(it item) string { return it.Name }))))
			continue
		}
		found = append(found, items[at])
	}
	if len(faults) > 0 {
		return nil, usageError(errors.Join(faults...))
	}
	return found, nil
}

func (it item) text() string {
	return fmt.Sprintf("%s\n    %s\n", it.Name, it.Doc) + it.line("source", it.Source) + it.line("license", it.License)
}

func (item) line(name, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("    %s: %s\n", name, text)
}

// details tells the rest of an item, with tabs between columns.
func (it item) details() string {
	var b strings.Builder
	b.WriteString(it.line("dataset", it.Dataset))
	b.WriteString(it.line("categories", strings.Join(it.Categories, ", ")))
	b.WriteString(it.line("not published", strings.Join(it.Unpublished, "; ")))
	if it.Ranks {
		b.WriteString(it.line("at rank k", it.Name+"@k, such as "+it.Name+"@5"))
	}
	if len(it.Columns) > 0 {
		b.WriteString("    columns:\n")
	}
	for _, c := range it.Columns {
		better := "higher is better"
		if c.Lower {
			better = "lower is better"
		}
		fmt.Fprintf(&b, "      %s\t%s\n", c.Name, better)
	}
	if len(it.Options) > 0 {
		b.WriteString("    options, with their defaults:\n")
	}
	for _, o := range it.Options {
		doc := o.Doc
		if len(o.Values) > 0 {
			doc += " One of " + strings.Join(o.Values, ", ") + "."
		}
		fmt.Fprintf(&b, "      %s\t%s\t%s\n", o.Key, literal(o.Default), doc)
	}
	return b.String()
}

// literal writes a default as a config would.
func literal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "?" // not reached: it came out of JSON
	}
	return strings.Trim(string(data), `"`)
}

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
	Options []config.Option `json:"options,omitzero"`
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
		described, e := config.Describe(kind, it.Name, options)
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
