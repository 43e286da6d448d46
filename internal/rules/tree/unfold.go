package tree

import (
	"regexp"
	"slices"
	"strings"
)

// dayRange is a range of days of which only the last has its month.
var dayRange = re(`\b(from|between)\s+(?:the )?(\d{1,2}(?:st|nd|rd|th)?)\s*(?:(?:to|and|until|till|through|-|–)\s*(?:the )?)(\d{1,2}(?:st|nd|rd|th)?)(?: of)?\s+((?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b)`)

// nothingToDo says what something does not belong to, which is not what is
// meant.
var nothingToDo = re(`\b(?:has|have|had|['’]s) (?:nothing|little|not much|n['’]t much) to do with [^,.;:!?]+`)

var theyWho = re(`\b(?:he|she)\b`)

// unfold gives both ends of a range of days their month, and puts the name of a
// person in for "he" and "she" of later sentences, where exactly one person was
// named before whom the schema knows.
func (v *vocab) unfold(text string) string {
	text = dayRange.ReplaceAllString(text, "between ${2} ${4} and ${3} ${4}")
	text = nothingToDo.ReplaceAllString(text, "is out of place")
	var people []string
	for _, k := range v.kinds {
		for _, f := range k.fields {
			if f.kind == kindPerson {
				people = append(people, f.values...)
			}
		}
	}
	all := sentences(scan(text))
	if len(people) == 0 || len(all) < 2 {
		return text
	}
	first := join(text, all[0])
	name := ""
	for _, p := range people {
		if p == "" || p == name || !regexp.MustCompile(`\b`+regexp.QuoteMeta(p)+`\b`).MatchString(first) {
			continue
		}
		if name != "" {
			return text
		}
		name = p
	}
	if name == "" {
		return text
	}
	cut := all[0][len(all[0])-1].end
	return text[:cut] + theyWho.ReplaceAllLiteralString(text[cut:], name)
}

// nobodyForm says that nobody is down for something, or asks who could be.
var nobodyForm = re(`\b(?:(?:nobody|no one|no-one|none of us|no volunteers?)(?:['’]s)?(?: has| is| was| have| are| had| will)?(?: yet| so far| still)?(?: been| be)? (?:asked|assigned|signed|down|put|taken|volunteer\w*|claimed|named|found|looking|responsible|in charge|doing|picked|offered|agreed|listed|entered|got|on|yet)|unassigned|unstaffed|unclaimed|unmanned|up for grabs|without (?:anyone|anybody|a volunteer|someone|somebody)|(?:still )?(?:needs?|lacks?|looking for|short of) (?:a volunteer|volunteers|anyone|somebody|someone|a person)|(?:has|have|with|got) (?:nobody|no one|no-one)(?: assigned| yet| down)?)\b`)

// findNobody looks for what nobody is down for: a field for persons that is
// empty.
func (r *reading) findNobody() {
	for _, at := range nobodyForm.FindAllStringIndex(r.text, 4) {
		i := slices.IndexFunc(r.words, func(w word) bool { return w.start >= at[0] })
		if i < 0 || !r.main[i] || r.claimed(at[0], at[1]) {
			continue
		}
		for _, k := range r.v.leaves() {
			if f, ok := k.byKind(kindPerson); ok {
				r.scopes = append(r.scopes, scope{kind: k.name, field: f.name, empty: true})
			}
		}
		// What follows says what the person would do: "put a hand up".
		r.mark(at[0], at[1], usedScope)
		for k := i; k < len(r.words) && r.words[k].start < at[1]+24 && !r.words[k].mark; k++ {
			if r.words[k].start >= at[1] && trailing[r.words[k].low] {
				r.used[k] = usedStop
			}
		}
	}
}

// trailing are words that follow a verb of volunteering.
var trailing = set(`up hand hands for down in to do on it after over yet so far name names a their his her`)

// share says of all leaves with a field what a scope says of one of them:
// the same value may stand in the same field of several types.
func (r *reading) share(s scope) {
	k := r.v.kind(s.kind)
	if k == nil || !k.leaf || s.field == "" {
		return
	}
	for _, other := range r.v.leaves() {
		if other.name != k.name && other.hasField(s.field) {
			s.kind = other.name
			r.addScope(s)
		}
	}
}

