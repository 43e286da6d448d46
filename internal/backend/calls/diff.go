package calls

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
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

// diffTexts is how many texts a diff shows, and diffWidth how many characters of a line.
const (
	diffTexts = 3
	diffWidth = 160
)

// diff shows in what a call differs from a recorded one, in short lines that
// are safe to print: settings, and of each text the first line.
func diff(from, to *Call) string {
	var b strings.Builder
	sides := func(from, to string) {
		from, to = cmp.Or(from, "(none)"), cmp.Or(to, "(none)")
		at := common(from, to)
		fmt.Fprintf(&b, "\n    - %s\n    + %s", around(from, at), around(to, at))
	}
	own := to.settings()
	for i, s := range from.settings() {
		if s != own[i] {
			fmt.Fprintf(&b, "\n  %s:", s.Name)
			sides(s.Value, own[i].Value)
		}
	}
	shown := 0
	for i := range min(len(from.Texts), len(to.Texts)) {
		f, t := from.Texts[i].Content, to.Texts[i].Content
		if f == t || shown == diffTexts {
			continue
		}
		shown++
		at := common(f, t)
		before := f[:at]
		if at == min(len(f), len(t)) && strings.HasPrefix(f[at:]+t[at:], "\n") {
			before += "\n" // one ends where the other goes on
		}
		start := strings.LastIndexByte(before, '\n') + 1
		line := func(text string) string {
			text, _, _ = strings.Cut(text[min(start, len(text)):], "\n")
			return text
		}
		fmt.Fprintf(&b, "\n  text %d (%s), line %d:", i+1, termsafe.Text(to.Texts[i].Role), strings.Count(before, "\n")+1)
		sides(line(f), line(t))
	}
	return b.String()
}

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
