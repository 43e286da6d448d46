package annotate

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/timex"
)

// placeNear is for how many utterances a place stays the matter.
const placeNear = 4

// maxName is how many tokens a name may have.
const maxName = 8

// findEntities finds the values and names of a sentence, in order and without
// overlap, and teaches the gazetteer the names.
func (s *sentence) findEntities(g *gazetteer, exprs []timex.Expr) {
	shouted := s.shouted()
	for _, w := range s.low {
		if kind := words().places[w]; kind != "" && kind != "town" && kind != "home" && kind != "work" {
			g.placeAt = s.Utterance + 1
		}
	}
	places := g.placeAt > 0 && s.Utterance-g.placeAt+1 <= placeNear
	for i := 0; i < len(s.Tokens); {
		n, typ := g.match(s, i)
		if n > 0 && typ == "" && s.ordinary(i, n) {
			typ = "MISC"
		}
		if n == 0 || n == 1 && (typ == "" || typ == "MISC") {
			if v, t := s.valueAt(i); v > n {
				n, typ = v, t
			}
		}
		if n <= 1 || isValue(typ) {
			if d := s.exprAt(exprs, i); d > n {
				n, typ = d, "DATE"
			}
		}
		learn := false
		if n == 0 && !shouted {
			n, typ = s.capitals(i)
			learn = n > 0
		}
		if n == 0 {
			n, typ = s.lowerName(i, places)
			learn = n > 0
		}
		if n == 0 {
			i++
			continue
		}
		// A name goes on where a known one has a capital behind it: "Rachel Green".
		if !isValue(typ) && !shouted {
			for i+n < len(s.Tokens) && n < maxName && s.upper(i) && s.upper(i+n) && noun(s.pos(i+n)) && !isCommon(s.low[i+n]) && !words().days[s.low[i+n]] && s.valueStart(i+n) == 0 {
				n++
				learn = true
			}
			if k := s.tail(i, n); k > 0 {
				n, typ, learn = n+k, "FAC", true
			}
		}
		e := annotate.Entity{Span: annotate.Span{Start: i, End: i + n}, Type: typ}
		if !isValue(typ) {
			e.Type = s.typeOf(e, places)
			e.Start = s.withTitle(e)
			s.markName(e)
			if learn && !isQuality(e.Type) {
				g.add(s.span(i, i+n), e.Type, false)
				if _, title := words().titles[strings.TrimSuffix(s.low[i], ".")]; title && n > 1 {
					g.add(s.span(i+1, i+n), e.Type, false)
				}
			}
		}
		s.Entities = append(s.Entities, e)
		i += n
	}
}

// ordinary reports whether tokens are common words without capitals.
func (s *sentence) ordinary(i, n int) bool {
	for k := i; k < i+n; k++ {
		if s.upper(k) || !isCommon(s.low[k]) {
			return false
		}
	}
	return true
}

func (s *sentence) valueStart(i int) int {
	n, _ := s.valueAt(i)
	return n
}

// markName tags the words of a name as such.
func (s *sentence) markName(e annotate.Entity) {
	for i := e.Start; i < e.End; i++ {
		if t := &s.Tokens[i]; !mark(t.Text) && closed[s.low[i]] == "" && t.POS != "IN" && !isQuality(e.Type) && t.POS != "NNPS" && t.POS != "CD" {
			t.POS, t.Lemma = "NNP", t.Text
		}
	}
}

// exprAt returns how many tokens from i on are an expression of date.
func (s *sentence) exprAt(exprs []timex.Expr, i int) int {
	at := s.Tokens[i].Start
	k, _ := slices.BinarySearchFunc(exprs, at, func(e timex.Expr, at int) int { return e.Start - at })
	if k == len(exprs) || exprs[k].Start != at || exprs[k].Kind == timex.Frequency {
		return 0
	}
	n := 0
	for i+n < len(s.Tokens) && s.Tokens[i+n].End <= exprs[k].End {
		n++
	}
	return n
}
