package tree

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// readBeside reads values that stand beside the name of their field: "two
// rows", "7 g of fat", "room B2", "with gravel soil". It returns where they
// stand.
func (o *order) readBeside(text string, kinds []*kind) (cuts []int) {
	words := scan(text)
	for _, k := range kinds {
		for _, f := range k.fields {
			if f.kind == kindName || f.name == k.nameField() || len(f.words) == 0 || o.hasSetting(f.name) || f.kind != kindText && f.kind != kindNumber && f.kind != kindDuration && f.kind != kindPlace && f.kind != kindOrder {
				continue
			}
			for i, w := range words {
				if w.mark || w.stem != f.words[0] {
					continue
				}
				from, to, value := valueBeside(text, words, i, f)
				if value == "" {
					continue
				}
				kind := kindText
				if unicode.IsDigit(rune(value[0])) {
					kind = kindNumber
				}
				o.settings = append(o.settings, setting{kind: kind, field: f.name, value: value})
				cuts = append(cuts, from, to)
				break
			}
		}
	}
	return cuts
}

// valueBeside returns the value that stands beside the word at i, and where
// both stand.
func valueBeside(text string, words []word, i int, f field) (from, to int, value string) {
	// A number before it, with a unit: "7 g of fat".
	for k := i - 1; k >= max(0, i-3); k-- {
		low := words[k].low
		if n, ok := amountWord(low); ok && !noted(words, k) {
			unit := ""
			if k+1 < i && (massUnits[words[k+1].low] || lengthUnits[words[k+1].low]) {
				unit = " " + words[k+1].low
			}
			return words[k].start, words[i].end, n + unit
		}
		if low != "of" && !massUnits[low] && !lengthUnits[low] {
			break
		}
	}
	// A name or number behind it: "room B2", "row 4".
	if k := i + 1; k < len(words) && !words[k].mark {
		if words[k].low == "number" || words[k].low == "to" || words[k].low == "is" || words[k].low == "of" {
			k++
		}
		if k < len(words) && !words[k].mark && (words[k].upper && !closed[words[k].low] || digits(words[k].low[:1])) && !isOrdinal(words[k].low) {
			return words[i].start, words[k].end, text[words[k].start:words[k].end]
		}
	}
	// Words before it, behind "with": "with gravel soil".
	if f.kind == kindText || f.kind == kindPlace {
		for k := i - 1; k >= max(0, i-4); k-- {
			if low := words[k].low; low == "with" && k < i-1 {
				first := k + 1
				if articles[words[first].low] && first < i-1 {
					first++
				}
				return words[k].start, words[i].end, text[words[first].start:words[i-1].end]
			} else if words[k].mark && low != "-" || prepositions[low] {
				break
			}
		}
	}
	return 0, 0, ""
}

// noted reports whether the number at k is denied: "not two".
func noted(words []word, k int) bool {
	return k > 0 && (words[k-1].low == "not" || words[k-1].low == "than" || words[k-1].low == "from")
}

// amountWord reads a number in digits or in words, and writes it in digits.
func amountWord(low string) (string, bool) {
	if numberForm.MatchString(low) && unicode.IsDigit(rune(low[0])) {
		return low, digits(strings.NewReplacer(".", "", ",", "").Replace(low))
	}
	if n, ok := cardinals[low]; ok {
		return strconv.Itoa(n), true
	}
	return "", false
}

