package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/treetask"
)

// plainer puts into plain words what a request says in a roundabout way: what
// points back, what closes or opens something, what costs nothing.
func (v *vocab) plainer(op treetask.Operation, text string) string {
	text = afterwards(text)
	text = thanThat(text)
	text = nthTime.ReplaceAllString(text, "$2 of the $1 day")
	switch op {
	case treetask.Create, treetask.Move:
		if op == treetask.Move {
			text = makeFirst.ReplaceAllString(text, "move $1 to the start")
			text = makeLast.ReplaceAllString(text, "move $1 to the end")
			text = fitter(text)
		}
		text = asLast.ReplaceAllString(text, "at the end")
		text = asFirst.ReplaceAllString(text, "at the start")
		return text
	case treetask.Read, treetask.Delete:
	default:
		return text
	}
	if v.hasKind(kindMoney) {
		text = paidForm.ReplaceAllString(text, "costing more than $$0")
		text = gratisForm.ReplaceAllString(text, "costing at most $$0")
		text = isFree(text)
	}
	if op != treetask.Read {
		return text
	}
	text = closing.ReplaceAllStringFunc(text, func(s string) string { return edgeOf(closing, s, 1, 2, 3) })
	text = startWith.ReplaceAllStringFunc(text, func(s string) string { return edgeOf(startWith, s, 0, 1, 2) })
	text = howStarts.ReplaceAllStringFunc(text, func(s string) string { return edgeOf(howStarts, s, 0, 2, 1) })
	return text
}

var (
	asLast  = re(`\bas (?:the |our |an? )?(?:grand )?(?:finale|closer|nightcap|closing (?:act|item|number|stop|piece)|final (?:item|act|stop|thing|entry|one|point|activity|task|step)|ending)\b`)
	asFirst = re(`\bas (?:the |our |an? )?(?:opener|kick-?off|opening (?:act|item|number|stop|piece)|first (?:item|act|stop|thing|entry|one|point|activity|task|step))\b`)

	makeFirst = re(`\bmake (it|this|that|them|(?:the|my|our) [^.,;!?]{1,60}?) (?:be |come |go )?(?:the |our |my )?(?:very )?(?:first|opening)\b(?: (?:thing|item|stop|act|entry|task|step|one|point))?`)
	makeLast  = re(`\bmake (it|this|that|them|(?:the|my|our) [^.,;!?]{1,60}?) (?:be |come |go )?(?:the |our |my )?(?:very )?(?:last|final|closing)\b(?: (?:thing|item|stop|act|entry|task|step|one|point))?`)
	nthTime   = re(`\b(?:the|our|my|that) (first|second|third|fourth|fifth|sixth|seventh|last|final) (morning|evening|afternoon|night)\b`)

	gratisForm = re(`\b(?:(?:that|which|and) )?(?:without (?:paying|spending)(?: (?:a (?:single )?(?:cent|penny|dime|dollar|euro|pound|thing)|anything|any money|money))?|(?:do(?:es)?n['’]t|do(?:es)? not|won['’]t|will not|wouldn['’]t) cost (?:me |us |you )?(?:anything|a (?:thing|cent|penny|dime)|any money|money)|costs? (?:me |us |you )?(?:nothing|zero)|free of charge|at no (?:extra )?(?:charge|cost)|for free|with free (?:entry|admission))\b`)
	paidForm   = re(`\b(?:(?:that|which) )?(?:costs? (?:extra|money|something)|(?:is|are)(?:n['’]t| not) (?:for )?free|(?:we|i|you) (?:have|need) to pay (?:extra )?(?:for|to get in)?|(?:we|i) pay (?:extra )?for|(?:has|have|with|charges?|charging) (?:an? )?(?:entry|entrance|admission) (?:fee|charge|price))\b`)
	freeWord   = re(`\b(?:is|are|['’]s|anything|everything|something|things?|stuff|ones|activities|places|all) free\b`)

	edgeVerbs = `(closes|ends|concludes|finishes|wraps up|rounds off|finishes off|rounds out|closes out|headlines|opens|starts|begins|kicks off|starts off)`
	closing   = re(`\b(?:which|what|who) ((?:\w+ )?)` + edgeVerbs + ` ((?:the|our|my|that|day|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b)`)
	startWith = re(`\b(?:what|which (?:\w+ )??)(?:do|does|will|are|should) (?:we|i|they|you|he|she) (?:going to )?(start|begin|open|kick off|finish|end|close|round off|wrap up|conclude) ([^?.!,]{1,40}?) (?:off )?with\b`)
	howStarts = re(`\bhow (?:does|do|will) ([^?.!,]{1,40}?) (start|begin|kick off|end|finish|close)(?: off)?\b`)
)

// edgeOf asks for the first or last of something: noun, verb and what it is
// the edge of are groups of the pattern, 0 for none.
func edgeOf(p *pattern, s string, noun, verb, of int) string {
	m := p.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	what := "thing"
	if noun > 0 && strings.TrimSpace(m[noun]) != "" {
		what = strings.TrimSpace(m[noun])
	}
	edge := "last"
	switch strings.ToLower(strings.Fields(m[verb])[0]) {
	case "opens", "starts", "begins", "kicks", "start", "begin", "open", "kick":
		edge = "first"
	}
	return "what is the " + edge + " " + what + " of " + m[of]
}

