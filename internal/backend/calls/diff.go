package calls

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
)

// These bound the length of a diff.
const (
	diffTexts = 3   // texts
	diffLines = 3   // lines on each side
	diffWidth = 160 // characters of a line
)

// A Setting is a part of a request that is no text, as it is shown.
type Setting struct{ Name, Value string }

// settingNames are the settings in the order in which they are shown. Those before
// temperature say who was asked, and for what.
var settingNames = [...]string{
	"class", "provider", "model", "fixed", "role", "texts",
	"temperature", "max_tokens", "seed", "logprobs", "top_logprobs", "plain", "repeat", "format", "wire",
}

// settings lists what a call was asked with, as its canonical form has it, with the
// roles of its texts. What has no value stands as "".
func (c *Call) settings() []Setting {
	values := make(map[string]json.RawMessage)
	for _, part := range []any{c.Identity, c.canonical()} {
		if data, err := marshal(part); err == nil { // a call that has a key has a form
			_ = json.Unmarshal(data, &values)
		}
	}
	var texts []canonicalText
	_ = json.Unmarshal(values["texts"], &texts)
	var all []Setting
	for _, name := range settingNames {
		value := string(values[name])
		var text string
		if json.Unmarshal(values[name], &text) == nil {
			value = text
		}
		if name == "texts" {
			value = strings.Join(lists.Map(texts, func(t canonicalText) string { return t.Role }), ", ")
		}
		all = append(all, Setting{name, value})
	}
	return all
}

// A change is a setting that differs between two calls.
type change struct{ name, from, to string }

func settingsDiff(from, to *Call) (changes []change) {
	a, b := from.settings(), to.settings()
	for i := range a {
		if a[i].Value != b[i].Value {
			changes = append(changes, change{a[i].Name, a[i].Value, b[i].Value})
		}
	}
	return changes
}

// diff shows in what a call differs from a recorded one, in short lines that
// are safe to print.
func diff(from, to *Call) string {
	var b strings.Builder
	for _, c := range settingsDiff(from, to) {
		at := common(c.from, c.to)
		fmt.Fprintf(&b, "\n  %s:", c.name)
		for _, side := range []struct{ sign, text string }{{"-", c.from}, {"+", c.to}} {
			if side.text == "" {
				side.text = "(none)"
				at = 0
			}
			fmt.Fprintf(&b, "\n    %s %s", side.sign, around(side.text, at))
		}
	}
	shown := 0
	for i := range min(len(from.Texts), len(to.Texts)) {
		f, t := from.Texts[i], to.Texts[i]
		if f.Content == t.Content {
			continue
		}
		if shown++; shown > diffTexts {
			b.WriteString("\n  and more texts")
			break
		}
		textDiff(&b, i+1, f, t)
	}
	return b.String()
}

// textDiff shows the first place in which two texts differ.
func textDiff(b *strings.Builder, number int, from, to Text) {
	f, t := lines(from.Content), lines(to.Content)
	same := 0
	for same < min(len(f), len(t)) && f[same] == t[same] {
		same++
	}
	tail := 0
	for tail < min(len(f), len(t))-same && f[len(f)-1-tail] == t[len(t)-1-tail] {
		tail++
	}
	fmt.Fprintf(b, "\n  text %d (%s), line %d:", number, termsafe.Text(to.Role), same+1)
	if same > 0 && strings.TrimSpace(f[same-1]) != "" {
		fmt.Fprintf(b, "\n      %s", around(f[same-1], 0))
	}
	f, t = f[same:len(f)-tail], t[same:len(t)-tail]
	at := 0
	if len(f) > 0 && len(t) > 0 {
		at = common(f[0], t[0])
	}
	sideDiff(b, "-", f, at)
	sideDiff(b, "+", t, at)
}

// sideDiff shows the lines of one side; in the first, the byte at an offset is
// seen.
func sideDiff(b *strings.Builder, sign string, lines []string, at int) {
	for i, line := range lines {
		if i == diffLines {
			fmt.Fprintf(b, "\n    %s (%d more lines)", sign, len(lines)-i)
			return
		}
		fmt.Fprintf(b, "\n    %s %s", sign, around(line, at))
		at = 0
	}
}

func lines(s string) []string { return slices.Collect(strings.SplitSeq(s, "\n")) }

// common is the length of the beginning that two texts share.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// around cuts a line to what fits, so that the byte at an offset is seen.
func around(line string, at int) string {
	lead := ""
	if from := at - diffWidth/3; from > 0 && len(line) > diffWidth {
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
		lead, line = "…", line[from:]
	}
	return lead + excerpt(line, diffWidth)
}

// Settings lists what a call was asked with beside its texts: its parameters
// and its format, without those that are not set and without the identity and
// the role.
func (c *Call) Settings() []Setting {
	return slices.DeleteFunc(c.settings()[slices.Index(settingNames[:], "temperature"):], func(s Setting) bool { return s.Value == "" })
}
