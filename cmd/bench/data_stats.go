package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/strictyaml"
)

func newDataStatsCommand(a *app) *cobra.Command {
	var (
		data, options  string
		verbose, lines bool
	)
	cmd := &cobra.Command{
		Use:   "stats NAME...|all",
		Short: "Count conversations, turns, questions and flaws of datasets",
		Long: `Stats loads datasets, with all of their questions, and counts what is in them
and which flaws were put right. 'all' stands for those that are there.

With --options it loads one dataset as a config with these options would, which
also checks your own files before a run.`,
		Example: `  bench data stats locomo
  bench data stats jsonl --options '{files: [chat.jsonl, questions.jsonl]}'`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeDatasets,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := datadir.Find(data, a.env)
			if err != nil {
				return usageError(err)
			}
			all := len(args) == 1 && args[0] == "all"
			specs := datasetsuite.All()
			if !all {
				if specs, err = findDatasets(args); err != nil {
					return err
				}
			}
			if options != "" && (all || len(specs) > 1) {
				return usageError(errors.New("--options goes with one dataset"))
			}
			for i, s := range specs {
				if all && !s.Embedded && len(s.Files) == 0 {
					continue // its files are not known
				}
				counts, err := loadCounts(cmd.Context(), dir, s, options)
				if all && errors.Is(err, fs.ErrNotExist) {
					fmt.Fprintf(a.stderr, "left out %s: %v\n", s.Name, err)
					continue
				}
				if err != nil {
					return err
				}
				if err := a.printCounts(counts, i == 0, verbose, lines); err != nil {
					return err
				}
			}
			return nil
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&options, "options", "", "options of the dataset as `YAML`, such as '{categories: [1, 2]}'")
	cmd.Flags().BoolVarP(&verbose, "full", "v", false, "count each conversation, too")
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each dataset to stdout and nothing else")
	return cmd
}

// loadCounts opens a dataset and counts what is in it.
func loadCounts(ctx context.Context, dir string, s *datasets.Spec, options string) (counts, error) {
	set, err := openSet(ctx, dir, s, options)
	if err != nil {
		return counts{}, err
	}
	defer set.Close()
	return count(ctx, set)
}

// openSet opens a dataset with all of its questions, or with options.
func openSet(ctx context.Context, dir string, s *datasets.Spec, options string) (*datasets.Set, error) {
	chosen := s.Options
	if s.All != nil {
		chosen = s.All
	}
	if options != "" {
		var err error
		if chosen, err = decodeOptions(s, options); err != nil {
			return nil, usageError(err)
		}
	}
	set, err := s.Open(ctx, datasets.Env{Dir: dir, Base: "."}, chosen)
	if err != nil {
		if ctx.Err() == nil {
			err = usageError(err)
		}
		return nil, err
	}
	return set, nil
}

// decodeOptions reads options as a config has them, over the defaults.
func decodeOptions(s *datasets.Spec, options string) (any, error) {
	if s.Options == nil {
		return nil, fmt.Errorf("%s has no options", s.Name)
	}
	return decodeYAML("--options", s.Options, options)
}

// decodeYAML decodes what a flag holds over defaults.
func decodeYAML[T any](flag string, defaults T, text string) (T, error) {
	doc, err := strictyaml.Parse(flag, []byte(text))
	if err != nil {
		return defaults, err
	}
	out := reflect.New(reflect.TypeOf(defaults))
	out.Elem().Set(reflect.ValueOf(defaults))
	doc.Root().Decode(out.Interface())
	return out.Elem().Interface().(T), doc.Err()
}

func (a *app) printCounts(c counts, first, verbose, lines bool) error {
	if lines {
		return json.NewEncoder(a.stdout).Encode(c)
	}
	var b strings.Builder
	if !first {
		b.WriteString("\n")
	}
	c.write(&b, verbose)
	return a.columns(b.String())
}

