package tree

import (
	"slices"
	"strings"
	"time"
)

// A scope says which nodes of a type, on the way to what is meant or meant
// itself: by position, or by the value of a field.
type scope struct {
	kind       string
	field      string   // "" for a position
	values     []string // any of them
	class      string   // name of a value class
	from, to   int      // positions from 1, or from -1 backwards
	negated    bool
	partial    bool  // a value was named in part
	unfinished bool  // by a word for what is not finished
	empty      bool  // the field has no value
	holds      *cond // met by something in it
	day        period
}

// A cond is a condition in words.
type cond struct {
	text     string
	stems    []string
	negated  bool
	or       int  // conditions with the same number above 0 are alternatives
	excluded bool // taken out of a set, as opposed to denied
	each     bool // one of several things that are named side by side
	at       int  // index of the first word
}

// A span is a run of words of a request and what they were read as.
type use byte

const (
	unused use = iota
	usedStop
	usedKind
	usedScope
	usedField
	usedCompare
	usedSuper
	usedNeg
	usedCount
)

// A target is a type that a request is after.
type target struct {
	kind *kind
	at   int // index of the word
	n    int // how strongly it was named
}

// A reading is what a request says, in terms of a schema.
type reading struct {
	v         *vocab
	text      string
	today     time.Time
	words     []word
	used      []use
	main      []bool   // of each word, whether it stands in a sentence that asks
	scoped    []string // of each word, the type that it is a value of
	both      bool     // several conditions are to hold for one container
	qualified *kind    // a container named by its type and name
	loose     bool     // read from all sentences, so that much may mean nothing
	targets   []*kind
	exact     int  // how many are meant, where the request says
	dated     bool // days are known
	days      []period
	mentioned []*kind // leaves that are named, asked for or not
	explicit  bool    // the targets were named
	plural    bool
	generic   bool // by a word such as "things"
	scopes    []scope
	from, to  int // positions among the targets; 0 for none
	conds     []cond
	context   []cond // of sentences that ask for nothing
	compares  []compare
	best      *superlative
	group     *grouping
	asks      []fieldKind
	fields    []string // fields named
	count     bool
	amount    bool // of something that fields hold
	sum       bool
	mean      bool
	yes       bool
}

// A grouping asks for containers by what is in them.
type grouping struct {
	mode string // "any", "none", "most", "least", "all"
	of   []*kind
}

// read reads a request. What stands around the sentences that ask counts where
// those say nothing.
func (v *vocab) read(text string, today time.Time) *reading {
	r := v.readPart(text, today, false)
	if len(r.context) > 0 && (!r.mainSays() || len(r.conds) == 0 && !r.tells() && pointsTo(r.mainText()) || thatNoun.MatchString(r.mainText())) {
		whole := v.readPart(text, today, true)
		whole.count, whole.sum, whole.mean, whole.loose = r.count, r.sum, r.mean, true
		if r.explicit {
			whole.targets, whole.explicit, whole.group = r.targets, true, r.group
		}
		return whole
	}
	return r
}

var (
	pointing = re(`\b(?:(?:that|this|the same) (?:day|date|evening|week|time)|(?:does|do|happens?|held|meets?|place|works?|teaches|runs|goes|go|from|has|have) there|it|them|they|its|their|him|(?:\p{L}+ing|of|in|with|on|about|for|like|do|did|does|is|was|have|had|take|put|delete|remove|move|mark|make) (?:that|this|those|these))\b`)
	thatNoun = re(`\b(?:delete|remove|drop|cancel|take|move|change|set|update|cut|scrap|put|make|throw|mark|rename|skip|swap|replace|postpone|push)\s+(?:that|those|this|these) \w+`)
)

// mainText returns the words of the sentences that ask.
func (r *reading) mainText() string {
	var b strings.Builder
	for i, w := range r.words {
		if r.main[i] {
			b.WriteString(w.low + " ")
		}
	}
	return b.String()
}

// mainSays reports whether the sentences that ask say by themselves which nodes
// are meant.
func (r *reading) mainSays() bool {
	if len(r.conds) > 0 || r.best != nil || r.from != 0 || len(r.compares) > 0 {
		return true
	}
	for i, u := range r.used {
		if r.main[i] && u == usedScope {
			return true
		}
	}
	return r.explicit && !r.hasContainer()
}

