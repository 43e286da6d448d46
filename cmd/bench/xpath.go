package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/backend"
	"recallbench/internal/backend/standin"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/relevance"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/termsafe"
)

const maxTree = 1 << 30 // bytes of a file of a tree

var xpathScorers = []string{"entail", "sem", "llm"}

// explainedNodes is how many nodes of a step, and of evidence, --explain shows.
const explainedNodes = 200

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

// An xpathResult is the JSON of what a query selected, and how.
type xpathResult struct {
	Query   string           `json:"query"`
	Profile semxpath.Profile `json:"profile"`
	Scorer  string           `json:"scorer,omitempty"` // empty for a query without conditions
	Matches []xpathMatch     `json:"matches"`
	Steps   []semxpath.Step  `json:"steps,omitempty"`
}

type xpathMatch struct {
	Weight *float64     `json:"weight"` // null for a query without conditions
	Path   string       `json:"path"`
	ID     string       `json:"id"`
	At     int          `json:"at"`
	Type   string       `json:"type"`
	Name   string       `json:"name"`
	Fields []tree.Field `json:"fields"`
	Text   string       `json:"text,omitempty"`
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
	r := xpathResult{Query: query.String(), Profile: flags.options.Profile}
	if query.Conditions() {
		doors, done, err := a.openModel(ctx, flags.model, true)
		if err != nil {
			return err
		}
		defer done()
		if flags.options.Scorer, err = openScorer(ctx, flags, doors, t); err != nil {
			return err
		}
		r.Scorer = flags.scorer + " by " + flags.model
	}
	if flags.explain {
		flags.options.Explain = explainedNodes
	}
	result, err := query.Run(ctx, t.Root(), flags.options)
	if err != nil {
		return err
	}
	r.Steps = result.Steps
	r.Matches = lists.Map(result.Matches, func(m semxpath.Match) xpathMatch {
		n := m.Node
		found := xpathMatch{Path: tree.Label(t.Path(n.ID)), ID: n.ID, At: m.At, Type: n.Type, Name: n.Name(), Fields: append([]tree.Field{}, n.Fields...), Text: n.Text}
		if r.Scorer != "" {
			found.Weight = &m.Weight
		}
		return found
	})
	if len(r.Matches) == 0 {
		fmt.Fprintln(a.stderr, "bench: no node matches; --explain shows the weights and where the path stops")
	}
	if flags.format == "json" {
		return jsonout.Indented(a.stdout, r)
	}
	return a.columns(r.text())
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

// text formats the matches for people.
func (r *xpathResult) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "query\t%s\n", termsafe.Text(r.Query))
	if r.Scorer != "" {
		fmt.Fprintf(&b, "profile\t%s\nscorer\t%s\n", r.Profile, termsafe.Text(r.Scorer))
	}
	fmt.Fprintf(&b, "matches\t%d\n", len(r.Matches))
	b.WriteString(semxpath.Explanation(r.Steps))
	if len(r.Matches) > 0 {
		b.WriteString("\n#\tWEIGHT\tPATH\tID\tFIELDS\n")
	}
	for i, m := range r.Matches {
		var fields []string
		for _, f := range append(m.Fields, tree.Field{Name: "text", Values: []string{m.Text}}) {
			if v := f.Value(); v != "" && v != m.Name && m.Type+" "+v != m.Name { // which the path says
				fields = append(fields, f.Name+": "+v)
			}
		}
		weight := "-"
		if m.Weight != nil {
			weight = fmt.Sprintf("%.4f", *m.Weight)
		}
		line := fmt.Sprintf("%d\t%s\t%s\t%s\t%s", i+1, weight, termsafe.Text(m.Path), termsafe.Text(m.ID), termsafe.Excerpt(strings.Join(fields, " | "), 60))
		b.WriteString(strings.TrimRight(line, "\t") + "\n")
	}
	return b.String()
}
