package tree

import (
	"slices"
	"strings"
)

// prepositions lead to what something is in or about, not to what is asked
// for.
var prepositions = set(`in of under on from within into to inside for per by with among amongst across at below beneath onto`)

// findKinds looks for the types that a request is after.
func (r *reading) findKinds() {
	var mentions, hints []target
	for i, w := range r.words {
		if w.mark || r.used[i] != unused {
			continue
		}
		if closed[w.low] && !anything[w.low] {
			continue
		}
		strength := 0
		var kinds []*kind
		for _, k := range r.v.kinds {
			if k.name == r.v.root {
				continue
			}
			n := k.mention(w.stem)
			if n == 0 || n < strength {
				continue
			}
			if n > strength {
				strength, kinds = n, nil
			}
			kinds = append(kinds, k)
		}
		switch {
		case strength >= 2:
			if k := r.qualifiesScope(i, kinds); k != nil {
				r.used[i], r.qualified = usedScope, k
				continue
			}
			for _, k := range kinds {
				mentions = append(mentions, target{k, i, strength})
			}
			r.used[i] = usedKind
			r.plural = r.plural || strings.HasSuffix(w.low, "s")
		case strength == 1 && !r.negatedAt(i) && !(i+1 < len(r.words) && (r.words[i+1].low == "included" || r.words[i+1].low == "excluded" || r.words[i+1].low == "aside")):
			for _, k := range kinds {
				if k.leaf {
					hints = append(hints, target{k, i, strength})
				}
			}
			if doing[w.stem] {
				r.used[i] = usedKind
			}
		case anything[w.low] || general[w.stem] && strength == 0 && !r.v.fieldWord(w.stem):
			if r.main[i] {
				r.generic = true
				r.plural = r.plural || strings.HasSuffix(w.low, "s") || anything[w.low]
			}
			r.used[i] = usedKind
		}
	}
	r.chooseTargets(mentions, hints)
}

// qualifiesScope reports whether the name of a type stands beside a value
// that says which: "the learning category".
func (r *reading) qualifiesScope(i int, kinds []*kind) *kind {
	for _, k := range kinds {
		if k.leaf {
			continue
		}
		if i > 0 && r.scoped[i-1] == k.name || i+1 < len(r.words) && r.scoped[i+1] == k.name {
			return k
		}
	}
	return nil
}

// chooseTargets picks what is asked for among the types that are named.
func (r *reading) chooseTargets(mentions, hints []target) {
	asked := func(i int) int {
		if i+1 < len(r.words) && r.words[i+1].low == "'s" {
			return 0
		}
		for k := i - 1; k >= max(0, i-5); k-- {
			w := r.words[k]
			switch {
			case w.low == "which" || w.low == "what" || w.low == "many" || w.low == "whichever":
				return 3
			case w.mark && w.low != "-":
				return 1
			case prepositions[w.low] && !(w.low == "of" && k > 0 && (r.words[k-1].low == "all" || r.words[k-1].low == "which")):
				if k > 0 && (r.words[k-1].low == "which" || r.words[k-1].low == "what") {
					return 3
				}
				for m := i - 1; m > k; m-- {
					if r.words[m].low == "which" || r.words[m].low == "what" {
						return 3
					}
				}
				return 0
			}
		}
		return 1
	}
	best := -1
	var chosen []*kind
	consider := func(list []target) {
		for _, m := range list {
			if !r.main[m.at] {
				continue
			}
			n := asked(m.at)
			if n > best {
				best, chosen = n, nil
			}
			if n == best && !slices.Contains(chosen, m.kind) {
				if best == 3 && len(chosen) > 0 && m.at > 0 && !r.coordinated(m.at) {
					continue
				}
				chosen = append(chosen, m.kind)
			}
		}
	}
	consider(mentions)
	if best > 0 {
		r.explicit = true
	}
	if best <= 0 {
		// All that is named stands behind a preposition: what is asked for is
		// in it, unless there is nothing below.
		var in []*kind
		for _, m := range mentions {
			if r.main[m.at] {
				in = append(in, m.kind)
			}
		}
		chosen = nil
		for _, k := range in {
			if k.leaf && !slices.Contains(chosen, k) {
				chosen, r.explicit = append(chosen, k), true
			}
		}
	}
	if len(chosen) == 0 && best < 0 {
		for _, h := range hints {
			if r.main[h.at] && !slices.Contains(chosen, h.kind) {
				chosen = append(chosen, h.kind)
			}
		}
	}
	for _, k := range r.targets { // by an ordinal
		if !slices.Contains(chosen, k) {
			chosen = append(chosen, k)
		}
	}
	// Of a container and what is in it, both asked for alike, the deeper is
	// meant: "the tasks of the projects".
	if len(chosen) > 1 && best != 3 {
		deepest := 0
		for _, k := range chosen {
			deepest = max(deepest, k.depth)
		}
		chosen = slices.DeleteFunc(chosen, func(k *kind) bool { return k.depth < deepest && !k.leaf })
	}
	if len(chosen) == 1 && dayKind(chosen[0]) && !chosen[0].leaf && onWhichDay.MatchString(r.text) && !theBest.MatchString(r.text) && !mostForm.MatchString(r.text) && !leastForm.MatchString(r.text) {
		// What is asked about is what stands on the day.
		chosen, r.explicit = nil, false
	}
	if len(chosen) == 0 {
		chosen = r.below()
	}
	r.targets = r.having(chosen)
	for _, m := range mentions {
		if m.kind.leaf && m.n == 3 && !slices.Contains(r.mentioned, m.kind) {
			r.mentioned = append(r.mentioned, m.kind)
		}
	}
}

