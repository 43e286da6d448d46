package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
)

func newCallsListCommand(a *app) *cobra.Command {
	var (
		store string
		pick  pick
		limit int
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List recordings, the newest first",
		Long: `List lists recordings, a line each, the newest first. A line has the id, as in
'bench calls show' and the records of runs, the time, the role, and tokens read and
written. It ends with the beginning of the reply, or of what was embedded or compared.

Recordings are in SQLite files; docs/recordings.md has queries that count them.`,
		Example: `  bench calls list --since 12h
  bench calls list --model gpt-4o-mini --limit 0 --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if limit < 0 {
				return usageError(fmt.Errorf("--limit is %d, want at least 1, or 0 for all", limit))
			}
			s, err := a.openCalls(store)
			if err != nil {
				return err
			}
			defer s.Close()
			chosen, err := pick.choose(s)
			if err != nil {
				return err
			}
			n := len(chosen)
			if limit > 0 {
				chosen = chosen[:min(n, limit)]
			}
			if err := a.listCalls(chosen, lines); err != nil || lines {
				return err
			}
			if left := n - len(chosen); left > 0 {
				return a.say("\n%s in %s; %d more, --limit 0 lists all", report.Plural(n, "recording"), s.Dir(), left)
			}
			return a.say("\n%s in %s", report.Plural(n, "recording"), s.Dir())
		},
	}
	storeFlag(cmd, &store)
	pick.add(cmd)
	cmd.Flags().StringSliceVar(&pick.runs, "run", nil, "only chat calls that `DIR`'s records name, and embeddings and entailments, which no record names")
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most `N`; 0 for all")
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each recording to stdout and nothing else")
	return cmd
}

// A callsLine is one recording: a JSON line of list.
type callsLine struct {
	ID       string     `json:"id"`
	Time     time.Time  `json:"time"`
	Kind     calls.Kind `json:"kind"`
	Provider string     `json:"provider"`
	Model    string     `json:"model"`
	Role     string     `json:"role"`
	Input    int        `json:"input"`
	Output   int        `json:"output"`
	Bytes    int64      `json:"bytes"`
	Text     string     `json:"text"`
}

func (a *app) listCalls(chosen []*calls.Recording, lines bool) error {
	var b strings.Builder
	b.WriteString("ID\tTIME\tKIND\tROLE\tMODEL\tIN\tOUT\tTEXT\n")
	enc := json.NewEncoder(a.stdout)
	for _, r := range chosen {
		l, err := lineOf(r)
		if err != nil {
			return damaged(err)
		}
		if lines {
			if err := enc.Encode(l); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", l.ID, stamp(l.Time), l.Kind, termsafe.Text(l.Role), termsafe.Text(l.Model), l.Input, l.Output, l.Text)
	}
	if lines {
		return nil
	}
	return a.columns(b.String())
}

// lineOf reads what list says of a recording.
func lineOf(r *calls.Recording) (l callsLine, err error) {
	reply, err := r.Reply()
	if err != nil {
		return l, err
	}
	l = callsLine{ID: r.Key.ID(), Time: r.Time, Kind: r.Kind, Provider: r.Identity.Provider, Model: r.Identity.Model, Role: r.Role, Bytes: r.Size}
	var c *calls.Call
	if r.Kind != calls.Chat { // its texts are what there is to show
		if c, err = r.Call(); err != nil {
			return l, err
		}
	}
	switch r.Kind {
	case calls.Embed:
		l.Role, l.Input, l.Text = c.Texts[0].Role, reply.Tokens, c.Texts[0].Content
	case calls.Entail:
		l.Text = fmt.Sprintf("%.4f %s => %s", reply.Score, beginning(c.Texts[0].Content, 30), c.Texts[1].Content)
	case calls.Annotate:
		l.Role, l.Text = c.Texts[0].Content, c.Annotated()
	default:
		l.Input, l.Output, l.Text = reply.Chat.Usage.Input, reply.Chat.Usage.Output, reply.Chat.Text
	}
	l.Text = beginning(l.Text, 60)
	return l, nil
}

// beginning is at most n characters of a text, safe to print on one line.
func beginning(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(termsafe.Text(s[:min(len(s), 8*n)])), " "))
	if len(r) > n {
		return string(r[:n]) + "…"
	}
	return string(r)
}
