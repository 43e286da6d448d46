package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/termsafe"
)

// callRow is the line of a recording in the list.
func callRow(v calls.View) string {
	usage := llm.Usage{Input: v.Reply.Tokens}
	if v.Reply.Usage != nil {
		usage = *v.Reply.Usage
	}
	text := v.Texts[len(v.Texts)-1].Content
	switch {
	case v.Reply.Text != nil:
		text = *v.Reply.Text
	case v.Reply.Score != nil:
		text = fmt.Sprintf("%.4f %s => %s", *v.Reply.Score, termsafe.Excerpt(v.Texts[0].Content, 30), text)
	}
	return strings.Join([]string{
		v.ID, stamp(v.Time), string(v.Kind), termsafe.Text(cmp.Or(v.Role, v.Texts[0].Role)), termsafe.Text(v.Identity.Model),
		strconv.Itoa(usage.Input), strconv.Itoa(usage.Output), termsafe.Excerpt(text, 60),
	}, "\t")
}

// callText prints a recording for a terminal.
func callText(v calls.View) string {
	var b strings.Builder
	for _, f := range append([]calls.Setting{
		{Name: "key", Value: v.Key},
		{Name: "time", Value: stamp(v.Time)},
		{Name: "kind", Value: string(v.Kind)},
		{Name: "class", Value: v.Identity.Class},
		{Name: "provider", Value: v.Identity.Provider},
		{Name: "model", Value: v.Identity.Model},
		{Name: "fixed", Value: string(v.Identity.Fixed)},
		{Name: "role", Value: v.Role},
	}, v.Settings...) {
		if f.Value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", f.Name, termsafe.Text(f.Value))
		}
	}
	texts, reply := v.Texts, v.Reply
	if reply.Text != nil {
		texts = append(slices.Clip(texts), calls.Text{Role: "reply", Content: *reply.Text})
		reply.Text = nil
	}
	reply.Vector = reply.Vector[:min(8, len(reply.Vector))]
	var rest strings.Builder
	_ = jsonout.Lines(&rest, reply) // it has a form in JSON
	for _, t := range append(slices.Clip(texts), calls.Text{Role: "rest of the reply", Content: strings.TrimSuffix(rest.String(), "\n")}) {
		lines := lists.Map(strings.Split(t.Content, "\n"), termsafe.Text)
		fmt.Fprintf(&b, "\n--- %s\n%s\n", termsafe.Text(cmp.Or(t.Role, "text")), strings.Join(lines, "\n"))
	}
	return b.String()
}

// stamp writes a time to the second.
func stamp(t time.Time) string { return t.UTC().Format(time.DateTime) }

// sizeOf writes a number of bytes.
func sizeOf(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
