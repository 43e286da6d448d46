package tree

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"recallbench/internal/engine/treetask"
)

// readSettings reads the values that a request gives, by what they look like.
// It marks what they cover, so that the rest says what the request is about.
func (o *order) readSettings(text string) []int {
	var covered []int
	cover := func(from, to int) { covered = append(covered, from, to) }
	if c := clocks(text); len(c) > 0 && o.v.hasKind(kindTime) {
		// Of several times the last are the new ones: "not at 6 but at 7".
		c = slices.DeleteFunc(c, func(x clock) bool { return discarded(text, x.start) })
		s := setting{kind: kindTime, lo: -1, hi: -1}
		n := len(c)
		switch {
		case n >= 2 && ranged(text, c[n-2], c[n-1]):
			s.lo, s.hi = float64(c[n-2].minutes), float64(c[n-1].minutes)
			if !c[n-2].certain && c[n-1].certain && s.hi-s.lo > 12*60 {
				s.lo += 12 * 60
			}
			cover(c[n-2].start, c[n-1].end)
		case n >= 1:
			s.lo = float64(c[n-1].minutes)
			s.end = endVerb.MatchString(text[:c[n-1].start])
			cover(c[n-1].start, c[n-1].end)
			o.place.minutes = c[n-1].minutes
		}
		if n > 0 {
			s.value = text[covered[0]:covered[1]]
			o.settings = append(o.settings, s)
			if from, to := o.joinTimes(text); to > 0 {
				cover(from, to)
			}
		}
	}
	if at := moneyForm.FindAllStringIndex(text, 4); len(at) > 0 && o.v.hasKind(kindMoney) {
		at = slices.DeleteFunc(at, func(x []int) bool { return discarded(text, x[0]) })
		if len(at) > 0 {
			m := at[0]
			n, _ := money(text[m[0]:m[1]])
			o.settings = append(o.settings, setting{kind: kindMoney, lo: n, value: text[m[0]:m[1]]})
			cover(m[0], m[1])
		}
	} else if m := barePrice.FindStringSubmatchIndex(text); m != nil && o.op == treetask.Update && o.v.hasKind(kindMoney) && len(covered) == 0 {
		n, _ := parseNumber(text[m[2]:m[3]])
		o.settings = append(o.settings, setting{kind: kindMoney, lo: n, value: text[m[2]:m[3]]})
		cover(m[2], m[3])
	} else if at := freely.FindStringIndex(text); at != nil && o.v.hasKind(kindMoney) {
		o.settings = append(o.settings, setting{kind: kindMoney, lo: 0, value: "Free"})
		cover(at[0], at[1])
	}
	if o.v.hasKind(kindDate) && o.datedLeaf() {
		p := slices.DeleteFunc(periods(text, o.today), func(x period) bool {
			return discarded(text, x.start) || x.week && !strings.Contains(strings.ToLower(text[x.start:x.end]), "end")
		})
		if len(p) == 0 {
			p = ordinalDay(text, o.today)
		}
		if len(p) > 0 && (o.op == treetask.Update || dueForm.MatchString(text[:p[len(p)-1].start])) {
			d := p[len(p)-1]
			for _, x := range p {
				if dueForm.MatchString(text[:x.start]) {
					d = x
				}
			}
			o.settings = append(o.settings, setting{kind: kindDate, lo: float64(d.to.Unix()/86400) - 1, value: text[d.start:d.end]})
			cover(d.start, d.end)
		}
	}
	for _, k := range o.v.kinds {
		for _, f := range k.fields {
			if f.kind == kindStatus || f.kind == kindPriority {
				if from, to, class := classWord(text, f, o.op); class != "" && !o.set(f.kind) && !o.attributive(text, from, to) {
					o.settings = append(o.settings, setting{kind: f.kind, field: f.name, value: class})
					cover(from, to)
				}
			}
			if f.kind == kindDuration {
				if _, at, ok := length(text); ok && !o.set(f.kind) && (takesForm.MatchString(text[:at[0]]) || o.op == treetask.Create && !within24(text, at[0])) {
					n, _, _ := length(text)
					o.settings = append(o.settings, setting{kind: f.kind, field: f.name, lo: n, value: text[at[0]:at[1]]})
					cover(at[0], at[1])
				}
			}
			if f.kind == kindPerson && len(f.values) > 0 {
				for _, v := range f.values {
					if m := regexp.MustCompile(`(?i)\b(?:by|to|for|assigned to|over to|owner(?: is| to| should be)?|give (?:it|this|that) to)\s+(` + regexp.QuoteMeta(v) + `)\b`).FindStringSubmatchIndex(text); m != nil {
						o.settings = append(o.settings, setting{kind: f.kind, field: f.name, value: v})
						cover(m[0], m[1])
					}
				}
			}
		}
	}
	for _, k := range o.v.leaves() {
		for _, f := range k.fields {
			if f.kind != kindNumber && f.kind != kindDuration && f.kind != kindText || textNamed(f.words) || o.hasSetting(f.name) || len(f.words) == 0 {
				continue
			}
			if from, to, value := amountOf(text, f); value != "" {
				o.settings = append(o.settings, setting{kind: kindNumber, field: f.name, value: value})
				cover(from, to)
			}
		}
	}
	return covered
}