// counts are what stats counts of a dataset: a JSON line.
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
	// Trees and Nodes count structured memories, each tree once for all
	// samples that begin with it, and Judged the requests with an expectation.
	Trees  int `json:"trees,omitzero"`
	Nodes  int `json:"nodes,omitzero"`
	Judged int `json:"judged,omitzero"`
	// Labels counts the requests by label and value; one with several values,
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

// A conversation is what is counted of one.
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
					c.Captions += btoi(t.Image.Caption != "")
					c.URLs += btoi(t.Image.URL != "")
				}
			}
		}
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			one.Categories[g.Category]++
			k := c.Categories[g.Category]
			c.Categories[g.Category] = categoryCount{set.CategoryName(g.Category), k.Count + 1}
			c.Abstain += btoi(g.Abstain)
			c.References += len(g.Evidence)
			c.Unproven += btoi(len(g.Evidence) == 0)
			c.Judged += btoi(g.Expect != nil)
			for name, value := range g.Labels {
				if c.Labels == nil {
					c.Labels = make(map[string]map[string]int)
				}
				if c.Labels[name] == nil {
					c.Labels[name] = make(map[string]int)
				}
				for one := range strings.SplitSeq(value, "+") {
					c.Labels[name][one]++
				}
			}
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

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// byNumber orders numbers by their value and other texts as they are.
func byNumber(a, b string) int {
	x, xErr := strconv.Atoi(a)
	y, yErr := strconv.Atoi(b)
	if xErr == nil && yErr == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// write prints counts with tabs between columns.
func (c counts) write(w *strings.Builder, verbose bool) {
	fmt.Fprintf(w, "%s, version %s\nSHA-256 %s\n", c.Dataset, c.Version, c.SHA256)
	if c.Caveat != "" {
		fmt.Fprintf(w, "caveat: %s\n", c.Caveat)
	}
	w.WriteString("\n")
	if c.Trees > 0 {
		fmt.Fprintf(w, "samples\t%d\ntrees\t%d with %d nodes\nrequests\t%d, %d of them judged\n", c.Conversations, c.Trees, c.Nodes, c.Questions, c.Judged)
	} else {
		fmt.Fprintf(w, "conversations\t%d\nsessions\t%d\nturns\t%d\n", c.Conversations, c.Sessions, c.Turns)
		fmt.Fprintf(w, "images\t%d with a caption, %d with an address\n", c.Captions, c.URLs)
		fmt.Fprintf(w, "questions\t%d\n", c.Questions)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Categories)) {
		k := c.Categories[id]
		name := id
		if k.Name != id {
			name += " " + k.Name
		}
		fmt.Fprintf(w, "  %s\t%d\n", name, k.Count)
	}
	for _, label := range slices.Sorted(maps.Keys(c.Labels)) {
		var values []string
		for _, value := range slices.SortedFunc(maps.Keys(c.Labels[label]), byNumber) {
			values = append(values, fmt.Sprintf("%s %d", value, c.Labels[label][value]))
		}
		fmt.Fprintf(w, "%s\t%s\n", label, strings.Join(values, ", "))
	}
	fmt.Fprintf(w, "to abstain from\t%d\nevidence\t%d references\nwithout evidence\t%d\n", c.Abstain, c.References, c.Unproven)
	if len(c.Warnings) > 0 {
		w.WriteString("\nflaws of the data:\n")
	}
	for _, k := range c.Warnings {
		fmt.Fprintf(w, "  %d\t%s\t%s\n", k.Count, k.What, k.Where[0])
	}
	if !verbose || c.Trees > 0 {
		return
	}
	w.WriteString("\nCONVERSATION\tSPEAKERS\tSESSIONS\tTURNS\tIMAGES\tQUESTIONS\n")
	for _, d := range c.Detail {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", d.Sample, strings.Join(d.Speakers, ", "), d.Sessions, d.Turns, d.Images, d.Questions)
	}
}