// settleTargets drops types that cannot have what is asked of a field, where
// none was named.
func (r *reading) settleTargets() {
	if r.explicit || r.group != nil || len(r.targets) < 2 {
		return
	}
	for _, s := range r.scopes {
		k := r.v.kind(s.kind)
		if k == nil || !k.leaf || s.field == "" || s.negated {
			continue
		}
		fit := slices.DeleteFunc(slices.Clone(r.targets), func(t *kind) bool {
			return !slices.ContainsFunc(r.scopes, func(o scope) bool {
				return o.kind == t.name && o.empty == s.empty && o.class == s.class && (o.field == s.field || o.empty) && slices.Equal(o.values, s.values)
			})
		})
		if len(fit) > 0 {
			r.targets = fit
		}
	}
}

var (
	styleForm = re(`^(?:so |and |but |please |just )*(?:(?:keep|make) (?:it|this|that) (?:short|brief|quick|simple)|(?:a )?quick (?:question|one|check)|out of curiosity|by the way|just (?:wondering|checking|asking))\b`)
	asking    = re(`^(?:and |so |but |then |please )*(?:what|when|where|which|who|whom|whose|why|how|is|are|was|were|do|does|did|has|have|had|will|would|should|can|could|any|anything|anyone|show|list|tell|give me|find|name|count|remind me)\b`)
)

// leaveAsides takes the parts of a question's sentence that only tell
// something from what counts: "I'm in the shop, so how wide may it be?".
func (r *reading) leaveAsides(from, to int) {
	type part struct {
		from, to int
		asks     bool
	}
	var all []part
	start := from
	add := func(end int) {
		if start < end {
			all = append(all, part{start, end, asking.MatchString(join(r.text, r.words[start:end]))})
		}
	}
	for i := from; i < to; i++ {
		w := r.words[i]
		if w.mark && (w.low == "," || w.low == ":" || w.low == "-") && !r.hyphen(i) {
			add(i)
			start = i + 1
		}
	}
	add(to)
	if len(all) < 2 || !slices.ContainsFunc(all, func(p part) bool { return p.asks }) {
		return
	}
	for _, p := range all {
		text := join(r.text, r.words[p.from:p.to])
		if p.asks || !styleForm.MatchString(text) && !telling.MatchString(text) {
			continue
		}
		for k := p.from; k < p.to; k++ {
			r.main[k] = false
		}
	}
}

// telling opens a clause that tells something about whoever asks.
var telling = re(`^(?:so |and |but |because |since |as )*(?:(?:i|we|he|she|they|you)(?:['’]m|['’]re|['’]ve|['’]s|['’]ll|['’]d)?|(?:my|our|his|her|their) \w+(?: \w+)?)\s+(?:am|is|are|was|were|have|has|had|just|can|can['’]t|cannot|will|won['’]t|want|wants|need|needs|got|get|gets|in|on|at|a|an|the|so|not|too|only|really|always|never|still|\w+ing|\w+ed|don['’]t|didn['’]t|forgot|lost)\b`)

// comparatives are superlatives between two.
var comparatives = []struct {
	kind  fieldKind
	max   bool
	words []string
}{
	{kindMoney, false, []string{"cheaper", "less expensive", "costs less", "cost less", "less costly", "lower fee", "lower price"}},
	{kindMoney, true, []string{"dearer", "pricier", "more expensive", "costlier", "costs more", "cost more", "costs us more", "costs me more", "more costly"}},
	{kindDuration, true, []string{"longer", "takes more time", "slower"}},
	{kindDuration, false, []string{"shorter", "quicker", "faster", "takes less time"}},
	{kindPriority, true, []string{"more urgent", "more important", "more pressing"}},
	{kindPriority, false, []string{"less urgent", "less important", "less pressing"}},
	{kindDate, false, []string{"sooner", "due earlier", "first", "earlier"}},
	{kindDate, true, []string{"due later", "later"}},
	{kindTime, false, []string{"earlier"}},
	{kindTime, true, []string{"later"}},
}

