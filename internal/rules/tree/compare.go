package tree

import (
	"math"
	"slices"
	"strings"
)

// A relation is how a value stands to a bound.
type relation string

const (
	over    relation = "over"
	atLeast relation = "at least"
	under   relation = "under"
	atMost  relation = "at most"
	within  relation = "within"
	exactly relation = "exactly"
)

// A compare holds a value of a node against a bound.
type compare struct {
	kind     fieldKind
	noun     string // stem of what is counted, for numbers
	relation relation
	lo, hi   float64 // minutes of the day, days since 1970, minutes, money or a number
	end      bool    // of times, the end of a block counts
	negated  bool
	class    []string // of ranks, the classes that fit
}

var comparators = []struct {
	relation relation
	pattern  *pattern
}{
	{atMost, re(`\b(?:at most|at the most|no more than|not more than|up to|within|a maximum of|maximum|max|no later than|not later than|by|until|till|in under or at|not over|not exceeding|no longer than|not above|for up to)\s+$`)},
	{atLeast, re(`\b(?:at least|no less than|not less than|no fewer than|not fewer than|a minimum of|minimum|min|no earlier than|not before|not under|not below|starting from|from|since|as of)\s+$`)},
	{over, re(`\b(?:more than|over|above|greater than|higher than|longer than|later than|bigger than|larger than|after|exceeding|exceeds?|beyond|past|upwards of|dearer than|in excess of|pricier than|more expensive than|north of|better than)\s+$`)},
	{under, re(`\b(?:less than|under|below|fewer than|cheaper than|shorter than|earlier than|before|sooner than|lower than|smaller than|quicker than|faster than|inside|in under|in less than|south of|ahead of|prior to)\s+$`)},
	{within, re(`\bbetween\s+$`)},
	{exactly, re(`\b(?:exactly|equal to|on the dot at)\s+$`)},
}

var (
	orMore = re(`^\s*(?:or (?:more|over|above|longer|later|higher|up|after)|and (?:up|over|above|more|later)|at least|plus\b|upwards|onwards?|\+)`)
	orLess = re(`^\s*(?:or (?:less|under|below|fewer|shorter|earlier|sooner|quicker|cheaper|lower|before)|at most|at the most|tops|max(?:imum)?\b|and under|or so at most)`)
	andOn  = re(`^\s*on(?:wards?)?\b(?:\W*$|\s*[?.!,])`)
	joined = re(`^\s*(?:and|to|-|–|—)\s*`)
)

// A bound is a value as it stands in a request.
type bound struct {
	kind       fieldKind
	lo, hi     float64 // hi > lo for a span of days
	noun       string
	start, end int
}

var (
	plainNumber = newPattern(`(?i)^(\d[\d,]*(?:\.\d+)?|an? hundred|two hundred|three hundred|four hundred|five hundred|six hundred|a thousand|a dozen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)\b\s?(%|[a-z]+)?(?: of)?(?: ([a-z]+))?`)
	bigNumbers  = map[string]float64{"hundred": 100, "thousand": 1000, "dozen": 12, "seventy": 70, "eighty": 80, "ninety": 90}
	massUnits   = set(`g gram grams kg mg kcal cal calories calorie ml l litre litres liter liters oz km k`)
)

