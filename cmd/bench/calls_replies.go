package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/termsafe"
)

func newCallsRepliesCommand(a *app) *cobra.Command {
	var (
		store string
		pick  pick
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "replies",
		Short: "Check recorded replies of chat models, by role and format",
		Long: `Replies checks the recorded replies of chat models by model, role and format.
It counts replies that fit their JSON Schema, or hold a query that parses. For
external memories it counts usable JSON and tool calls. It counts repairs, which
are calls that ask again after an unusable reply, and replies cut off at the limit
of tokens. It prints tokens as the server reported them, beside those of the
prompts in o200k_base, and log-probabilities. Errors and refusals are not recorded.`,
		Example: `  bench calls replies --store configs/recordings/quickstart
  bench calls replies --run DIR --role boundary,episode`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.openCalls(store)
			if err != nil {
				return err
			}
			defer s.Close()
			pick.kinds = []string{string(calls.Chat)}
			chosen, err := pick.choose(s)
			if err != nil {
				return err
			}
			groups, err := countReplies(chosen)
			if err != nil {
				return err
			}
			if lines {
				return jsonout.Encode(json.NewEncoder(a.stdout), groups...)
			}
			return a.columns(repliesText(groups))
		},
	}
	storeFlag(cmd, &store)
	pick.add(cmd)
	cobra.CheckErr(cmd.Flags().MarkHidden("kind"))
	cmd.Flags().StringSliceVar(&pick.runs, "run", nil, "only calls that `DIR`'s records name")
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each group to stdout and nothing else")
	return cmd
}

// A repliesGroup is what the replies have in common that are counted together.
type repliesGroup struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Role     string `json:"role"`
	Format   string `json:"format"`            // of the reply: a schema's name, "query", "json", "tools" or "text"
	AskedBy  string `json:"asked_by,omitzero"` // how JSON was asked for, see askedBy and [llm.Form]
}

// A repliesCount is what replies counts of a group. Fit is null where any text is
// right.
type repliesCount struct {
	repliesGroup
	Calls      int  `json:"calls"`
	Fit        *int `json:"fit"`
	Repairs    int  `json:"repairs"`     // of the calls
	RepairsFit *int `json:"repairs_fit"` // of the repairs
	Cut        int  `json:"cut"`
	// Tokens are those of calls whose usage the server reported.
	Reported int `json:"reported"`
	Input    int `json:"input"`
	Estimate int `json:"input_o200k_base"`
	Output   int `json:"output"`
	Asked    int `json:"logprobs_asked"`
	Logprobs int `json:"logprobs"`
}

func countReplies(chosen []*calls.Recording) ([]*repliesCount, error) {
	tokens, err := token.New("o200k_base")
	if err != nil {
		return nil, err
	}
	groups := make(map[repliesGroup]*repliesCount)
	for _, r := range chosen {
		c, err := r.Call()
		if err != nil {
			return nil, damaged(err)
		}
		reply, err := r.Reply()
		if err != nil {
			return nil, damaged(err)
		}
		k := repliesGroup{Provider: c.Identity.Provider, Model: c.Identity.Model, Role: c.Role, Format: "text"}
		var fits func(llm.Reply) bool
		switch {
		case c.Format != nil:
			k.Format, fits = c.Format.Name, func(r llm.Reply) bool { return c.Format.Check(r.Text) == nil }
			if k.AskedBy, err = askedBy(c); err != nil {
				return nil, damaged(err)
			}
		case c.Role == "translate":
			k.Format, fits = "query", func(r llm.Reply) bool { return holdsQuery(r.Text) }
		case c.Wire != nil:
			form, err := c.Wire.Form()
			if err != nil {
				return nil, damaged(err)
			}
			if k.Format, k.AskedBy = form.Name, form.By; form.By != "" {
				fits = form.Fits
			}
		}
		if groups[k] == nil {
			groups[k] = &repliesCount{repliesGroup: k}
		}
		groups[k].add(c, reply.Chat, fits, tokens)
	}
	return slices.SortedFunc(maps.Values(groups), func(a, b *repliesCount) int {
		place := func(c *repliesCount) int { return slices.Index(llm.Roles(), c.Role) }
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model), cmp.Compare(place(a), place(b)),
			cmp.Compare(a.Role, b.Role), cmp.Compare(a.Format, b.Format), cmp.Compare(a.AskedBy, b.AskedBy))
	}), nil
}

