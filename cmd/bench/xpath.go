package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/engine/relevance"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/datafile"
	"recallbench/internal/text/suggest"
)

// maxTree bounds the files of trees and schemas, in bytes.
const maxTree = 1 << 30

// xpathFormats are the formats of xpath's output.
var xpathFormats = []string{"text", "json", "xml", "csv"}

// nameText is the form of a node's text by which recorded scores may name it.
const nameText = "name"

func textForms() []string { return append(semxpath.TextForm("").Values(), nameText) }

type xpathFlags struct {
	profile   string
	scorer    string
	model     string
	text      string
	threshold float64
	k         int
	template  string
	mapping   string
	schema    string
	version   int
	explain   bool
	format    string
	calls     string
	store     string
}

func newXPathCommand(a *app) *cobra.Command {
	var flags xpathFlags
	cmd := &cobra.Command{
		Use:   "xpath TREE.xml 'QUERY'",
		Short: "Run a semantic query over your own tree",
		Long: `Xpath reads a tree from an XML file, or from stdin for -, and prints the nodes
that a query selects: paths with positions as in XPath, and conditions in words
that weigh nodes instead of filtering them. docs/xpath.md has the language.

Conditions need a scorer: stand-in (shared words, without a model: the
default), similarity (the stand-in's embedder), recorded=FILE (scores of a file of
JSON lines), or with --model the models of an entry: sem (embeddings), entail,
or llm. What they reply is recorded and served again, as for runs.

Elements that the query names are nodes whatever they hold; of the others those
that hold nothing but text are fields, unless --schema says so. A file may hold
several versions of a memory, one below the other: --version takes one of them,
and without it versions are nodes like others.`,
		Example: `  bench xpath plan.xml '/Itinerary/Day[2]/POI[-1]'
  bench xpath plan.xml '//Day[avg(/POI[node ~= "outdoor"])]' --k 1 --explain
  bench xpath trip.xml '/Itinerary/Day[7]/POI' --version -1
  bench xpath tasks.xml '//Task[node ~= "phone call"]' --threshold 0.5 --format csv
  cat plan.xml | bench xpath - '//POI[node ~= "museum"]' --scorer entail --model configs/models/openai.yaml`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.xpath(cmd.Context(), args[0], args[1], flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.profile, "profile", string(semxpath.Paper), "semantics of positions and weights: `profile` paper or released")
	f.StringVar(&flags.scorer, "scorer", scorerStandIn, "who scores conditions: `scorer` "+strings.Join(scorerNames(), ", "))
	f.StringVar(&flags.model, "model", "", "`FILE` of a models entry, such as configs/models/openai.yaml, for the scorers sem, entail and llm")
	f.StringVar(&flags.text, "text", "", "what of a node is scored: `form` "+strings.Join(textForms(), ", ")+" (default fields; name where recorded scores name nodes)")
	f.Float64Var(&flags.threshold, "threshold", 0, "least `weight` of a match, from 0 to 1; queries without conditions have none")
	f.IntVar(&flags.k, "k", 0, "print at most the `N` heaviest matches; 0 for all")
	f.StringVar(&flags.template, "template", relevance.DefaultTemplate, "`sentence` that a text should entail, with {} for the condition")
	f.StringVar(&flags.mapping, "mapping", string(relevance.Clip), "how a cosine becomes a score: `mapping` clip or affine")
	f.StringVar(&flags.schema, "schema", "", "`FILE` of the tree's schema, in YAML (default: inferred)")
	f.IntVar(&flags.version, "version", 0, "the file holds a memory with its versions: query version `N`, from 1, or from -1 for the newest")
	f.BoolVar(&flags.explain, "explain", false, "show what each step did: candidates, scores of conditions, aggregation, weights")
	f.StringVar(&flags.format, "format", "text", "`format`: "+strings.Join(xpathFormats, ", "))
	f.StringVar(&flags.calls, "calls", "", "recordings of model calls: `mode` off, record, reuse or replay (default reuse)")
	f.StringVar(&flags.store, "store", "", "`folder` of the recordings (default $BENCH_CALLS, results/calls)")
	for name, values := range map[string][]string{
		"profile": semxpath.Paper.Values(), "scorer": scorerNames(), "text": textForms(),
		"mapping": relevance.Clip.Values(), "format": xpathFormats,
	} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	return cmd
}

func (f xpathFlags) validate() error {
	var faults []error
	for _, flag := range []struct {
		name, value string
		have        []string
	}{
		{"profile", f.profile, semxpath.Paper.Values()},
		{"mapping", f.mapping, relevance.Clip.Values()},
		{"format", f.format, xpathFormats},
		{"text", f.text, append(textForms(), "")},
	} {
		if !slices.Contains(flag.have, flag.value) {
			have := slices.DeleteFunc(slices.Clone(flag.have), func(v string) bool { return v == "" })
			faults = append(faults, fmt.Errorf("--%s: %s", flag.name, suggest.Unknown(flag.name, flag.value, have)))
		}
	}
	if !(f.threshold >= 0 && f.threshold <= 1) {
		faults = append(faults, fmt.Errorf("--threshold is %v, want 0 to 1", f.threshold))
	}
	if f.k < 0 {
		faults = append(faults, fmt.Errorf("--k is %d, want at least 1, or 0 for all", f.k))
	}
	if !strings.Contains(f.template, "{}") {
		faults = append(faults, fmt.Errorf("--template is %q, which has no {} for the condition", f.template))
	}
	return errors.Join(append(faults, f.validateScorer())...)
}

// An xpathResult is what a query selected, and how.
type xpathResult struct {
	query   *semxpath.Query
	profile string
	scorer  *xpathScorer // nil for a query without conditions
	text    string
	tree    *tree.Tree
	semxpath.Result
}

func (a *app) xpath(ctx context.Context, file, text string, flags xpathFlags) error {
	if err := flags.validate(); err != nil {
		return usageError(err)
	}
	query, err := semxpath.Parse(text)
	if err != nil {
		return usageError(err)
	}
	t, err := a.readTree(ctx, file, flags, query)
	if err != nil {
		return usageError(err)
	}
	if err := semxpath.Check(query, t.Schema()); err != nil {
		return usageError(err)
	}
	r := xpathResult{query: query, profile: flags.profile, text: flags.text, tree: t}
	o := semxpath.Options{
		Profile: semxpath.Profile(flags.profile), Threshold: flags.threshold, K: flags.k, Explain: flags.explain,
	}
	if query.Conditions() {
		if r.scorer, err = a.openScorer(ctx, flags, t); err != nil {
			return err
		}
		defer r.scorer.close()
		r.text, o.Text, o.Scorer = r.scorer.form, r.scorer.text, r.scorer
	}
	if r.Result, err = query.Run(ctx, t.Root(), o); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return scoringError(err)
	}
	if len(r.Matches) == 0 {
		fmt.Fprintln(a.stderr, "bench: no node matches"+r.whyNone(flags))
	}
	return r.write(a.stdout, flags.format, flags.explain)
}

