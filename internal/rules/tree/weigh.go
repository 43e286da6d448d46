package tree

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// text writes a node's own fields for scoring.
func ownText(n *tree.Node) string {
	var b strings.Builder
	b.WriteString(callName(n))
	for _, f := range n.Fields {
		v := f.Value()
		if v == callName(n) {
			continue
		}
		b.WriteString(". " + f.Name + ": " + v)
	}
	if n.Text != "" {
		b.WriteString(". " + n.Text)
	}
	return b.String()
}

// meetsWords returns how far a text meets a condition: by its words, or by the
// scorer.
func (j *judge) meetsWords(n *tree.Node, c cond) float64 {
	text := ownText(n)
	key := [2]string{text, c.text}
	if s, ok := j.memo[key]; ok {
		return s
	}
	s := max(covers(n, c.stems), j.ask(text, c.text))
	if deniedIn(text, c.stems) {
		s = 0
	}
	j.memo[key] = s
	return s
}

// deniedIn reports whether a text names what a condition asks for only to deny
// it: "nothing for vegetarians".
func deniedIn(text string, want []string) bool {
	if len(want) == 0 {
		return false
	}
	words := scan(text)
	seen := false
	for i, w := range words {
		if w.stem != want[len(want)-1] {
			continue
		}
		seen = true
		no := false
		for k := i - 1; k >= max(0, i-3) && !words[k].mark; k-- {
			switch words[k].low {
			case "nothing", "no", "not", "without", "never", "isn't", "aren't":
				no = true
			}
		}
		if !no {
			return false
		}
	}
	return seen
}

func (j *judge) ask(text, condition string) float64 {
	if j.score == nil {
		return 0
	}
	s, err := j.score([]string{text}, condition)
	if err != nil || len(s) != 1 {
		return 0
	}
	return s[0]
}

// covers returns the share of the words of a condition that a node has: in its
// name they count in full, elsewhere a little less.
func covers(n *tree.Node, want []string) float64 {
	if len(want) == 0 {
		return 0
	}
	name := stemsOf(callName(n))
	var rest map[string]bool
	sum := 0.0
	for _, s := range want {
		if name[s] {
			sum++
			continue
		}
		if rest == nil {
			rest = stemsOf(ownText(n))
			rest[stem(strings.ToLower(n.Type))] = true
		}
		if rest[s] {
			sum += 0.8
		}
	}
	return sum / float64(len(want))
}

// nameShare is the share of the words of a condition that are in a node's
// name.
func nameShare(n *tree.Node, want []string) float64 {
	if len(want) == 0 {
		return 0
	}
	name := stemsOf(callName(n))
	hit := 0
	for _, s := range want {
		if name[s] {
			hit++
		}
	}
	return float64(hit) / float64(len(want))
}

// good is the score from which a condition counts as met.
const good = 0.5

// literalShare is the share of the best score from which a node that has all of
// the words that are asked for is meant beside one that is called so.
const literalShare = 0.78

// says reports whether a node has all words of the conditions that are not
// denied, in its name or in a list of its parts.
func says(n *tree.Node, conds []cond) bool {
	have := stemsOf(n.Name())
	for _, f := range n.Fields {
		if len(f.Values) > 1 {
			maps.Copy(have, stemsOf(f.Value()))
		}
	}
	return !slices.ContainsFunc(conds, func(c cond) bool {
		return !c.negated && slices.ContainsFunc(c.stems, func(s string) bool { return !have[s] })
	})
}

// near is the share of the best score that a node has to reach, too.
const near = 0.83