// askedBy returns how a call asks for JSON: by json_schema, json_object, prompt, or
// auto, where the server decided between the first and the last.
func askedBy(c *calls.Call) (string, error) {
	var quirks struct{ API, Format string } // those of package openai
	if len(c.Identity.Fixed) > 0 {
		if err := json.Unmarshal(c.Identity.Fixed, &quirks); err != nil {
			return "", err
		}
	}
	if c.Plain || quirks.API == "completions" {
		return "prompt", nil
	}
	return cmp.Or(quirks.Format, "auto"), nil
}

// holdsQuery reports whether a reply holds a query that parses.
func holdsQuery(reply string) bool {
	return slices.ContainsFunc(semxpath.Candidates(strings.TrimSpace(reply)), func(c string) bool {
		_, err := semxpath.Parse(c)
		return err == nil
	})
}

// add counts a reply; fits is nil where any text is right.
func (g *repliesCount) add(c *calls.Call, reply llm.Reply, fits func(llm.Reply) bool, tokens token.Counter) {
	count := func(n *int, is bool) bool {
		if is {
			*n++
		}
		return is
	}
	again := len(c.Texts) > 0 && llm.AsksAgain(c.Texts[len(c.Texts)-1].Content)
	g.Calls++
	count(&g.Repairs, again)
	if fits != nil {
		if g.Fit == nil {
			g.Fit, g.RepairsFit = new(0), new(0)
		}
		count(g.RepairsFit, count(g.Fit, fits(reply)) && again)
	}
	count(&g.Cut, reply.Finish == "length")
	count(&g.Asked, c.Params.Logprobs)
	count(&g.Logprobs, len(reply.Logprobs) > 0)
	if count(&g.Reported, reply.Usage.Calls > 0) {
		g.Input += reply.Usage.Input
		g.Output += reply.Usage.Output
		for _, t := range c.Texts {
			g.Estimate += tokens.Count(t.Content)
		}
	}
}

// repliesText prints with tabs between columns.
func repliesText(groups []*repliesCount) string {
	var b strings.Builder
	b.WriteString("MODEL\tROLE\tFORMAT\tASKED BY\tCALLS\tFIT\tSHARE\tREPAIRS\tCUT\tREAD\tO200K\tRATIO\tWRITTEN\tLOGPROBS\n")
	for _, g := range groups {
		fit, share, repairs := "-", "-", strconv.Itoa(g.Repairs)
		if g.Fit != nil {
			fit, share = strconv.Itoa(*g.Fit), fmt.Sprintf("%.1f%%", 100*float64(*g.Fit)/float64(g.Calls))
			repairs = fmt.Sprintf("%d, %d fit", g.Repairs, *g.RepairsFit)
		}
		read, estimate, ratio, written := "-", "-", "-", "-"
		if g.Reported > 0 {
			read, estimate, written = strconv.Itoa(g.Input), strconv.Itoa(g.Estimate), strconv.Itoa(g.Output)
			if g.Estimate > 0 {
				ratio = fmt.Sprintf("%.2f", float64(g.Input)/float64(g.Estimate))
			}
		}
		logprobs := "-"
		if g.Asked > 0 {
			logprobs = fmt.Sprintf("%d of %d", g.Logprobs, g.Asked)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", termsafe.Text(g.Model), termsafe.Text(g.Role), termsafe.Text(g.Format),
			cmp.Or(g.AskedBy, "-"), g.Calls, fit, share, repairs, g.Cut, read, estimate, ratio, written, logprobs)
	}
	return b.String()
}
