package reader

import (
	"strings"

	"recallbench/internal/text/timex"
)

// A mark is what a question makes of a word.
type mark struct {
	hit                   bool // it is one of the question's
	point, length, repeat bool // it belongs to an expression of time of the kind
	quoted                bool // it stands between quotation marks
}

// A describer computes the features of the spans of one sentence.
type describer struct {
	q     *query
	s     *sentence
	marks []mark // by word
	base  vec    // the features of the sentence
}

func (q *query) describer(c candidate) *describer {
	d := &describer{q: q, s: c.sentence()}
	d.mark(c.line.told)
	d.base[fMatch], d.base[fOwn] = c.score, c.own
	d.base[fPerson] = c.lv[lPerson]
	d.base[fDate] = max(c.lv[lDay], c.lv[lAbout])
	d.base[fImage] = indicator(d.s.image)
	if c.at == 0 && c.line.prev != nil && c.line.prev.asks() {
		d.base[fReply], d.base[fReplyMatch] = 1, c.lv[lReply]
	}
	return d
}

// mark fills in the marks. In a line that tells of somebody, the name of the one
// whom the question is about is nothing new.
func (d *describer) mark(told bool) {
	d.marks = make([]mark, len(d.s.words))
	quoted := false
	for i := range d.s.words {
		w, m := &d.s.words[i], &d.marks[i]
		if w.punct {
			switch w.low {
			case `"`:
				quoted = !quoted
			case "“":
				quoted = true
			case "”":
				quoted = false
			}
			continue
		}
		m.quoted = quoted
		m.hit = d.q.has(w) || told && d.q.names(w)
		for _, e := range d.s.exprs {
			if w.start >= e.Start && w.end <= e.End {
				switch e.Kind {
				case timex.Point:
					m.point = true
				case timex.Duration:
					m.length = true
				case timex.Frequency:
					m.repeat = true
				}
			}
		}
	}
}

// span returns the features of the words from..to, which hold a word.
func (d *describer) span(from, to int) vec {
	v := d.base
	words, fresh, plain, last := 0, 0, 0, from
	for i := from; i < to; i++ {
		w := &d.s.words[i]
		if w.punct {
			if w.low == "," {
				v[fComma] = 1
			}
			continue
		}
		words++
		last = i
		switch {
		case d.marks[i].hit:
		case w.class == content:
			fresh++
		default:
			plain++
		}
		d.word(&v, i, i == from)
	}
	d.size(&v, words)
	v[fNew] = float64(min(fresh, 4)) / 4
	if fresh == 0 {
		v[fNew] = nothingNew
	}
	v[fFunction] = float64(plain) / float64(words)
	v[fOldFirst], v[fOldHead] = indicator(d.marks[from].hit), indicator(d.marks[last].hit)
	head := &d.s.words[last]
	v[fFocusHead] = indicator(d.q.focus != 0 && head.stem == d.q.focus)
	if d.q.members[head.low] {
		v[fMember], v[fMemberIn] = 1, 0
	}
	v[fQuoteExact] = indicator(quotation(d.s.words, from, to))
	d.borders(&v, from, to)
	d.ends(&v, &d.s.words[from], head)
	d.kinds(&v, from, words, head)
	return v
}

// nothingNew stands for the number of new words of a span that only repeats
// the question.
const nothingNew = -2

// quotation reports whether the words from..to are a quotation, its marks
// left out.
func quotation(words []word, from, to int) bool {
	mark := func(i int) bool {
		return i >= 0 && i < len(words) && (words[i].low == `"` || words[i].low == "“" || words[i].low == "”")
	}
	return mark(from-1) && mark(to)
}

// word adds the features of one word.
func (d *describer) word(v *vec, i int, first bool) {
	w, m := &d.s.words[i], d.marks[i]
	when := func(on bool, f feature) {
		if on {
			v[f] = 1
		}
	}
	switch {
	case w.low == "and" || w.low == "or":
		v[fAnd] = 1
	case w.tag == "PRP":
		when(speech[w.low], fPronoun)
	case w.tag == "PRP$":
		v[fPossessive] = 1
	default:
		when(!first && finite(w), fFinite)
	}
	when(d.q.focus != 0 && w.stem == d.q.focus, fFocus)
	when(m.point, fTime)
	when(d.q.members[w.low], fMemberIn)
	when(m.quoted, fQuoted)
	when(w.tag == "NNP" || w.tag == "NNPS" || (w.upper && i > 0 && isNoun(w.tag)), fProper)
	when(m.repeat && d.q.kind == askHowOften, fOftenMark)
	when(m.length && d.q.kind == askHowLong, fDurationMark)
	when(w.tag == "CD" && d.q.kind == askHowMany, fCountNumber)
}