// weigh keeps the nodes that meet the conditions in words.
func (j *judge) weigh(pool []candidate, r *reading, op treetask.Operation) []candidate {
	if r.severally() && len(pool) > 1 {
		if some := j.weighEach(pool, r, op); len(some) > 0 {
			return some
		}
	}
	conds := j.useful(pool, r.conds)
	if len(conds) == 0 && (!r.says() || len(pool) > 1 && r.refers()) {
		// "Remove the one that has them": what they are was said before.
		conds = j.useful(pool, r.context)
		for i := range conds {
			conds[i].negated = conds[i].negated && !r.says()
		}
	}
	if len(conds) == 0 && len(r.conds) > 0 && len(pool) > 1 && op != treetask.Read && r.single(op) {
		// Nothing tells them apart well: what was found best.
		best := slices.MaxFunc(pool, func(a, b candidate) int { return cmp.Compare(a.found, b.found) })
		return []candidate{best}
	}
	if len(conds) == 0 || len(pool) == 0 {
		return pool
	}
	// A condition that names a container holds for all in it.
	for i := range pool {
		total, n := 0.0, 0.0
		for k := 0; k < len(conds); k++ {
			c := conds[k]
			s := j.onPath(pool[i].path, c)
			for c.or > 0 && k+1 < len(conds) && conds[k+1].or == c.or {
				k++
				s = max(s, j.onPath(pool[i].path, conds[k]))
			}
			if c.negated {
				s = 1 - s
			}
			// More words say more.
			weight := float64(max(1, len(c.stems)))
			if r.loose {
				s *= s // among much that means nothing, what fits well counts
			}
			total += weight * s
			n += weight
		}
		pool[i].score = total / n
		// Of nodes that fit alike the one that is called so is meant.
		for _, c := range conds {
			if !c.negated {
				pool[i].bonus += 0.06 * nameShare(pool[i].node(), c.stems) / float64(len(conds))
			}
		}
	}
	best := 0.0
	for _, c := range pool {
		best = max(best, c.score)
	}
	var out []candidate
	for _, c := range pool {
		if c.score >= best*0.999 || c.score >= max(good, near*best) && (r.plural || r.generic || r.explicit || op == treetask.Read) ||
			r.plural && op == treetask.Read && c.score >= max(good, literalShare*best) && says(c.node(), conds) {
			out = append(out, c)
		}
	}
	if r.exact > 0 && len(out) != r.exact && len(pool) > r.exact {
		// As many as the request says, those that fit best.
		top := slices.Clone(pool)
		slices.SortStableFunc(top, func(a, b candidate) int { return cmp.Compare(b.score+b.bonus, a.score+a.bonus) })
		out = top[:r.exact]
		slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
		return out
	}
	if r.single(op) {
		slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.score+b.bonus, a.score+a.bonus) })
		top := out[:1]
		for _, c := range out[1:] {
			if c.score+c.bonus >= (top[0].score+top[0].bonus)*0.98 {
				top = append(top, c)
			}
		}
		out = top
		slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
	}
	return out
}

var referring = re(`\b(?:has|have|had|with|contains?|includes?|uses?|without|of|in|for|like|use) (?:it|them|that|those|any|one|some)\b`)

// refers reports whether the sentence that asks points back to what was named
// before.
func (r *reading) refers() bool { return referring.MatchString(r.text) }

// single reports whether one node is meant: it is named, not described.
func (r *reading) single(op treetask.Operation) bool {
	if r.plural || r.from != 0 || r.count || r.loose && op == treetask.Read || r.sum || r.mean || r.generic && op == treetask.Read {
		return false
	}
	return true
}

// onPath returns how far a node meets a condition, by its own text or because
// a container is named by it.
func (j *judge) onPath(path []*tree.Node, c cond) float64 {
	s := j.meetsWords(path[len(path)-1], c)
	for i := 1; i < len(path)-1; i++ {
		if named := nameCovers(path[i], c.stems); named > s {
			s = named
		}
	}
	return s
}

// nameCovers returns the share of the words of a condition that are in a
// node's name or its short fields.
func nameCovers(n *tree.Node, want []string) float64 {
	if len(want) == 0 {
		return 0
	}
	have := map[string]bool{}
	for _, f := range n.Fields {
		if v := f.Value(); len(v) <= 40 {
			for s := range stemsOf(v) {
				have[s] = true
			}
		}
	}
	hit := 0
	for _, s := range want {
		if have[s] {
			hit++
		}
	}
	return float64(hit) / float64(len(want))
}

// useful drops conditions that tell nothing apart: no node meets them a
// little, or all do alike. One stays in any case, where there is one that any
// node meets.
func (j *judge) useful(pool []candidate, conds []cond) []cond {
	var out []cond
	for _, c := range conds {
		lo, hi := 1.0, 0.0
		for _, p := range pool {
			s := j.onPath(p.path, c)
			lo, hi = min(lo, s), max(hi, s)
		}
		if hi >= good {
			if hi-lo > 0.05 || len(pool) == 1 {
				out = append(out, c)
			}
		}
	}
	return out
}