// hasContainer reports whether a container is named somewhere.
func (r *reading) hasContainer() bool {
	return slices.ContainsFunc(r.scopes, func(s scope) bool {
		k := r.v.kind(s.kind)
		return k != nil && !k.leaf
	})
}

// tells reports whether states or values say which nodes are meant.
func (r *reading) tells() bool {
	if r.best != nil || len(r.compares) > 0 || r.from != 0 {
		return true
	}
	return slices.ContainsFunc(r.scopes, func(s scope) bool {
		k := r.v.kind(s.kind)
		return k != nil && k.leaf
	})
}

func (v *vocab) readPart(text string, today time.Time, whole bool) *reading {
	r := &reading{v: v, text: brief(text), today: today}
	r.words = scan(r.text)
	r.used = make([]use, len(r.words))
	r.main = make([]bool, len(r.words))
	r.scoped = make([]string, len(r.words))
	r.markMain()
	if whole {
		for i := range r.main {
			r.main[i] = true
		}
	}
	for i, w := range r.words {
		if w.mark {
			r.used[i] = usedStop
		}
	}
	if at := asideForm.FindStringSubmatchIndex(r.text); at != nil {
		r.mark(at[2], at[3], usedStop)
	}
	r.both = bothForm.MatchString(r.text)
	for _, at := range adverbForm.FindAllStringIndex(r.text, 8) {
		if dated := calendarWord.MatchString(r.text[at[0]:at[1]]); dated && !v.dateless() {
			continue
		}
		r.mark(at[0], at[1], usedStop)
	}
	for _, at := range gettingDone.FindAllStringIndex(r.text, 4) {
		r.mark(at[0], at[1], usedStop)
	}
	r.findHowState()
	r.findFlags()
	r.findWhole()
	r.findHolders()
	r.findValues()
	r.findPeople()
	r.findRelatives()
	r.findEmpty()
	r.findNobody()
	r.findTense()
	r.findPositions()
	r.findCompares()
	r.findSuperlative()
	r.findComparative()
	r.findKinds()
	r.findGrouping()
	r.settleTargets()
	r.findAsks()
	r.whenDated()
	r.findNext()
	r.findConds()
	r.findPlural()
	r.askState()
	return r
}

var bothForm = re(`\bboth [^,.;?!]{1,60} and\b`)

// gettingDone is to finish, not a state.
var gettingDone = re(`\b(?:get(?:ting)?(?: (?:it|them|that|things|stuff|something|anything))? (?:done|finished|sorted)|be (?:done|finished) in)\b`)

var calendarWord = re(`\b(?:yesterday|week|month|year)\b`)

// adverbForm are adverbs of time and manner that say nothing of what is meant.
var adverbForm = re(`\b(?:last (?:night|week|month|year|time)|yesterday|this (?:morning|year|month)|these days|at once|right away|straight away|for good|after all|from now on|any ?more|at all|by now|so far|in the end|at the moment|as things (?:are|stand)(?: now)?|as it (?:is|stands)(?: now)?|right now|for now|altogether|this week|good (?:news|grief)|bad news|from morning (?:to|till|until) (?:evening|night)|all (?:day|week|year|month)|the (?:whole|entire|full) (?:day|week|trip|time|month)|on the way|(?:\w+ )?(?:lunch|dinner|breakfast|supper|meal)?(?:e?s)? included)\b`)

// asideForm is an aside that says how to count.
var asideForm = re(`(?:^|[,.;] )((?:not |if you |without )?(?:counting|including|count|starting with|beginning with|across|over) [^,.;?!]*)(?:[,.;?!]|$)`)

var manyForm = re(`\b(?:both|all|every|each|any|everything|anything|whichever|these|those|several|lots|whatever|what (?:have|has|do|are|could|can|would|will|else)|which (?:ones|of)|list|where do we|what(?:['’]s| is) (?:left|still|on|in|there|planned|happening|made|served|cooked|prepared|grown|held|taught)|(?:something|somewhere|anywhere) (?:with|made|that))\b`)

// exactForm says how many are meant: "both meetings", "all three dinners".
var exactForm = re(`\b(?:both|(?:the|all|all the|our|my) (two|three|four|five)) (?:of )?(?:the |my |our )?(?:\w+ )?\w+s\b`)

var whoHas = re(`\bwho (?:has|gets|is having|eats|is eating|likes|wants|needs)\b`)