// having keeps the types that have the fields by which nodes are to be known,
// where not all do.
func (r *reading) having(kinds []*kind) []*kind {
	if r.explicit || len(kinds) < 2 {
		return kinds
	}
	var out []*kind
	for _, k := range kinds {
		fits := true
		for _, s := range r.scopes {
			if sk := r.v.kind(s.kind); sk != nil && sk.leaf && s.field != "" && !k.hasField(s.field) {
				fits = false
			}
		}
		for _, c := range r.compares {
			if _, ok := k.byKind(kindDate); c.kind == kindDate && !ok {
				fits = false
			}
		}
		if fits {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return kinds
	}
	return out
}

var (
	onWhichDay = re(`\b(?:which|what) (?:week)?day(?: of the week)?(?: and \w+)? (?:is|was|are|were|do|did|does|will|would) (?:the|my|our|we|i|he|she|they|it|\p{L}+['’]s)\b`)
	theBest    = re(`\bthe (?:best|most|least|\w+est)\b`)
)

// coordinated reports whether a word follows "and" or "or" closely.
func (r *reading) coordinated(i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		if r.words[k].low == "and" || r.words[k].low == "or" {
			return true
		}
	}
	return false
}

// below returns the leaves below the deepest container that is named.
func (r *reading) below() []*kind {
	deepest := ""
	depth := -1
	for _, s := range r.scopes {
		if k := r.v.kind(s.kind); k != nil && k.depth > depth && !k.leaf {
			deepest, depth = k.name, k.depth
		}
	}
	if deepest == "" {
		return r.v.leaves()
	}
	return r.v.leavesBelow(deepest)
}

var (
	mostForm  = re(`\b(?:most|mostly|packed|busiest|fullest|full of|heaviest|loaded|crammed|mainly|dominated|crowded|jam-packed|above all|the bulk|stuffed|biggest share|stacked)\b`)
	leastForm = re(`\b(?:least|fewest|quietest|lightest|emptiest|calmest|slowest)\b`)
	allForm   = re(`\b(?:every|all|everything|each|entirely|only|completely|nothing but|fully)\b`)
	noneForm  = re(`\b(?:no|without|free of|free from|nothing|none|not a single|not any|lacks?|lacking|don['’]t (?:have|include|contain)|doesn['’]t (?:have|include|contain)|isn['’]t any|aren['’]t any|not have|n['’]t have|devoid)\b`)
)

