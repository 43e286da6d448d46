package tree

import (
	"slices"
	"strings"
	"time"

	"recallbench/internal/engine/treetask"
)

// An order is a request taken apart: what it is about, and for an edit what is
// to become of it.
type order struct {
	op      treetask.Operation
	text    string
	today   time.Time
	v       *vocab
	what    *reading // the nodes that it is about
	where   *reading // where something is to go; nil for a read
	loosely bool     // the query is not to weigh words
	head    string   // words for what is edited, without the new values
	shared  bool     // what moves says where it goes, too

	container string // type below which something goes
	create    string // type of what is created
	name      string // of what is created
	place     place
	settings  []setting
	shift     *shift
	value     string                 // a new value whose field is not named
	dest      string                 // words for where it goes
	append    bool                   // the value is added to what the field says
	seen      map[[2]string][]string // values that nodes have, by type and field
	field     string                 // the field that is named
}

// A place says where among its siblings something goes.
type place struct {
	first, last   bool
	after, before string // words for a sibling
	minutes       int    // time of day; -1 for none
	nth           int    // the place by number; 0 for none
	next          bool   // right beside the sibling
}

// A setting is a kind of field, or a field, with its new value as it stands in
// the request.
type setting struct {
	kind  fieldKind
	field string // empty takes the first field of the kind
	value string
	lo    float64 // typed
	hi    float64
	end   bool // of a time, only the end changes
}

// A shift moves a value by some amount: a time, a date or a rank.
type shift struct {
	kind    fieldKind
	by      float64 // minutes, days, money or what a field counts
	field   string  // of a number; empty takes the first of the kind
	percent bool
}

// order takes a request apart.
func (v *vocab) order(op treetask.Operation, text string, today time.Time) *order {
	text = v.unfold(v.plainer(op, brief(text)))
	o := &order{op: op, text: text, v: v, today: today, place: place{minutes: -1}}
	switch op {
	case treetask.Create:
		o.readCreate()
	case treetask.Move:
		o.readMove()
	case treetask.Update:
		o.readUpdate()
	case treetask.Restore:
		o.what = v.read(restoring.ReplaceAllString(text, " "), today)
	case treetask.Read, treetask.Delete:
		o.readRead()
	default:
		o.what = v.read(text, today)
	}
	if op == treetask.Delete && o.what.loose {
		o.what.compares = nil // when something was told, not when it is
	}
	if op == treetask.Delete || op == treetask.Update || op == treetask.Move || op == treetask.Restore {
		// "We don't want it" tells why; only what is taken out is denied.
		for i := range o.what.conds {
			o.what.conds[i].negated = o.what.conds[i].excluded
		}
		o.whole()
	}
	return o
}

// readRead reads a question, with what it names to say when or where: "what is
// left after the tour?".
func (o *order) readRead() {
	full := o.v.read(o.text, o.today)
	o.what = full
	defer o.aimAtOwner()
	if m := betweenForm.FindStringSubmatchIndex(o.text); m != nil && full.group == nil && len(clocks(o.text[m[2]:m[5]])) == 0 && len(periods(o.text[m[2]:m[5]], o.today)) == 0 {
		if what := o.v.read(without(o.text, m[0], m[5]), o.today); !o.v.dayWords(o.text[m[2]:m[5]]) {
			o.place.after, o.place.before = o.text[m[2]:m[3]], o.text[m[4]:m[5]]
			o.what = what
			return
		}
	}
	if full.group != nil || len(full.compares) > 0 {
		return
	}
	rest := o.text
	var bare *reading
	for _, m := range anchorForm.FindAllStringSubmatchIndex(o.text, 4) {
		word, what := strings.ToLower(o.text[m[2]:m[3]]), o.text[m[4]:m[5]]
		if len(clocks(what)) > 0 || len(periods(what, o.today)) > 0 || word == "behind" || word == "above" || word == "below" || lone(what) {
			continue
		}
		part := o.v.readPart(o.text[:m[0]]+" "+o.text[m[5]:], o.today, false)
		if len(part.conds) > 0 && !part.generic {
			continue
		}
		bare = part // what stands around the question is no condition
		if word == "before" || word == "ahead of" || word == "in front of" {
			o.place.before = what
		} else {
			o.place.after = what
		}
		o.place.next = nextTo.MatchString(o.text[m[0]:m[2]])
		rest = without(o.text, m[0], m[5])
		break
	}
	if rest != o.text {
		if o.what = o.v.read(rest, o.today); o.what.loose && bare != nil {
			o.what, o.what.context = bare, nil
		}
	}
}