// findPlural finds out whether several nodes may be meant.
func (r *reading) findPlural() {
	for _, c := range r.conds {
		words := lows(c.text)
		if len(words) == 0 || c.negated {
			continue
		}
		if w := words[len(words)-1]; len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
			r.plural = true
		}
	}
	for i, w := range r.words {
		// "Her labs": the value of a field, of several.
		if k := r.v.kind(r.scoped[i]); k != nil && k.leaf && r.used[i] == usedScope && r.main[i] && len(w.low) > 3 && strings.HasSuffix(w.low, "s") && r.pluralValue(w) {
			r.plural = true
		}
	}
	text := r.mainText()
	if m := exactForm.FindStringSubmatch(text); m != nil && !r.both {
		r.plural = true
		if r.exact = cardinals[m[1]]; r.exact == 0 {
			r.exact = 2
		}
	}
	if m := manyForm.FindString(text); m != "" && !(len(r.asks) > 0 && strings.HasPrefix(m, "what ")) || whoHas.MatchString(text) {
		r.plural = true
	}
}

// pluralValue reports whether a word is the plural of a value of one word.
func (r *reading) pluralValue(w word) bool {
	return slices.ContainsFunc(r.scopes, func(s scope) bool {
		return slices.ContainsFunc(s.values, func(v string) bool { return stem(strings.ToLower(v)) == w.stem && !strings.EqualFold(v, w.low) })
	})
}

// markMain marks the words of sentences that ask for something; all where
// none does, or where those that do say nothing by themselves.
func (r *reading) markMain() {
	type part struct {
		from, to int
		asks     int // 2 for an order or a question, 1 for a statement
	}
	var all []part
	i, best := 0, 0
	for _, s := range sentences(r.words) {
		p := part{asks: 0}
		text := join(r.text, s)
		if c := classify(text); c.op != "" {
			p.asks = 1
			if c.order {
				p.asks = 2
			}
		}
		for _, t := range parts(text) {
			if c := classify(t); c.order && (c.op != "read" || strings.HasSuffix(text, "?")) {
				p.asks = 2
			}
		}
		for i < len(r.words) && r.words[i].start < s[0].start {
			i++
		}
		p.from = i
		for i < len(r.words) && r.words[i].start <= s[len(s)-1].start {
			i++
		}
		p.to = i
		best = max(best, p.asks)
		all = append(all, p)
	}
	for _, p := range all {
		for k := p.from; k < p.to; k++ {
			r.main[k] = p.asks == best
		}
		if p.asks == best && best == 2 {
			if c := classify(join(r.text, r.words[p.from:p.to])); c.op != "read" {
				r.leaveReasons(p.from, p.to)
			} else {
				r.leaveAsides(p.from, p.to)
			}
		}
		if p.asks == best && best == 2 {
			r.skipVerb(p.from, p.to)
			// The verb may stand behind a joint: "so drop the tour".
			base := r.words[p.from].start
			text := join(r.text, r.words[p.from:p.to])
			for _, at := range joints.FindAllStringIndex(text, 24) {
				if c := classify(text[at[1]:]); c.order && c.op != "read" {
					k := p.from
					for k < p.to && r.words[k].start < base+at[1] {
						k++
					}
					if k < p.to {
						r.skipVerb(k, p.to)
					}
				}
			}
		}
	}
}

var (
	reasonLead = re(`^(?:(?:so|and|but|as) )?(?:i|we|he|she|it|they|you|there|none|nobody|everyone|everybody|someone|somebody|this|that|nothing)(?:['’]\w+)?\b|^(?:because|since|so that|in case|though|although|which|as)\b`)
	finite     = re(`^(?:\p{L}+['’]?\p{L}* ){1,4}(?:is|are|was|were|has|have|had|will|would|can|can['’]t|cannot|comes|needs|wants|does|doesn['’]t|isn['’]t|won['’]t|gets|likes|loves|hates|said|says|closes|stays)\b`)
)

// leaveReasons takes the parts of an order's sentence that give its reason
// from what counts.
func (r *reading) leaveReasons(from, to int) {
	type part struct{ from, to int }
	var all []part
	start := from
	for i := from; i < to; i++ {
		w := r.words[i]
		joint := w.mark && (w.low == "," || w.low == ":" || w.low == "-") && !r.hyphen(i) || (w.low == "so" || w.low == "because" || w.low == "since") && i > start
		if joint && i > start {
			all = append(all, part{start, i})
			start = i
			if w.mark {
				start++
			}
		}
	}
	all = append(all, part{start, to})
	if len(all) < 2 {
		return
	}
	ordered := -1
	for n, p := range all {
		if p.from >= p.to {
			continue
		}
		if c := classify(join(r.text, r.words[p.from:p.to])); c.order && c.op != "read" {
			ordered = n
			break
		}
	}
	if ordered < 0 {
		return
	}
	for n, p := range all {
		if n == ordered || p.from >= p.to {
			continue
		}
		text := join(r.text, r.words[p.from:p.to])
		c := classify(text)
		if c.order && c.op != "read" {
			continue
		}
		if reasonLead.MatchString(text) || finite.MatchString(text+" ") {
			for k := p.from; k < p.to; k++ {
				r.main[k] = false
			}
		}
	}
}