// pickGroups returns the containers that a reading means.
func (j *judge) pickGroups(r *reading) []candidate {
	g := r.group
	var pool []candidate
	for _, c := range j.all {
		if isOf(c.node(), r.targets) && j.inOwn(c.path, r) {
			pool = append(pool, c)
		}
	}
	var leafScopes []scope
	for _, s := range r.scopes {
		if k := r.v.kind(s.kind); k != nil && k.leaf {
			leafScopes = append(leafScopes, s)
		}
	}
	var below []candidate
	for _, p := range pool {
		below = append(below, j.leaves(p, g)...)
	}
	conds := j.useful(below, r.conds)
	if len(leafScopes)+len(conds)+len(r.compares) == 0 {
		if len(r.conds) > 0 {
			return j.weigh(pool, r, treetask.Read)
		}
		if g.mode == "most" || g.mode == "least" {
			for i := range pool {
				pool[i].score = float64(len(j.leaves(pool[i], g)))
			}
			return extremes(pool, g.mode == "most")
		}
		if r.from != 0 {
			return ordinalsOf(pool, r)
		}
		return pool
	}
	leafReading := *r
	top := make([]float64, len(conds))
	for i, c := range conds {
		for _, b := range below {
			top[i] = max(top[i], j.meetsWords(b.node(), c))
		}
	}
	// Each condition is looked for in the container by itself.
	var out []candidate
	for _, p := range pool {
		leaves := j.leaves(p, g)
		if len(leaves) == 0 {
			if g.mode == "none" {
				out = append(out, p)
			}
			continue
		}
		hits, sum := 0, 0.0
		each := make([]float64, len(conds))
		for _, l := range leaves {
			ok := j.inScopes(l.path, &leafReading)
			for _, c := range r.compares {
				fits, known := j.meets(l.node(), c)
				ok = ok && known && fits != c.negated
			}
			if !ok {
				continue
			}
			s := 1.0
			if len(conds) > 0 {
				s = 0
				if g.mode != "any" && g.mode != "none" {
					s = 1
				}
				for i, c := range conds {
					m := j.meetsWords(l.node(), c)
					each[i] = max(each[i], m)
					if g.mode == "any" || g.mode == "none" {
						s = max(s, m)
					} else {
						if c.negated {
							m = 1 - m
						}
						s = min(s, m)
					}
				}
			}
			if s >= good {
				hits++
				sum += s
			}
		}
		switch g.mode {
		case "most", "least":
			p.score = float64(hits) + sum/1000
			out = append(out, p)
		case "all":
			if hits == len(leaves) {
				out = append(out, p)
			}
		case "none":
			if hits == 0 {
				out = append(out, p)
			}
		default:
			ok := hits > 0 || r.both
			for i, c := range conds {
				met := each[i] >= max(good, 0.95*top[i])
				if r.both {
					met = j.anyLeaf(leaves, r, c, i+1 == len(conds))
				}
				if c.negated == met {
					ok = false
				}
			}
			if len(conds) > 0 && allNegated(conds) {
				ok = true
				for i := range conds {
					ok = ok && each[i] < good
				}
			}
			if ok {
				out = append(out, p)
			}
		}
	}
	if g.mode == "most" || g.mode == "least" {
		return extremes(out, g.mode == "most")
	}
	return out
}

// anyLeaf reports whether one of the nodes meets a condition and, where it is
// the one before a comparison or the last, the comparisons.
func (j *judge) anyLeaf(leaves []candidate, r *reading, c cond, last bool) bool {
	return slices.ContainsFunc(leaves, func(l candidate) bool {
		if j.meetsWords(l.node(), c) < good {
			return false
		}
		for _, cmp := range r.compares {
			if !last {
				continue
			}
			if fits, known := j.meets(l.node(), cmp); !known || fits == cmp.negated {
				return false
			}
		}
		return true
	})
}

func allNegated(conds []cond) bool {
	return !slices.ContainsFunc(conds, func(c cond) bool { return !c.negated })
}

// extremes returns the candidates with the highest or lowest score.
func extremes(pool []candidate, most bool) []candidate {
	if len(pool) == 0 {
		return nil
	}
	best := pool[0].score
	for _, p := range pool {
		if most && p.score > best || !most && p.score < best {
			best = p.score
		}
	}
	return slices.DeleteFunc(slices.Clone(pool), func(c candidate) bool { return c.score != best })
}

// inOwn reports whether a container lies in the scopes on itself and above.
func (j *judge) inOwn(path []*tree.Node, r *reading) bool {
	own := *r
	own.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool {
		k := r.v.kind(s.kind)
		return k == nil || k.leaf
	})
	return j.inScopes(path, &own)
}

// leaves returns the nodes of the grouping's types below a container.
func (j *judge) leaves(c candidate, g *grouping) []candidate {
	var out []candidate
	var walk func(path []*tree.Node)
	walk = func(path []*tree.Node) {
		for _, n := range path[len(path)-1].Children {
			p := append(slices.Clip(path), n)
			if isOf(n, g.of) {
				out = append(out, candidate{path: p})
			}
			if len(p) < 64 {
				walk(p)
			}
		}
	}
	walk(c.path)
	return out
}
