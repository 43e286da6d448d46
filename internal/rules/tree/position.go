package tree

import (
	"slices"
	"strings"
)

var (
	possessive = set(`the my our your his her their 's its that`)
	timeNoun   = set(`time week month year night minute moment hour floor half part thing version draft plan name`)
)

var (
	topForm    = re(`\b(?:(?:at the|the very|on) top of|heads the|at the head of|the first (?:thing|one|place) (?:of|on|in|under))\b`)
	bottomForm = re(`\b(?:at the (?:bottom|end) of|the last (?:thing|one|place) (?:of|on|in|under))\b`)
	comesNth   = re(`\b(?:comes?|came|is|was|stands?|stood|sits?|sat|listed|ranked|being|go|goes) (first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)\b`)
)

var holding = re(`\b(?:on|of|for|during|from) (?:the |that |our )?(?:same )?(\w+) (?:with|that has|that have|which has|when we(?:['’]re| are)? (?:go to|visit|see|at|in|have|do|on|off to)?|we(?:['’]re| are)? (?:go to|visit|see|at|have|do|on|off to)|where we (?:visit|see|have|do)|after which we)\s*(?:the |a |an |our )?([^,.;?!]+?)(?:[,.;?!]|$)`)

// findHolders looks for containers that are known by what is in them: "on the
// day with the aquarium".
func (r *reading) findHolders() {
	for _, at := range holding.FindAllStringSubmatchIndex(r.text, 2) {
		i := slices.IndexFunc(r.words, func(w word) bool { return w.start >= at[2] })
		if i < 0 || r.used[i] != unused {
			continue
		}
		for _, k := range r.v.kinds {
			if k.leaf || k.name == r.v.root || !k.words[r.words[i].stem] {
				continue
			}
			c := cond{text: clean(r.text[at[4]:at[5]]), stems: contentStems(r.text[at[4]:at[5]])}
			if len(c.stems) == 0 {
				continue
			}
			r.scopes = append(r.scopes, scope{kind: k.name, holds: &c})
			for m := range r.words {
				if r.words[m].start >= at[2] && r.words[m].end <= at[5] {
					r.used[m] = usedScope
				}
			}
		}
	}
}

// findPositions looks for ordinals and ranges: "day five", "the third task",
// "days 4 to 6", "the last two stops".
func (r *reading) findPositions() {
	if at := comesNth.FindStringSubmatchIndex(r.text); at != nil {
		r.from, _ = ordinal(strings.ToLower(r.text[at[2]:at[3]]))
		r.to = r.from
		r.mark(at[0], at[1], usedScope)
	} else if at := topForm.FindStringIndex(r.text); at != nil {
		r.from, r.to = 1, 1
		r.mark(at[0], at[1], usedScope)
	} else if at := bottomForm.FindStringIndex(r.text); at != nil {
		r.from, r.to = -1, -1
		r.mark(at[0], at[1], usedScope)
	}
	for i := 0; i < len(r.words); i++ {
		if r.used[i] != unused {
			continue
		}
		if k, n := r.kindAt(i); k != nil && n >= 2 {
			if j := r.afterKind(i, k); j > i {
				i = j - 1
				continue
			}
		}
		r.beforeKind(i)
	}
}

// kindAt returns the kind that the word at i stands for.
func (r *reading) kindAt(i int) (*kind, int) {
	if i < 0 || i >= len(r.words) || r.words[i].mark {
		return nil, 0
	}
	var best *kind
	strength := 0
	for _, k := range r.v.kinds {
		if k.name == r.v.root {
			continue
		}
		if n := k.mention(r.words[i].stem); n > strength || n == strength && n > 0 && best != nil && k.depth > best.depth {
			best, strength = k, n
		}
	}
	return best, strength
}

