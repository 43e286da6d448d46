package offline

import "strings"

// describe computes the features of all spans of a sentence.
type describer struct {
	q     *query
	c     candidate
	s     *sentence
	hit   []bool // word i is one of the question
	base  vec    // the features of the sentence
	times []bool // word i belongs to an expression of time
	freq  []bool
	dur   []bool
	quote []bool
}

func (q *query) describer(c candidate) *describer {
	s := c.sentence()
	d := &describer{q: q, c: c, s: s}
	n := len(s.words)
	marks := make([]bool, 5*n)
	d.hit, d.times, d.freq, d.dur, d.quote = marks[:n], marks[n:2*n], marks[2*n:3*n], marks[3*n:4*n], marks[4*n:]
	inQuote := false
	for i := range s.words {
		w := &s.words[i]
		if w.punct {
			switch w.low {
			case `"`:
				inQuote = !inQuote
			case "“":
				inQuote = true
			case "”":
				inQuote = false
			}
			continue
		}
		d.quote[i] = inQuote
		for j := range q.terms {
			d.hit[i] = d.hit[i] || q.terms[j].stem == w.stem
		}
		for _, e := range s.exprs {
			if w.start >= e.Start && w.end <= e.End {
				switch {
				case e.Kind == 1:
					d.dur[i] = true
				case e.Kind == 2:
					d.freq[i] = true
				default:
					d.times[i] = true
				}
			}
		}
	}
	b := &d.base
	b[fMatch], b[fOwn] = c.score, c.own
	b[fPerson] = c.lv[lPerson]
	b[fDate] = max(c.lv[lDay], c.lv[lAbout])
	b[fImage] = indicator(s.image)
	if c.at == 0 && c.line.prev != nil && c.line.prev.asks() {
		b[fReply] = 1
		b[fReplyMatch] = c.lv[lReply]
	}
	return d
}

func quoteMark(mark string) bool { return mark == `"` || mark == "“" || mark == "”" }

// span returns the features of the words from..to.
func (d *describer) span(from, to int) vec {
	v := d.base
	words := d.s.words
	n, fresh, old, fn := 0, 0, 0, 0
	last := from
	for i := from; i < to; i++ {
		w := &words[i]
		if w.punct {
			if w.low == "," {
				v[fComma] = 1
			}
			continue
		}
		n++
		last = i
		switch {
		case d.hit[i]:
			old++
		case w.class == content:
			fresh++
		default:
			fn++
		}
		switch {
		case w.low == "and" || w.low == "or":
			v[fAnd] = 1
		case w.tag == "PRP" && (w.low == "i" || w.low == "we" || w.low == "you" || w.low == "me" || w.low == "us"):
			v[fPronoun] = 1
		case w.tag == "PRP$":
			v[fPossessive] = 1
		case auxiliaries[w.low] || w.tag == "VBD" || w.tag == "VBZ" || w.tag == "VBP" || w.tag == "MD" || w.low == "'s" && w.tag != "POS" || w.low == "'m" || w.low == "'re":
			if i > from {
				v[fFinite] = 1
			}
		}
		if d.q.focus != 0 && w.stem == d.q.focus {
			v[fFocus] = 1
		}
		if d.times[i] {
			v[fTime] = 1
		}
		if d.q.members[w.low] {
			v[fMemberIn] = 1
		}
		if d.quote[i] {
			v[fQuoted] = 1
		}
		if w.tag == "NNP" || w.tag == "NNPS" || (w.upper && i > 0 && isNoun(w.tag)) {
			v[fProper] = 1
		}
		if d.freq[i] {
			v[fOftenMark] = indicator(d.q.kind == askHowOften)
		}
		if d.dur[i] {
			v[fDurationMark] = indicator(d.q.kind == askHowLong)
		}
		if w.tag == "CD" {
			v[fCountNumber] = indicator(d.q.kind == askHowMany)
		}
	}
	switch {
	case n == 1:
		v[fWords1] = 1
	case n == 2:
		v[fWords2] = 1
	case n == 3:
		v[fWords3] = 1
	case n <= 5:
		v[fWords45] = 1
	case n <= 8:
		v[fWords68] = 1
	default:
		v[fWords9] = 1
	}
	if d.q.members[words[last].low] {
		v[fMember], v[fMemberIn] = 1, 0
	}
	if from > 0 && to < len(words) && v[fQuoted] == 1 && !d.quote[from-1] && quoteMark(words[from-1].low) && quoteMark(words[to].low) {
		v[fQuoteExact] = 1
	}
	v[fNew] = float64(min(fresh, 4)) / 4
	if fresh == 0 {
		v[fNew] = -2
	}
	v[fFunction] = float64(fn) / float64(n)
	v[fOldHead] = indicator(d.hit[last])
	first := &words[from]
	v[fOldFirst] = indicator(d.hit[from])
	v[fFocusHead] = indicator(d.q.focus != 0 && words[last].stem == d.q.focus)
	d.borders(&v, from, to)
	d.ends(&v, first, &words[last])
	d.kinds(&v, from, n, first, &words[last])
	return v
}