// findGrouping looks at what is asked of containers: those with the most of
// something in them, with none, with nothing but.
func (r *reading) findGrouping() {
	if len(r.targets) == 0 || r.targets[0].leaf || len(r.v.kinds) == 0 {
		return
	}
	var b strings.Builder
	for i, w := range r.words {
		if r.main[i] {
			b.WriteString(w.low + " ")
		}
	}
	text := b.String()
	g := &grouping{mode: "any", of: r.v.leavesBelow(r.targets[0].name)}
	if len(r.mentioned) > 0 {
		g.of = r.mentioned
	}
	switch {
	case r.best != nil:
		return
	case mostForm.MatchString(text):
		g.mode = "most"
		r.claim(mostForm, usedNeg)
	case leastForm.MatchString(text):
		g.mode = "least"
		r.claim(leastForm, usedNeg)
	case noneForm.MatchString(text):
		g.mode = "none"
		r.markForm(noneForm)
		for i := range r.scopes {
			if r.scopes[i].empty {
				// "A day without any booking" has nothing that has one.
				r.scopes[i].negated = true
			}
			if r.scopes[i].class != "" && !r.scopes[i].unfinished {
				r.scopes[i].negated = false
			}
		}
	case allForm.MatchString(text) && !strings.Contains(text, "list all") && !strings.Contains(text, "show all"):
		g.mode = "all"
	}
	r.group = g
}

func (r *reading) markForm(p interface{ FindStringIndex(string) []int }) {
	if at := p.FindStringIndex(r.text); at != nil {
		r.mark(at[0], at[1], usedNeg)
	}
}

var (
	howForm   = re(`\bhow (?:long|much|far along|far|early|late|soon|often|many)\b`)
	whenForm  = re(`\b(?:when|what time|at what time|how early|how late|which hour|what hour|from when|until when|how soon)\b`)
	byWhen    = re(`\b(?:by when|when [^?.!]*\bdue\b|deadline|due date|till when|when [^?.!]* (?:supposed to be|have to be|has to be|need to be|needs to be) (?:done|finished|ready|painted|handed in))\b`)
	muchForm  = re(`\b(?:how much (?:does|do|did|will|would|is|was|are|were|has|have|money)|what (?:does|do|did|will|would) [^?.!]* (?:cost|come to|set (?:us|me|them) back|charge|run to)|how expensive|what price|price|cost|costs|charged?|sets? (?:us|me) back|pay|spend|to spend|fee)\b`)
	longForm  = re(`\b(?:how long|how many (?:minutes|hours)|how much time|duration)\b`)
	whoForm   = re(`\b(?:who|whom|whose)\b`)
	whereForm = re(`\b(?:where|which address|what address|location)\b`)
	stateForm = re(`\b(?:status|how far (?:along|is|are|was|were)|what state|how is [^?.!]* (?:going|coming along)|progress|where do(?:es)? [^?.!]* stand)\b`)
	rankForm  = re(`\b(?:how (?:urgent|important)|what priority|priority)\b`)
)

// findAsks looks for the fields that an answer should give.
func (r *reading) findAsks() {
	for _, a := range []struct {
		kind fieldKind
		form interface{ MatchString(string) bool }
	}{
		{kindDate, byWhen}, {kindTime, whenForm}, {kindMoney, muchForm}, {kindDuration, longForm}, {kindPerson, whoForm}, {kindPlace, whereForm}, {kindStatus, stateForm}, {kindPriority, rankForm},
	} {
		if a.form.MatchString(r.text) {
			r.asks = append(r.asks, a.kind)
		}
	}
	r.claim(howForm, usedField)
	for i, w := range r.words {
		if w.mark || r.used[i] == usedScope || r.used[i] == usedKind || closed[w.low] {
			continue
		}
		for _, k := range r.v.kinds {
			for _, f := range k.fields {
				if len(f.words) > 0 && slices.Contains(f.words, w.stem) && f.kind != kindName && (w.stem != "note" || len(f.words) == 1) {
					if !slices.Contains(r.fields, f.name) {
						r.fields = append(r.fields, f.name)
					}
					if r.used[i] == unused {
						r.used[i] = usedField
					}
				}
			}
		}
		for k, words := range kindAsks {
			if r.used[i] == unused && words[w.stem] && r.v.hasKind(k) {
				r.used[i] = usedField
			}
		}
	}
}