// skipVerb marks the verb of an order, which is no condition.
func (r *reading) skipVerb(from, to int) {
	low := strings.ToLower(join(r.text, r.words[from:to]))
	lead := len(low)
	for range 6 {
		at := courtesies.FindStringIndex(low)
		if at == nil {
			break
		}
		low = strings.TrimLeft(low[at[1]:], " ")
	}
	lead -= len(low)
	for _, v := range verbs {
		if at := v.pattern.FindStringIndex(low); at != nil {
			for k := from; k < to; k++ {
				if r.words[k].start >= r.words[from].start+lead && !r.words[k].mark {
					r.used[k] = usedStop
					if k+2 < to && r.words[k+1].low == "rid" {
						r.used[k+1], r.used[k+2] = usedStop, usedStop
					}
					return
				}
			}
		}
	}
}

var (
	countForm = newPattern(`(?i)\b(?:how many(?: (?:of|different))?|how (?:often|many times)|the number of|count(?: up)?(?: the| all| my)?|number of)\b`)
	sumForm   = newPattern(`(?i)\b(?:in total|altogether|total|all told|sum|add(?:s|ed|ing)? up|combined|all in all|overall|how much .{0,60}\b(?:all|spend|spending|set me back|adding)|tot up|in all|put together)\b`)
	meanForm  = newPattern(`(?i)\b(?:on average|average|the mean|typical(?:ly)?)\b`)
	yesForm   = newPattern(`(?i)^(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|any)\b`)
)

// findFlags looks for what is to be done with the nodes.
func (r *reading) findFlags() {
	for _, s := range sentences(r.words) {
		t := join(r.text, s)
		c := classify(t)
		if c.op != "read" {
			continue
		}
		if countForm.MatchString(t) && !r.measures(t) {
			r.count = true
		}
		if meanForm.MatchString(t) {
			r.mean = true
		} else if sumForm.MatchString(t) {
			r.sum = true
		}
		if yesForm.MatchString(strings.TrimSpace(t)) {
			r.yes = true
		}
	}
	r.claim(countForm, usedCount)
	if r.sum {
		r.claim(sumForm, usedCount)
	}
	r.claim(meanForm, usedCount)
}

var howManyOf = re(`\bhow many (\w+)`)

// measures reports whether "how many" asks for an amount that a field holds,
// such as minutes or calories, and not for a number of nodes.
func (r *reading) measures(t string) bool {
	m := howManyOf.FindStringSubmatch(t)
	if m == nil {
		return false
	}
	s := stem(strings.ToLower(m[1]))
	if r.v.names(s) {
		return false
	}
	unit := lengthUnits[strings.ToLower(m[1])]
	r.amount = true
	if unit {
		r.asks = append(r.asks, kindDuration)
	}
	_, ok := r.quantity(s)
	return ok || unit
}

// claim marks the words that a pattern matches, where still unused.
func (r *reading) claim(p *pattern, as use) {
	for _, at := range p.FindAllStringIndex(r.text, 8) {
		if at[1]-at[0] > 24 {
			continue
		}
		r.mark(at[0], at[1], as)
	}
}

// mark marks the unused words between two offsets.
func (r *reading) mark(from, to int, as use) {
	for i, w := range r.words {
		if w.start >= from && w.end <= to && r.used[i] == unused {
			r.used[i] = as
		}
	}
}