// borders sets the features of what stands around the span.
func (d *describer) borders(v *vec, from, to int) {
	words := d.s.words
	for k := 1; k <= 3; k++ {
		near := (from-k >= 0 && d.hit[from-k]) || (to+k-1 < len(words) && d.hit[to+k-1])
		if near {
			if k == 1 {
				v[fNear] = 1
			}
			v[fNear3] = 1
			break
		}
	}
	start := from == 0 || words[from-1].punct || words[from-1].tag == "CC"
	end := to == len(words) || words[to].punct || words[to].tag == "CC"
	v[fClauseStart], v[fClauseEnd] = indicator(start), indicator(end)
	v[fWholeClause] = indicator(start && end)
	if from > 0 {
		p := &words[from-1]
		if p.tag == "DT" || p.tag == "PRP$" || p.tag == "IN" || p.tag == "TO" {
			if from > 1 && !p.punct && p.stem != d.q.verb {
				p = &words[from-2]
			}
		}
		switch {
		case d.q.verb != 0 && p.stem == d.q.verb && !p.punct:
			v[fAfterVerb] = 1
		case p.low == "is" || p.low == "was" || p.low == "are" || p.low == "were" || p.low == "'s" && p.tag != "POS" || p.low == "'re":
			v[fAfterBe] = 1
		case strings.HasPrefix(p.tag, "V"):
			v[fAfterVerbAny] = 1
		case p.tag == "PRP":
			v[fAfterSubject] = 1
		}
	}
}

// ends sets the features of the span's first and last words.
func (d *describer) ends(v *vec, first, last *word) {
	switch {
	case first.tag == "DT":
		v[fArticle] = 1
	case isNoun(first.tag):
		v[fStartNoun] = 1
	case strings.HasPrefix(first.tag, "JJ"):
		v[fStartAdjective] = 1
	case first.tag == "VBG":
		v[fStartGerund] = 1
	case strings.HasPrefix(first.tag, "V"):
		v[fStartVerb] = 1
	case first.tag == "IN":
		v[fStartPreposition] = 1
	case first.tag == "TO":
		v[fStartTo] = 1
	case first.tag == "CD":
		v[fStartNumber] = 1
	case strings.HasPrefix(first.tag, "RB"):
		v[fStartAdverb] = 1
	}
	switch {
	case isNoun(last.tag):
		v[fEndNoun] = 1
	case strings.HasPrefix(last.tag, "V"):
		v[fEndVerb] = 1
	case strings.HasPrefix(last.tag, "JJ"):
		v[fEndAdjective] = 1
	default:
	}
}

var (
	causeWords = set("because since 'cause cause for to so as due")
	placeWords = set("in at to from near on around inside outside by")
	kinWords   = set(`mom mother dad father parents parent sister brother son daughter kid husband wife partner
girlfriend boyfriend friend cousin aunt uncle grandma grandmother grandpa grandfather grandparents family
neighbor neighbour colleague coworker boss teacher mentor coach roommate fiance fiancee niece nephew team
teammate group company organization doctor client customer fan child man woman people`)
)

// kinds sets the features that depend on what is asked.
func (d *describer) kinds(v *vec, from, n int, first, last *word) {
	words := d.s.words
	before := ""
	if from > 0 {
		before = words[from-1].low
		if from > 1 && (words[from-1].tag == "DT" || words[from-1].tag == "PRP$") {
			before = words[from-2].low
		}
	}
	v[fVerbClause] = v[fAfterVerb] * v[fClauseEnd]
	v[fBeClause] = v[fAfterBe] * v[fClauseEnd]
	if d.q.kind == askThing || d.q.kind == askDo {
		if d.q.focus == 0 {
			v[fBareVerb] = indicator(strings.HasPrefix(first.tag, "V"))
			v[fBareLong] = indicator(n > 5)
		} else {
			v[fFocusShort] = indicator(n <= 3)
		}
	}
	switch d.q.kind {
	case askWhy:
		v[fWhyMark] = indicator(causeWords[before] || causeWords[first.low])
		v[fWhyLong] = indicator(n > 5)
	case askWho:
		v[fWhoPerson] = indicator(kinWords[singular(last.low)] || v[fProper] == 1)
	case askWhere:
		v[fWhereIn] = indicator(placeWords[before] || placeWords[first.low])
		v[fWhereProper] = v[fProper]
	case askHow:
		v[fHowLong] = indicator(n > 3)
		v[fHowAdjective] = indicator(strings.HasPrefix(first.tag, "JJ"))
		v[fHowBy] = indicator(first.low == "by" || before == "by" || first.tag == "VBG")
	case askHowMany:
		v[fCountLong] = indicator(n > 2)
	default:
		if d.q.asksName {
			v[fProperAsked] = max(v[fProper], v[fQuoted])
		}
	}
}
