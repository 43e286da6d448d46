package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// object returns the words of an order that say what is edited, as far as they
// are known: without the verb and without new values. Where they only point
// back, what stands before says it.
func (o *order) object() string {
	text := o.head
	if text == "" {
		text = o.mainSentence()
	}
	text = core(text)
	if pointsBack(text) {
		if at := strings.LastIndex(o.text, strings.TrimSpace(text)); at > 0 && strings.TrimSpace(text) != "" {
			return o.text[:at] + text
		}
		return strings.Replace(o.text, o.mainSentence(), " ", 1) + ". " + text
	}
	return text
}

var (
	hence   = re(`^(.*?)(?:[,;:–-]\s*|\s)(?:and so|so|therefore|hence|which means|that means|meaning)\s+(.+)$`)
	because = re(`(?:,\s*|\s+)(?:because|since|as (?:we|i|it|he|she|they|the)|so that|for (?:he|she|we|they|i) )\b.*$`)
)

// core drops the clause of a sentence that only tells why.
func core(s string) string {
	if m := hence.FindStringSubmatch(strings.Join(strings.Fields(s), " ")); m != nil && !pointsBack(m[2]) && !strings.HasPrefix(strings.ToLower(m[2]), "that ") {
		s = m[2]
	}
	if t := because.ReplaceAllString(s, ""); !pointsBack(t) {
		s = t
	}
	return s
}

// pointsBack reports whether a text names nothing but "it" and the like.
func pointsBack(s string) bool {
	named := slices.ContainsFunc(scan(s), func(w word) bool { return content(w) && !editWords[w.stem] && !frames[w.stem] })
	return !named
}

// editWords are the verbs of orders, which say nothing of the object.
var editWords = stems(`strike hang stick forget skip discard dump bin axe trash chuck wipe file park pin add create insert put change update set mark rename edit modify adjust replace swap raise lower increase decrease reduce bump postpone delay defer
reschedule push extend shorten correct fix move shift transfer delete remove cancel drop scrap erase cut ditch lose rid clear note record tick bring pull switch
straight right very instead later earlier back forward together over top bottom end beginning start call`)

// A naming is a node that a text calls by name.
type naming struct {
	candidate
	from, to int  // words of the text
	in       bool // behind a preposition, so that it says where
	whole    bool // its whole name stands there
}

// byName returns the nodes whose whole name stands in a text, of several that
// overlap the longest. Names that are a number, a day or the name of a type
// say too little.
func (o *order) byName(j *judge, text string) []naming {
	words := scan(text)
	var at []int // of the words that count
	for i, w := range words {
		if !w.mark && !articles[w.low] {
			at = append(at, i)
		}
	}
	var all []naming
	for _, c := range j.all {
		n := c.node()
		k := o.v.kind(n.Type)
		if len(c.path) == 1 || k == nil || dayKind(k) && !k.leaf || callName(n) == n.Type || digits(callName(n)) {
			continue
		}
		name := nameStems(n)
		if len(name) == 0 || len(name) == 1 && (o.v.names(name[0]) || o.v.fieldWord(name[0]) || o.valueWord(k, n)) {
			continue
		}
		for i := 0; i+len(name) <= len(at); i++ {
			ok := true
			for m, s := range name {
				ok = ok && sameStem(words[at[i+m]].stem, s)
			}
			if ok {
				from, to := at[i], at[i+len(name)-1]+1
				all = append(all, naming{candidate: c, from: from, to: to, in: o.behind(words, from), whole: true})
				break
			}
		}
	}
	return slices.DeleteFunc(all, func(a naming) bool {
		return slices.ContainsFunc(all, func(b naming) bool {
			return b.from <= a.from && a.to <= b.to && b.to-b.from > a.to-a.from
		})
	})
}

// articles are passed over inside names.
var articles = set(`the a an`)

// valueWord reports whether a node is called by the value of a class, such as
// a meal that is called lunch.
func (o *order) valueWord(k *kind, n *tree.Node) bool {
	return k.nameField() == "type" || timesOfDay[strings.ToLower(callName(n))]
}

func nameStems(n *tree.Node) []string {
	var out []string
	for _, w := range scan(callName(n)) {
		if !w.mark && !articles[w.low] {
			out = append(out, w.stem)
		}
	}
	return out
}

// units are short and long names of the same thing.
var units = pairs(`km kilometre kilometer kilometre min minute mins minute hr hour hrs hour kg kilo kilogram kilo`)

// sameStem compares words by their stems, and short forms of units.
func sameStem(a, b string) bool {
	if a == b {
		return true
	}
	long := func(s string) string {
		if l, ok := units[s]; ok {
			return stem(l)
		}
		return s
	}
	return long(a) == long(b)
}

