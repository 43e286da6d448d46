package calls

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/termsafe"
)

// maxCompared bounds how many recordings, the newest ones, are read for a call that misses.
const maxCompared = 1000

// nearest says which recording is most like a call, and in what the two differ:
// lines to put behind a message. Of the recordings of the same kind, and of the
// same role where there are any, it is the one whose texts begin and end alike.
func (s *Store) nearest(c *Call) string {
	all, err := s.list(math.MinInt64, math.MaxInt64, s.unreadable)
	if err != nil {
		return ""
	}
	all = slices.DeleteFunc(all, func(r *Recording) bool { return r.Kind != c.Kind })
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
		if n := likeness(other, c); n > most {
			best, near, most = r, other, n
		}
	}
	if best == nil {
		return fmt.Sprintf("\nno %s call is recorded", c.Kind)
	}
	return fmt.Sprintf("\nthe nearest recording is %s of %s; it (-) differs from what was asked (+) in%s",
		best.Key.ID(), best.Time.Format("2006-01-02 15:04:05"), diff(near, c))
}

// likeness is the number of bytes with which the texts of two calls begin and end alike,
// less the settings in which they differ.
func likeness(a, b *Call) (n int) {
	for i := range min(len(a.Texts), len(b.Texts)) {
		x, y := a.Texts[i].Content, b.Texts[i].Content
		at := common(x, y)
		n += at
		for at < min(len(x), len(y)) && x[len(x)-1] == y[len(y)-1] {
			x, y = x[:len(x)-1], y[:len(y)-1]
			n++
		}
	}
	own := b.settings()
	for i, s := range a.settings() {
		if s != own[i] {
			n--
		}
	}
	return n
}

// miss is the fault of a replay that lacks recordings. The recorder's first one
// says in what the nearest recording differs.
func (d *door) miss(all []*Call, keys []Key, items []int) error {
	first := all[items[0]]
	var b strings.Builder
	fmt.Fprintf(&b, "no recording of %s, id %s", first.describe(d.id), keys[items[0]].ID())
	if more := len(items) - 1; more > 0 {
		fmt.Fprintf(&b, ", and of %d more", more)
	}
	fmt.Fprintf(&b, " in %s; with the model's server running, --calls reuse asks it; --model stand-in answers without a model", d.store.where())
	d.explain.Do(func() { b.WriteString(d.store.nearest(first)) })
	return &fault.Error{Kind: fault.Miss, Message: b.String()}
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

// excerpt is the beginning of a text, at most n characters.
func excerpt(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	r := []rune(termsafe.Text(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}