var nextTo = re(`\b(?:right|straight|directly|immediately|just)\s+$`)

// dayWords reports whether a text names a container and no sibling.
func (v *vocab) dayWords(s string) bool {
	return slices.ContainsFunc(scan(s), func(w word) bool {
		_, day := weekdays[w.low]
		return day || slices.ContainsFunc(v.kinds, func(k *kind) bool { return !k.leaf && k.words[w.stem] })
	})
}

// whole makes the container itself what is meant, where an order names one and
// nothing in it: "delete the pottery project".
func (o *order) whole() {
	r := o.what
	if r.qualified != nil && !r.explicit && !r.generic && (len(r.conds) == 0 || r.loose) {
		r.targets, r.group = []*kind{r.qualified}, nil
		return
	}
	if r.explicit || r.generic || o.op == treetask.Update || r.from != 0 || r.best != nil || len(r.conds) > 0 && !r.loose {
		return
	}
	for i, w := range r.words {
		if r.used[i] != usedScope || r.scoped[i] == "" || !r.main[i] {
			continue
		}
		k := r.v.kind(r.scoped[i])
		if k == nil || k.leaf || dayKind(k) || i > 0 && (prepositions[r.words[i-1].low] || i > 1 && prepositions[r.words[i-2].low]) || w.mark {
			return
		}
		next := i + 1
		for next < len(r.words) && r.scoped[next] == r.scoped[i] {
			next++
		}
		if next < len(r.words) && r.words[next].low == "'s" {
			return
		}
		if f := k.nameField(); f != "" && k.hasField("name") {
			r.targets, r.group = []*kind{k}, nil
		}
		return
	}
}

var restoring = re(`\b(?:undo|revert|restore|bring|put|back|again|reinstate|the way (?:it|they) (?:was|were)|as (?:it|they) (?:was|were)|changes?|deleting|adding|moving|removing|after all)\b`)

// mainSentence returns the sentence that orders, without its courtesy.
func (o *order) mainSentence() string {
	_, _, c := operation(o.text)
	if c.text == "" {
		return o.text
	}
	return c.text
}

var (
	quoted      = newPattern(`["“”„]([^"“”„]{1,200})["“”„]|(?:^|[\s(])['‘]([^'’]{2,200})['’](?:$|[\s,.;:!?)])`)
	called      = re(`\b(?:called|named|titled|entitled|labelled|by the name of|call (?:it|that|this|them)|name (?:it|that|this|them))\s+(?:the )?([^,.;!?"“]+?)(?:\s+(?:in|to|under|on|into|for|at|after|before|between|from|by|due|as|right|straight|directly|immediately|just)\s|[,.;!?]|$)`)
	anchorForm  = re(`\b(?:(?:right|straight|directly|immediately|just|shortly|soon) )?(after|before|following|behind|below|above|ahead of|in front of|once)\s+((?:the |my |our |that |we |i )?[^,.;!?]+?)(?:\s+(?:on (?:the )?(?:day|\w+day|first|second|third|last)\b|in the |under the |from \d|at \d|due\b|for \$|with\b|because\b|so\b|and\b|gets?\b|is\b|are\b|when\b|while\b|can be\b|could be\b)|[,.;!?]|$)`)
	betweenForm = re(`\bbetween\s+((?:the |my |our )?[^,.;!?\d][^,.;!?]*?)\s+and\s+((?:the |my |our )?[^,.;!?\d][^,.;!?]*?)(?:\s+on (?:day|\w+day)\b|[,.;!?]|$)`)
	firstForm   = re(`\b(?:first thing|before (?:anything|everything|all) else|before all (?:the )?(?:others|rest)|(?:at|to) the (?:very )?(?:top|start|beginning|front|head)|(?:as|be|come|comes|go|goes|is) (?:the )?(?:very )?first|(?:in|to) first place|come first|be the (?:very )?first|first (?:on|in|among|of)|start (?:the|that) day with|begin (?:the|that) day with|kick off|as the (?:very )?first(?: \w+)?)\b`)
	lastForm    = re(`\b(?:after (?:anything|everything|all) else|(?:at|to) the (?:very )?(?:end|bottom|back)|last thing|come last|(?:as|be|comes|go|goes) (?:the )?(?:very )?last|be the (?:very )?last|last (?:on|in|among|of)|round off|finish (?:the|that) day with|end (?:the|that) day with)\b`)
)