// behind reports whether a preposition or an owner leads to the word at i, so
// that it says where the object is.
func (o *order) behind(words []word, i int) bool {
	for k := i - 1; k >= max(0, i-5); k-- {
		w := words[k]
		switch {
		case w.low == "'s" || w.mark && w.low != "-" && w.low != `"`:
			return false
		case w.low == "of" && k > 0 && (o.fieldAt(words[k-1]) || words[k-1].low == "rid" || words[k-1].low == "all" || words[k-1].low == "whole"):
			return false
		case prepositions[w.low] || w.low == "after" || w.low == "before" || w.low == "between" || w.low == "except":
			return true
		case content(w) && !editWords[w.stem] && !o.v.names(w.stem):
			return false
		}
	}
	return false
}

// fieldAt reports whether a word names a field.
func (o *order) fieldAt(w word) bool { return o.v.fieldWord(w.stem) }

// byWords returns the nodes whose names have all of the words that stand for
// the object at its head: "the lanterns" is "Marsh Lane Lanterns".
func (o *order) byWords(j *judge, text string) []candidate {
	var want []string
	words := scan(text)
	for i, w := range words {
		if len(want) > 0 && (prepositions[w.low] || w.mark && w.low != "-") {
			break
		}
		if !content(w) || digits(w.low) || editWords[w.stem] || frames[w.stem] || o.v.names(w.stem) && len(want) == 0 || general[w.stem] || ordinals[w.low] != 0 {
			continue
		}
		if i+1 < len(words) && words[i+1].low == "'s" {
			continue // whose it is
		}
		if o.fieldAt(w) && i+1 < len(words) && words[i+1].low == "of" {
			continue
		}
		want = append(want, w.stem)
	}
	if len(want) == 0 {
		return nil
	}
	var out []candidate
	for _, c := range j.all {
		n := c.node()
		if len(c.path) == 1 || callName(n) == n.Type || digits(callName(n)) {
			continue
		}
		have := nameStems(n)
		if !slices.ContainsFunc(want, func(s string) bool {
			return !slices.ContainsFunc(have, func(h string) bool { return sameStem(h, s) })
		}) {
			out = append(out, c)
		}
	}
	return out
}

// meant returns the nodes that an edit is about. What an order calls by name
// is meant; else what the reading fits.
func (o *order) meant(j *judge) []candidate {
	r := o.what
	got := j.pick(r, o.op)
	if len(got) == 0 && len(r.compares) > 0 && (o.op == treetask.Update || o.op == treetask.Move) {
		// A value that nothing has is not what it is known by.
		free := *r
		free.compares = nil
		got = j.pick(&free, o.op)
	}
	if len(r.compares) > 0 || r.best != nil || r.from != 0 {
		return got
	}
	object := o.object()
	var named []candidate
	for _, n := range o.byName(j, object) {
		if !n.in && o.editable(n.node()) && o.inOtherScopes(j, n.candidate) {
			named = append(named, n.candidate)
		}
	}
	if o.exempt(object) {
		return got
	}
	if len(named) > 0 {
		if r.severally() {
			return topmost(union(named, got))
		}
		if both := overlap2(named, got); len(both) > 0 && len(both) < len(named) && !r.plural && sameNames(named) {
			named = both
		}
		return topmost(named)
	}
	if many := o.several(j, object); len(many) > 1 && !o.sentenceLike(object) {
		return many
	}
	if len(got) == 1 && !r.plural && !stemsMeet(object, got[0].node().Name()) {
		if best := o.byShare(j, object, got); len(best) == 1 {
			return best
		}
	}
	if r.loose {
		if best := o.byShare(j, object, got); len(best) > 0 {
			return best
		}
	}
	if len(got) == 1 || r.plural && len(got) > 0 {
		return got
	}
	var some []candidate
	for _, c := range o.byWords(j, object) {
		if o.editable(c.node()) && o.inOtherScopes(j, c) {
			some = append(some, c)
		}
	}
	if len(some) == 1 {
		return some
	}
	if both := overlap2(some, got); len(both) > 0 {
		return both
	}
	if best := o.byShare(j, object, got); len(best) > 0 {
		return best
	}
	return got
}

// headOf returns the head of an object: without the field that is said to be of
// it, and without what says where it is.
func (o *order) headOf(text string) string {
	if m := fieldOf.FindStringSubmatchIndex(text); m != nil {
		if last := scan(text[m[2]:m[3]]); len(last) > 0 && o.fieldAt(last[len(last)-1]) {
			text = text[m[1]:]
		}
	}
	if at := scopeForm.FindStringIndex(text); at != nil && !pointsBack(text[:at[0]]) {
		return text[:at[0]]
	}
	return text
}