var (
	eitherOr = re(`\b(?:or|of the two|of both|of these|of those|versus|vs)\b`)
	askWhich = re(`\b(?:which|what|who|whose)\b`)
	thanForm = re(`\bthan\b`)
)

// findComparative looks for a question which of some named nodes has more of
// something.
func (r *reading) findComparative() {
	if r.best != nil || !eitherOr.MatchString(r.text) || !askWhich.MatchString(r.text) || thanForm.MatchString(r.text) {
		return
	}
	for _, c := range comparatives {
		if !r.v.hasKind(c.kind) {
			continue
		}
		for _, w := range longest(c.words) {
			if at := r.claimPhrase(w); at >= 0 {
				for k := range strings.Fields(w) {
					r.used[at+k] = usedSuper
				}
				r.best = &superlative{kind: c.kind, max: c.max, n: 1, at: at}
				r.plural = true
				return
			}
		}
	}
}

var (
	lastOfAll  = re(`\b(?:very last (?:thing|item|date|entry|one)|last (?:thing|item|entry|date) (?:on|in) (?:the|my|our) (?:calendar|diary|agenda|schedule|list)|last of all)\b`)
	firstOfAll = re(`\b(?:very first (?:thing|item|date|entry|one)|first (?:thing|item|entry|date) (?:on|in) (?:the|my|our) (?:calendar|diary|agenda|schedule)|first of all)\b`)
	futureForm = re(`\b(?:(?:still )?ahead of (?:us|me|him|her|them|you)|still ahead|upcoming|coming up|still (?:to come|coming)|yet to (?:come|be played|happen|take place)|to look forward to|lies? ahead|in store)\b`)
	nextForm   = re(`\bnext\b`)
)

// findTense looks for what is still to come, where leaves have the day that
// they are on.
func (r *reading) findTense() {
	if r.today.IsZero() || classify(r.text).op != "read" && !futureForm.MatchString(r.text) {
		return
	}
	dated := false
	for _, k := range r.v.leaves() {
		if f, ok := k.byKind(kindDate); ok && !slices.ContainsFunc(f.words, func(w string) bool { return deadlines[w] }) {
			dated = true
		}
	}
	for _, look := range [...]struct {
		form *pattern
		max  bool
	}{{lastOfAll, true}, {firstOfAll, false}} {
		if at := look.form.FindStringIndex(r.text); at != nil && r.best == nil && r.datedLeaf() && !r.claimed(at[0], at[1]) {
			r.best = &superlative{kind: kindDate, max: look.max, n: 1}
			for i, w := range r.words {
				if w.start >= at[0] && w.start < at[1] {
					r.used[i] = usedSuper
					r.best.at = i
				}
			}
			r.generic = true
		}
	}
	if !dated {
		return
	}
	ahead := compare{kind: kindDate, relation: atLeast, lo: float64(r.today.Unix() / 86400)}
	if at := futureForm.FindStringIndex(r.text); at != nil {
		r.mark(at[0], at[1], usedCompare)
		r.compares = append(r.compares, ahead)
	}
	for i, w := range r.words {
		if !r.main[i] || r.used[i] != unused || !nextForm.MatchString(w.low) {
			continue
		}
		if i+1 < len(r.words) && (spanUnits[r.words[i+1].low] || weekdays[r.words[i+1].low] != 0 || r.words[i+1].low == "sunday" || r.words[i+1].low == "to" || r.words[i+1].low == "door") {
			continue
		}
		r.used[i] = usedSuper
		r.compares = append(r.compares, ahead)
		if r.best == nil {
			r.best = &superlative{kind: kindDate, n: 1, at: i}
		}
		return
	}
}

var (
	deadlines = stems(`due deadline until till by expiry`)
	spanUnits = set(`week month year weekend fortnight weeks months season few time`)
)

func (r *reading) datedLeaf() bool {
	return slices.ContainsFunc(r.v.leaves(), func(k *kind) bool {
		_, ok := k.byKind(kindDate)
		return ok
	})
}
