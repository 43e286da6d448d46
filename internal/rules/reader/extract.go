package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/text/timex"
)

// How far the reader looks.
const (
	considered = 16  // sentences that are searched for the answer
	tie        = 4.0 // how much less than the best a sentence may score and still be read for a time or a number
)

// extract finds the answer in the ranked sentences and says which it used.
func (q *query) extract(ranked []candidate) (string, []candidate) {
	if len(ranked) == 0 || !ranked[0].supported() {
		return "", nil
	}
	near := slices.IndexFunc(ranked, func(c candidate) bool { return c.score < ranked[0].score-tie })
	if near < 0 {
		near = len(ranked)
	}
	text, used := "", []candidate(nil)
	switch q.kind {
	case askYesNo, askLikely:
		return q.polar(ranked)
	case askChoice:
		text, used = q.choose(ranked)
	case askWhen, askHowMany, askHowLong, askHowOften:
		text, used = q.measure(ranked[:near])
	case askHow, askWhy, askThing, askWho, askWhere, askDo, askStatement:
	}
	if text != "" {
		return text, used
	}
	best := q.search(ranked)
	if len(best) == 0 {
		return "", nil
	}
	if q.plural && q.kind != askHowMany {
		if text, used := q.instances(ranked[:near]); text != "" {
			return text, used
		}
		return q.list(best)
	}
	return q.render(q.trim(best[0])), []candidate{best[0].candidate}
}

// search finds the best span of each of the first lines, best first.
func (q *query) search(ranked []candidate) []span {
	var all []span
	at := make(map[*said]int)
	for _, c := range ranked[:min(considered, len(ranked))] {
		d := q.describer(c)
		spans(d.s, func(from, to int) {
			found := span{candidate: c, from: from, to: to, score: d.span(from, to).worth()}
			if i, ok := at[c.line]; !ok {
				at[c.line] = len(all)
				all = append(all, found)
			} else if found.score > all[i].score {
				all[i] = found
			}
		})
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.score, a.score) })
	return all
}

// measure answers a question for a time or a number from the first sentence
// that tells one. Failing that, a thing happened on the day on which the best
// sentence was said.
func (q *query) measure(ranked []candidate) (string, []candidate) {
	for pass, tell := range map[kind][]func(candidate) string{
		askWhen:     {q.point, q.begun},
		askHowMany:  {q.number},
		askHowLong:  {func(c candidate) string { return length(c, timex.Duration) }},
		askHowOften: {func(c candidate) string { return length(c, timex.Frequency) }},
	}[q.kind] {
		for _, c := range ranked {
			if q.kind == askWhen && pass == 0 && c.score < ranked[0].score-tie/2 {
				break
			}
			if text := tell(c); text != "" {
				return text, []candidate{c}
			}
		}
	}
	if t := ranked[0].line.time; q.kind == askWhen && !t.IsZero() {
		return timex.FormatDay(t), ranked[:1]
	}
	return "", nil
}

// point is the first time that a sentence tells, or else its line, as finely as
// the question asks: "which month" and "what year" want no more. What is planned
// lies behind the line.
func (q *query) point(c candidate) string {
	for _, s := range append([]sentence{*c.sentence()}, c.line.sentences...) {
		for _, e := range s.exprs {
			switch t := c.line.time; {
			case !e.Resolved(), q.planned && !t.IsZero() && !e.To.After(t):
			case q.grain == timex.Year:
				return e.From.Format("2006")
			case q.grain == timex.Month:
				return timex.FormatMonth(e.From)
			default:
				return e.Phrase
			}
		}
	}
	return ""
}

// begun tells when something began that has been going on for a stated time:
// "I've had them for three years now".
func (q *query) begun(c candidate) string {
	t := c.line.time
	if !beginnings[q.verbLow] || t.IsZero() {
		return ""
	}
	for _, e := range c.sentence().exprs {
		switch {
		case e.Kind != timex.Duration:
		case e.Years > 0:
			return strconv.Itoa(t.Year() - e.Years)
		case e.Months > 0:
			return timex.FormatMonth(time.Date(t.Year(), t.Month()-time.Month(e.Months), 1, 0, 0, 0, 0, time.UTC))
		case e.Days > 0:
			return timex.FormatDay(t.AddDate(0, 0, -e.Days))
		}
	}
	return ""
}

// beginnings are the verbs of questions for when something began.
var beginnings = set("start begin get adopt buy join become meet move marry found open take learn")

// length is an expression of a kind. That something was "two weeks ago" says how
// long, too.
func length(c candidate, kind timex.Kind) string {
	for _, e := range c.sentence().exprs {
		if e.Kind == kind {
			return e.Phrase
		}
		if head, ago := strings.CutSuffix(c.line.text[e.Start:e.End], " ago"); ago && kind == timex.Duration {
			return head
		}
	}
	return ""
}