// ownNames are values such as "A12" or "Joel", known by a capital or a digit.
func ownName(v string) bool {
	return len(v) > 1 && len(v) <= 30 && strings.ContainsFunc(v, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
}

// fromSiblings gives what is created the values that other nodes of the type
// have and that the request names: "in A12", "by Joel".
func (o *order) fromSiblings(k *kind) {
	rest := strings.ReplaceAll(o.text, o.name, " ")
	for _, f := range k.fields {
		if f.kind != kindText && f.kind != kindPlace && f.kind != kindPerson || f.name == k.nameField() || o.hasSetting(f.name) || f.kind == kindPerson && o.set(kindPerson) {
			continue
		}
		for _, v := range o.withSeen(k, f).values {
			if !ownName(v) {
				continue
			}
			if m := regexp.MustCompile(`\b(?:in|by|with|for|at|from|to|on)\s+(?:the )?(?:\w+ )?` + regexp.QuoteMeta(v) + `\b`); m.MatchString(rest) {
				o.settings = append(o.settings, setting{kind: f.kind, field: f.name, value: v})
				break
			}
		}
	}
}

var (
	bringForm = re(`\b(?:found|discovered|heard (?:of|about)|recommend(?:s|ed)|booked|reserved|bought|got|brings?|bringing|brought|told (?:me|us) about|suggests?|suggested|made|makes?|baked|bakes?|promised|begged for|asked for|craves|loves|feels like)\s+(?:us |me |her |him |them )?(?:an? |the |some |our |tickets (?:for|to) )`)
	bareForm  = re(`\b(?:brings?|bringing|brought|baked|bakes?|promised|asked for|begged for|craves|feels like|made|makes?)\s+`)
	apposed   = newPattern(`^[^,.;!?]+,\s+((?:the )?\p{Lu}[^,.;!?]*?)(?:[,.;!?]|$)`)
)

// broughtUp reads the name of what is created off a sentence that tells of it:
// "Lily found an ice cream parlour, Polar Scoop.".
func broughtUp(before string) string {
	at := bringForm.FindStringIndex(before)
	if at == nil {
		at = bareForm.FindStringIndex(before)
	}
	if at == nil {
		if at = anyNoun.FindStringIndex(before); at == nil {
			return ""
		}
		at[1] = anyNoun.FindStringSubmatchIndex(before)[2]
	}
	s := before[at[1]:]
	if m := apposed.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	if m := called.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return strings.Trim(nameEnd.ReplaceAllString(s, ""), " .,;:!?")
}

var (
	pronounLast = re(`\s+(?:some|it|them|one|any|more)$`)
	outOf       = re(`\b(?:room for|out of|short of|ran out of|run out of|no more|lack|lacking|without|missing|need|needs|left of)\s+(?:an? |the |some |any |more )?([^,.;:!?]+?)(?:\s+(?:left|beside|in|on|at|for|any ?more|next to|again)\b|[,.;:!?]|$)`)
	someOf      = re(`^(?:an?|one|two|three|four|five|\d+)?\s*\w+ of (?:it|them|that|those)$`)
)

// antecedent puts what was spoken of before in the place of a pronoun at the
// end of a name: "we are out of salt. Put buying some in front".
func (o *order) antecedent(name string) string {
	m := outOf.FindStringSubmatch(o.text)
	switch {
	case m == nil:
		return name
	case someOf.MatchString(name):
		return m[1]
	case pronounLast.MatchString(name):
		return pronounLast.ReplaceAllString(name, " ") + m[1]
	}
	return name
}

var doerForm = re(`^(?:also |still |now )?(?:should|must|has to|will|can|needs to|is to|could|ought to|wants to)\b`)

// readDoer reads who is to do what is created: "Rafa should also rake the
// leaves.".
func (o *order) readDoer() {
	k := o.v.kind(o.create)
	if k == nil || o.set(kindPerson) {
		return
	}
	f, ok := k.byKind(kindPerson)
	if !ok {
		return
	}
	for _, v := range f.values {
		if at := strings.Index(o.text, v+" "); at >= 0 && doerForm.MatchString(o.text[at+len(v)+1:]) {
			o.settings = append(o.settings, setting{kind: kindPerson, field: f.name, value: v})
			return
		}
	}
}

// existing returns the node that an order to add something calls by its name:
// what is there already is moved.
func (o *order) existing(j *judge) (candidate, bool) {
	if o.name == "" || o.create == "" || newForm.MatchString(o.text) || len(o.settings) > 0 || !o.place.first && !o.place.last && o.place.after+o.place.before == "" {
		return candidate{}, false
	}
	var best *naming
	for _, n := range o.byName(j, o.name) {
		if k := o.v.kind(n.node().Type); k != nil && k.leaf && (best == nil || n.from < best.from) {
			best = &n
		}
	}
	if best == nil || best.from > 1 {
		return candidate{}, false
	}
	return best.candidate, true
}

var newForm = re(`\b(?:an?|another|new|one more|second|extra|some|more)\s`)