// speech are the pronouns of the two who speak.
var speech = set("i me we us you")

// finite reports whether a word is a finite verb or an auxiliary.
func finite(w *word) bool {
	switch w.tag {
	case "VBD", "VBZ", "VBP", "MD":
		return true
	}
	return auxiliaries[w.low] || w.low == "'m" || w.low == "'re"
}

// size sets the feature of the length in words.
func (*describer) size(v *vec, words int) {
	switch {
	case words <= 1:
		v[fWords1] = 1
	case words == 2:
		v[fWords2] = 1
	case words == 3:
		v[fWords3] = 1
	case words <= 5:
		v[fWords45] = 1
	case words <= 8:
		v[fWords68] = 1
	default:
		v[fWords9] = 1
	}
}

// borders sets the features of what stands around the span.
func (d *describer) borders(v *vec, from, to int) {
	words := d.s.words
	hit := func(i int) bool { return i >= 0 && i < len(words) && d.marks[i].hit }
	v[fNear] = indicator(hit(from-1) || hit(to))
	v[fNear3] = indicator(v[fNear] == 1 || hit(from-2) || hit(to+1) || hit(from-3) || hit(to+2))
	joint := func(i int) bool { return i < 0 || i >= len(words) || words[i].punct || words[i].tag == "CC" }
	start, end := joint(from-1), joint(to)
	v[fClauseStart], v[fClauseEnd], v[fWholeClause] = indicator(start), indicator(end), indicator(start && end)
	if from == 0 {
		return
	}
	p := &words[from-1]
	if from > 1 && (p.tag == "DT" || p.tag == "PRP$" || p.tag == "IN" || p.tag == "TO") && p.stem != d.q.verb {
		p = &words[from-2]
	}
	switch {
	case p.punct:
	case d.q.verb != 0 && p.stem == d.q.verb:
		v[fAfterVerb] = 1
	case p.low == "is" || p.low == "was" || p.low == "are" || p.low == "were" || p.low == "'re" || (p.low == "'s" && p.tag != "POS"):
		v[fAfterBe] = 1
	case strings.HasPrefix(p.tag, "V"):
		v[fAfterVerbAny] = 1
	case p.tag == "PRP":
		v[fAfterSubject] = 1
	}
	v[fVerbClause], v[fBeClause] = v[fAfterVerb]*v[fClauseEnd], v[fAfterBe]*v[fClauseEnd]
}

// ends sets the features of the span's first and last words.
func (*describer) ends(v *vec, first, last *word) {
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
	}
}

var (
	causeWords = set("because since 'cause cause for to so as due")
	placeWords = set("in at to from near on around inside outside by")
	personNoun = set(`mom mother dad father parents parent sister brother son daughter kid husband wife partner
girlfriend boyfriend friend cousin aunt uncle grandma grandmother grandpa grandfather grandparents family
neighbor neighbour colleague coworker boss teacher mentor coach roommate fiance fiancee niece nephew team
teammate group company organization doctor client customer fan child man woman people`)
)

// kinds sets the features that depend on what is asked.
func (d *describer) kinds(v *vec, from, n int, head *word) {
	words := d.s.words
	first := &words[from]
	before := ""
	if from > 0 {
		before = words[from-1].low
		if from > 1 && (words[from-1].tag == "DT" || words[from-1].tag == "PRP$") {
			before = words[from-2].low
		}
	}
	switch d.q.kind {
	case askThing, askDo:
		if d.q.focus != 0 {
			v[fFocusShort] = indicator(n <= 3)
		} else {
			v[fBareVerb] = indicator(strings.HasPrefix(first.tag, "V"))
			v[fBareLong] = indicator(n > 5)
		}
		if d.q.asksName {
			v[fProperAsked] = max(v[fProper], v[fQuoted])
		}
	case askWhy:
		v[fWhyMark] = indicator(causeWords[before] || causeWords[first.low])
		v[fWhyLong] = indicator(n > 5)
	case askWho:
		v[fWhoPerson] = indicator(personNoun[singular(head.low)] || v[fProper] == 1)
	case askWhere:
		v[fWhereIn] = indicator(placeWords[before] || placeWords[first.low])
		v[fWhereProper] = v[fProper]
	case askHow:
		v[fHowLong] = indicator(n > 3)
		v[fHowAdjective] = indicator(strings.HasPrefix(first.tag, "JJ"))
		v[fHowBy] = indicator(first.low == "by" || before == "by" || first.tag == "VBG")
	case askHowMany:
		v[fCountLong] = indicator(n > 2)
	case askWhen, askHowLong, askHowOften, askYesNo, askLikely, askChoice, askStatement:
	}
}
