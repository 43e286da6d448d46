package tree

import (
	"slices"
	"strings"
	"unicode"
)

const personName = `(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)`

var (
	// putFor is "put Ida down for the cake": who, and what with.
	putFor = newPattern(`\b(?i:put|sign|write|pencil|note|mark) ` + personName + ` (?i:down|up|in)(?: (?i:for|to|with))?\b\s*`)
	// willDo is a clause that only says who does it.
	willDo = newPattern(`(?:^|[,.;:]|[-–—]|\b(?i:and|so))\s*` + personName + `(?:['’]ll| (?i:will|can|could|should|would|is going to|is happy to|has agreed to|has offered to|wants to))? (?i:do|does|handle|handles|take care|takes care|take on|takes on|look after|looks after|see to|sees to|take|takes|see|bring|run|runs)(?i: of)?(?i: it| that| this| them)?\s*(?:$|[,.;!])`)
	// inCharge is who has it, behind what is new.
	inCharge = newPattern(`[,;]?\s+(?:(?i:with) ` + personName + ` (?i:in charge|responsible|on it|doing it|at the wheel)|(?i:assigned to|handled by|looked after by|done by|in the hands of|up to) ` + personName + `)`)
)

// cutDoer reads who is to do what is created, and takes that from the text.
func (o *order) cutDoer() {
	var who field
	for _, k := range o.v.leaves() {
		if f, ok := k.byKind(kindPerson); ok && who.name == "" {
			who = f
		}
	}
	if who.name == "" {
		return
	}
	for _, p := range [...]*pattern{putFor, willDo, inCharge} {
		for _, m := range p.FindAllStringSubmatchIndex(o.text, 4) {
			from, to := m[2], m[3]
			if from < 0 && len(m) > 5 {
				from, to = m[4], m[5]
			}
			name := o.text[from:to]
			if first := strings.Fields(strings.ToLower(name))[0]; notNames[first] || closed[first] || o.v.names(stem(first)) {
				continue
			}
			o.settings = append(o.settings, setting{kind: kindPerson, field: who.name, value: name})
			verb := ""
			if p == putFor {
				verb = "put "
			} else if end := o.text[m[1]-1 : m[1]]; strings.ContainsAny(end, ".,;!") {
				verb = end
			} else if p == willDo {
				verb = "."
			}
			o.text = o.text[:m[0]] + verb + o.text[m[1]:]
			return
		}
	}
}

// wholeForm is all of a memory, by whatever name.
var wholeForm = re(`\b(?:(?:for|in|of|on|across|throughout|over) )?(?:this|the|our|my) (?:whole|entire) (\w+)`)

// findWhole passes over words for all of a memory.
func (r *reading) findWhole() {
	for _, at := range wholeForm.FindAllStringSubmatchIndex(r.text, 2) {
		if s := stem(strings.ToLower(r.text[at[2]:at[3]])); !r.v.names(s) && !r.claimed(at[0], at[1]) {
			r.mark(at[0], at[1], usedStop)
		}
	}
}

// attributive reports whether the word between two offsets of a text describes
// what an order is about: "every open task" is set to nothing open.
func (o *order) attributive(text string, from, to int) bool {
	before, after := scan(text[:from]), scan(text[to:])
	if len(before) == 0 || len(after) == 0 || after[0].mark {
		return false
	}
	noun := after[0].stem
	named := general[noun] || slices.ContainsFunc(o.v.kinds, func(k *kind) bool { return k.mention(noun) >= 2 })
	return named && sets[before[len(before)-1].low]
}

// sets are words that lead to a set that is described.
var sets = set(`every all each the any those these both my our his her their which what of whichever`)

// likelyType returns the type of what is created where no word says it: the
// leaf in whose fields most of the values that are named stand.
func (o *order) likelyType() string {
	leaves := o.v.leaves()
	best, most := leaves[0].name, 0
	all := o.v.readAll(o.text, o.today)
	for _, k := range leaves {
		n := 0
		for _, s := range all.scopes {
			if s.kind == k.name && s.field != "" && len(s.values) > 0 {
				n++
			}
		}
		for _, s := range o.settings {
			if f, ok := k.byKind(s.kind); ok && slices.Contains(f.values, s.value) {
				n++
			}
		}
		if n > most {
			best, most = k.name, n
		}
	}
	return best
}

var thereForm = re(`\bthere\b`)

// moveThere reads where something moves that a sentence before names: "the
// choir belongs to Friday. Put it there.".
func (o *order) moveThere(main string) {
	if len(o.where.scopes)+len(o.where.conds) > 0 || !thereForm.MatchString(main) {
		return
	}
	before := strings.Replace(o.text, main, " ", 1)
	o.where = o.v.readAll(before, o.today)
	o.where.conds = slices.DeleteFunc(o.where.conds, func(c cond) bool { return c.negated })
	o.where.scopes = slices.DeleteFunc(o.where.scopes, func(s scope) bool {
		k := o.v.kind(s.kind)
		return s.negated || k == nil || k.leaf
	})
	o.what.scopes = slices.DeleteFunc(o.what.scopes, func(s scope) bool {
		k := o.v.kind(s.kind)
		return k != nil && !k.leaf
	})
	o.shared = false
}

// placedIn returns the places and persons that a text names, as values of
// fields of what is created.
func (o *order) placedIn(k *kind) []setting {
	var out []setting
	low := " " + strings.Join(lows(strings.Replace(o.text, o.place.after+o.place.before, " ", 1)), " ") + " "
	for _, f := range k.fields {
		if f.kind != kindPlace && f.kind != kindPerson {
			continue
		}
		for _, v := range o.withSeen(k, f).values {
			words := strings.Join(lows(v), " ")
			if words != "" && strings.Contains(low, " "+words+" ") && !strings.Contains(strings.ToLower(o.name), words) {
				out = append(out, setting{kind: f.kind, field: f.name, value: v})
			}
		}
	}
	return out
}

// stateWords are the words for states by themselves.
var stateWords = set(`done finished completed started begun closed resolved sorted paid ready complete cancelled`)

// notBut is a right value beside the wrong one: "it was 3-1, not three nil".
var notBut = re(`\b(?:was|is|were|are|should be|should read|reads?|ended)\s+(?:really |actually |in fact )?([^\s,;]*\d[^\s,;]*?),?\s+(?:and )?not\b`)

// fieldByShape returns the field of a type in which other nodes have values of
// the same make: digits and marks in the same places.
func (o *order) fieldByShape(k *kind, value string) (string, bool) {
	found := ""
	for _, f := range k.fields {
		if f.kind == kindName || !slices.ContainsFunc(o.withSeen(k, f).values, func(v string) bool { return shape(v) == shape(value) }) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = f.name
	}
	return found, found != ""
}

// shape writes 9 for every run of digits and a for every run of letters.
func shape(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if r != last || r != '9' && r != 'a' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
