package calls

import (
	"cmp"
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
// same role where there are any, it is the one that shares most of the text.
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
	var likeness [2]float64
	own := linesAndWords(c)
	for _, r := range all[:min(len(all), maxCompared)] {
		other, err := r.Call()
		if err != nil {
			continue
		}
		l := [2]float64{own.share(other), -float64(len(settingsDiff(other, c)))}
		if best == nil || cmp.Or(cmp.Compare(l[0], likeness[0]), cmp.Compare(l[1], likeness[1])) > 0 {
			best, near, likeness = r, other, l
		}
	}
	if best == nil {
		return fmt.Sprintf("\nno %s call is recorded", c.Kind)
	}
	return fmt.Sprintf("\nthe nearest recording is %s of %s; it (-) differs from what was asked (+) in%s",
		best.Key.ID(), best.Time.Format("2006-01-02 15:04:05"), diff(near, c))
}

// A material is what the texts of a call consist of.
type material struct {
	lines, words map[string]bool
	size         int
}

func linesAndWords(c *Call) material {
	all := material{lines: make(map[string]bool), words: make(map[string]bool)}
	for _, t := range c.Texts {
		all.size += len(t.Content)
		for line := range strings.SplitSeq(t.Content, "\n") {
			all.lines[line] = true
			for w := range strings.FieldsSeq(line) {
				all.words[w] = true
			}
		}
	}
	return all
}

// share returns how much of the texts of both calls is in lines and in words that
// the other call has, too.
func (own material) share(other *Call) float64 {
	shared, size := 0, own.size
	for _, t := range other.Texts {
		size += len(t.Content)
		for line := range strings.SplitSeq(t.Content, "\n") {
			if own.lines[line] {
				shared += 2 * len(line)
				continue
			}
			for w := range strings.FieldsSeq(line) {
				if own.words[w] {
					shared += len(w) + 1
				}
			}
		}
	}
	return float64(shared) / float64(max(size, 1))
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
