package tree

import (
	"strings"

	"recallbench/internal/engine/treetask"
)

const (
	changed = `(?:cancell?(?:ed|ing)|delet(?:ed|ing)|remov(?:ed|ing)|dropp(?:ed|ing)|scrapp(?:ed|ing)|eras(?:ed|ing)|cut(?:ting)?|ditch(?:ed|ing)|axed|binn(?:ed|ing)|got rid of|getting rid of|threw|throwing|thrown|took|taking|taken|gave|rebooked|asked|call(?:ed|ing)|clear(?:ed|ing)|wip(?:ed|ing)|chang(?:ed|ing)|updat(?:ed|ing)|edit(?:ed|ing)|alter(?:ed|ing)|adjust(?:ed|ing)|mov(?:ed|ing)|shift(?:ed|ing)|push(?:ed|ing)|postpon(?:ed|ing)|delay(?:ed|ing)|reschedul(?:ed|ing)|swapp(?:ed|ing)|swap|switch(?:ed|ing)|replac(?:ed|ing)|renam(?:ed|ing)|add(?:ed|ing)|creat(?:ed|ing)|insert(?:ed|ing)|put(?:ting)?|squeez(?:ed|ing)|mark(?:ed|ing)|set(?:ting)?|rais(?:ed|ing)|lower(?:ed|ing)|reduc(?:ed|ing)|increas(?:ed|ing)|bump(?:ed|ing)|mess(?:ed|ing)|touch(?:ed|ing)|tinker(?:ed|ing)|restor(?:ed|ing)|brought|bringing|extend(?:ed|ing)|shorten(?:ed|ing)|cross(?:ed|ing)|struck|tick(?:ed|ing)|book(?:ed|ing)|crossed|decided|gave|made|making|included|including|skipp(?:ed|ing)|los(?:t|ing)|transferr(?:ed|ing)|relocat(?:ed|ing)|revis(?:ed|ing)|bump(?:ed|ing)|schedul(?:ed|ing)|pulled|upgrad(?:ed|ing)|downgrad(?:ed|ing)|asked|had you|told you|finish(?:ed|ing)|complet(?:ed|ing)|discard(?:ed|ing)|abandon(?:ed|ing)|chuck(?:ed|ing)|dump(?:ed|ing)|trimm(?:ed|ing)|turn(?:ed|ing))`
	gone    = `(?:cancell?ed|deleted|removed|dropped|scrapped|erased|cut|ditched|axed|binned|got rid of|threw (?:it |them |that )?(?:out|away)|threw|took (?:it |them )?(?:off|out)|called off|took (?:it |them |that )?(?:off|out|away)|cleared|wiped|discarded|crossed (?:it )?(?:off|out)|struck|abandoned|chucked|dumped|lost)`
	nounish = `(?:change|changes|edit|edits|update|updates|swap|cancellation|deletion|removal|move|switch|rename|reschedule|rescheduling|postponement|reshuffle|replacement|addition|tweak|tweaks|revision)`
	subject = `(?:i|we|you|it|they|he|she|that|this|the [\w '’-]{1,60}?|my [\w '’-]{1,60}?|our [\w '’-]{1,60}?)`
	adverb  = `(?:(?:had|have|has|['’]d|['’]ve|just|then|later|first|finally|even|ever|was|were|got|been|being|did|asked you to|asked to|decided to|started) )*`
	// clauseEnd is where a clause about a change ends.
	clauseEnd = `[^,.;:?!–—()]*`
)

