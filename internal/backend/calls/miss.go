package calls

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/termsafe"
)

// miss is the fault of a replay that lacks recordings. The first one of a
// recorder shows how the nearest recording differs.
func (d *door) miss(items []*item) error {
	first, more := items[0].call, ""
	if n := len(items) - 1; n > 0 {
		more = fmt.Sprintf(", and of %d more", n)
	}
	message := fmt.Sprintf("no recording of %s, id %s%s in %s; to call the model, start its server and use --calls reuse; to answer without a model, use --model stand-in",
		first.describe(d.id), items[0].key.ID(), more, d.store.where())
	d.explain.Do(func() { message += d.store.nearest(first) })
	return &fault.Error{Kind: fault.Miss, Message: message}
}

// describe names a call in a few words.
func (c *Call) describe(id identity) string {
	model := termsafe.Text(id.Model)
	if id.Provider != "" {
		model += " at " + termsafe.Text(id.Provider)
	}
	switch c.Kind {
	case Embed:
		return fmt.Sprintf("the %s embedding of %q by %s", c.Texts[0].Role, termsafe.Excerpt(c.Texts[0].Content, 60), model)
	case Entail:
		return fmt.Sprintf("whether %q entails %q by %s", termsafe.Excerpt(c.Texts[0].Content, 60), termsafe.Excerpt(c.Texts[1].Content, 60), model)
	case Annotate:
		first := slices.IndexFunc(c.Texts, func(t Text) bool { return t.Role == "text" })
		return fmt.Sprintf("the %s of %q by %s", c.Texts[0].Content, termsafe.Excerpt(c.Texts[first].Content, 60), model)
	default:
		return fmt.Sprintf("the %s call of %s", termsafe.Text(c.Role), model)
	}
}

// maxCompared bounds how many recordings, the newest ones, are read for a call that misses.
const maxCompared = 1000

// nearest says which recording of the same kind and role has most lines in common with a
// call, and what the first of the others are: lines to put behind a message.
func (s *Store) nearest(c *Call) string {
	all, err := s.Recordings()
	if err != nil {
		return ""
	}
	all = lists.Filter(all, func(r *Recording) bool { return r.Kind == c.Kind && r.Role == c.Role })
	asked := c.lines()
	var best *Recording
	var missing, added []string
	for _, r := range all[:min(len(all), maxCompared)] {
		other, err := r.Call()
		if err != nil {
			continue
		}
		lines := other.lines()
		less, more := without(lines, asked), without(asked, lines)
		if best == nil || len(less)+len(more) < len(missing)+len(added) {
			best, missing, added = r, less, more
		}
	}
	if best == nil {
		return fmt.Sprintf("\nno %s call is recorded", termsafe.Text(cmp.Or(c.Role, string(c.Kind))))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\nthe nearest recording is %s of %s; it (-) differs from this call (+) in",
		best.Key.ID(), best.Time.Format("2006-01-02 15:04:05"))
	show := func(sign string, lines, others []string) {
		for i, line := range lines[:min(len(lines), maxShown)] {
			if i < len(others) { // what begins alike is cut, so that the difference is seen
				line = strings.ToValidUTF8(line[max(0, common(line, others[i])-maxWidth/2):], "")
			}
			text.WriteString("\n  " + sign + " " + termsafe.Excerpt(line, maxWidth))
		}
	}
	show("-", missing, added)
	show("+", added, missing)
	return text.String()
}

// What is shown of the lines in which two calls differ.
const (
	maxShown = 3
	maxWidth = 160 // characters
)

// lines are what a call depends on: settings, then the lines of its texts.
func (c *Call) lines() (all []string) {
	for _, s := range c.settings() {
		all = append(all, s.Name+": "+s.Value)
	}
	for _, t := range c.Texts {
		for line := range strings.SplitSeq(t.Content, "\n") {
			all = append(all, t.Role+": "+line)
		}
	}
	return all
}

// without returns the lines that are not among others.
func without(lines, others []string) []string {
	known := make(map[string]bool, len(others))
	for _, line := range others {
		known[line] = true
	}
	return lists.Filter(lines, func(line string) bool { return !known[line] })
}

// common is the length of the beginning that two texts share.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// A Setting is a part of a request other than text, as it is shown.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// settingNames are the settings in the order in which they are shown. Those before
// temperature say who was asked, and for what.
var settingNames = [...]string{
	"class", "provider", "model", "fixed", "role",
	"temperature", "max_tokens", "seed", "logprobs", "top_logprobs", "plain", "repeat", "format", "wire",
}

// settings lists what a call was asked with, as its canonical form has it. What has no
// value is left out.
func (c *Call) settings() (all []Setting) {
	values := make(map[string]json.RawMessage)
	for _, part := range []any{c.Identity, c.canonical()} {
		if data, err := marshal(part); err == nil { // a call that has a key has a form
			_ = json.Unmarshal(data, &values)
		}
	}
	for _, name := range settingNames {
		var text string
		_ = json.Unmarshal(values[name], &text) // what is not a text is shown as JSON
		if value := cmp.Or(text, string(values[name])); value != "" {
			all = append(all, Setting{name, value})
		}
	}
	return all
}

// Settings lists the parameters and the format of a call, without those that
// are not set and without the identity and the role.
func (c *Call) Settings() []Setting {
	who := settingNames[:slices.Index(settingNames[:], "temperature")]
	return slices.DeleteFunc(c.settings(), func(s Setting) bool { return slices.Contains(who, s.Name) })
}