func (o *order) hasSetting(name string) bool {
	return slices.ContainsFunc(o.settings, func(s setting) bool { return s.field == name })
}

// amountOf finds a number beside the name of a field: "300 calories", "prep of
// 10 min".
func amountOf(text string, f field) (from, to int, value string) {
	words := scan(text)
	for i, w := range words {
		if w.mark || w.stem != f.words[0] {
			continue
		}
		for k := i - 1; k >= max(0, i-2); k-- {
			if n := words[k].low; numberForm.MatchString(n) {
				return words[k].start, w.end, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[words[k].start:w.start]), " of"))
			}
		}
		for k := i + 1; k < min(len(words), i+4); k++ {
			if numberForm.MatchString(words[k].low) {
				end := words[k].end
				if k+1 < len(words) && (massUnits[words[k+1].low] || lengthUnits[words[k+1].low]) {
					end = words[k+1].end
				}
				return w.start, end, text[words[k].start:end]
			}
			if !words[k].mark && words[k].low != "of" && words[k].low != "to" && words[k].low != "is" {
				break
			}
		}
	}
	return 0, 0, ""
}

// isCalled gives something a name.
var isCalled = re(`\b(?:is|are|be|gets?|goes by)(?: now| to be| from now on)? (?:called|named|titled|known as|renamed(?: to)?|retitled(?: to)?)\s+["“'‘]?([^"“”.!?;]+)`)

// barePrice is an amount with hundredths, which is money without its sign.
var barePrice = re(`\b(?:is|are|costs?|to|at|now|be|only|for|just|went up to|down to)\s+(?:now |only |just )?(\d{1,5}\.\d\d)\b`)

var (
	freely    = re(`\b(?:free of charge|for free|no charge|costs nothing|free entry|(?:is|are) (?:now )?(?:free|included)|it['’]s (?:free|included))\b|\bfree\b\W*$`)
	dueForm   = re(`\b(?:by|due|until|till|to|deadline|for|before|on|date)\W*(?:is |of |the |be |it |set |on |to |end of )*$`)
	takesForm = re(`\b(?:(?:ready|done|finished|cooked|made|over) in|takes?|taking|lasts?|estimate(?:d)?(?: at| of| to)?|need(?:s)?|for|about|duration(?: of| to)?|to|length(?: of| to)?)\s+(?:only |about |around |roughly |just )?$`)
	notForm   = re(`\b(?:not|instead of|rather than|no longer|from|was|were|used to be|used to start)\s+(?:at |on |in |due |by |the |\$|€|£)*$`)
	fromWord  = re(`\bfrom\s+(?:at )?$`)
)

// discarded reports whether a value is named only to say that it is none any
// more.
func discarded(text string, at int) bool {
	before := text[:at]
	if fromWord.MatchString(before) {
		// "from 2 to 3" is a range, "from Friday to Monday" a change.
		return false
	}
	return notForm.MatchString(before)
}