// boundAt reads a value at an offset of the text.
func (r *reading) boundAt(at int) (bound, bool) {
	s := r.text[at:]
	lead := len(s) - len(strings.TrimLeft(s, " "))
	at += lead
	s = s[lead:]
	if m := moneyForm.FindStringIndex(s); m != nil && m[0] == 0 {
		n, _ := money(s[:m[1]])
		return bound{kind: kindMoney, lo: n, hi: n, start: at, end: at + m[1]}, true
	}
	if c := clocks(s[:min(len(s), 40)]); len(c) > 0 && c[0].start == 0 {
		n := float64(c[0].minutes)
		end := c[0].end
		if len(c) > 1 && c[1].start == 1 { // half of a range
			end = c[1].end
			return bound{kind: kindTime, lo: n, hi: float64(c[1].minutes), start: at, end: at + end}, true
		}
		return bound{kind: kindTime, lo: n, hi: n, start: at, end: at + end}, true
	}
	if m := plainNumber.FindStringSubmatch(s); m != nil {
		if n, ok := parseWords(m[1]); ok {
			unit := strings.ToLower(m[2])
			if minutes, span, ok := length(s[:min(len(s), 40)]); ok && span[0] == 0 && !monthName(unit) {
				return bound{kind: kindDuration, lo: minutes, hi: minutes, start: at, end: at + span[1]}, true
			}
			noun, end := unit, len(m[1])
			if unit != "" && !closed[unit] && unit != "or" && unit != "and" {
				end = strings.Index(s[len(m[1]):], m[2]) + len(m[1]) + len(m[2])
			}
			if massUnits[unit] || unit == "%" {
				noun = strings.ToLower(m[3])
				if strings.HasPrefix(unit, "kcal") || strings.HasPrefix(unit, "cal") {
					noun = "calories"
				}
			}
			if !monthName(noun) && !(digits(m[1]) && isMonthAhead(s)) {
				if closed[noun] {
					noun = ""
				}
				return bound{kind: kindNumber, lo: n, hi: n, noun: stem(noun), start: at, end: at + end}, true
			}
		}
	}
	if minutes, span, ok := length(s[:min(len(s), 40)]); ok && span[0] == 0 {
		return bound{kind: kindDuration, lo: minutes, hi: minutes, start: at, end: at + span[1]}, true
	}
	if !r.dated {
		r.dated, r.days = true, periods(r.text, r.today)
	}
	for _, p := range r.days {
		skip := strings.TrimSpace(r.text[min(at, p.start):p.start])
		if p.start >= at && p.start <= at+4 && (skip == "" || skip == "the" || skip == "on") {
			lo := float64(p.from.Unix() / 86400)
			return bound{kind: kindDate, lo: lo, hi: float64(p.to.Unix()/86400) - 1, start: at, end: p.end}, true
		}
	}
	return bound{}, false
}

var monthForm = re(`^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*$`)

func monthName(s string) bool { return s != "" && monthForm.MatchString(s) && len(s) != 4+5 }

func isMonthAhead(s string) bool {
	f := strings.Fields(s)
	return len(f) > 1 && monthForm.MatchString(strings.Trim(f[1], ".,?!")) || len(f) > 2 && f[1] == "of" && monthForm.MatchString(strings.Trim(f[2], ".,?!"))
}

// parseWords reads a number in digits or words.
func parseWords(s string) (float64, bool) {
	low := strings.ToLower(s)
	if n, ok := parseNumber(low); ok {
		return n, true
	}
	total, known := 0.0, false
	for f := range strings.FieldsFuncSeq(low, func(r rune) bool { return r == ' ' || r == '-' }) {
		switch {
		case f == "a" || f == "an":
			if total == 0 {
				total = 1
			}
		case f == "hundred" || f == "thousand" || f == "dozen":
			total = math.Max(total, 1) * bigNumbers[f]
			known = true
		case bigNumbers[f] > 0:
			total += bigNumbers[f]
			known = true
		case cardinals[f] > 0:
			total += float64(cardinals[f])
			known = true
		default:
			return 0, false
		}
	}
	return total, known
}

