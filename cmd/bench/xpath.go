package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/backend"
	"recallbench/internal/backend/standin"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/relevance"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsonout"
)

const maxTree = 1 << 30 // bytes of a file of a tree

var xpathScorers = []string{"entail", "sem", "llm"}

type xpathFlags struct {
	options               semxpath.Options
	explain               bool
	scorer, model, format string
}

func newXPathCommand(a *app) *cobra.Command {
	var flags xpathFlags
	cmd := &cobra.Command{
		Use:   "xpath TREE.xml 'QUERY'",
		Short: "Run a semantic query on your own tree",
		Long: `Xpath reads a tree from an XML file, or from stdin for -, and prints the nodes that a
query selects. A query is a path with positions, as in XPath, and conditions in words,
which weight nodes instead of filtering them. docs/xpath.md describes the language.`,
		Example: `  bench xpath plan.xml '/Itinerary/Day[2]/POI[-1]'
  bench xpath plan.xml '//Day[avg(/POI[node ~= "outdoor"])]' --limit 1 --explain
  cat plan.xml | bench xpath - '//POI[node ~= "museum"]' --scorer llm --model configs/models/openai.yaml`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return usageError(a.xpath(cmd.Context(), args[0], args[1], flags))
		},
	}
	f := cmd.Flags()
	choiceFlag(cmd, (*string)(&flags.options.Profile), "profile", string(semxpath.Paper), semxpath.Paper.Values(), "semantics of positions and weights: `profile` paper or released")
	choiceFlag(cmd, &flags.scorer, "scorer", "entail", xpathScorers, "`scorer` of conditions: "+strings.Join(xpathScorers, ", "))
	f.StringVar(&flags.model, "model", standin.Name, "`FILE` of a model entry, such as configs/models/openai.yaml")
	f.Float64Var(&flags.options.Threshold, "threshold", 0, "least `weight` of a match, from 0 to 1; queries without conditions have none")
	f.IntVar(&flags.options.K, "limit", 0, "print at most the `N` heaviest matches; 0 for all")
	f.BoolVar(&flags.explain, "explain", false, "show the steps: candidates, scores of conditions, aggregation, weights")
	choiceFlag(cmd, &flags.format, "format", "text", []string{"text", "json"}, "`format`: text, json")
	return cmd
}

func (a *app) xpath(ctx context.Context, file, text string, flags xpathFlags) error {
	query, err := semxpath.Parse(text)
	if err != nil {
		return err
	}
	t, err := a.readTree(file, query)
	if err != nil {
		return err
	}
	if err := semxpath.Check(query, t.Schema()); err != nil {
		return err
	}
	if query.Conditions() {
		doors, done, err := a.openModel(ctx, flags.model, true)
		if err != nil {
			return err
		}
		defer done()
		if flags.options.Scorer, err = openScorer(ctx, flags, doors, t); err != nil {
			return err
		}
	}
	if flags.explain {
		flags.options.Explain = 200 // nodes of a step, and of evidence
	}
	result, err := query.Run(ctx, t.Root(), flags.options)
	if err != nil {
		return err
	}
	r := semxpath.NewReport(query, flags.options.Profile, flags.scorer+" by "+flags.model, t, result)
	if len(r.Matches) == 0 {
		fmt.Fprintln(a.stderr, "bench: no node matches; --explain shows the weights and where the path stops")
	}
	if flags.format == "json" {
		return jsonout.Indented(a.stdout, r)
	}
	return a.columns(r.String())
}

// readTree reads a tree for a query. Messages call standard input "stdin".
func (a *app) readTree(file string, query *semxpath.Query) (*tree.Tree, error) {
	name, in := "stdin", io.LimitReader(a.stdin, maxTree)
	if file != "-" {
		f, err := datafile.Open(file, maxTree)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		name, in = file, f
	}
	return tree.ParseXML(name, in, tree.XMLOptions{Nodes: query.Types(), LooseIDs: true})
}

// openScorer returns a scorer of conditions by the models of an entry.
func openScorer(ctx context.Context, flags xpathFlags, doors backend.Doors, t *tree.Tree) (semxpath.Scorer, error) {
	switch {
	case flags.scorer == "sem" && doors.Embed != nil:
		var texts []string
		for node := range t.All() {
			texts = append(texts, semxpath.FieldText(t.Path(node.ID)))
		}
		return relevance.NewSimilarity(ctx, doors.Embed, texts)
	case flags.scorer == "llm" && doors.LLM != nil:
		prompts, err := prompt.Load("xpath", relevance.Prompts(), nil)
		if err != nil {
			return nil, err
		}
		return relevance.Model(doors.LLM, prompts, 20) // texts a call
	case flags.scorer == "entail" && doors.NLI != nil:
		return relevance.Entailment(doors.NLI), nil
	}
	return nil, fmt.Errorf("--model %s lacks the part that --scorer %s needs", flags.model, flags.scorer)
}