// byShare returns the node whose name has most of the words of a text, rare
// words before common ones; nothing where several have as much, or where those
// that the reading fits have as much.
func (o *order) byShare(j *judge, text string, got []candidate) []candidate {
	want := map[string]bool{}
	for _, w := range scan(o.headOf(text)) {
		if content(w) && !digits(w.low) && !editWords[w.stem] && !frames[w.stem] && !o.v.names(w.stem) && !o.fieldAt(w) {
			want[w.stem] = true
		}
	}
	common := map[string]int{}
	for _, c := range j.all {
		for s := range stemsOf(callName(c.node())) {
			common[s]++
		}
	}
	share := func(n *tree.Node) float64 {
		sum := 0.0
		for s := range stemsOf(callName(n)) {
			if want[s] {
				sum += 1 / float64(common[s])
			}
		}
		return sum
	}
	most, best := 0.0, []candidate(nil)
	for _, c := range j.all {
		if len(c.path) == 1 || !o.editable(c.node()) || !o.inOtherScopes(j, c) {
			continue
		}
		switch s := share(c.node()); {
		case s > most:
			most, best = s, []candidate{c}
		case s == most && s > 0:
			best = append(best, c)
		}
	}
	if len(best) != 1 || len(overlap2(best, got)) == 0 && len(got) == 1 && most < 0.5 {
		return nil
	}
	return best
}

// exempt reports whether an order spares some of what it names, or means what
// is in it.
func (o *order) exempt(object string) bool {
	return sparing.MatchString(withIt.ReplaceAllString(object, " "))
}

// withIt says that what is in something goes with it.
var withIt = re(`\b(?:and|with|plus|including) (?:all|everything|anything|whatever)(?: that)?(?:['’]s| is)? (?:in|on|under|below|inside|of) (?:it|them)\b`)

var sparing = re(`\b(?:except|apart from|besides|other than|all but|everything but|but not|everything (?:in|on|under|from|of|for)|all of|both|anything|whatever|every|each)\b`)

// editable reports whether a node can take the change.
func (o *order) editable(n *tree.Node) bool {
	k := o.v.kind(n.Type)
	if k == nil {
		return false
	}
	if o.op != treetask.Update {
		return true
	}
	for _, s := range o.settings {
		if s.field != "" && k.hasField(s.field) {
			return true
		}
		if _, ok := k.byKind(s.kind); ok && s.field == "" {
			return true
		}
	}
	if o.shift != nil {
		if o.shift.field != "" {
			return k.hasField(o.shift.field)
		}
		_, ok := k.byKind(o.shift.kind)
		return ok
	}
	if o.value != "" {
		return o.field == "" || o.field == "name" || k.hasField(o.field)
	}
	return len(o.settings) == 0
}

// inOtherScopes reports whether a place lies in the scopes of the reading that
// are not about the node itself.
func (o *order) inOtherScopes(j *judge, c candidate) bool {
	own := *o.what
	own.scopes = slices.DeleteFunc(slices.Clone(own.scopes), func(s scope) bool {
		return strings.EqualFold(s.kind, c.node().Type) && slices.ContainsFunc(s.values, func(v string) bool { return v == callName(c.node()) })
	})
	return j.inScopes(c.path, &own)
}

// sentenceLike reports whether the words for an object are more than a list of
// names, so that a comma parts clauses.
func (o *order) sentenceLike(s string) bool {
	return clauseWord.MatchString(s) || len(contentStems(s)) > 12 || sentenceVerb.MatchString(s)
}

var sentenceVerb = re(`\b(?:has|have|had|isn['’]t|aren['’]t|don['’]t|doesn['’]t|won['’]t|can['’]t|gets?|got|comes?|goes|went|wants?|needs?|likes?)\b`)

// stemsMeet reports whether two texts share a word.
func stemsMeet(a, b string) bool {
	have := stemsOf(a)
	return slices.ContainsFunc(contentStems(b), func(s string) bool { return have[s] })
}

func overlap2(a, b []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(a), func(c candidate) bool {
		return !slices.ContainsFunc(b, func(d candidate) bool { return d.node().ID == c.node().ID })
	})
}

func sameNames(list []candidate) bool {
	return !slices.ContainsFunc(list, func(c candidate) bool { return callName(c.node()) != callName(list[0].node()) })
}

// topmost drops nodes that stand below others of the list.
func topmost(list []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c candidate) bool {
		return slices.ContainsFunc(list, func(d candidate) bool {
			return d.node().ID != c.node().ID && slices.ContainsFunc(c.path, func(n *tree.Node) bool { return n.ID == d.node().ID })
		})
	})
}
