package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/files/datadir"
)

func newDataErrataCommand(a *app) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "errata [NAME|FILE.jsonl...]",
		Short: "Check errata of gold answers against their dataset, and count them",
		Long: `Errata lists the known corrections of gold answers. Given names, or files of your own,
it matches each entry to the question of its dataset, reports all faults at once, and
counts the entries by kind and action. The ceiling of a category is the share of its
questions whose gold answer is not disputed.`,
		Example: `  bench data errata
  bench data errata locomo-audit
  bench data errata locomo-audit mine.jsonl`,
		ValidArgsFunction: cobra.FixedCompletions(errata.Names(), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listData(data, errata.Specs())
			}
			text, err := a.checkErrata(cmd.Context(), data, args)
			if err != nil {
				return usageError(err)
			}
			return a.columns(text)
		},
	}
	dataFlag(cmd, &data)
	return cmd
}

// checkErrata matches errata to the questions of their dataset, and counts them.
func (a *app) checkErrata(ctx context.Context, data string, names []string) (string, error) {
	dir, err := datadir.Find(data, a.env)
	if err != nil {
		return "", err
	}
	env := datasets.Env{Dir: dir, Base: "."}
	overlays, err := errata.OpenAll(ctx, env, names)
	if err != nil {
		return "", err
	}
	specs, err := findDatasets(datasetsuite.All(), []string{overlays[0].Dataset})
	if err != nil {
		return "", err
	}
	spec := specs[0]
	set, err := spec.Open(ctx, env, spec.Options)
	if err != nil {
		return "", err
	}
	defer set.Close()
	questions, err := errata.Questions(ctx, set, overlays...)
	if err != nil {
		return "", err
	}
	m, err := errata.Match(errata.Data{
		Dataset: set.Name, SHA256: set.SHA256, Questions: questions,
	}, overlays...)
	if err != nil {
		return "", err
	}
	return errataCounts(set, overlays, m), nil
}

// errataCounts counts the entries of errata, with tabs between columns.
func errataCounts(set *datasets.Set, overlays []*errata.Overlay, m errata.Matching) string {
	var b strings.Builder
	for _, o := range overlays {
		fmt.Fprintf(&b, "%s, version %s\nSHA-256 %s of its entries\n%s, %s\n\n", o.Name, o.Version, o.SHA256, o.License, o.Source)
	}
	for _, note := range m.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	categories := make(map[string]string) // of questions, by sample and request
	asked := tally{}
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			categories[s.ID+"/"+r.ID] = g.Category
			asked[g.Category]++
		}
	}
	ids := slices.SortedFunc(maps.Keys(asked), byNumber)
	fmt.Fprintf(&b, "ENTRIES\tALL\t%s\n", strings.Join(ids, "\t"))
	row := func(name string, of func(errata.Change) bool) tally {
		n := tally{}
		for _, c := range m.Changes {
			if of(c) {
				n[categories[c.Sample+"/"+c.Request]]++
			}
		}
		b.WriteString(n.row(name, ids))
		return n
	}
	kinds := make(map[string]bool)
	row("matched", func(c errata.Change) bool { kinds[c.Kind] = true; return true })
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if kind != "" {
			row("  "+kind, func(c errata.Change) bool { return c.Kind == kind })
		}
	}
	for _, action := range errata.Actions() {
		row("  action "+string(action), func(c errata.Change) bool { return c.Action == action })
	}
	objected := row("disputed", errata.Change.Objects)
	b.WriteString(asked.row("questions", ids))
	fmt.Fprintf(&b, "ceiling\t%.2f", 100*(1-float64(objected.all())/float64(asked.all())))
	for _, id := range ids {
		fmt.Fprintf(&b, "\t%.2f", 100*(1-float64(objected[id])/float64(asked[id])))
	}
	b.WriteString("\n")
	return b.String()
}

// A tally counts by category.
type tally map[string]int

func (t tally) all() (n int) {
	for _, one := range t {
		n += one
	}
	return n
}

// row formats a table row: a name, the sum, and the counts of some categories.
func (t tally) row(name string, ids []string) string {
	cells := []string{name, strconv.Itoa(t.all())}
	for _, id := range ids {
		cells = append(cells, strconv.Itoa(t[id]))
	}
	return strings.Join(cells, "\t") + "\n"
}