// allOthers are all siblings.
var allOthers = re(`^(?:everything|anything|all|every \w+|(?:the|all the|all) (?:rest|others?))\b`)

// readPlace reads where among siblings something goes and returns the text
// without it.
func (o *order) readPlace(text string) string {
	if m := betweenForm.FindStringSubmatchIndex(text); m != nil && len(clocks(text[m[2]:m[5]])) == 0 {
		o.place.after, o.place.before = text[m[2]:m[3]], text[m[4]:m[5]]
		return without(text, m[0], m[5])
	}
	if firstForm.MatchString(text) {
		o.place.first = true
		text = firstForm.ReplaceAllString(text, " ")
	} else if lastForm.MatchString(text) {
		o.place.last = true
		text = lastForm.ReplaceAllString(text, " ")
	}
	for _, m := range anchorForm.FindAllStringSubmatchIndex(text, 4) {
		what := text[m[4]:m[5]]
		if len(clocks(what)) > 0 || len(periods(what, o.today)) > 0 && len(strings.Fields(what)) < 3 {
			continue
		}
		switch word := strings.ToLower(text[m[2]:m[3]]); {
		case allOthers.MatchString(what):
			o.place.first = word == "before" || word == "above" || word == "ahead of" || word == "in front of"
			o.place.last = !o.place.first
		case word == "before" || word == "above" || word == "ahead of" || word == "in front of":
			o.place.before = what
		default:
			o.place.after = what
		}
		return without(text, m[0], m[5])
	}
	return text
}

var (
	createVerb = re(`^\W*(?:.{0,60}?\b)??(?:add|create|insert|put in|put|include|schedule|book|plan|squeeze in|squeeze|slot in|slot|slip in|slip|pencil in|pencil|remind me to|remind me about|note down|note|jot down|jot|write down|write|set up|throw in|start|open|introduce|append|attach|pop in|pop|stick|log|register|work in|fit in|fit|make room for|make time for|make|give|track|enter|arrange|reserve|block|organi[sz]e|tack on|plant|sow|offer|provide|prepare|serve|list|want|need|like|would love|love|fancy|let \w+ have|have|forgot to|forgot about|forgot|remember to|remember|(?:start|begin|open|finish|end|close|round off|kick off)\s+.{2,40}?\s+with|must|got to|have to|has to)\s+(?:in |down |up |me |us |also |to |on )?`)
	article    = re(`^(?:an?|also|the|another|one more|some|my|our|new|extra|a new|an extra|a quick|to|a bit of|both|in|for)\s+`)
	nameEnd    = re(`\s+(?:on|in|to|into|under|onto|at|after|before|between|from|by|due|costing|that costs|which costs|priced|as|right|straight|directly|just|immediately|of the|so|because|since|for (?:\$|€|£|\d|the|breakfast|lunch|dinner|supper|day|mon|tues|wednes|thurs|fri|satur|sun|about|around|every|one|two|an hour|half)|with (?:a|high|low|medium|the|status|priority|deadline|\d)|until|where|which|when|while|please|instead|too|as well|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|this|\d)\b.*$|\s*[,;:(].*$|\s+[-–—]\s.*$|[.?!]+\s*$`)
)