// ranged reports whether two times are the ends of a range.
func ranged(text string, a, b clock) bool {
	if b.start <= a.end {
		return true
	}
	mid := strings.ToLower(strings.TrimSpace(text[min(a.end, b.start):b.start]))
	mid = strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(strings.TrimSpace(strings.TrimPrefix(mid, "now")), ", "), "and "))
	if strings.HasSuffix(mid, " until") || strings.HasSuffix(mid, " till") {
		return true
	}
	switch mid {
	case "-", "–", "—", "to", "until", "till", "and", "to about", "pm to", "am to", "pm -":
		return true
	}
	return false
}

// set reports whether a kind of field has a setting already.
func (o *order) set(k fieldKind) bool {
	return slices.ContainsFunc(o.settings, func(s setting) bool { return s.kind == k })
}

// datedLeaf reports whether what is at the leaves has a date.
func (o *order) datedLeaf() bool {
	return slices.ContainsFunc(o.v.leaves(), func(k *kind) bool {
		_, ok := k.byKind(kindDate)
		return ok
	})
}

// classWord finds a word for a state or rank that a request sets.
func classWord(text string, f field, op treetask.Operation) (from, to int, class string) {
	low := strings.ToLower(text)
	for _, c := range valueClasses {
		if c.kind != f.kind {
			continue
		}
		words := slices.Clone(c.words)
		for _, v := range f.values {
			if classOf(v, f.kind) == c.name {
				words = append(words, strings.ToLower(v))
			}
		}
		for _, w := range longest(words) {
			if f.kind == kindStatus && (w == "new" || w == "open" || w == "planned" || w == "read" || w == "paid") && !strings.Contains(low, "status") && !slices.Contains(f.values, w) {
				continue
			}
			p := regexp.MustCompile(`(?i)(?:^|[^\w])(` + regexp.QuoteMeta(w) + `)(?:$|[^\w])`)
			for _, at := range p.FindAllStringSubmatchIndex(text, 4) {
				if denied(text[:at[2]]) {
					continue
				}
				if f.kind == kindPriority && len(w) <= 8 && (w == "high" || w == "low" || w == "medium" || w == "top" || w == "normal" || w == "minor" || w == "mid" || w == "middle") &&
					!rankNear.MatchString(text) {
					continue
				}
				if op != treetask.Update && f.kind == kindStatus && !strings.Contains(low, "status") && !strings.Contains(low, "mark") && !strings.Contains(low, "already") && !(strings.Contains(w, " ") && slices.Contains(f.values, w)) {
					continue
				}
				if at[2] > from || class == "" {
					from, to, class = at[2], at[3], c.name
				}
			}
		}
	}
	return from, to, class
}

var (
	rankNear = re(`\b(?:priority|urgen\w+|importan\w+|rank\w*)\b`)
	deniedBy = re(`(?:\bnot|n['’]t|\bno longer|\bnever|\bun)\s*(?:yet |be |been |really |quite |all that )*$`)
)

func denied(before string) bool { return deniedBy.MatchString(before) }

