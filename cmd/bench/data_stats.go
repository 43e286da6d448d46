package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/termsafe"
)

func newDataStatsCommand(a *app) *cobra.Command {
	var data, options string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats NAME",
		Short: "Count conversations, turns, questions and flaws of a dataset",
		Long: `Stats loads a dataset with all its questions, and counts its contents and the
flaws that were repaired. With --options it loads the dataset as a config with these
options would, which also checks your own files before a run.`,
		Example: `  bench data stats locomo
  bench data stats jsonl --options '{files: [chat.jsonl, questions.jsonl]}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := a.openData(cmd.Context(), data, args[0], options)
			if err != nil {
				return err
			}
			defer set.Close()
			c, err := datasets.Count(cmd.Context(), set)
			if err != nil {
				return err
			}
			if asJSON {
				return jsonout.Lines(a.stdout, c)
			}
			return a.columns(countsText(c))
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&options, "options", "", "options of the dataset as `YAML`, such as '{categories: [1, 2]}'")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON line, with counts for each conversation, to stdout and nothing else")
	return cmd
}

// byNumber orders numbers by value and other texts alphabetically.
func byNumber(a, b string) int {
	x, xErr := strconv.Atoi(a)
	y, yErr := strconv.Atoi(b)
	if xErr == nil && yErr == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// countsText prints counts with tabs between columns.
func countsText(c datasets.Counts) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s, version %s\nSHA-256 %s", c.Dataset, c.Version, c.SHA256)
	if c.Caveat != "" {
		line("caveat: %s", c.Caveat)
	}
	line("\nconversations\t%d", c.Conversations)
	if c.Trees > 0 {
		line("trees\t%d with %d nodes\ntasks\t%d, %d of them judged", c.Trees, c.Nodes, c.Questions, c.Judged)
	} else {
		line("sessions\t%d\nturns\t%d\nimages\t%d with a caption, %d with an address\nquestions\t%d", c.Sessions, c.Turns, c.Captions, c.URLs, c.Questions)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Categories)) {
		k := c.Categories[id]
		line("  %s\t%d", termsafe.Text(strings.TrimSuffix(id+" "+k.Name, " "+id)), k.Count)
	}
	for _, label := range slices.Sorted(maps.Keys(c.Labels)) {
		var values []string
		for _, value := range slices.SortedFunc(maps.Keys(c.Labels[label]), byNumber) {
			values = append(values, fmt.Sprintf("%s %d", value, c.Labels[label][value]))
		}
		line("%s\t%s", termsafe.Text(label), termsafe.Text(strings.Join(values, ", ")))
	}
	line("to abstain from\t%d\nevidence\t%d references\nwithout evidence\t%d", c.Abstain, c.References, c.Unproven)
	if len(c.Warnings) > 0 {
		line("\nflaws that were repaired:")
	}
	for _, w := range c.Warnings {
		line("  %d\t%s\t%s", w.Count, w.What, w.Where[0])
	}
	return b.String()
}

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
			return usageError(a.checkErrata(cmd.Context(), data, args))
		},
	}
	dataFlag(cmd, &data)
	return cmd
}

// checkErrata matches errata to the questions of their dataset, and prints their counts.
func (a *app) checkErrata(ctx context.Context, data string, names []string) error {
	env, err := a.dataEnv(data)
	if err != nil {
		return err
	}
	overlays, err := errata.OpenAll(ctx, env, names)
	if err != nil {
		return err
	}
	spec, err := findDataset(overlays[0].Dataset)
	if err != nil {
		return err
	}
	set, err := spec.Open(ctx, env, spec.Options)
	if err != nil {
		return err
	}
	defer set.Close()
	questions, err := errata.Questions(ctx, set, overlays...)
	if err != nil {
		return err
	}
	m, err := errata.Match(errata.Data{Dataset: set.Name, SHA256: set.SHA256, Questions: questions}, overlays...)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, o := range overlays {
		fmt.Fprintf(&b, "%s, version %s\nSHA-256 %s of its entries\n%s, %s\n\n", o.Name, o.Version, o.SHA256, o.License, o.Source)
	}
	for _, note := range m.Notes {
		fmt.Fprintln(&b, note)
	}
	tallies := m.Tallies(set)
	disputed, questionsBy := tallies[len(tallies)-2], tallies[len(tallies)-1]
	ids := slices.SortedFunc(maps.Keys(questionsBy.By), byNumber)
	row := func(name string, cell func(category string) string) {
		b.WriteString(name)
		for _, id := range append([]string{""}, ids...) {
			b.WriteString("\t" + cell(id))
		}
		b.WriteString("\n")
	}
	number := func(t errata.Tally, id string) int {
		if id == "" {
			return t.All()
		}
		return t.By[id]
	}
	row("ENTRIES", func(id string) string { return cmp.Or(id, "ALL") })
	for _, t := range tallies {
		row(t.Name, func(id string) string { return strconv.Itoa(number(t, id)) })
	}
	row("ceiling", func(id string) string {
		return fmt.Sprintf("%.2f", 100*(1-float64(number(disputed, id))/float64(number(questionsBy, id))))
	})
	return a.columns(b.String())
}