// references are words about versions, tried in order. The group "about" is
// the change that they describe.
var references = []struct {
	version string // as in treetask.Resolution
	number  int
	rule    string
	pattern *pattern
}{
	{"before", 0, undoing, re(`(?:^|[.!?;,:–—-]\s)\W*(?:please |can you |could you |ok |okay |actually |no |sorry |and |so |just )*(?:,? ?)(?:undo|revert|reverse|take back|roll back) (?:the |my |our |that )?(?P<about>(?:[\w '’-]+? )?` + nounish + ` (?:of|to|in|on|for|with|between|where|that|i|we) ` + clauseEnd + `|(?:cancelling|deleting|removing|dropping|moving|changing|adding|swapping|renaming|marking|postponing|pushing|replacing|updating|scrapping|shifting|putting|cutting) ` + clauseEnd + `)`)},
	{"number", 1, "the first version", re(`\b(?:(?:right |just )?before (?:any|all)(?: of)?(?: the| my| our| these| those)? ` + nounish + `(?: (?:i|we) made| were made| at all)?|before (?:i|we) (?:had )?(?:changed|touched|edited|altered) (?:anything|a thing|things)|before (?:i|we) (?:started|began) (?:changing|editing|tinkering|messing|making changes|fiddling)[\w ]*|before all (?:this|that|of this)|before anything (?:was|got|had been) changed)`)},
	{"before", 0, "before a change", re(`\b(?:(?:(?:just |exactly )?(?:as|like|how|the way) )(?:it|they|things|everything|the \w+) (?:was|were|looked|stood) )?(?:(?:right|just|shortly|immediately|back|from|of|way) )?(?:before|prior to(?: when)?|until|up until|till|ahead of) (?P<about>` + subject + ` ` + adverb + changed + `\b` + clauseEnd + `)`)},
	{"before", 0, "before a change", re(`\b(?:(?:right|just|shortly|immediately) )?(?:before|prior to|ahead of) (?P<about>(?:the |my |our |that |this )?(?:[\w'’-]+ ){0,4}?` + nounish + `\b(?: (?:of|to|in|on|for|with|between|where|that|i|we) ` + clauseEnd + `)?)`)},
	{"before", 0, "before a change", re(`\b(?:(?:right|just|shortly|immediately) )?(?:before|prior to|ahead of) (?P<about>` + changed + ` ` + clauseEnd + `)`)},
	{"before", 0, happening, re(`\b(?:(?:right|just|shortly|immediately) )?(?:before|prior to|until|till) (?P<about>[\p{L}\d '’-]{1,40}? ` + adverb + happened + `\b` + clauseEnd + `)`)},
	{"before", 0, somebody, re(`\bbefore (?P<about>(?-i:\p{Lu})\p{L}+)\W*$`)},
	{"at", 0, "after a change", re(`\b(?:(?:right|just|shortly|immediately|straight) )?(?:after|once|since) (?P<about>(?:i|we|you) ` + adverb + changed + `\b` + clauseEnd + `)`)},
	{"at", 0, "after a change", re(`\b(?:right|just|shortly|immediately|straight) after (?P<about>` + changed + ` ` + clauseEnd + `)`)},
	{"before", 0, tookAway, re(`\b(?P<about>(?:the )?(?:one|ones|thing|things|stuff|bit|part|item|items)?(?: that| which)?(?: (?:i|we|you))(?:['’]d|['’]ve)?(?: had| have| just| later| then| since| earlier| also| already)*(?: \w+(?: (?:it|them))? and(?: then| later)?)? ` + gone + `\b(?: (?:earlier|before|out|off|away|later|again|recently|a while (?:ago|back)|just now|today|yesterday))*)`)},
	{"before", 0, tookAway, re(`\b(?P<about>(?:the )?(?:one|ones|thing)? ?(?:that|which) (?:was|were|got|has been|have been|had been|is|are)(?: later| since| just| now)* (?:cancell?ed|deleted|removed|dropped|scrapped|erased|cut|ditched|binned|taken (?:out|off)|called off|thrown out|crossed (?:off|out)|gone)\b(?: (?:earlier|before|again|recently))*)`)},
	{"before", 0, "when it was still there", re(`\b(?:back )?(?:when|while) (?P<about>(?:the |my |our )?[\w '’-]{2,50}? (?:was|were) still (?:on|in|there|around|part of|planned|scheduled|listed|happening)` + clauseEnd + `)`)},
	{"number", 1, "the first version", re(`\b(?:originally|initially|at first|at the very (?:start|beginning|outset|first)|at the (?:outset|beginning)|at the (?:very )?start(?: of (?:all this|this|our|the) (?:chat|conversation|talk|discussion|planning|whole thing|this|everything))?\W*$|when we first (?:talked|spoke|discussed|met)[^.?!,]*|to begin with|to start with|in the beginning|from the (?:very )?(?:start|beginning|outset)|first of all things|when we (?:first )?(?:started|began)(?: out| planning| this| talking)*|when i (?:first )?(?:started|began|set (?:this|it) up|made (?:this|the|it))(?: out| planning| this| (?:list|plan))*|(?:in|on|of|from|to|with|under|per|as in|according to) (?:the|my|our) (?:very )?(?:first|original|initial|starting|earliest) (?:version|plan|draft|itinerary|list|schedule|set-?up|state|one|layout|arrangement|menu|programme|program|menu plan|meal plan|wording|order)|(?:the|my|our) (?:very )?(?:first|original|initial|earliest) (?:version|plan|draft|itinerary|list|schedule|set-?up|state|layout|arrangement|menu|programme|program|meal plan)|as first planned|(?:started|begun) (?:out|off)(?: as| with)?|(?:did (?:i|we|it|they|the [\w ]{1,30}?)|i|we) (?:first |originally )?(?:start|begin|started|began)(?: out| off)? with|when (?:i|we) (?:first |originally )(?:showed|gave|sent|told|wrote|planned|made|set|put|talked|drew)\b[^.?!,]*|in version (?:one|1)\b)`)},
	{"number", -2, "the previous version", re(`\b(?:(?:in|on|of|from|to|with) )?(?:the|my|our) (?:previous|preceding|last|prior) (?:version|plan|draft|state|itinerary|list|schedule)\b|\bthe version before(?: this| that| the last| now)?(?: one)?\b|\bone version (?:back|ago)\b`)},
}