var (
	tickOff      = re(`\b(?:tick|check|cross)(?:ed)?\b[^.;]*\boff\b|\b(?:tick|check|cross) off\b|\bi(?:['’]ve| have)? (?:just |already |finally |now )*(?:finished|completed|wrapped up|dealt with|sorted|did|paid|sent|called|bought|submitted|handed in|handed|booked|ordered|posted|mailed|fixed|cleaned|washed|painted|signed|picked up|collected|returned)\b|\bgot .{2,60} (?:done|finished|sorted)\b|\b(?:finally|just|already|all) (?:finished|completed|done|sorted|through)\b`)
	beginning    = re(`\b(?:i(?:['’]ve| have)?|we(?:['’]ve| have)?) (?:just |already |finally |now )*(?:started|begun)\b|\bworking on\b`)
	toValue      = re(`\b(?:to|as|into|with|=|:)\s+["“'‘]?([^"“”]+?)["”'’]?\s*(?:[.!?;]|,\s+(?:please|so|because|since|we|i|it|he|she|they|the|our|my|that|and|not|lunch|dinner)\b|\s+(?:please|instead|because|since|from now on|so that|for now|(?:for|on|in) (?:all|both|each|every|either)|throughout|everywhere|across)\b|$)`)
	forValue     = re(`\b(?:for|with|by)\s+((?:the |an? )?[^,.;!?]+?)(?:[,.;!?]|\s+(?:because|since|so)\b|$)`)
	intoValue    = re(`\binto\s+((?:the |an? )?[^,.;!?]+)`)
	swapping     = re(`\b(?:swap|replace|exchange|substitute|switch)\b`)
	renaming     = re(`\b(?:rename|retitle|call|relabel)\b`)
	turning      = re(`\b(?:turn|make|change|switch|convert)\b[^.;!?]*?\binto\b`)
	shifting     = re(`\b(?:by\s+)?(an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty-five|forty five|ninety|half an?|a quarter of an|a couple of|\d+)(?: more| extra)?[ -](minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?)\b\s*(later|earlier|back|forward|sooner|longer|shorter|less|more)?`)
	laterForm    = re(`\b(?:later|back|postpone|delay|defer|push|extend|put off|more time|longer|prolong)\b`)
	earlyForm    = re(`\b(?:earlier|forward|sooner|up|advance)\b`)
	raiseForm    = re(`\b(?:raise|increase|bump up|bump|up|higher|more important|one notch up|a notch up)\b`)
	lowerForm    = re(`\b(?:lower|decrease|reduce|drop|less important|a notch down|down)\b`)
	lengthChange = re(`\b(?:longer|shorter|takes|less time|more time)\b`)
	percent      = re(`\b(\d+(?:\.\d+)?)\s?(?:%|percent|per cent)`)
)

// readUpdate reads what is to be changed, and to what.
func (o *order) readUpdate() {
	main := o.mainSentence()
	text := o.text
	rest := text
	offset := strings.Index(text, main)
	cuts := o.readSettings(main)
	if len(o.settings) == 0 || offset < 0 {
		offset = 0
		cuts = o.readSettings(text)
	}
	for i := range cuts {
		cuts[i] += offset
	}
	if o.readNote(main) {
		o.settings = nil
	} else {
		start := max(0, strings.Index(text, main))
		if from, to := o.readPerson(main); to > 0 {
			cuts = append(cuts, from+start, to+start)
		}
		if !o.relative(main) && !o.readDelta(main) {
			o.readText(main)
		}
		if len(o.settings) == 0 && o.shift == nil && o.value == "" {
			for _, at := range o.readBeside(main, o.v.kinds) {
				cuts = append(cuts, at+start)
			}
			if from, to := o.readSubject(main); to > 0 && len(o.settings) == 1 {
				cuts = append(cuts, from+start, to+start)
			}
		}
	}
	if o.shift != nil {
		// "by two hours" is no new length, nor is what it is of a new state.
		o.settings = slices.DeleteFunc(o.settings, func(s setting) bool {
			return s.kind == kindDuration || s.kind == kindStatus || s.kind == kindPriority
		})
	}
	if len(o.settings) == 0 && o.shift == nil && o.value == "" {
		switch f, ok := o.statusField(); {
		case ok && tickOff.MatchString(text):
			o.settings = append(o.settings, setting{kind: kindStatus, field: f.name, value: "done"})
		case ok && beginning.MatchString(text):
			o.settings = append(o.settings, setting{kind: kindStatus, field: f.name, value: "active"})
		}
	}
	if len(o.settings) == 0 && o.shift == nil && o.value == "" {
		if m := notBut.FindStringSubmatch(main); m != nil {
			o.value = m[1]
		}
	}
	// What is left of the text names the nodes.
	spans := append([]int{}, cuts...)
	for i := 0; i+1 < len(spans); i += 2 {
		rest = blank(rest, spans[i], spans[i+1])
	}
	if o.value != "" && !o.append {
		if at := strings.LastIndex(rest, o.value); at >= 0 {
			rest = blank(rest, at, at+len(o.value))
		}
	}
	rest = updateNoise.ReplaceAllStringFunc(rest, func(s string) string { return strings.Repeat(" ", len(s)) })
	if o.shift != nil {
		rest = shifting.ReplaceAllStringFunc(rest, func(s string) string { return strings.Repeat(" ", len(s)) })
	}
	sentence := rest
	if at := strings.Index(text, main); at >= 0 && at+len(main) <= len(rest) {
		sentence = rest[at : at+len(main)]
	}
	o.head = sentence
	o.what = o.v.read(sentence, o.today)
	if !o.what.says() || pronounObject.MatchString(main) {
		// The sentence before says what "it" is.
		before := rest
		if at := strings.Index(text, main); at > 0 {
			before = rest[:at+len(main)]
		}
		whole := o.v.readAll(before, o.today)
		if whole.says() {
			o.what = whole
		}
	}
	o.what.compares = slices.DeleteFunc(o.what.compares, func(c compare) bool {
		return c.relation == exactly || c.relation == within && c.kind == kindTime || o.set(c.kind) && (o.what.loose || c.kind != kindDate)
	})
	o.what.scopes = slices.DeleteFunc(o.what.scopes, func(s scope) bool { return s.class != "" && (o.set(kindStatus) || o.set(kindPriority)) })
	o.field = o.fieldNamed(main)
	if o.field == "" {
		o.field = o.fieldNamed(text)
	}
	o.aimAtField()
}