// number is the number before the noun asked for: "two turtles". An ordinal
// counts as one, "my fourth win".
func (q *query) number(c candidate) string {
	words := c.sentence().words
	for i := range words {
		if words[i].punct || words[i].stem != q.focus || q.focus == 0 {
			continue
		}
		for j := i - 1; j >= max(0, i-4); j-- {
			p := &words[j]
			if p.punct || p.tag == "IN" && p.low != "of" { // "three jars of honey"
				break
			}
			if n := ordinals[p.low]; n != "" {
				return n
			}
			if p.tag == "CD" || cardinals[p.low] {
				return p.text
			}
		}
	}
	return ""
}

var (
	cardinals = set("one two three four five six seven eight nine ten eleven twelve dozen hundreds thousands couple several few")
	ordinals  = pairs("second two third three fourth four fifth five sixth six seventh seven eighth eight ninth nine tenth ten")
)

// negations turn a statement around.
var negations = set("not n't never no none nothing neither nor without cannot")

// weakMatch is the share of a question that must be found in a line before it
// counts as a statement about it.
const weakMatch = 0.25

// polar answers a yes-or-no question: yes when the statement that has most of
// it supports it, no when that denies it or when there is none. A question
// about what is likely gets "Likely no" for want of support.
func (q *query) polar(ranked []candidate) (string, []candidate) {
	var best *candidate
	for i := range ranked[:min(considered, len(ranked))] {
		c := &ranked[i]
		if !c.sentence().question && c.view.own >= weakMatch && (best == nil || c.statement() > best.statement()) {
			best = c
		}
	}
	no := "No"
	if q.kind == askLikely {
		no = "Likely no"
	}
	switch {
	case best == nil:
		return no, nil
	case negated(best.sentence().words) != negated(q.words):
		return no, []candidate{*best}
	}
	return "Yes", []candidate{*best}
}

// statement is how well a candidate serves as a statement about what is asked:
// by the share of the question in it, and by who says it.
func (c candidate) statement() float64 { return c.view.own + c.own + indicator(c.view.person)/2 }

func negated(words []word) bool {
	odd := false
	for _, w := range words {
		odd = odd != negations[w.low]
	}
	return odd
}

// choose answers "A or B" with the one that the evidence speaks of more, the
// better sentences counting more.
func (q *query) choose(ranked []candidate) (string, []candidate) {
	best, top := 0, 0.0
	for k, option := range q.options {
		support := 0.0
		for rank, c := range ranked[:min(4*considered, len(ranked))] {
			for _, w := range c.sentence().words {
				if !w.punct && slices.ContainsFunc(option, func(o word) bool { return o.class == content && o.stem == w.stem }) {
					support += 1 / float64(4+rank)
				}
			}
		}
		if support > top {
			best, top = k, support
		}
	}
	if top == 0 {
		return "", nil
	}
	option := q.options[best]
	if option[0].tag == "DT" || option[0].tag == "IN" {
		option = option[1:]
	}
	return plainly(option), ranked[:1]
}

const (
	listGap      = 6.0 // how much less than the best span another may score to be listed
	listMax      = 3   // spans in a list
	instancesMax = 4   // instances of a category in a list
)

// list joins the best spans of several lines, each with a word that is new.
func (q *query) list(best []span) (string, []candidate) {
	var parts []string
	var used []candidate
	seen := make(map[string]bool)
	for _, p := range best {
		if p.score < best[0].score-listGap || len(parts) == listMax {
			break
		}
		text, fresh := q.render(q.trim(p)), false
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			fresh = fresh || !seen[w] && classOf(w) == content
			seen[w] = true
		}
		if fresh {
			parts, used = append(parts, text), append(used, p.candidate)
		}
	}
	return strings.Join(parts, ", "), used
}

// instances lists the members of the category asked for that the person asked
// about speaks of, in the best statements.
func (q *query) instances(ranked []candidate) (string, []candidate) {
	var parts []string
	var used []candidate
	seen := make(map[string]bool)
	for _, c := range ranked {
		s := c.sentence()
		if s.question || c.view.other {
			continue
		}
		for i := range s.words {
			if w := &s.words[i]; q.members[w.low] && !seen[singular(w.low)] && !q.has(w) && len(parts) < instancesMax {
				seen[singular(w.low)] = true
				parts = append(parts, q.render(span{candidate: c, from: q.modified(s.words, max(0, i-2), i), to: i + 1}))
				used = append(used, c)
			}
		}
	}
	return strings.Join(parts, ", "), used
}

// trim leaves of a span the instances of the category asked for, if it has any.
func (q *query) trim(p span) span {
	if q.kind != askThing && q.kind != askWhere {
		return p
	}
	words, from, to := p.sentence().words, p.from, p.to
	found := false
	for i := from; i < to; i++ {
		if q.members[words[i].low] && !q.has(&words[i]) {
			if !found {
				p.from, found = q.modified(words, from, i), true
			}
			p.to = i + 1
		}
	}
	return p
}

// modified returns where the adjectives and nouns before word i begin, not
// before low.
func (q *query) modified(words []word, low, i int) int {
	for i > low {
		w := &words[i-1]
		if !strings.HasPrefix(w.tag, "JJ") && !isNoun(w.tag) || q.has(w) || q.members[w.low] {
			break
		}
		i--
	}
	return i
}