// negatedAt reports whether the words before i deny what follows, at most
// some words back, and marks the word that does.
func (r *reading) negatedAt(i int) bool {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		w := r.words[k]
		if stateWords[w.low] {
			return false // what is denied is the state
		}
		switch w.low {
		case "no":
			// "No flour at the mill, so ..." tells why.
			return k > 0 && !isStop(r.words[k-1]) && r.words[k-1].low != ","
		case "not", "without", "nothing", "none", "alongside", "except", "excluding", "non", "never", "isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "hasn't", "haven't", "cannot", "can't", "won't", "minus", "besides", "beyond", "lacking", "nor", "neither":
			if k+1 < len(r.words) && (has(r.words, k, "not", "only") || has(r.words, k, "no", "longer")) {
				return false
			}
			return true
		case "than":
			if k > 0 && (r.words[k-1].low == "other" || r.words[k-1].low == "rather") {
				return true
			}
		case "from":
			if k > 0 && (r.words[k-1].low == "apart" || r.words[k-1].low == "aside") {
				return true
			}
		case "but":
			return k > 0 && (anything[r.words[k-1].low] || r.words[k-1].low == "all")
		case "of":
			if k > 0 && (r.words[k-1].low == "free" || r.words[k-1].low == "instead") {
				return true
			}
		case ",", ".", "?", "!", ";", ":", "and", "or", "if", "that", "which", "who":
			return false
		}
	}
	return false
}

// findValues looks for values of fields that the schema knows.
func (r *reading) findValues() {
	type entry struct {
		k     *kind
		f     field
		value string
		stems []string
	}
	var full []entry
	for _, k := range r.v.kinds {
		for _, f := range k.fields {
			if f.kind == kindTime || f.kind == kindMoney || f.kind == kindDuration || f.kind == kindNumber || f.kind == kindList {
				continue
			}
			if f.kind == kindDate || (f.kind == kindName || f.weekdayField()) && dayKind(k) {
				r.findDates(k, f)
				continue
			}
			if len(f.values) == 0 {
				continue
			}
			for _, val := range f.values {
				var ss []string
				for _, w := range scan(val) {
					if !w.mark {
						ss = append(ss, w.stem)
					}
				}
				if len(ss) == 0 || len(ss) > 8 || digits(ss[0]) {
					continue
				}
				full = append(full, entry{k, f, val, ss})
			}
		}
	}
	slices.SortStableFunc(full, func(a, b entry) int { return len(b.stems) - len(a.stems) })
	for _, e := range full {
		if e.f.kind == kindStatus || e.f.kind == kindPriority {
			continue // by their classes, below
		}
		for i := range r.words {
			n := r.matchStems(i, e.stems)
			if n == 0 || len(e.stems) == 1 && closed[r.words[i].low] {
				continue
			}
			if e.f.kind == kindPerson && r.subject(i, n) {
				for k := i; k < i+n; k++ {
					r.used[k] = usedStop
				}
				continue
			}
			// A type's own name is no value: "the project".
			if len(e.stems) == 1 && r.v.names(e.stems[0]) && !r.words[i].upper {
				continue
			}
			if !e.k.leaf && e.f.kind == kindName && r.compound(i, n) {
				continue
			}
			s := scope{kind: e.k.name, field: e.f.name, values: []string{e.value}, negated: r.negatedAt(i)}
			r.addScope(s)
			r.share(s)
			for k := i; k < i+n; k++ {
				r.used[k], r.scoped[k] = usedScope, e.k.name
			}
		}
	}
	for _, e := range full {
		if e.f.kind == kindStatus || e.f.kind == kindPriority || len(e.stems) != 1 || e.k.leaf {
			continue
		}
		if slices.ContainsFunc(r.scopes, func(s scope) bool { return s.kind == e.k.name && s.field == e.f.name }) {
			continue
		}
		for i, w := range r.words {
			if r.used[i] != unused || w.mark || i > 0 && (r.words[i-1].low == "each" || r.words[i-1].low == "every") {
				continue
			}
			low := w.low
			if aliases[low] == nil {
				low = strings.TrimSuffix(low, "s")
			}
			if slices.ContainsFunc(aliases[low], func(a string) bool { return stem(a) == e.stems[0] }) {
				r.addScope(scope{kind: e.k.name, field: e.f.name, values: []string{e.value}, negated: r.negatedAt(i)})
				r.used[i], r.scoped[i] = usedScope, e.k.name
			}
		}
	}
	// Names of containers are also known by a word that no other has.
	for _, k := range r.v.kinds {
		if k.leaf || k.name == r.v.root {
			continue
		}
		for _, f := range k.fields {
			if f.kind != kindName && f.name != k.key && f.name != "role" || f.kind == kindDate || dayKind(k) {
				continue
			}
			r.findPartial(k, f)
		}
	}
	r.findClasses()
}