// blank replaces a range of a text by spaces.
func blank(s string, from, to int) string {
	if from < 0 || to > len(s) || from > to {
		return s
	}
	return s[:from] + strings.Repeat(" ", to-from) + s[to:]
}

var (
	updateNoise   = re(`\b(?:change|update|set|mark|rename|edit|modify|adjust|replace|swap|raise|lower|increase|decrease|reduce|bump|postpone|delay|defer|reschedule|push|extend|shorten|correct|fix|tick|check off|flag|make|bring|pull|move|turn|put|back|forward|off|out|now|instead|please|runs?|goes|starts?|begins?|costs?|takes?|ends?|until|isn['’]t needed|should|can|from now on|has to|have to|wait|a little|any ?more)\b`)
	pronounObject = re(`\b(?:it|its|them|their|that|this|those|these)\b`)
)

// says reports whether a reading says which nodes are meant.
func (r *reading) says() bool {
	return len(r.conds) > 0 || len(r.scopes) > 0 || r.best != nil || r.from != 0 || len(r.compares) > 0
}

// readAll reads a text of which every sentence counts.
func (v *vocab) readAll(text string, today time.Time) *reading {
	return v.read(strings.NewReplacer(".", ",", "!", ",", "?", ",", ";", ",").Replace(text), today)
}

func (o *order) statusField() (field, bool) {
	for _, k := range o.v.kinds {
		if f, ok := k.byKind(kindStatus); ok {
			return f, true
		}
	}
	return field{}, false
}

// relative reads a change by some amount.
func (o *order) relative(main string) bool {
	m := shifting.FindStringSubmatchIndex(main)
	if m != nil && (strings.HasPrefix(strings.ToLower(main[m[0]:m[1]]), "by ") || m[6] >= 0 || strings.Contains(main[m[0]:m[1]], " more ") || laterForm.MatchString(main[:m[0]])) && !within24(main, m[0]) {
		minutes, _, ok := length(strings.NewReplacer(" more ", " ", " extra ", " ").Replace(main[m[0]:m[1]]))
		if ok {
			sign := 1.0
			dir := ""
			if m[6] >= 0 {
				dir = strings.ToLower(main[m[6]:m[7]])
			}
			if dir == "earlier" || dir == "forward" || dir == "sooner" || dir == "shorter" || dir == "less" || dir == "" && earlyForm.MatchString(main) && !laterForm.MatchString(main) {
				sign = -1
			}
			if strings.Contains(strings.ToLower(main), "shorten") {
				sign = -1
			}
			kind := kindTime
			switch {
			case lengthChange.MatchString(main) && o.v.hasKind(kindDuration):
				kind = kindDuration
			case minutes >= 24*60 || !o.v.hasKind(kindTime):
				kind = kindDate
			}
			o.shift = &shift{kind: kind, by: sign * minutes}
			o.settings = slices.DeleteFunc(o.settings, func(s setting) bool { return s.kind == kindTime || s.kind == kindDate })
			return true
		}
	}
	if p := percent.FindStringSubmatch(main); p != nil && o.v.hasKind(kindMoney) {
		n, _ := parseNumber(p[1])
		if lowerForm.MatchString(main) {
			n = -n
		}
		o.shift = &shift{kind: kindMoney, by: n, percent: true}
		return true
	}
	if rankNear.MatchString(main) && !o.set(kindPriority) && o.v.hasKind(kindPriority) {
		switch {
		case raiseForm.MatchString(main):
			o.shift = &shift{kind: kindPriority, by: 1}
			return true
		case lowerForm.MatchString(main):
			o.shift = &shift{kind: kindPriority, by: -1}
			return true
		}
	}
	return false
}

