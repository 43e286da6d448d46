package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/suggest"
)

func newListCommand(a *app) *cobra.Command {
	var verbose, asJSON bool
	cmd := &cobra.Command{
		Use:   "list [" + strings.Join(suite.Kinds(), "|") + "] [NAME...]",
		Short: "List what a config can name",
		Long: `List prints the datasets, methods, models, metrics, judge profiles and published tables
that a config can name, of one kind or all. Given names, it describes these, with their
options and defaults.`,
		Example: `  bench list methods
  bench list methods xmemory flat-rag
  bench list metrics --json`,
		ValidArgs: suite.Kinds(),
		RunE: func(_ *cobra.Command, args []string) error {
			items, err := suite.Inventory()
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
				b.WriteString(it.Text(verbose || len(args) > 1))
			}
			return a.columns(b.String())
		},
	}
	cmd.Flags().BoolVarP(&verbose, "full", "v", false, "also print options with their defaults and meaning")
	jsonFlag(cmd, &asJSON, "one JSON line for each")
	return cmd
}

// pickItems returns the items that arguments name: those of a kind, or those of some
// names in order.
func pickItems(items []suite.Item, args []string) ([]suite.Item, error) {
	if len(args) == 0 {
		return items, nil
	}
	if !slices.Contains(suite.Kinds(), args[0]) {
		return nil, errors.New(suggest.Unknown("kind", args[0], suite.Kinds()))
	}
	items = lists.Filter(items, func(it suite.Item) bool { return it.Kind == args[0] })
	if len(args) == 1 {
		return items, nil
	}
	return pick("name", args[1:], items, func(it suite.Item) string { return it.Name })
}