// whyNone says what might have kept nodes away.
func (r *xpathResult) whyNone(f xpathFlags) string {
	if r.scorer != nil && f.threshold > 0 {
		return fmt.Sprintf(" with a weight of at least %v; --explain shows the weights", f.threshold)
	}
	return "; --explain shows where the path ends"
}

// readTree reads a tree for a query. The name of stdin in messages is "stdin".
func (a *app) readTree(ctx context.Context, file string, flags xpathFlags, query *semxpath.Query) (*tree.Tree, error) {
	o := tree.XMLOptions{Nodes: query.Types(), LooseIDs: true}
	if flags.schema != "" {
		data, err := datafile.Read(ctx, flags.schema, maxTree)
		if err != nil {
			return nil, fmt.Errorf("--schema: %w", err)
		}
		if o.Schema, err = tree.ParseSchema(flags.schema, data); err != nil {
			return nil, err
		}
	}
	name, in := "stdin", io.LimitReader(a.stdin, maxTree)
	if file != "-" {
		f, err := datafile.Open(file, maxTree)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		name, in = file, f
	}
	if flags.version == 0 {
		return tree.ParseXML(name, in, o)
	}
	h, err := tree.ParseHistory(name, in, o)
	if err != nil {
		return nil, err
	}
	v, ok := h.At(flags.version)
	if !ok {
		return nil, fmt.Errorf("--version is %d, but %s has the versions 1 to %d", flags.version, name, h.Latest().Number)
	}
	return v.Tree, nil
}