// within24 reports whether a length is the time until a moment: "in two days".
func within24(s string, at int) bool {
	return strings.HasSuffix(strings.ToLower(strings.TrimRight(s[:at], " ")), " in")
}

// readText reads a new value that is plain text.
func (o *order) readText(main string) {
	if all := quoted.FindAllStringSubmatch(o.text, 8); len(all) > 0 && !o.set(kindStatus) {
		m := all[len(all)-1] // "rename 'a' to 'b'"
		o.value = m[1] + m[2]
		return
	}
	switch {
	case swapping.MatchString(main) || turning.MatchString(main):
		p := forValue
		if turning.MatchString(main) {
			p = intoValue
		}
		if m := p.FindStringSubmatch(main); m != nil {
			o.value, o.field = strings.TrimSpace(m[1]), "name"
		}
	case isCalled.MatchString(main):
		o.value, o.field = strings.TrimSpace(isCalled.FindStringSubmatch(main)[1]), "name"
	case renaming.MatchString(main):
		if m := toValue.FindStringSubmatch(main); m != nil {
			o.value, o.field = strings.TrimSpace(m[1]), "name"
			if f := o.fieldNamed2(main[:strings.LastIndex(main, m[1])]); f != "" {
				o.field = f
			}
		}
	case len(o.settings) == 0:
		if m := toValue.FindStringSubmatch(main); m != nil && plainValue(m[0], m[1]) {
			o.value = strings.TrimSpace(m[1])
		}
	}
}

// plainValue reports whether what follows "to" or "as" can be a value: it is
// short and no clause.
func plainValue(whole, value string) bool {
	low := strings.ToLower(strings.TrimSpace(whole))
	return !strings.HasPrefix(low, "with") && !strings.HasPrefix(low, ":") && len(strings.Fields(value)) <= 10 && !clauseWord.MatchString(value)
}

var clauseWord = re(`(?:['’](?:s|re|ll|ve|m)\s|\b(?:is|are|was|were|will|would|can|should)\b)`)

// fieldNamed returns the field whose name stands in the text, "" for none.
func (o *order) fieldNamed(text string) string {
	if o.field != "" {
		return o.field
	}
	for _, w := range scan(text) {
		if w.mark || closed[w.low] {
			continue
		}
		for _, k := range append(o.v.leaves(), o.v.kinds...) {
			for _, f := range k.fields {
				if slices.Contains(f.words, w.stem) && f.kind != kindName {
					return f.name
				}
			}
		}
	}
	return ""
}

// fieldNamed2 is fieldNamed for what stands before "of" only, so that a name
// that has the word is none.
func (o *order) fieldNamed2(text string) string {
	m := fieldOf.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	old := o.field
	o.field = ""
	defer func() { o.field = old }()
	return o.fieldNamed(m[1])
}

var fieldOf = re(`\b(?:the|its) ([\w -]{2,30}?) of\b`)

// ordinalDay reads "the 29th" as the next such day.
func ordinalDay(text string, today time.Time) []period {
	if today.IsZero() {
		return nil
	}
	var out []period
	for _, m := range theNth.FindAllStringSubmatchIndex(text, 4) {
		n, ok := ordinal(strings.ToLower(text[m[2]:m[3]]))
		if !ok || n < 1 || n > 31 {
			continue
		}
		d := today
		for range 62 {
			if d.Day() == n {
				break
			}
			d = d.AddDate(0, 0, 1)
		}
		out = append(out, period{from: d, to: d.AddDate(0, 0, 1), start: m[0], end: m[1]})
	}
	return out
}

var theNth = re(`\bthe (\d{1,2}(?:st|nd|rd|th))\b`)