var numbered = re(`\b(?:in |from |of |to )?(?:the )?(?:version (?:number |no\.? ?|#)?(?P<number>\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten)|(?P<ordinal>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:st|nd|rd|th)) (?:version|draft|revision))\b`)

var immediate = newPattern(`(?i)^\W*(?:(?:please|actually|wait|oh|no|sorry|ok|okay|hmm|oops|scratch that|never mind|hm|can you|could you|just|and|so|on second thoughts?|i changed my mind|changed my mind)[ ,.!\-–—]*)*(?:undo|revert|reverse|take back|take it back|take that back|roll (?:it|that|this)? ?back)(?: (?:that|this|it|what (?:i|we|you) just did|the (?:change|edit|update)))?(?: please| again| for me| then| after all)*\W*$`)

func re(pattern string) *pattern { return newPattern(`(?i)` + pattern) }

// resolve is the rule for an [treetask.ResolveTask].
func resolve(task treetask.ResolveTask) (treetask.Resolution, []string) {
	request := clip(task.Request)
	op, rule, _ := operation(request)
	notes := []string{string(op) + ": " + rule}
	r := treetask.Resolution{Operation: op, Version: "latest", Task: strings.TrimSpace(request)}
	if immediate.MatchString(request) {
		r.Operation, r.Version, r.Number = treetask.Restore, "number", -2
		return r, append(notes, "undo without more: the version before the newest")
	}
	rest, found, undone := request, false, false
	if at := numbered.FindStringSubmatchIndex(request); at != nil {
		name := group(numbered, request, at, "number") + group(numbered, request, at, "ordinal")
		if n, ok := number(strings.ToLower(name)); ok && n > 0 {
			r.Version, r.Number, found = "number", n, true
			rest = without(request, at[0], at[1])
			notes = append(notes, "a version by its number")
		}
	}
	for _, ref := range references {
		if found {
			break
		}
		at := ref.pattern.FindStringSubmatchIndex(request)
		if at == nil || ref.rule == somebody && !(whoWas.MatchString(request) && !calendarName.MatchString(request[at[0]:at[1]])) {
			continue
		}
		about := strings.TrimSpace(group(ref.pattern, request, at, "about"))
		away := ref.rule == tookAway
		switch {
		case op == treetask.Read || op == treetask.Restore:
		case away && (op == treetask.Create || op == treetask.Move):
			// What is gone can only come back.
			op, r.Operation = treetask.Restore, treetask.Restore
		default:
			continue // edits are about the memory as it is
		}
		found = true
		r.Version, r.Number = ref.version, ref.number
		rest = without(request, at[0], at[1])
		if ref.version != "number" {
			r.About = describe(about, around(request, at[0], at[1]))
			if away {
				r.About = describe(about, firstNaming(leadingTo(request[:at[0]])+" "+following(request[at[1]:]), around(request, at[0], at[1])))
				if !changedThing.MatchString(r.About) {
					r.About = "that " + r.About
				}
			}
		}
		undone = ref.rule == undoing
		notes = append(notes, ref.rule)
	}
	if n := stepsBack(request); n > 0 && !undone && (op == treetask.Read || op == treetask.Restore) && (!found || r.Version == "number" || lastChange.MatchString(r.About)) {
		found, r.Version, r.Number, r.About = true, "number", -n-1, ""
		rest = stepsForm.ReplaceAllString(request, " ")
		if op == treetask.Restore && lone(bare.ReplaceAllString(tidy(rest), " ")) {
			rest = everythingTask
		}
		notes = append(notes, "versions counted backwards")
	}
	if at := originalValue.FindStringSubmatchIndex(request); at != nil && !found && (op == treetask.Restore || op == treetask.Read && (at[4] >= 0 || wasForm.MatchString(request))) {
		found, r.Version, r.Number = true, "number", 1
		rest = without(request, at[2], at[3])
		notes = append(notes, "what was so in the first version")
	}
	if !found && op == treetask.Read {
		if what := pastChange(request); what != "" {
			found, r.Version, r.About = true, "before", what
			notes = append(notes, "asks for what a change took away")
		}
	}
	if !found && (op == treetask.Read || op == treetask.Restore) {
		if at := former.FindStringIndex(request); at != nil {
			found = true
			r.Version, r.About = "before", "that "+describe("", around(request, at[0], at[0]))
			rest = strings.TrimSpace(formerly.ReplaceAllString(request, " $1"))
			notes = append(notes, "what something was before it was changed")
		}
	}
	if !found && op == treetask.Restore {
		r.Version, r.About = "before", describe("", around(request, orderAt(request), orderAt(request)))
		notes = append(notes, "what was taken away or changed and is wanted back")
	}
	if t := tidy(rest); t != "" && rest != request {
		r.Task = t
	}
	if r.Operation == treetask.Restore {
		switch {
		case undone:
			r.Task = ""
			notes = append(notes, "undone alone")
		case wholly(r.Task) && r.About == "" || allOf.MatchString(request) || whole(r.Task):
			if r.About != "" && allOf.MatchString(request) {
				r.Version, r.Number, r.About = "number", 1, ""
			}
			r.Task = everythingTask
			notes = append(notes, "the whole memory")
		}
	}
	if task.Versions > 0 && r.Version == "number" && r.Number < -task.Versions {
		r.Number = 1
	}
	return r, notes
}

