package datasets

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/text/termsafe"
)

// Counts are the figures of a set.
type Counts struct {
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
	Labels     map[string]map[string]int `json:"by_label,omitempty"`
	Categories map[string]CategoryCount  `json:"by_category"`
	Warnings   []Warning                 `json:"warnings"`
	Detail     []ConversationCounts      `json:"conversations_detail"`
}

// A CategoryCount counts the questions of a category.
type CategoryCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// ConversationCounts are the figures of one conversation.
type ConversationCounts struct {
	Sample     string         `json:"sample_id"`
	Speakers   []string       `json:"speakers"`
	Sessions   int            `json:"sessions"`
	Turns      int            `json:"turns"`
	Images     int            `json:"image_turns"`
	Questions  int            `json:"questions"`
	Categories map[string]int `json:"by_category"`
}

// Count loads a set and counts its contents.
func Count(ctx context.Context, set *Set) (Counts, error) {
	c := Counts{
		Dataset: set.Name, Version: set.Version, SHA256: set.SHA256, Caveat: set.Caveat, Settings: set.Settings, Conversations: len(set.Entries),
		Categories: make(map[string]CategoryCount), Labels: make(map[string]map[string]int), Warnings: append([]Warning{}, set.Warnings...),
	}
	for _, k := range set.Categories {
		c.Categories[k.ID] = CategoryCount{Name: k.Name}
	}
	trees := make(map[*tree.Tree]bool)
	for s, err := range set.All(ctx) {
		if err != nil {
			return c, err
		}
		if s.Tree != nil && !trees[s.Tree] {
			trees[s.Tree] = true
			c.Trees++
			c.Nodes += s.Tree.Len()
		}
		one := ConversationCounts{Sample: s.ID, Speakers: s.Speakers, Sessions: len(s.Sessions), Questions: len(s.Requests), Categories: make(map[string]int)}
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
		c.Sessions, c.Turns, c.Questions = c.Sessions+one.Sessions, c.Turns+one.Turns, c.Questions+one.Questions
		c.Detail = append(c.Detail, one)
	}
	return c, nil
}

// addGold counts the gold answer of a question.
func (c *Counts) addGold(g Gold, category string) {
	c.Categories[g.Category] = CategoryCount{category, c.Categories[g.Category].Count + 1}
	c.References += len(g.Evidence)
	increment(&c.Abstain, g.Abstain)
	increment(&c.Unproven, len(g.Evidence) == 0)
	increment(&c.Judged, g.Expect != nil)
	for name, values := range g.Labels {
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

// ByNumber orders numbers by value and other texts alphabetically.
func ByNumber(a, b string) int {
	x, xErr := strconv.Atoi(a)
	y, yErr := strconv.Atoi(b)
	if xErr == nil && yErr == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// Text prints the counts with tabs between columns.
func (c *Counts) Text() string {
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
		for _, value := range slices.SortedFunc(maps.Keys(c.Labels[label]), ByNumber) {
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