// findCompares looks for comparisons with a value, in the whole request but
// for sentences that only lead in.
func (r *reading) findCompares() {
	r.findDateRun()
	done := 0
	for i, w := range r.words {
		if w.mark && w.low != "$" && w.low != "€" && w.low != "£" || !r.main[i] || w.start < done || r.used[i] != unused && r.used[i] != usedStop {
			continue
		}
		b, ok := r.boundAt(w.start)
		if !ok || r.claimed(b.start, b.end) {
			continue
		}
		before, after := r.text[max(0, b.start-80):b.start], r.text[b.end:min(len(r.text), b.end+80)]
		before = strings.TrimRight(before, " ") + " "
		c := compare{kind: b.kind, noun: b.noun, lo: b.lo, hi: b.hi}
		from := b.start
		for _, p := range comparators {
			if at := p.pattern.FindStringIndex(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(before, "the "), "a "), "about ")); at != nil {
				c.relation, from = p.relation, max(0, b.start-80)+at[0]
				break
			}
		}
		end := b.end
		if c.relation == "" && c.kind == kindDuration && spareForm.MatchString(before) {
			c.relation = atMost
		}
		switch {
		case c.relation == within || (c.relation == atLeast || c.relation == "") && joined.MatchString(after):
			rest := b.end + len(joined.FindString(after))
			hi, ok := r.boundAt(rest)
			if !ok || hi.kind != b.kind && hi.kind != kindNumber && b.kind != kindNumber {
				if c.relation == within || c.relation == "" {
					if c.relation = ""; c.kind != kindDate && !(c.kind == kindTime && b.hi > b.lo) {
						continue
					}
				}
				break
			}
			c.relation, c.hi, end = within, hi.hi, hi.end
			if hi.kind != kindNumber {
				c.kind = hi.kind
			}
			if c.noun == "" {
				c.noun = hi.noun
			}
			if c.kind == kindTime && b.kind == kindTime && c.lo > c.hi {
				c.hi += 12 * 60
			}
		case orMore.MatchString(after):
			c.relation, end = atLeast, b.end+len(orMore.FindString(after))
		case orLess.MatchString(after):
			c.relation, end = atMost, b.end+len(orLess.FindString(after))
		case c.kind == kindTime && c.relation == atLeast && andOn.MatchString(after):
			end = b.end + len(andOn.FindString(after))
		}
		if c.relation == "" {
			switch {
			case (c.kind == kindDuration || c.kind == kindMoney) && measured.MatchString(before):
				c.relation = exactly
			case c.kind == kindDate:
				c.relation = within
			case c.kind == kindTime && c.hi > c.lo:
				c.relation = within
			case c.kind == kindTime && r.atTime(b.start):
				c.relation = exactly
			default:
				continue
			}
		}
		if c.kind == kindDate && r.v.dateless() {
			continue
		}
		i := slices.IndexFunc(r.words, func(w word) bool { return w.start >= from })
		c.negated = i >= 0 && c.relation != within && r.negatedAt(i)
		c.end = endVerb.MatchString(before)
		if c.kind == kindNumber && c.noun == "" || c.kind == kindNumber && !r.v.fieldWord(c.noun) {
			r.settle(&c, before)
		}
		// "each" and "a head" belong to an amount.
		if c.kind == kindMoney {
			if at := perHead.FindStringIndex(r.text[end:]); at != nil {
				end += at[1]
			}
		}
		r.compares = append(r.compares, c)
		for k, w := range r.words {
			if w.start >= from && w.end <= end {
				r.used[k] = usedCompare
			}
		}
		done = end
	}
	r.findRanks()
	r.findOverdue()
}

// measured is what takes or costs just so much.
var measured = re(`\b(?:that|which) (?:each |all |only |just )?(?:takes?|lasts?|costs?|needs?|runs? for|goes? on for|(?:is|are) priced at)\s+(?:exactly |just |only |about )?$|\b(?:taking|lasting|costing|priced at)\s+(?:exactly |just |only |about )?$`)

var (
	spareForm = re(`\b(?:leaves?|left with|only have|have only|have got|have|i['’]ve got|got|in|spare|have just)\s+(?:me |us |him |her |them )?(?:only |just |about )?$`)
	endVerb   = re(`\b(?:ends?|ending|finish(?:es|ed|ing)?|over|done|back|closes?|out)\b[^,.?!]{0,16}$`)
	perHead   = re(`^\s*(?:a head|each|per person|per head|apiece|or so)\b`)
	atWord    = re(`\bat\s+(?:about |around )?$`)
)

// atTime reports whether a time is where something is: "at 9".
func (r *reading) atTime(at int) bool { return atWord.MatchString(r.text[:at]) }