// readCreate reads what is to be created, and where.
func (o *order) readCreate() {
	o.cutDoer()
	main := o.mainSentence()
	rest := o.text
	given := o.readGiven(rest)
	for i := 0; i+1 < len(given); i += 2 {
		rest = blank(rest, given[i], given[i+1])
	}
	if len(given) > 0 {
		if at := strings.Index(o.text, main); at >= 0 {
			main = rest[at : at+len(main)]
		}
	}
	name := ""
	whole := rest
	if m := quoted.FindStringSubmatchIndex(whole); m != nil {
		for _, g := range [...]int{2, 4} {
			if m[g] >= 0 {
				name = whole[m[g]:m[g+1]]
				rest = without(whole, m[g], m[g+1])
			}
		}
	}
	if name == "" {
		if m := called.FindStringSubmatchIndex(whole); m != nil {
			name = whole[m[2]:m[3]]
			rest = without(whole, m[0], m[3])
		}
	}
	o.readSettings(rest)
	placed := o.readPlace(rest)
	o.readNth(rest)
	o.place.first = o.place.first || openWith.MatchString(rest)
	o.place.last = o.place.last || closeWith.MatchString(rest)
	if m := listed.FindStringSubmatchIndex(main); name == "" && m != nil && o.v.named(main[m[2]:m[3]]) {
		name = main[m[4]:m[5]]
	}
	if m := announced.FindStringSubmatch(main); name == "" && m != nil {
		name = cutName(strings.TrimSpace(m[1]))
	}
	if name == "" {
		name = o.nameOf(main)
		if pronounName.MatchString(name) {
			name = o.nameBefore(main)
			if name == "" {
				name = broughtUp(o.text[:max(0, strings.Index(o.text, main))])
			}
		}
		if m := colonName.FindStringSubmatch(main); m != nil && (name == "" || len(scan(name)) == 1 && o.v.named(name)) {
			name = m[1]
		}
		if name != "" {
			placed = strings.Replace(placed, name, " ", 1)
		}
	}
	o.name = sentenceCase(o.antecedent(name))
	o.where = o.v.read(placed, o.today)
	o.createType(main)
	if k := o.v.kind(o.create); k != nil {
		o.readDates(rest)
		cuts := o.readBeside(whole, []*kind{k})
		for i := 0; i+1 < len(cuts); i += 2 {
			if short := strings.Replace(o.name, whole[cuts[i]:cuts[i+1]], "", 1); strings.TrimSpace(short) != "" {
				o.name = strings.TrimSpace(short)
			}
		}
	}
	o.readDoer()
	o.what = o.where
	o.container = o.parentType()
	o.where.affirm()
	// What is left of the name's own words is no condition on the place.
	own := stemsOf(name)
	o.where.conds = slices.DeleteFunc(o.where.conds, func(c cond) bool {
		for _, s := range c.stems {
			if !own[s] && !createWords[s] {
				return false
			}
		}
		return true
	})
	if o.place.after+o.place.before != "" {
		o.where.conds = nil // what stands around it says where
	}
	for _, a := range [...]string{o.place.after, o.place.before} {
		if a != "" {
			anchor := o.v.read(a, o.today)
			o.where.conds = append(anchor.conds, o.where.conds...)
			o.where.scopes = append(o.where.scopes, anchor.scopes...)
		}
	}
}

var createWords = stems(`add create insert put include schedule book plan squeeze slot slip note write set start open introduce append make give new another called named forgot completely quick straight right please`)

func stemsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range scan(s) {
		out[w.stem] = true
	}
	return out
}

// nameOf reads the name of what is created off the sentence that orders it.
func (o *order) nameOf(main string) string {
	at := createVerb.FindStringIndex(main)
	s := main
	if at != nil {
		s = main[at[1]:]
	}
	if giving.MatchString(main) {
		s = recipient.ReplaceAllString(s, "$1")
	}
	for range 4 {
		t := article.ReplaceAllString(s, "")
		if t == s {
			break
		}
		s = t
	}
	if giving.MatchString(main) {
		s = pronounGiven.ReplaceAllString(s, "")
	}
	s = typeLead(o.v, s)
	if m := placeName.FindStringSubmatch(s); m != nil && !o.v.dayWords(m[2]) && len(clocks(m[2])) == 0 {
		return strings.TrimSpace(m[1] + " at " + m[2])
	}
	s = cutName(s)
	return strings.TrimSpace(strings.Trim(s, " .,;:!?\"'"))
}

// listed is a type with where it goes, and the name behind a colon.
var listed = re(`^.{0,40}?\b(?:add|put|create|insert|include|schedule|list|offer|serve|need|want|have|like)\s+(?:an?|another|one more|the|this)?\s*(?:new |extra )?(\w+)\b[^:]*:\s+([^,.;:]+)`)

// named reports whether a word stands for a type or for anything.
func (v *vocab) named(w string) bool {
	s := stem(strings.ToLower(w))
	return general[s] || slices.ContainsFunc(v.kinds, func(k *kind) bool { return k.mention(s) >= 2 })
}

var (
	pronounGiven = re(`^(?:him|her|them|us|me)\s+(?:(?:an?|some|the)\s+)?`)
	// placeName is something at a place that is called by its name.
	placeName = newPattern(`^([^,.;:!?]{2,40}?) at ((?:the )?\p{Lu}[\p{L}'’.]*(?: (?:and |of |the )?\p{Lu}[\p{L}'’.]*)*)`)
)

// giving are verbs with a receiver before the thing.
var giving = re(`\b(?:give|get|make|cook|bring|buy|book|let|serve|pack|fetch|offer)\b`)