// everythingTask is the task of a request to restore the whole memory.
const everythingTask = "everything"

var (
	wholeNoun = re(`\b(?:plan|list|itinerary|trip|schedule|menu|week|version|programme|program|memory|everything|whole thing|it all|things|setup|state)\b`)
	allOf     = re(`\b(?:undo|scrap|revert|drop|discard|forget|reverse|ditch|bin|lose|throw (?:out|away)) (?:everything|it all|(?:everything|all|whatever) (?:that )?(?:i|we|you)(?:['’]ve| have)? (?:just )?(?:changed|did|done|edited|altered|touched)|(?:about )?(?:all|every|each)(?: one)? ?(?:of )?(?:the |my |our |these |those |your |today['’]s )?(?:changes?|edits?|of it|this|that))\b|\bsquare one\b|\b(?:start|begin) (?:all )?over\b`)
	besides   = re(`\b(?:everything|all) else\b`)
)

// wholly reports whether a request to restore names nothing but the memory as
// a whole.
func wholly(task string) bool {
	return wholeNoun.MatchString(task) && !besides.MatchString(task) && !partOf.MatchString(task) || lone(bare.ReplaceAllString(task, " "))
}

var (
	partOf = re(`\b(?:on|in|from|off|of) (?:the |my |our )?(?:plan|list|itinerary|schedule|menu|programme|week)\b`)
	bare   = re(`\b(?:undo|restore|revert|put|bring|back|go|return|give|take|changes?|again|exactly|please|way|was|were|as|working|should|can|be|how|what|it|state|to|the|just|let['’]s|make|have|want|like|reset|start|over|all|whole|entire)\b`)
)

// leadingTo returns the last few words of the clause before a reference: what
// "that I cancelled" is said of.
func leadingTo(before string) string {
	words := scan(before)
	from := len(words)
	n := 0
	for from > 0 && !words[from-1].mark && n < 4 {
		from--
		if content(words[from]) {
			n++
		}
	}
	return join(before, words[from:])
}

var (
	changeWord = newPattern(`^` + changed + `$|^` + nounish + `$|^(?:cancel|delete|remove|drop|undo|restore|revert|bring|back|out|off|away)$`)
	pronoun    = re(`\b(?:it|them|that|this|one|ones)\b`)
)

func group(p *pattern, s string, at []int, name string) string {
	i := p.SubexpIndex(name)
	if i < 0 || at[2*i] < 0 {
		return ""
	}
	return s[at[2*i]:at[2*i+1]]
}

// without cuts a range out of a text.
func without(s string, from, to int) string { return s[:from] + " " + s[to:] }

var (
	hollow  = re(`\(\s*\)|"\s*"`)
	doubled = newPattern(`\s*([,;:–—-])\s*(?:[,;:–—]\s*)+`)
	spaced  = newPattern(`\s+([,.?!;:])`)
	leading = re(`^[\s,;:.!–—-]+(?:(?:and|so|but)\s+)?`)
	trail   = newPattern(`[\s,;:–—-]+([.?!]*)$`)
	dangle  = re(`\s+(?:from|as|like|the|of|in|to|on|back)\s*([.?!]*)$`)
)

// tidy closes the gaps that cutting left.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = hollow.ReplaceAllString(s, " ")
	s = doubled.ReplaceAllString(s, "$1 ")
	s = spaced.ReplaceAllString(s, "$1")
	s = leading.ReplaceAllString(s, "")
	s = trail.ReplaceAllString(s, "$1")
	s = dangle.ReplaceAllString(s, "$1")
	return strings.TrimSpace(s)
}
