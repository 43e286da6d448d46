package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
)

func newCallsStatCommand(a *app) *cobra.Command {
	var (
		store string
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "stat",
		Short: "Count recordings by kind, provider and model",
		Long: `Stat counts the recordings and their bytes by kind of call, provider and model.
Of several recordings of the same call only the newest counts; the others are
superseded, and 'bench calls prune' removes them.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.openCalls(store)
			if err != nil {
				return err
			}
			defer s.Close()
			st, err := statCalls(s)
			if err != nil {
				return err
			}
			if lines {
				return json.NewEncoder(a.stdout).Encode(st)
			}
			return a.columns(st.text())
		},
	}
	storeFlag(cmd, &store)
	cmd.Flags().BoolVar(&lines, "json", false, "write one JSON line to stdout")
	return cmd
}

// A callsStat is what stat counts.
type callsStat struct {
	Store      string       `json:"store"`
	Files      int          `json:"files"`
	Bytes      int64        `json:"bytes"`
	Recordings int          `json:"recordings"`
	Superseded int          `json:"superseded"`
	Groups     []callsGroup `json:"groups"`
}

// A callsGroup is the recordings of one kind of one model.
type callsGroup struct {
	Kind       calls.Kind `json:"kind"`
	Class      string     `json:"class"`
	Provider   string     `json:"provider"`
	Model      string     `json:"model"`
	Recordings int        `json:"recordings"`
	Bytes      int64      `json:"bytes"`
	First      time.Time  `json:"first"`
	Last       time.Time  `json:"last"`
}

func statCalls(s *calls.Store) (callsStat, error) {
	all, err := s.Recordings()
	if err != nil {
		return callsStat{}, err
	}
	sum := s.Stats()
	st := callsStat{Store: s.Dir(), Files: sum.Files, Bytes: sum.Bytes, Recordings: len(all), Superseded: sum.Superseded, Groups: []callsGroup{}}
	type group struct {
		kind                   calls.Kind
		class, provider, model string
	}
	groups := make(map[group]callsGroup)
	for _, r := range all {
		id, err := r.Identity()
		if err != nil {
			return st, damaged(err)
		}
		k := group{r.Kind(), id.Class, id.Provider, id.Model}
		g, ok := groups[k]
		if !ok {
			g = callsGroup{Kind: k.kind, Class: k.class, Provider: k.provider, Model: k.model, Last: r.Time()}
		}
		g.Recordings++
		g.Bytes += r.Size()
		g.First = r.Time() // the newest come first
		groups[k] = g
	}
	st.Groups = slices.SortedFunc(maps.Values(groups), func(a, b callsGroup) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Class, b.Class))
	})
	return st, nil
}

func (st callsStat) text() string {
	var b strings.Builder
	if len(st.Groups) > 0 {
		b.WriteString("KIND\tCLASS\tPROVIDER\tMODEL\tRECORDINGS\tSIZE\tFIRST\tLAST\n")
	}
	for _, g := range st.Groups {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", g.Kind, termsafe.Text(g.Class), termsafe.Text(g.Provider), termsafe.Text(g.Model),
			g.Recordings, sizeOf(g.Bytes), stamp(g.First), stamp(g.Last))
	}
	if len(st.Groups) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s: %s, %d superseded, in %s, %s\n", st.Store, report.Plural(st.Recordings, "recording"), st.Superseded, report.Plural(st.Files, "file"), sizeOf(st.Bytes))
	return b.String()
}
