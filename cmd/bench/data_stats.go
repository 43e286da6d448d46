package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
)

func newDataStatsCommand(a *app) *cobra.Command {
	var data, options string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats NAME",
		Short: "Count conversations, turns, questions and flaws of a dataset",
		Long: `Stats loads a dataset with all its questions, and counts its contents and the
flaws that were repaired.

With --options it loads the dataset as a config with these options would, which
also checks your own files before a run.`,
		Example: `  bench data stats locomo
  bench data stats jsonl --options '{files: [chat.jsonl, questions.jsonl]}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := a.openData(cmd.Context(), data, args[0], options)
			if err != nil {
				return err
			}
			defer set.Close()
			c, err := count(cmd.Context(), set)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(c)
			}
			return a.columns(c.text())
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&options, "options", "", "options of the dataset as `YAML`, such as '{categories: [1, 2]}'")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON line, with counts for each conversation, to stdout and nothing else")
	return cmd
}

// counts are the figures of a dataset that stats prints as a JSON line.
type counts struct {
	Dataset  string            `json:"dataset"`
	Version  string            `json:"version"`
	SHA256   string            `json:"sha256"`
	Caveat   string            `json:"caveat,omitzero"`
	Settings map[string]string `json:"settings,omitzero"`

	Conversations int `json:"conversations"`
	Sessions      int `json:"sessions"`
	Turns         int `json:"turns"`
	Captions      int `json:"image_turns_with_caption"`
	URLs          int `json:"image_turns_with_url"`
	Questions     int `json:"questions"`
	// Abstain counts the questions whose right answer is an abstention.
	Abstain int `json:"questions_to_abstain_from"`
	// References are evidence ids, summed over questions.
	References int `json:"evidence_references"`
	Unproven   int `json:"questions_without_evidence"`
	// Trees and Nodes count structured memories, each tree once even if several
	// samples begin with it; Judged counts the requests with an expectation.
	Trees  int `json:"trees,omitzero"`
	Nodes  int `json:"nodes,omitzero"`
	Judged int `json:"judged,omitzero"`
	// Labels counts the requests by label and value. A request with several values,
	// joined by +, counts under each.
	Labels     map[string]map[string]int `json:"by_label,omitzero"`
	Categories map[string]categoryCount  `json:"by_category"`
	Warnings   []warningCount            `json:"warnings"`
	Detail     []conversation            `json:"conversations_detail"`
}

type categoryCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type warningCount struct {
	What  string   `json:"what"`
	Count int      `json:"count"`
	Where []string `json:"where"` // the first few places
}

// A conversation holds the counts of one conversation.
type conversation struct {
	Sample     string         `json:"sample_id"`
	Speakers   []string       `json:"speakers"`
	Sessions   int            `json:"sessions"`
	Turns      int            `json:"turns"`
	Images     int            `json:"image_turns"`
	Questions  int            `json:"questions"`
	Categories map[string]int `json:"by_category"`
}

func count(ctx context.Context, set *datasets.Set) (counts, error) {
	c := counts{
		Dataset: set.Name, Version: set.Version, SHA256: set.SHA256, Caveat: set.Caveat, Settings: set.Settings,
		Conversations: len(set.Entries),
		Categories:    make(map[string]categoryCount),
		Warnings:      []warningCount{},
	}
	for _, k := range set.Categories {
		c.Categories[k.ID] = categoryCount{Name: k.Name}
	}
	trees := make(map[*tree.Tree]bool)
	for s, err := range set.All(ctx) {
		if err != nil {
			return counts{}, err
		}
		if s.Tree != nil && !trees[s.Tree] {
			trees[s.Tree] = true
			c.Trees++
			c.Nodes += s.Tree.Len()
		}
		one := conversation{
			Sample: s.ID, Speakers: s.Speakers, Sessions: len(s.Sessions), Questions: len(s.Requests),
			Categories: make(map[string]int),
		}
		for _, session := range s.Sessions {
			one.Turns += len(session.Turns)
			for _, t := range session.Turns {
				if t.Image != nil {
					one.Images++
					increment(&c.Captions, t.Image.Caption != "")
					increment(&c.URLs, t.Image.URL != "")
				}
			}
		}
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			one.Categories[g.Category]++
			c.addGold(g, set.CategoryName(g.Category))
		}
		c.Sessions += one.Sessions
		c.Turns += one.Turns
		c.Questions += one.Questions
		c.Detail = append(c.Detail, one)
	}
	for _, w := range set.Warnings {
		c.Warnings = append(c.Warnings, warningCount(w))
	}
	return c, nil
}

// addGold counts the gold answer of a question.
func (c *counts) addGold(g datasets.Gold, category string) {
	c.Categories[g.Category] = categoryCount{category, c.Categories[g.Category].Count + 1}
	c.References += len(g.Evidence)
	increment(&c.Abstain, g.Abstain)
	increment(&c.Unproven, len(g.Evidence) == 0)
	increment(&c.Judged, g.Expect != nil)
	for name, values := range g.Labels {
		if c.Labels == nil {
			c.Labels = make(map[string]map[string]int)
		}
		if c.Labels[name] == nil {
			c.Labels[name] = make(map[string]int)
		}
		for value := range strings.SplitSeq(values, "+") {
			c.Labels[name][value]++
		}
	}
}

// increment counts a condition that holds.
func increment(n *int, holds bool) {
	if holds {
		*n++
	}
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

// text prints counts with tabs between columns.
func (c *counts) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, version %s\nSHA-256 %s\n", c.Dataset, c.Version, c.SHA256)
	if c.Caveat != "" {
		fmt.Fprintf(&b, "caveat: %s\n", c.Caveat)
	}
	b.WriteString("\n")
	if c.Trees > 0 {
		fmt.Fprintf(&b, "conversations\t%d\ntrees\t%d with %d nodes\ntasks\t%d, %d of them judged\n", c.Conversations, c.Trees, c.Nodes, c.Questions, c.Judged)
	} else {
		fmt.Fprintf(&b, "conversations\t%d\nsessions\t%d\nturns\t%d\n", c.Conversations, c.Sessions, c.Turns)
		fmt.Fprintf(&b, "images\t%d with a caption, %d with an address\nquestions\t%d\n", c.Captions, c.URLs, c.Questions)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Categories)) {
		k := c.Categories[id]
		fmt.Fprintf(&b, "  %s\t%d\n", strings.TrimSuffix(id+" "+k.Name, " "+id), k.Count)
	}
	for _, label := range slices.Sorted(maps.Keys(c.Labels)) {
		var values []string
		for _, value := range slices.SortedFunc(maps.Keys(c.Labels[label]), byNumber) {
			values = append(values, fmt.Sprintf("%s %d", value, c.Labels[label][value]))
		}
		fmt.Fprintf(&b, "%s\t%s\n", label, strings.Join(values, ", "))
	}
	fmt.Fprintf(&b, "to abstain from\t%d\nevidence\t%d references\nwithout evidence\t%d\n", c.Abstain, c.References, c.Unproven)
	if len(c.Warnings) > 0 {
		b.WriteString("\nflaws that were repaired:\n")
	}
	for _, k := range c.Warnings {
		fmt.Fprintf(&b, "  %d\t%s\t%s\n", k.Count, k.What, k.Where[0])
	}
	return b.String()
}