// recipient is for whom something is added: "give Ida a salad".
var recipient = re(`^(?:\p{L}+)\s+((?:an?|some|another|one more|the)\s)`)

var (
	pronounName = re(`^(?:it|that|this|them|these|those|one|some)?(?: ?(?:down|in|on|up|there|too))*$`)
	neededForm  = re(`\b(?:miss(?:es|ing)?|lacks?|lacking|has to|have to|had to|need to|needs to|must|should|want to|wants to|forgot to|forgot about|got to|let (?:her|him|them|us|me) have|would like|['’]d like|fancy|fancies|want|wants|need|needs|begged for|asked for|craving|remember to)\s+`)
	tooForm     = re(`\s+(?:too|as well|also|at some point|after all)$`)
)

// announced is what stands behind a colon.
var announced = re(`\b(?:something|one|thing|more|extra|new|this|plan|idea|addition)\b[^:.!?]{0,40}:\s+(?:an?|the|some|another)\s+([^,.;:!?]+)`)

// nameBefore reads the name of what is created off what comes before the
// sentence that says where: "We need milk. Put it after the bread.".
func (o *order) nameBefore(main string) string {
	before := o.text
	if at := strings.Index(o.text, main); at > 0 {
		before = o.text[:at]
	}
	if m := announced.FindStringSubmatch(before); m != nil {
		return cutName(strings.TrimSpace(m[1]))
	}
	at := neededForm.FindAllStringIndex(before, -1)
	if len(at) == 0 {
		return praised(before)
	}
	s := strings.TrimSpace(before[at[len(at)-1][1]:])
	for range 3 {
		s = article.ReplaceAllString(s, "")
	}
	s = nameEnd.ReplaceAllString(strings.Replace(s, " the ", " ¤the ", 1), "")
	return tooForm.ReplaceAllString(strings.Trim(strings.ReplaceAll(s, "¤", ""), " .,;:!?"), "")
}

// typeLead drops "a task to" and "a stop at" in front of a name.
func typeLead(v *vocab, s string) string {
	words := scan(s)
	if len(words) < 2 {
		return s
	}
	for i := range min(2, len(words)-1) {
		w := words[i]
		typed := general[w.stem]
		for _, k := range v.kinds {
			typed = typed || k.mention(w.stem) >= 2
		}
		if !typed {
			continue
		}
		if next := words[i+1].low; next == "to" || next == "for" || next == "at" || next == "about" || next == ":" || next == "-" || next == "of" || next == "on" && i+2 < len(words) && !v.dayWords(words[i+2].low) {
			rest := s[words[i+1].end:]
			return article.ReplaceAllString(strings.TrimSpace(rest), "")
		}
		if words[i+1].low == "called" || words[i+1].low == "named" {
			return strings.TrimSpace(s[words[i+1].end:])
		}
	}
	return s
}

// sentenceCase writes the first letter large.
func sentenceCase(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for i, r := range s {
		if i == 0 {
			return strings.ToUpper(string(r)) + s[len(string(r)):]
		}
	}
	return s
}

// createType finds out of which type something is that is created.
func (o *order) createType(main string) {
	// A type that is named right behind the verb.
	at := createVerb.FindStringIndex(main)
	s := main
	if at != nil {
		s = main[at[1]:]
	}
	words := scan(s)
	for i := range min(6, len(words)) {
		if prepositions[words[i].low] && i > 0 {
			break
		}
		for _, k := range o.v.kinds {
			if k.name != o.v.root && k.mention(words[i].stem) == 3 {
				o.create = k.name
				return
			}
		}
	}
	// A type that the name hints at: "lunch" is had in a restaurant.
	best := 0
	for _, k := range o.v.leaves() {
		for _, w := range words[:min(len(words), 12)] {
			if n := k.mention(w.stem); n > best {
				best, o.create = n, k.name
			}
		}
		for _, w := range scan(o.name) {
			n := k.mention(w.stem)
			if foodWord[w.stem] && k.hints[stem("eat")] {
				n = max(n, 2)
			}
			if n > best {
				best, o.create = n, k.name
			}
		}
	}
	if o.create == "" {
		o.create = o.likelyType()
	}
}

var foodWord = stems(`coffee tea breakfast lunch dinner supper brunch picnic snack ice cream drinks pizza tacos burger cocktail cake meal bite bar restaurant cafe bakery pub`)

// parentType returns the type below which what is created goes.
func (o *order) parentType() string {
	k := o.v.kind(o.create)
	if k == nil || len(k.parents) == 0 {
		return o.v.root
	}
	return k.parents[0]
}