// dateless reports whether no leaf has a date.
func (v *vocab) dateless() bool {
	return !slices.ContainsFunc(v.leaves(), func(k *kind) bool {
		_, ok := k.byKind(kindDate)
		return ok
	})
}

// settle finds out what a bare number is compared with: a field named near,
// or money.
func (r *reading) settle(c *compare, before string) {
	words := scan(before)
	defer func() {
		// An amount with hundredths is money.
		if c.kind == kindNumber && !r.v.fieldWord(c.noun) && c.noun == "" && c.lo*100 == math.Trunc(c.lo*100) && c.lo != math.Trunc(c.lo) && r.v.hasKind(kindMoney) {
			c.kind = kindMoney
		}
	}()
	for i := len(words) - 1; i >= max(0, len(words)-8); i-- {
		for _, k := range r.v.kinds {
			for _, f := range k.fields {
				if slices.Contains(f.words, words[i].stem) && f.kind != kindText && f.kind != kindName {
					if c.kind, c.noun = f.kind, stem(f.name); f.kind == kindNumber || f.kind == kindText {
						c.kind = kindNumber
					}
					return
				}
			}
		}
		if kindAsks[kindMoney][words[i].stem] {
			c.kind = kindMoney
			return
		}
	}
}

// findRanks looks for "priority above low", "at least medium".
func (r *reading) findRanks() {
	ranks := []string{"low", "medium", "high"}
	for i, w := range r.words {
		at := slices.Index(ranks, w.low)
		if w.low == "normal" {
			at = 1
		}
		if at < 0 || i == 0 {
			continue
		}
		before := r.text[:w.start]
		for _, p := range comparators {
			m := p.pattern.FindStringIndex(before)
			if m == nil {
				continue
			}
			var fit []string
			for k, name := range ranks {
				switch {
				case p.relation == over && k > at, p.relation == atLeast && k >= at, p.relation == under && k < at, p.relation == atMost && k <= at:
					fit = append(fit, name)
				}
			}
			if len(fit) > 0 {
				r.compares = append(r.compares, compare{kind: kindPriority, class: fit})
				r.scopes = slices.DeleteFunc(r.scopes, func(s scope) bool { return s.class == w.low })
				for k, w := range r.words {
					if w.start >= m[0] && w.end <= r.words[i].end {
						r.used[k] = usedCompare
					}
				}
			}
			break
		}
	}
}

var (
	overdueForm = re(`\b(?:overdue|past due|late|running late|behind schedule|missed (?:its|their|the) (?:deadline|due date)s?|should (?:already )?have been (?:finished|done|completed|ready|closed)(?: by now| already)?|should be (?:done|finished) by now|already due|(?:deadline|due date)s? (?:has|have) (?:already )?passed|slipped|past (?:its|their|the) (?:deadline|due date)s?|expired)\b`)
	andIsnt     = re(`\band (?:isn['’]t|aren['’]t|is not|are not|hasn['’]t|haven['’]t|wasn['’]t)\b(?:[^,.?!]{0,20}(?:done|finished))?`)
)

// findOverdue looks for what should be over by today.
func (r *reading) findOverdue() {
	if r.today.IsZero() || r.v.dateless() {
		return
	}
	for _, at := range overdueForm.FindAllStringIndex(r.text, 1) {
		day := float64(r.today.Unix()/86400) - 1
		r.compares = append(r.compares, compare{kind: kindDate, relation: atMost, lo: day, hi: day})
		r.mark(at[0], at[1], usedCompare)
		for i, w := range r.words {
			if w.start >= at[0] && w.end <= at[1] {
				r.used[i] = usedCompare
			}
		}
		if m := andIsnt.FindStringIndex(r.text); m != nil {
			r.mark(m[0], m[1], usedScope)
		}
		// What is overdue is not finished.
		for _, k := range r.v.kinds {
			if f, ok := k.byKind(kindStatus); ok {
				r.scopes = slices.DeleteFunc(r.scopes, func(s scope) bool { return s.class == "done" })
				r.addScope(scope{kind: k.name, field: f.name, class: "done", negated: true})
				break
			}
		}
	}
}