// isFree reads "what is free on Sunday", but not "free of nuts" or "free time".
func isFree(text string) string {
	for _, at := range slices.Backward(freeWord.FindAllStringIndex(text, 4)) {
		rest := strings.ToLower(strings.TrimLeft(text[at[1]:], " "))
		next := firstLow(rest)
		if rest != "" && strings.ContainsAny(rest[:1], "?.!,;") || rest == "" || next != "of" && next != "from" && prepositions[next] || next == "and" || next == "or" {
			text = text[:at[1]-len("free")] + "costing at most $0" + text[at[1]:]
		}
	}
	return text
}

var (
	backPoint = re(`\b((?:right |straight |directly |immediately |just |shortly |soon )?)(afterwards?|after (?:that|it|them|this|those|him|her)|beforehand|before (?:that|it|them|this|those|him|her))\b`)
	thanBack  = re(`\b(?:later|earlier|sooner|cheaper|dearer|more|less|longer|shorter|higher|lower|fewer) than (that|this|then)\b`)
)

// afterwards says what "afterwards" and "before that" are after and before:
// what was named last.
func afterwards(text string) string {
	at := backPoint.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	rest := strings.TrimLeft(text[at[1]:], " ")
	if next := firstLow(rest); rest != "" && !strings.ContainsAny(rest[:1], "?.!,;:") && !closed[next] {
		return text // "after that museum"
	}
	what := lastNamed(text[:at[0]])
	if what == "" {
		return text
	}
	side := "after"
	if strings.HasPrefix(strings.ToLower(text[at[4]:at[5]]), "before") {
		side = "before"
	}
	return text[:at[2]] + text[at[2]:at[3]] + side + " the " + what + text[at[1]:]
}

// definite leads what is spoken of as known.
var definite = set(`the our my his her their that this`)

// lastNamed returns the words of the last thing that a text speaks of as
// known, in the sentences before the one that it ends with if there are any.
func lastNamed(text string) string {
	if at := strings.LastIndexAny(text, ".!?;:"); at > 0 {
		text = text[:at]
	}
	words := scan(text)
	for i := len(words) - 2; i >= 0; i-- {
		if !definite[words[i].low] {
			continue
		}
		j := i + 1
		for j < len(words) && j < i+6 && (content(words[j]) || words[j].low == "of" && j > i+1) {
			j++
		}
		if j > i+1 && !timeNoun[words[j-1].low] {
			return text[words[i+1].start:words[j-1].end]
		}
	}
	return ""
}

// thanThat says what a comparison points back to: the value named last before
// it.
func thanThat(text string) string {
	at := thanBack.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	before := text[:at[0]]
	if c := clocks(before); len(c) > 0 {
		l := c[len(c)-1]
		return text[:at[2]] + before[l.start:l.end] + text[at[3]:]
	}
	if m := moneyForm.FindAllString(before, -1); len(m) > 0 {
		return text[:at[2]] + m[len(m)-1] + text[at[3]:]
	}
	return text
}

var (
	wouldFit = re(`(?:^|[.!?;,] )([^.!?;,]{2,60}?) (?:would|will|could|should|might|is|are) (?:probably |actually |really |much |far )?(?:be |fit |go |work |sit |feel |look |do )?(?:much |far |a lot |so much )?(?:better|nicer|best|well|great|lovely|perfect|good|fine) ((?:on|in|at|after|before|under|between|with|right|straight|directly|just) [^.!?;]+)[.!?;]`)
	bringIt  = re(`\b(?:move|shift|put|bring|take|transfer|relocate|reschedule|switch) (?:it|them|that|this)(?: over| across)?(?: there)?\b`)
)

// fitter makes one order of a statement that something would be better
// elsewhere and an order to move it there.
func fitter(text string) string {
	m := wouldFit.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	at := bringIt.FindStringIndex(text[m[1]:])
	if at == nil {
		return text
	}
	where := text[m[4]:m[5]]
	if w := firstLow(where); w == "on" || w == "in" {
		where = "to " + strings.TrimSpace(where[len(w):])
	} else {
		where = "to " + where
	}
	return "Move " + text[m[2]:m[3]] + " " + where + "."
}

// praised returns what a sentence speaks well of, or names at its end: "my
// aunt swears by the tea room at the mill".
func praised(before string) string {
	m := praise.FindStringSubmatch(before)
	if m == nil {
		return ""
	}
	return strings.Trim(nameEnd2.ReplaceAllString(m[1], ""), " .,;:!?")
}

var (
	praise   = re(`\b(?:swears? by|raves? about|recommends?|recommended|insists? on|loves?|adores?|speaks? (?:highly )?of|talks? about|mentioned|praises?|praised|suggests?|suggested|tipped (?:me|us) off about|pointed (?:me|us) to|keen on|crazy about|mad about|set on|there['’]s|there is|read about|heard about|heard of|came across|spotted|saw|found)\s+(?:an? |the |some |this |that |our )?([^.;!?]{3,80})`)
	nameEnd2 = re(`\s+(?:on (?:the )?(?:day|first|last|mon|tues|wednes|thurs|fri|satur|sun)|so|because|since|which|who|where|when|while|but|and (?:i|we|he|she|it)|that (?:is|was|has)|from \d|at \d|for \d)\b.*$|\s*[,:(].*$`)
)

// affirm drops denials of places: where something is to go is none that is
// denied, unless another of the kind is named.
func (r *reading) affirm() {
	for i := range r.scopes {
		s := &r.scopes[i]
		if s.negated && !slices.ContainsFunc(r.scopes, func(o scope) bool { return o.kind == s.kind && !o.negated }) {
			s.negated = false
		}
	}
}
