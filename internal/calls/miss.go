package calls

import (
	"fmt"
	"strings"

	"recallbench/internal/fault"
	"recallbench/internal/plain"
)

// miss is the fault of a replay that lacks recordings. The recorder's first one
// says in what the nearest recording differs.
func (d *door) miss(all []*Call, keys []Key, items []int) error {
	first := all[items[0]]
	var b strings.Builder
	fmt.Fprintf(&b, "no recording of %s, id %s", first.describe(d.id), keys[items[0]].ID())
	if more := len(items) - 1; more > 0 {
		fmt.Fprintf(&b, ", and of %d more", more)
	}
	fmt.Fprintf(&b, " in %s; with the model's server running, --calls reuse asks it; --model offline answers without a model", d.store.dir)
	d.explain.Do(func() { b.WriteString(d.store.nearest(first, d.id)) })
	return &fault.Error{Kind: fault.Miss, Message: b.String()}
}

// describe names a call in a few words.
func (c *Call) describe(id identity) string {
	model := plain.Text(id.Model)
	if id.Provider != "" {
		model += " at " + plain.Text(id.Provider)
	}
	switch c.Kind {
	case Embed:
		return fmt.Sprintf("the %s embedding of %q by %s", c.Texts[0].Role, excerpt(c.Texts[0].Content, 60), model)
	case Entail:
		return fmt.Sprintf("whether %q entails %q by %s", excerpt(c.Texts[0].Content, 60), excerpt(c.Texts[1].Content, 60), model)
	case Keep:
		return fmt.Sprintf("the tokens of %q by %s", excerpt(c.Texts[0].Content, 60), model)
	case Annotate:
		return fmt.Sprintf("the %s of %q by %s", c.Texts[0].Content, excerpt(c.Annotated(), 60), model)
	default:
		return fmt.Sprintf("the %s call of %s", plain.Text(c.Role), model)
	}
}

// excerpt is the beginning of a text, at most n characters.
func excerpt(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	r := []rune(plain.Text(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}
