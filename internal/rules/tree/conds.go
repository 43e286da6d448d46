package tree

import (
	"slices"
	"strings"
)

// frames are words of asking and of talk about plans that are no condition.
var frames = stems(`
show list tell give find want need plan schedule have get see look know check include contain involve count name mention describe
trip itinerary agenda menu list programme calendar memory holiday vacation
please thank help wonder remind remember today now currently moment
way bit lot kind sort type part rest
come take put keep leave make do go stand happen belong
able possible available suppose fall head hold visit among amongst upon per via despite regarding concerning
first last next previous
left remain
morning evening
turn run avoid squeeze start begin involve join ring say think count promise reserve arrive try ask hope wish prefer enjoy mind care bother worry forget believe decide suggest seem appear become remain continue return reach spend manage pass
week choice choose reason difference section minute hour gram until till after before between far along much soon often anywhere somewhere nowhere furthest
serve safe safely miss day rid away absent gone behind stand hear meet teach attend held hold busy either use share fit touch fancy stay look offer suit get cost rain pour forecast weather copy obsess
whole entire complete total
total sum altogether average
`)

// timesOfDay are conditions although plans are full of them.
var timesOfDay = set(`morning evening afternoon night tonight noon`)

// findConds makes conditions of what is left: of the sentences that ask, and
// apart of those around them.
func (r *reading) findConds() {
	idiom := r.findIdioms()
	averse := r.findAversions()
	r.conds = slices.Concat(idiom[1], r.condsOf(true))
	if len(r.conds) == 0 || r.mainless() {
		r.conds = append(r.conds, averse...)
	}
	r.context = slices.Concat(idiom[0], r.condsOf(false))
	if r.group != nil && r.group.mode == "none" {
		for i := range r.conds {
			r.conds[i].negated = false
		}
	}
}

// aversion is what somebody cannot or does not want to have.
var (
	aversion  = re(`\b(?:ran out of|run out of|are out of|is out of|no more|fed up with|allergic to|allergy to|intolerant to|cannot have|can['’]t (?:have|eat|stand|take)|couldn['’]t (?:have|eat)|does(?:n['’]t| not) (?:like|eat|touch)|do(?:n['’]t| not) (?:like|eat|touch)|won['’]t (?:touch|eat)|hates?|loathes?|must(?:n['’]t| not) (?:have|eat|touch)|avoids?|off limits:|gave up|without|steers? clear of|wary of|scared of|(?:a|one|the smallest) (?:bite|crumb|trace|taste|whiff|drop|sip|spoonful) of|reacts? to|allergen:?|no-go:?|upsets?|kills?)\s+(?:an? |any(?:thing)? |the |all |to have |eating )?(\p{L}+(?: (?:meat|fish|nuts|food|products))?)`)
	takesAway = re(`\b(?:can['’]t|cannot|couldn['’]t|shouldn['’]t|should not|mustn['’]t|must not|avoid|not (?:have|eat)|off limits|dangerous|problem|worry|watch out)\b`)
	allowing  = re(`\b(?:can|could|may|might|would|should|what|which|is there|anything)\b`)
)

// safeWord asks for what does no harm.
var safeWord = re(`\b(?:safe|safely|harmless|suitable|all right for|okay for|fine for|allowed)\b`)

// findAversions makes conditions of what somebody does not want, named before
// a question: what is left is without it, or with it where the question asks
// what to avoid.
func (r *reading) findAversions() []cond {
	var out []cond
	main := r.mainText()
	for _, at := range aversion.FindAllStringSubmatchIndex(r.text, 4) {
		i := slices.IndexFunc(r.words, func(w word) bool { return w.start >= at[2] })
		if i < 0 || r.main[i] || r.claimed(at[2], at[3]) {
			continue
		}
		c := cond{text: clean(r.text[at[2]:at[3]]), at: i, negated: safeWord.MatchString(main) || allowing.MatchString(main) && !takesAway.MatchString(main)}
		for _, w := range scan(c.text) {
			c.stems = append(c.stems, w.stem)
		}
		if len(c.stems) == 0 || frames[c.stems[0]] || closed[c.text] {
			continue
		}
		out = append(out, c)
		r.mark(at[0], at[1], usedNeg)
	}
	return out
}

// findIdioms makes conditions of idioms: of those in sentences that ask at
// index 1, of the others at 0.
func (r *reading) findIdioms() (out [2][]cond) {
	for _, d := range idioms {
		for _, at := range d.pattern.FindAllStringIndex(r.text, 4) {
			i := slices.IndexFunc(r.words, func(w word) bool { return w.start >= at[0] })
			if i < 0 || r.claimed(at[0], at[1]) {
				continue
			}
			side := 0
			if r.main[i] {
				side = 1
			}
			out[side] = append(out[side], cond{text: d.plain, stems: []string{stem(d.plain)}, negated: r.negatedAt(i), at: i})
			r.mark(at[0], at[1], usedNeg)
		}
	}
	return out
}

