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
	"recallbench/internal/result/judge"
	"recallbench/internal/text/suggest"
	metricsuite "recallbench/metrics/suite"
)

func newListCommand(a *app) *cobra.Command {
	var verbose, asJSON bool
	cmd := &cobra.Command{
		Use:   "list [" + strings.Join(kinds(), "|") + "] [NAME...]",
		Short: "List what a config can name",
		Long: `List prints the datasets, methods, models, metrics, judge profiles and published tables
that a config can name, of one kind or all. Given names, it describes these, with their
options and defaults.`,
		Example: `  bench list methods
  bench list methods xmemory flat-rag
  bench list metrics --json`,
		ValidArgs: kinds(),
		RunE: func(_ *cobra.Command, args []string) error {
			items, err := inventory()
			if err == nil {
				items, err = pickItems(items, args)
			}
			if err != nil {
				return usageError(err)
			}
			if asJSON {
				return jsonout.Encode(json.NewEncoder(a.stdout), items...)
			}
			var b strings.Builder
			for i, it := range items {
				if len(args) == 0 && (i == 0 || items[i-1].Kind != it.Kind) {
					fmt.Fprintf(&b, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), strings.ToUpper(it.Kind))
				}
				b.WriteString(it.text(verbose || len(args) > 1))
			}
			return a.columns(b.String())
		},
	}
	cmd.Flags().BoolVarP(&verbose, "full", "v", false, "also print options with their defaults and meaning")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON line for each to stdout and nothing else")
	return cmd
}

// pickItems returns the items that arguments name: those of a kind, or those of some
// names in order. Its error lists all unknown names.
func pickItems(items []item, args []string) (found []item, err error) {
	if len(args) == 0 {
		return items, nil
	}
	if !slices.Contains(kinds(), args[0]) {
		return nil, errors.New(suggest.Unknown("kind", args[0], kinds()))
	}
	items = lists.Filter(items, func(it item) bool { return it.Kind == args[0] })
	if len(args) == 1 {
		return items, nil
	}
	known := lists.Map(items, func(it item) string { return it.Name })
	var faults []error
	for _, name := range args[1:] {
		if at := slices.Index(known, name); at >= 0 {
			found = append(found, items[at])
		} else {
			faults = append(faults, errors.New(suggest.Unknown("name", name, known)))
		}
	}
	return found, errors.Join(faults...)
}

// text describes an item, with tabs between columns.
func (it item) text(full bool) string {
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

// kinds returns the keys of a config that name plug-ins.
func kinds() []string {
	return []string{"datasets", "methods", "models", "metrics", "judges", "published"}
}

// An item is something that a config can name. List prints it as a JSON line.
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
	// Clone is the repository with the prompts of a judge's authors. Replies says how
	// replies to them are read and limited.
	Clone   string `json:"clone,omitzero"`
	Replies string `json:"replies,omitzero"`
	// Dataset of a published table, and the details for a reproduction that the paper
	// leaves out.
	Dataset     string   `json:"dataset,omitzero"`
	Unpublished []string `json:"unpublished,omitzero"`
}

// A column is a number that a metric gives for each answer.
type column struct {
	Name  string `json:"name"`
	Lower bool   `json:"lower_is_better"`
}

// inventory returns everything that a config can name, by kind.
func inventory() (items []item, err error) {
	p := suite.Plugins()
	add := func(it item, options any) {
		var fault error
		it.Options, fault = config.Describe(it.Kind, it.Name, options)
		items, err = append(items, it), errors.Join(err, fault)
	}
	for _, d := range p.Datasets {
		it := item{Kind: "datasets", Name: d.Name, Doc: d.Doc, Source: d.Source, License: d.License}
		for _, c := range d.Categories {
			name := c.ID
			if c.Name != c.ID {
				name += " " + c.Name
			}
			it.Categories = append(it.Categories, name)
		}
		add(it, d.Options)
	}
	for _, m := range p.Methods {
		add(item{Kind: "methods", Name: m.Name, Doc: m.Doc, Source: m.Source}, m.Options)
	}
	for _, m := range p.Models {
		add(item{Kind: "models", Name: m.Name, Doc: m.Doc}, m.Options)
	}
	for _, m := range metricsuite.All() {
		it := item{Kind: "metrics", Name: m.Name, Doc: m.Doc, Source: m.Source, Ranks: m.At != nil}
		for _, c := range m.Columns {
			it.Columns = append(it.Columns, column{c.Name, c.Lower})
		}
		items = append(items, it)
	}
	for _, p := range judge.Profiles() {
		repository, commit := p.Origin()
		items = append(items, item{Kind: "judges", Name: p.Name, Doc: p.Doc, Source: p.Source, Clone: strings.TrimSpace(repository + " " + commit), Replies: p.Protocol()})
	}
	for _, t := range published.List() {
		items = append(items, item{
			Kind: "published", Name: t.Name, Doc: t.Title, Source: t.Number + " of " + t.Paper.Citation(),
			Dataset: t.Dataset, Categories: t.Groups(), Unpublished: t.Unpublished,
		})
	}
	return items, err
}