// fromTail is the rest of an object from where it is taken.
var fromTail = re(`\s+from\b.*$`)

// comesForm is what comes before or after something.
var comesForm = re(`^(.+?)\s+(?:to )?(?:come|comes|go|goes|be|stand|stands|happen|follow|start|run) ((?:right |straight |directly |just |immediately )?(?:after|before|behind|ahead of|in front of|first|last|at the (?:very )?(?:top|end|bottom|start|beginning))\b.*)$`)

var (
	moveVerb    = re(`\b(?:hang|stick|file|park|place|pin|let|move|relocate|transfer|shift|switch|put|take|drag|bring|swap|push)\b`)
	destination = re(`\b(?:to|into|onto|over to|under|on|in|as|between|after|before|at|above|below|behind|ahead of|in front of|right (?:after|before))\s+(?:the |my |our |a )?`)
)

// readMove reads what is to be moved, and where.
func (o *order) readMove() {
	main := o.mainSentence()
	s, lead := main, ""
	if at := moveVerb.FindStringIndex(main); at != nil {
		lead, s = main[:at[0]], main[at[1]:]
	}
	object, dest := s, ""
	best := -1
	for _, at := range destination.FindAllStringIndex(s, 8) {
		w := strings.ToLower(strings.Fields(s[at[0]:at[1]])[0])
		if w == "to" || w == "into" || w == "onto" || w == "under" || w == "over" {
			best = at[0]
			break
		}
		if at[0] > 3 && best < 0 {
			best = at[0]
		}
	}
	if m := comesForm.FindStringSubmatchIndex(s); m != nil {
		object, dest = s[m[2]:m[3]], s[m[4]:m[5]]
	} else if best > 0 {
		object, dest = s[:best], s[best:]
	}
	if strings.TrimSpace(object) == "" || firstForm.MatchString(s) && best < 0 {
		object = s
	}
	if m := firstForm.FindStringIndex(s); m != nil && dest == "" {
		object, dest = s[:m[0]], s[m[0]:]
	}
	o.head, o.dest = object, dest
	if dest == "" || !firstForm.MatchString(dest) && !lastForm.MatchString(dest) {
		// "It should come last on the final day."
		o.place.first = firstForm.MatchString(s) || firstWord.MatchString(s)
		o.place.last = !o.place.first && (lastForm.MatchString(s) || lastWord.MatchString(s))
	}
	dest = strings.TrimPrefix(strings.TrimSpace(dest), "over ")
	placed := o.readPlace(dest)
	if from := fromTail.FindStringIndex(object); from != nil {
		o.what = o.v.read(object[:from[0]]+" in "+object[from[0]+6:], o.today)
	} else {
		o.what = o.v.read(object, o.today)
	}
	if lone(object) {
		// "it" is what the sentence before speaks of.
		o.what = o.v.read(strings.Replace(o.text, main, " ", 1), o.today)
	}
	if led := o.v.read(lead, o.today); lead != "" && len(led.scopes)+len(led.conds) > 0 && prepositions[firstLow(lead)] {
		placed += ", " + lead
	}
	o.where = o.v.read(placed, o.today)
	// Where nothing else is said, what moves stays with what it was with:
	// another day of the same person.
	for _, s := range o.what.scopes {
		if k := o.v.kind(s.kind); k != nil && !k.leaf && !slices.ContainsFunc(o.where.scopes, func(w scope) bool { return w.kind == s.kind }) && s.field != "" && len(o.where.scopes) > 0 {
			o.where.scopes = append(o.where.scopes, s)
		}
	}
	o.shared = len(o.where.scopes) == 0
	o.moveThere(main)
	for _, a := range [...]string{o.place.after, o.place.before} {
		if a != "" {
			anchor := o.v.read(a, o.today)
			o.where.conds = append(anchor.conds, o.where.conds...)
		}
	}
	if len(o.what.targets) > 0 {
		o.create = o.what.targets[0].name
	}
	o.container = o.parentType()
}

// firstLow returns the first word of a text in lower case.
func firstLow(s string) string {
	for _, w := range scan(s) {
		if !w.mark {
			return w.low
		}
	}
	return ""
}

var (
	firstWord = re(`\bfirst\W*$`)
	lastWord  = re(`\blast\W*$`)
)

// lone reports whether a text names nothing.
func lone(s string) bool {
	return !slices.ContainsFunc(scan(s), content)
}