// mainless reports whether the conditions of the sentence that asks are few
// words that point back.
func (r *reading) mainless() bool { return referring.MatchString(r.mainText()) }

// plainly drops verbs of having that only lead to what is had.
func plainly(s string) string { return leadVerb.ReplaceAllString(s, "") }

var leadVerb = re(`^(?:contain|contains|containing|include|includes|including|involve|involves|involving|has|have|having)\s+`)

func (r *reading) condsOf(main bool) []cond {
	var out []cond
	or := 0
	for i := 0; i < len(r.words); i++ {
		if r.main[i] != main || !r.condWord(i) {
			continue
		}
		start, end := i, i+1
		for end < len(r.words) {
			if r.main[end] == main && r.condWord(end) {
				end++
				continue
			}
			// Small words between belong to the phrase: "jar of apples".
			k := end
			for k < len(r.words) && k < end+2 && (glue[r.words[k].low] && r.used[k] == unused && !(r.both && r.words[k].low == "and") && !r.apart(k) || r.hyphen(k)) {
				k++
			}
			if k > end && k < len(r.words) && r.main[k] == main && r.condWord(k) {
				end = k
				continue
			}
			break
		}
		for start+2 < end && measures[r.words[start].stem] && r.words[start+1].low == "of" {
			start += 2
		}
		words := r.words[start:end]
		var ss []string
		for _, w := range words {
			if content(w) {
				ss = append(ss, w.stem)
			}
		}
		c := cond{text: plainly(clean(join(r.text, words))), stems: ss, negated: r.negatedAt(start), at: start}
		c.excluded = c.negated && r.excludedAt(start)
		if start > 0 && r.words[start-1].low == "or" && len(out) > 0 {
			or++
			prev := &out[len(out)-1]
			if prev.or == 0 {
				prev.or = or
			} else {
				or = prev.or
			}
			c.or = or
			c.negated = c.negated || prev.negated
		}
		if start > 0 && (r.words[start-1].low == "and" || r.words[start-1].low == ",") && len(out) > 0 && out[len(out)-1].negated && r.joinedTo(start) {
			c.negated = true
		}
		if len(out) > 0 && c.or == 0 && r.second(start, out[len(out)-1]) {
			prev := &out[len(out)-1]
			switch {
			case prev.negated:
				c.negated, c.excluded = true, prev.excluded
			case !c.negated:
				if prev.or == 0 {
					or++
					prev.or = or
				}
				c.or, c.each, prev.each = prev.or, true, true
			}
		}
		out = append(out, c)
		i = end - 1
	}
	return out
}

// hyphen reports whether the mark at i joins two words into one.
func (r *reading) hyphen(i int) bool {
	return r.words[i].low == "-" && i > 0 && i+1 < len(r.words) && r.words[i-1].end == r.words[i].start && r.words[i+1].start == r.words[i].end
}

// excludedAt reports whether what stands at i is taken out of a set: "all but
// the tour".
func (r *reading) excludedAt(i int) bool {
	for k := i - 1; k >= max(0, i-4); k-- {
		switch r.words[k].low {
		case "except", "excluding", "besides", "but", "minus", "apart", "aside", "other", "without":
			return true
		}
	}
	return false
}

// joinedTo reports whether only "and" or a comma parts a word from the
// condition before it.
func (r *reading) joinedTo(i int) bool { return i >= 2 && r.condWord(i-2) }

// glue are small words inside a phrase.
var glue = set(`of the a an and 's`)

// measures are nouns for an amount of what follows "of".
var measures = stems(`crate box bag jar bunch pile load bottle pack bowl cup glass plate pair piece heap ton amount bit lot round kind sort type`)

// condWord reports whether the word at i can be part of a condition.
func (r *reading) condWord(i int) bool {
	w := r.words[i]
	if r.used[i] != unused || w.mark || digits(w.low) {
		return false
	}
	if timesOfDay[w.low] {
		return i == 0 || r.words[i-1].low != "each" && r.words[i-1].low != "every"
	}
	return content(w) && !frames[w.stem]
}

// clean prepares words for a string of a query.
func clean(s string) string {
	s = strings.NewReplacer(`"`, "", "\\", "", "“", "", "”", "", "[", "", "]", "").Replace(s)
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}