// afterKind reads numbers after the name of a type: "day 5", "days 4 to 6",
// "days 1, 3 and 5". It returns the index after them.
func (r *reading) afterKind(i int, k *kind) int {
	j := i + 1
	if j < len(r.words) && (r.words[j].low == "number" || r.words[j].low == "no" || r.words[j].low == "#" || r.words[j].low == "nr") {
		j++
	}
	a, ok := r.cardinalAt(j)
	if !ok {
		return i
	}
	// "day 2 hours": a number of something else.
	if j+1 < len(r.words) && lengthUnits[r.words[j+1].low] {
		return i
	}
	b, end := a, j+1
	var more []int
	// "from day 4 to day 6"
	if end+2 < len(r.words) && (r.words[end].low == "to" || r.words[end].low == "through" || r.words[end].low == "until" || r.words[end].low == "and" && i > 0 && r.words[i-1].low == "between") && k.words[r.words[end+1].stem] {
		if c, ok := r.cardinalAt(end + 2); ok && c >= a {
			b, end = c, end+3
		}
	}
	for end+1 < len(r.words) {
		w := r.words[end].low
		c, ok := r.cardinalAt(end + 1)
		if !ok {
			break
		}
		if end+2 < len(r.words) && lengthUnits[r.words[end+2].low] {
			break
		}
		if w == "to" || w == "-" || w == "through" || w == "till" || w == "until" {
			b, end = c, end+2
			break
		}
		if w == "and" && i >= 1 && r.words[max(0, i-1)].low == "between" {
			b, end = c, end+2
			break
		}
		if w != "and" && w != "," && w != "or" && w != "&" {
			break
		}
		more = append(more, c)
		end += 2
	}
	neg := r.negatedAt(i)
	r.positions(k, a, b, neg)
	for _, c := range more {
		r.positions(k, c, c, neg)
	}
	for m := i; m < end; m++ {
		r.used[m] = usedScope
	}
	return end
}

var lengthUnits = set(`minutes minute min mins hour hours h am pm dollars euros pounds o'clock percent`)

func (r *reading) cardinalAt(i int) (int, bool) {
	if i >= len(r.words) || r.used[i] != unused && !r.words[i].mark {
		return 0, false
	}
	low := r.words[i].low
	if n, ok := cardinals[low]; ok {
		return n, true
	}
	if digits(low) && len(low) <= 3 {
		return ordinal(low)
	}
	return 0, false
}

// positions adds a scope by position, or the positions of what is asked for
// when the type is a leaf.
func (r *reading) positions(k *kind, from, to int, negated bool) {
	r.scopes = append(r.scopes, scope{kind: k.name, from: from, to: to, negated: negated})
}

// beforeKind reads ordinals before the name of a type: "third day", "the last
// two stops", "first outdoor activity".
func (r *reading) beforeKind(i int) {
	w := r.words[i]
	if !isOrdinal(w.low) || r.used[i] != unused {
		return
	}
	n, _ := ordinal(w.low)
	j := i + 1
	count := 1
	if j < len(r.words) {
		if c, ok := r.cardinalAt(j); ok && c > 1 && c < 50 {
			count = c
			j++
		}
	}
	second := 0
	if j+1 < len(r.words) && (r.words[j].low == "and" || r.words[j].low == "or") && isOrdinal(r.words[j+1].low) {
		second, _ = ordinal(r.words[j+1].low)
		j += 2
	}
	if j+1 < len(r.words) && (r.words[j].low == "to" || r.words[j].low == "through") && isOrdinal(r.words[j+1].low) {
		if to, _ := ordinal(r.words[j+1].low); n > 0 && to > n {
			count = to - n + 1
			j += 2
		}
	}
	limit := min(len(r.words), j+4)
	for k := j; k < limit && !r.words[k].mark; k++ {
		low := r.words[k].low
		if low == "of" || low == "in" || low == "on" {
			break
		}
		kind, strength := r.kindAt(k)
		if strength == 0 && general[r.words[k].stem] || low == "one" || low == "ones" || anything[low] {
			kind, strength = nil, 2
		}
		if strength < 1 && k == j && content(r.words[k]) && i > 0 && k+1 <= len(r.words) && possessive[r.words[i-1].low] && !timeNoun[low] {
			r.from, r.to = n, n+count-1
			if n == -1 {
				r.from, r.to = -count, -1
			}
			for m := i; m < j; m++ {
				r.used[m] = usedScope
			}
			return
		}
		if strength < 1 {
			continue
		}
		if strength == 1 && k+1 < limit {
			if _, next := r.kindAt(k + 1); next >= 2 {
				continue
			}
		}
		from, to := n, n
		switch {
		case n == -1 && count > 1:
			from, to = -count, -1
		case count > 1:
			to = n + count - 1
		}
		if kind != nil && k == j && !kind.leaf && r.used[k] == usedScope {
			// "The second lunch": the meal is known, the place is of what is in
			// it.
			kind = nil
		}
		if kind != nil && k == j && !kind.leaf {
			r.positions(kind, from, to, r.negatedAt(i))
			if second != 0 {
				r.positions(kind, second, second, r.negatedAt(i))
			}
			for m := i; m <= k; m++ {
				r.used[m] = usedScope
			}
			return
		}
		r.from, r.to = from, to
		if kind != nil && strength >= 2 && !slices.Contains(r.targets, kind) && !kind.leaf {
			r.targets = append(r.targets, kind)
		}
		for m := i; m < j; m++ {
			r.used[m] = usedScope
		}
		return
	}
}
