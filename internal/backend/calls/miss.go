package calls

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/termsafe"
)

// miss is the fault of a replay that lacks recordings. The recorder's first one
// says in what the nearest recording differs.
func (d *door) miss(all []*Call, keys []Key, items []int) error {
	first := all[items[0]]
	more := ""
	if n := len(items) - 1; n > 0 {
		more = fmt.Sprintf(", and of %d more", n)
	}
	message := fmt.Sprintf("no recording of %s, id %s%s in %s; with the model's server running, --calls reuse asks it; --model stand-in answers without a model",
		first.describe(d.id), keys[items[0]].ID(), more, d.store.where())
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
		return fmt.Sprintf("the %s embedding of %q by %s", c.Texts[0].Role, excerpt(c.Texts[0].Content, 60), model)
	case Entail:
		return fmt.Sprintf("whether %q entails %q by %s", excerpt(c.Texts[0].Content, 60), excerpt(c.Texts[1].Content, 60), model)
	case Annotate:
		return fmt.Sprintf("the %s of %q by %s", c.Texts[0].Content, excerpt(c.Annotated(), 60), model)
	default:
		return fmt.Sprintf("the %s call of %s", termsafe.Text(c.Role), model)
	}
}

// excerpt is the beginning of a text, at most n characters, safe to print.
func excerpt(s string, n int) string {
	r := []rune(termsafe.Text(s[:min(len(s), 8*n)]))
	if len(r) > n {
		return string(r[:n]) + "…"
	}
	return string(r)
}

// maxCompared bounds how many recordings, the newest ones, are read for a call that misses.
const maxCompared = 1000

// nearest says which recording of the same kind, and of the same role where there is one,
// is most like a call, and where the two differ: lines to put behind a message.
func (s *Store) nearest(c *Call) string {
	all, err := s.Recordings()
	if err != nil {
		return ""
	}
	all = lists.Filter(all, func(r *Recording) bool { return r.Kind == c.Kind })
	if alike := lists.Filter(all, func(r *Recording) bool { return r.Role == c.Role }); len(alike) > 0 {
		all = alike
	}
	var best *Recording
	var near *Call
	most := math.MinInt
	for _, r := range all[:min(len(all), maxCompared)] {
		other, err := r.Call()
		if err != nil {
			continue
		}
		if n := other.likeness(c); n > most {
			best, near, most = r, other, n
		}
	}
	if best == nil {
		return fmt.Sprintf("\nno %s call is recorded", c.Kind)
	}
	return fmt.Sprintf("\nthe nearest recording is %s of %s; it (-) differs from what was asked (+) in%s",
		best.Key.ID(), best.Time.Format("2006-01-02 15:04:05"), near.diff(c))
}

// likeness is the number of bytes with which the texts of two calls begin and end alike,
// less the settings in which they differ.
func (c *Call) likeness(to *Call) (n int) {
	for i := range min(len(c.Texts), len(to.Texts)) {
		x, y := c.Texts[i].Content, to.Texts[i].Content
		at := common(x, y)
		n += at
		for at < min(len(x), len(y)) && x[len(x)-1] == y[len(y)-1] {
			x, y = x[:len(x)-1], y[:len(y)-1]
			n++
		}
	}
	own := to.settings()
	for i, s := range c.settings() {
		if s != own[i] {
			n--
		}
	}
	return n
}

// common is the length of the beginning that two texts share.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// diff shows the settings in which a recorded call differs from another one, and the first
// line that does of the first text that does, in lines that are safe to print.
func (c *Call) diff(to *Call) string {
	var b strings.Builder
	show := func(where, from, to string) {
		from, to = cmp.Or(from, "(none)"), cmp.Or(to, "(none)")
		start := max(0, common(from, to)-diffWidth/3) // so that the difference is seen
		fmt.Fprintf(&b, "\n  %s:\n    - %s\n    + %s", where, around(from, start), around(to, start))
	}
	own := to.settings()
	for i, s := range c.settings() {
		if s != own[i] {
			show(s.Name, s.Value, own[i].Value)
		}
	}
	for i := range min(len(c.Texts), len(to.Texts)) {
		from, to := strings.Split(c.Texts[i].Content, "\n"), strings.Split(to.Texts[i].Content, "\n")
		for len(from) < len(to) {
			from = append(from, "")
		}
		for n, line := range from {
			other := ""
			if n < len(to) {
				other = to[n]
			}
			if line != other {
				show(fmt.Sprintf("text %d (%s), line %d", i+1, termsafe.Text(c.Texts[i].Role), n+1), line, other)
				return b.String()
			}
		}
	}
	return b.String()
}

// diffWidth is how many characters of a line a diff shows.
const diffWidth = 160

// around cuts a long line to what fits from an offset on.
func around(line string, start int) string {
	if start == 0 || len(line) <= diffWidth {
		return excerpt(line, diffWidth)
	}
	return "…" + excerpt(strings.ToValidUTF8(line[start:], ""), diffWidth)
}

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
	roles := lists.Map(c.Texts, func(t Text) string { return t.Role })
	values["texts"], _ = marshal(strings.Join(roles, ", "))
	return lists.Map(settingNames[:], func(name string) Setting {
		var text string
		if json.Unmarshal(values[name], &text) != nil {
			text = string(values[name])
		}
		return Setting{name, text}
	})
}

// Settings lists what a call was asked with beside its texts: its parameters
// and its format, without those that are not set and without the identity and
// the role.
func (c *Call) Settings() []Setting {
	return slices.DeleteFunc(c.settings()[slices.Index(settingNames[:], "temperature"):], func(s Setting) bool { return s.Value == "" })
}