// subject reports whether the words from i on begin a sentence as its subject:
// who does something is not who something belongs to.
func (r *reading) subject(i, n int) bool {
	if i+n < len(r.words) && (r.words[i+n].low == "'s" || r.words[i+n].low == "'") {
		return false
	}
	return i == 0 || isStop(r.words[i-1])
}

// names reports whether a stem is the name of a type.
func (v *vocab) names(stem string) bool {
	return slices.ContainsFunc(v.kinds, func(k *kind) bool { return k.words[stem] })
}

func (r *reading) addScope(s scope) {
	for i := range r.scopes {
		o := &r.scopes[i]
		if o.kind == s.kind && o.field == s.field && s.field != "" && o.negated == s.negated && o.class == "" && s.class == "" && o.day == s.day {
			for _, v := range s.values {
				if !slices.Contains(o.values, v) {
					o.values = append(o.values, v)
				}
			}
			return
		}
	}
	r.scopes = append(r.scopes, s)
}

// matchStems returns how many unused words from i on are those stems; 0 for
// none. Marks between are passed over.
func (r *reading) matchStems(i int, want []string) int {
	k := i
	for n, s := range want {
		for n > 0 && k < len(r.words) && r.words[k].mark && r.words[k].low != "." {
			k++
		}
		if k >= len(r.words) || r.words[k].stem != s || r.used[k] != unused {
			return 0
		}
		k++
	}
	return k - i
}

func (r *reading) findPartial(k *kind, f field) {
	owners := map[string][]string{}
	for _, v := range f.values {
		for _, w := range scan(v) {
			if content(w) && len(w.low) > 2 && !slices.Contains(owners[w.stem], v) {
				owners[w.stem] = append(owners[w.stem], v)
			}
		}
	}
	for i, w := range r.words {
		o := owners[w.stem]
		if r.used[i] != unused || len(o) != 1 || !r.main[i] || f.kind == kindName && len(scan(o[0])) == 1 && r.compound(i, 1) || timesOfDay[w.low] || timesOfDay[strings.TrimSuffix(w.low, "s")] || closed[w.low] || r.v.names(w.stem) || r.v.fieldWord(w.stem) || w.mark {
			continue
		}
		r.addScope(scope{kind: k.name, field: f.name, values: o, negated: r.negatedAt(i), partial: true})
		r.used[i], r.scoped[i] = usedScope, k.name
	}
}

// fieldWord reports whether a stem is a word of the name of a field.
func (v *vocab) fieldWord(stem string) bool {
	for _, k := range v.kinds {
		for _, f := range k.fields {
			if slices.Contains(f.words, stem) {
				return true
			}
		}
	}
	return false
}

// findDates looks for the days that containers stand for: "Saturday", "the
// 12th of September".
func (r *reading) findDates(k *kind, f field) {
	if k.leaf || k.name == r.v.root {
		return
	}
	type day struct {
		value string
		at    time.Time
		ok    bool
	}
	var days []day
	for _, v := range f.values {
		t, ok := dateOf(v, r.today)
		days = append(days, day{v, t, ok})
	}
	if !r.v.dateless() && dueWord.MatchString(r.text) {
		return // what is due has a date of its own
	}
	if len(f.values) > 0 || f.weekdayField() || !slices.ContainsFunc(k.fields, field.weekdayField) {
		r.findDayRanges(k, f, func(value string) (time.Weekday, bool) {
			for _, l := range lows(value) {
				if wd, ok := weekdays[l]; ok {
					return wd, true
				}
			}
			t, ok := dateOf(value, r.today)
			return t.Weekday(), ok
		})
	}
	for i, w := range r.words {
		if r.used[i] != unused {
			continue
		}
		if w.low == "weekend" && i > 0 && (r.words[i-1].low == "whole" || r.words[i-1].low == "entire" || r.words[i-1].low == "full") && len(f.values) <= 4 {
			r.used[i] = usedStop // all that there is
			continue
		}
		if w.low == "weekend" || w.low == "weekends" {
			for _, d := range [...]string{"saturday", "sunday"} {
				r.addScope(scope{kind: k.name, field: f.name, values: matching(f.values, d)})
			}
			r.used[i], r.scoped[i] = usedScope, k.name
			continue
		}
		if wd, ok := weekdays[w.low]; ok && len(w.low) >= 3 && (len(w.low) > 4 || w.upper) {
			var vs []string
			for _, d := range days {
				if d.ok && d.at.Weekday() == wd && named(d.value, wd) || !d.ok && named(d.value, wd) || d.ok && d.at.Weekday() == wd {
					vs = append(vs, d.value)
				}
			}
			if len(f.values) == 0 && (f.weekdayField() || !slices.ContainsFunc(k.fields, field.weekdayField)) {
				vs = []string{w.low}
			}
			if len(vs) > 0 {
				r.addScope(scope{kind: k.name, field: f.name, values: vs, negated: r.negatedAt(i)})
				r.used[i], r.scoped[i] = usedScope, k.name
			}
		}
	}
	if f.kind != kindDate {
		return
	}
	if len(f.values) == 0 && slices.ContainsFunc(k.fields, field.weekdayField) {
		return // the weekday says it
	}
	for _, p := range periods(r.text, r.today) {
		var vs []string
		for _, d := range days {
			if d.ok && !d.at.Before(p.from) && d.at.Before(p.to) {
				vs = append(vs, d.value)
			}
		}
		if len(f.values) == 0 && !p.week {
			vs = []string{r.text[p.start:p.end]}
		}
		if len(vs) > 0 && !r.claimed(p.start, p.end) {
			r.addScope(scope{kind: k.name, field: f.name, values: vs})
			r.mark(p.start, p.end, usedScope)
		}
	}
}

