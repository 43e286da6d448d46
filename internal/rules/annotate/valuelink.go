package annotate

import (
	"recallbench/internal/door/annotate"
)

// simple resolves a name that stands for no single thing: equal words are one.
func (v *resolver) simple(s *sentence, e annotate.Entity, m annotate.Mention) *ent {
	key := "=" + s.span(e.Start, e.End)
	got := v.byValue[key]
	if got == nil {
		got = v.newEnt(s.written(v.r.Utterances, e.Span), e.Type)
		got.keeps, got.value = true, key
	}
	v.byValue[key] = got
	return v.mention(got, m, e.End-1, 0)
}

// valueMention resolves a value: one cluster for all that say the same. A number
// goes with what it counts where both say it.
func (v *resolver) valueMention(s *sentence, e annotate.Entity, m annotate.Mention) *ent {
	key := e.Type + ":" + s.normal(e)
	got := v.byValue[key]
	if e.Type == "CARDINAL" {
		counted := ""
		if n := e.End; n < len(s.Tokens) && noun(s.Tokens[n].POS) {
			counted = s.Tokens[n].Lemma
		}
		if counted != "" {
			if exact := v.byValue[key+" "+counted]; exact != nil {
				got = exact
			} else if got != nil && len(got.heads) > 0 {
				got = nil
			}
		}
		if got == nil {
			got = v.newEnt(s.written(v.r.Utterances, e.Span), e.Type)
		}
		if counted != "" {
			got.heads = []string{counted}
			v.byValue[key+" "+counted] = got
		}
	} else if got == nil {
		got = v.newEnt(s.written(v.r.Utterances, e.Span), e.Type)
	}
	got.keeps, got.value = true, key
	v.byValue[key] = got
	return v.mention(got, m, e.End-1, 0)
}

// deictic reports whether words name a day by its distance from now, so that
// they mean another one in another session.
func (s *sentence) deictic(from, to int) bool {
	for _, w := range s.low[from:to] {
		if words().deictic[w] {
			return true
		}
	}
	return false
}