var dueWord = re(`\b(?:due|overdue|deadlines?|hand(?:ed)? in|expires?|falls due|by when)\b`)

// matching returns the values that name a weekday; the weekday itself where
// none is known.
func matching(values []string, day string) []string {
	var out []string
	for _, v := range values {
		if named(v, weekdays[day]) {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return []string{day}
	}
	return out
}

func (r *reading) claimed(from, to int) bool {
	for i, w := range r.words {
		if w.start >= from && w.end <= to && r.used[i] != unused && !w.mark {
			return true
		}
	}
	return false
}

// named reports whether a value says a weekday.
func named(value string, d time.Weekday) bool {
	for _, l := range lows(value) {
		if w, ok := weekdays[l]; ok && w == d {
			return true
		}
	}
	return false
}

// findClasses looks for words for states and priorities.
func (r *reading) findClasses() {
	for _, k := range r.v.kinds {
		for _, f := range k.fields {
			if f.kind != kindStatus && f.kind != kindPriority {
				continue
			}
			r.findClass(k, f)
			return // one type carries them
		}
	}
}

func (r *reading) findClass(k *kind, f field) {
	kinds := []field{f}
	for _, other := range k.fields {
		if other.name != f.name && (other.kind == kindStatus || other.kind == kindPriority) {
			kinds = append(kinds, other)
		}
	}
	for _, f := range kinds {
		if f.kind == kindStatus {
			for _, phrase := range longest(unfinished) {
				if r.claimPhrase(phrase) >= 0 {
					r.addScope(scope{kind: k.name, field: f.name, class: "done", negated: true, unfinished: true})
				}
			}
		}
		class := map[string]string{}
		var words []string
		for _, c := range valueClasses {
			if c.kind != f.kind {
				continue
			}
			own := slices.Clone(c.words)
			for _, v := range f.values {
				if classOf(v, f.kind) == c.name {
					own = append(own, strings.ToLower(v))
				}
			}
			for _, w := range own {
				if class[w] == "" {
					class[w] = c.name
					words = append(words, w)
				}
			}
		}
		for _, phrase := range longest(words) {
			if f.kind == kindPriority && !priorityPhrase(r, phrase) {
				continue
			}
			at := r.claimPhrase(phrase)
			if at < 0 {
				continue
			}
			if at > 0 && r.words[at-1].low == "be" && class[phrase] == "done" {
				continue // "has to be dealt with" is none of the states
			}
			s := scope{kind: k.name, field: f.name, class: class[phrase], negated: r.negatedAt(at)}
			if phrase == "to do" && !slices.ContainsFunc(f.values, func(v string) bool { return strings.EqualFold(v, phrase) }) {
				if end := at + 2; end < len(r.words) && r.words[end].low == "with" || at > 0 && r.words[at-1].stem == stem("asked") {
					continue
				}
				s.class, s.negated, s.unfinished = "done", !s.negated, true
			}
			if phrase == "open" && !slices.ContainsFunc(f.values, func(v string) bool { return strings.EqualFold(v, "open") }) {
				s.class, s.negated, s.unfinished = "done", !s.negated, true
			}
			r.addScope(s)
		}
	}
}

// claimAny is claimPhrase over all sentences.
func (r *reading) claimAny(phrase string) int {
	main := r.main
	r.main = make([]bool, len(main))
	for i := range r.main {
		r.main[i] = true
	}
	at := r.claimPhrase(phrase)
	r.main = main
	return at
}

var (
	emptyForm = re(`\b(?:no|without(?: an?| any)?|(?:don['’]t|doesn['’]t|do not|does not) have(?: an?| any)?|lack(?:s|ing)?(?: an?)?|missing(?: an?)?|have no|has no|n['’]t got(?: an?| any)?)\s+(\w+)(?:\s+(\w+))?`)
	ownForm   = re(`\b(?:with|that have|which have|has|having)\s+an?\s+(\w+)\s*(?:[?.!,]|$|noted|set|attached|on|in)`)
	couldForm = re(`\b(?:can|could|should|would|will|shall|might)\s+(?:i|we)\s+(?:still |just |actually |possibly )?(?:do|get|finish|tackle|start|squeeze|manage|knock|complete|fit)\b|\bwould take (?:me|us)\b`)
)

// findEmpty looks for fields that are to be without a value, or to have one:
// "tasks with no deadline".
func (r *reading) findEmpty() {
	for _, look := range [...]struct {
		form  *pattern
		empty bool
	}{{emptyForm, true}, {ownForm, false}} {
		for _, at := range look.form.FindAllStringSubmatchIndex(r.text, 4) {
			word := stem(strings.ToLower(r.text[at[2]:at[3]]))
			end := at[3]
			if look.empty && len(at) > 5 && at[4] >= 0 {
				if two := stem(strings.ToLower(r.text[at[4]:at[5]])); word == stem("due") && two == stem("date") {
					word, end = two, at[5]
				}
			}
			for _, k := range r.v.leaves() {
				for _, f := range k.fields {
					if slices.Contains(f.words, word) && f.kind != kindName && (!textNamed(f.words) || word == stem("note") || word == stem("comment")) || f.kind == kindDate && word == stem("date") && look.empty {
						r.scopes = append(r.scopes, scope{kind: k.name, field: f.name, empty: true, negated: !look.empty})
						r.mark(at[0], end, usedScope)
					}
				}
			}
		}
	}
	if couldForm.MatchString(r.text) && classify(r.text).op == "read" {
		for _, k := range r.v.leaves() {
			if f, ok := k.byKind(kindStatus); ok && !slices.ContainsFunc(r.scopes, func(s scope) bool { return s.class != "" && s.field == f.name }) {
				r.addScope(scope{kind: k.name, field: f.name, class: "done", negated: true, unfinished: true})
			}
		}
	}
}

// priorityPhrase reports whether a word for a rank is said of a priority:
// "high" alone may be said of a shelf.
func priorityPhrase(r *reading, phrase string) bool {
	switch phrase {
	case "high", "low", "medium", "top", "mid", "middle", "normal", "highest", "lowest", "moderate", "minor":
		low := strings.ToLower(r.text)
		return strings.Contains(low, "priorit") || strings.Contains(low, "importan") || strings.Contains(low, "urgen")
	}
	return true
}

func longest(phrases []string) []string {
	out := slices.Clone(phrases)
	slices.SortStableFunc(out, func(a, b string) int { return len(strings.Fields(b)) - len(strings.Fields(a)) })
	return out
}

// claimPhrase looks for a phrase among the unused words of sentences that ask
// and marks it; it returns the index of its first word, -1 for none.
func (r *reading) claimPhrase(phrase string) int {
	f := strings.Fields(phrase)
	for i := range r.words {
		if !r.main[i] || r.words[i].low != f[0] {
			continue
		}
		ok := i+len(f) <= len(r.words)
		for k := 0; ok && k < len(f); k++ {
			ok = r.words[i+k].low == f[k] && r.used[i+k] == unused
		}
		if !ok {
			continue
		}
		for k := range f {
			r.used[i+k] = usedScope
		}
		return i
	}
	return -1
}

// classOf returns the class of a value of a field.
func classOf(value string, k fieldKind) string {
	low := strings.Join(lows(value), " ")
	for _, c := range valueClasses {
		if c.kind == k && slices.Contains(c.words, low) {
			return c.name
		}
	}
	for _, c := range valueClasses {
		if c.kind != k {
			continue
		}
		for _, w := range c.words {
			if strings.HasPrefix(low, w) {
				return c.name
			}
		}
	}
	return low
}
