package treerules

import (
	"regexp"
	"strings"

	"recallbench/internal/llm"
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
	version string // as in llm.Resolution
	number  int
	rule    string
	pattern *regexp.Regexp
}{
	{"before", 0, "undoing a named change", re(`(?:^|[.!?;,:–—-]\s)\W*(?:please |can you |could you |ok |okay |actually |no |sorry |and |so |just )*(?:,? ?)(?:undo|revert|reverse|take back|roll back) (?:the |my |our |that )?(?P<about>(?:[\w '’-]+? )?` + nounish + ` (?:of|to|in|on|for|with|between|where|that|i|we) ` + clauseEnd + `|(?:cancelling|deleting|removing|dropping|moving|changing|adding|swapping|renaming|marking|postponing|pushing|replacing|updating|scrapping|shifting|putting|cutting) ` + clauseEnd + `)`)},
	{"number", 1, "the first version", re(`\b(?:(?:right |just )?before (?:any|all)(?: of)?(?: the| my| our| these| those)? ` + nounish + `(?: (?:i|we) made| were made| at all)?|before (?:i|we) (?:had )?(?:changed|touched|edited|altered) (?:anything|a thing|things)|before (?:i|we) (?:started|began) (?:changing|editing|tinkering|messing|making changes|fiddling)[\w ]*|before all (?:this|that|of this)|before anything (?:was|got|had been) changed)`)},
	{"number", -2, "before the last change", re(`\b(?:(?:right |just )?before (?:the|my|our|that|this|your) (?:very )?(?:last|latest|most recent|previous|final|newest) ` + nounish + `(?: (?:i|we|you) made)?|(?:undo|revert|reverse|take back|roll back) (?:the |my |that |this )?(?:very )?(?:last|latest|most recent|previous)(?: \w+)?|one (?:step|version|change) (?:back|ago|earlier))`)},
	{"number", -3, "before the last two changes", re(`\b(?:before (?:the|my|our) last two ` + nounish + `|two (?:steps|versions|changes) (?:back|ago|earlier)|undo (?:the |my )?last two ` + nounish + `)`)},
	{"before", 0, "before a change", re(`\b(?:(?:(?:just |exactly )?(?:as|like|how|the way) )(?:it|they|things|everything|the \w+) (?:was|were|looked|stood) )?(?:(?:right|just|shortly|immediately|back|from|of|way) )?(?:before|prior to(?: when)?|until|up until|till|ahead of) (?P<about>` + subject + ` ` + adverb + changed + `\b` + clauseEnd + `)`)},
	{"before", 0, "before a change", re(`\b(?:(?:right|just|shortly|immediately) )?(?:before|prior to|ahead of) (?P<about>(?:the |my |our |that |this )?(?:[\w'’-]+ ){0,4}?` + nounish + `\b(?: (?:of|to|in|on|for|with|between|where|that|i|we) ` + clauseEnd + `)?)`)},
	{"before", 0, "before a change", re(`\b(?:(?:right|just|shortly|immediately) )?(?:before|prior to|ahead of) (?P<about>` + changed + ` ` + clauseEnd + `)`)},
	{"at", 0, "after a change", re(`\b(?:(?:right|just|shortly|immediately|straight) )?(?:after|once|since) (?P<about>(?:i|we|you) ` + adverb + changed + `\b` + clauseEnd + `)`)},
	{"at", 0, "after a change", re(`\b(?:right|just|shortly|immediately|straight) after (?P<about>` + changed + ` ` + clauseEnd + `)`)},
	{"before", 0, "what a change took away", re(`\b(?P<about>(?:the )?(?:one|ones|thing|things|stuff|bit|part|item|items)?(?: that| which)?(?: (?:i|we|you))(?:['’]d|['’]ve)?(?: had| have| just| later| then| since| earlier| also| already)* ` + gone + `\b(?: (?:earlier|before|out|off|away|later|again|recently|a while (?:ago|back)|just now|today|yesterday))*)`)},
	{"before", 0, "what a change took away", re(`\b(?P<about>(?:the )?(?:one|ones|thing)? ?(?:that|which) (?:was|were|got|has been|have been|had been|is|are)(?: later| since| just| now)* (?:cancell?ed|deleted|removed|dropped|scrapped|erased|cut|ditched|binned|taken (?:out|off)|called off|thrown out|crossed (?:off|out)|gone)\b(?: (?:earlier|before|again|recently))*)`)},
	{"before", 0, "when it was still there", re(`\b(?:back )?(?:when|while) (?P<about>(?:the |my |our )?[\w '’-]{2,50}? (?:was|were) still (?:on|in|there|around|part of|planned|scheduled|listed|happening)` + clauseEnd + `)`)},
	{"number", 1, "the first version", re(`\b(?:originally|initially|at first|at the very (?:start|beginning|outset|first)|at the (?:outset|beginning)|at the (?:very )?start(?: of (?:all this|this|our|the) (?:chat|conversation|talk|discussion|planning|whole thing|this|everything))?\W*$|when we first (?:talked|spoke|discussed|met)[^.?!,]*|(?:undo|revert) (?:everything|it all|all (?:of )?(?:it|this|that|(?:the|my|our|today['’]s) changes))|to begin with|to start with|in the beginning|from the (?:very )?(?:start|beginning|outset)|first of all things|when we (?:first )?(?:started|began)(?: out| planning| this| talking)*|when i (?:first )?(?:started|began|set (?:this|it) up|made (?:this|the|it))(?: out| planning| this| (?:list|plan))*|(?:in|on|of|from|to|with|under|per|as in|according to) (?:the|my|our) (?:very )?(?:first|original|initial|starting|earliest) (?:version|plan|draft|itinerary|list|schedule|set-?up|state|one|layout|arrangement|menu|programme|program|menu plan|meal plan|wording|order)|(?:the|my|our) (?:very )?(?:first|original|initial|earliest) (?:version|plan|draft|itinerary|list|schedule|set-?up|state|layout|arrangement|menu|programme|program|meal plan)|(?:the |its |their |my )?(?:original|initial)(?:ly)?|as first planned|started (?:out|off)(?: as| with)?|in version (?:one|1)\b)`)},
	{"number", -2, "the previous version", re(`\b(?:(?:in|on|of|from|to|with) )?(?:the|my|our) (?:previous|preceding|last|prior) (?:version|plan|draft|state|itinerary|list|schedule)\b|\bthe version before(?: this| that| the last| now)?(?: one)?\b|\bone version (?:back|ago)\b`)},
}

// former are words about what something was, without a change named. The
// change is one of the rest of the request.
var former = re(`\b(?:used to (?:be|have|say|cost|start|read|sit|come|go|take|contain)|(?:before that|before this|beforehand|previously|formerly|earlier on)\b|(?:was|were|had|did|been|is|stood|set)\b[^.?!]* (?:before|earlier|previously)\W*$|the (?:old|former|previous|earlier|prior) (?:one|value|name|date|deadline|due date|time|price|cost|status|priority|title|plan|wording|version|slot|setting|start|amount|figure|description|entry))`)

var numbered = re(`\b(?:in |from |of |to )?(?:the )?(?:version (?:number |no\.? ?|#)?(?P<number>\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten)|(?P<ordinal>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:st|nd|rd|th)) (?:version|draft|revision))\b`)

var immediate = regexp.MustCompile(`(?i)^\W*(?:(?:please|actually|wait|oh|no|sorry|ok|okay|hmm|oops|scratch that|never mind|hm|can you|could you|just|and|so|on second thoughts?|i changed my mind|changed my mind)[ ,.!\-–—]*)*(?:undo|revert|reverse|take back|take it back|take that back|roll (?:it|that|this)? ?back)(?: (?:that|this|it|what (?:i|we|you) just did|the (?:change|edit|update)))?(?: please| again| for me| then| after all)*\W*$`)

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }

// resolve is the rule for an [llm.ResolveTask].
func resolve(task llm.ResolveTask) (llm.Resolution, []string) {
	request := clip(task.Request)
	op, rule, _ := operation(request)
	notes := []string{string(op) + ": " + rule}
	r := llm.Resolution{Operation: op, Version: "latest", Task: strings.TrimSpace(request)}
	if immediate.MatchString(request) {
		r.Operation, r.Version, r.Number = llm.Restore, "number", -2
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
		if at == nil {
			continue
		}
		about := strings.TrimSpace(group(ref.pattern, request, at, "about"))
		if about != "" && !past(op, ref.rule, request, about) {
			continue
		}
		if ref.version == "number" && ref.number == 1 && originalThing(request, at[1]) && op != llm.Read && op != llm.Restore {
			continue
		}
		found = true
		r.Version, r.Number = ref.version, ref.number
		rest = without(request, at[0], at[1])
		if ref.version != "number" {
			r.About = describe(about, rest)
			if ref.rule == "what a change took away" {
				r.About = describe(about, leadingTo(request[:at[0]]))
			}
		}
		undone = ref.rule == "undoing a named change"
		notes = append(notes, ref.rule)
	}
	if !found && (op == llm.Read || op == llm.Restore) {
		if at := former.FindStringIndex(request); at != nil {
			found = true
			r.Version = "before"
			r.About = describe("changed", request)
			rest = request
			notes = append(notes, "what something was before it was changed")
		}
	}
	if !found && op == llm.Restore {
		r.Version, r.About = "before", describe("cancelled", request)
		found = true
		notes = append(notes, "what was taken away or changed and is wanted back")
	}
	if !found && op == llm.Read {
		if what, ok := pastChange(request); ok {
			r.Version, r.About = "before", what
			notes = append(notes, "asks for what a change took away")
		}
	}
	if t := tidy(rest); t != "" {
		r.Task = t
	}
	if r.Operation == llm.Restore {
		switch {
		case undone:
			r.Task = ""
			notes = append(notes, "undone alone")
		case wholly(r.Task) && r.About == "" || allOf.MatchString(r.Task):
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
	allOf     = re(`\b(?:undo|scrap|revert|drop|discard|forget) (?:everything|it all|all (?:of )?(?:the |my |our |these |today['’]s )?(?:changes|edits|of it|this|that))\b`)
	besides   = re(`\b(?:everything|all) else\b`)
)

// wholly reports whether a request to restore names nothing but the memory as
// a whole.
func wholly(task string) bool {
	return wholeNoun.MatchString(task) && !besides.MatchString(task) && !partOf.MatchString(task) || lone(bare.ReplaceAllString(task, " "))
}

var (
	partOf = re(`\b(?:on|in|from|off|of) (?:the |my |our )?(?:plan|list|itinerary|schedule|menu|programme|week)\b`)
	bare   = re(`\b(?:undo|restore|revert|put|bring|back|go|return|give|take|changes?|again|exactly|please|way|was|were|as|working)\b`)
)

// past reports whether words about a change are about one that was made: a
// request to add something "before we swap rooms" is not.
func past(op llm.Operation, rule, request, about string) bool {
	if op == llm.Read || op == llm.Restore {
		return true
	}
	low := strings.ToLower(about)
	if rule == "undoing a named change" {
		return true
	}
	// In orders, "put", "set" and "cut" are no past tense by their looks, and
	// a clause of two words says too little.
	return pastEdit.MatchString(low) && len(strings.Fields(low)) > 1 && !strings.Contains(strings.ToLower(request), "remind me to")
}

var pastEdit = regexp.MustCompile(`^(?:i|we|you)\b.*\b(?:\w+ed|took|threw|got|made|swapped|put)\b|\b` + nounish + `\b`)

// originalThing reports whether "original" is said of a thing and not of a
// version, as in an order to buy an original print.
func originalThing(request string, end int) bool {
	return end < len(request)
}

// pastChange returns what a question about a change asks for: "what did I
// cancel?".
func pastChange(request string) (string, bool) {
	m := asked.FindStringSubmatch(request)
	if m == nil {
		return "", false
	}
	return m[1], true
}

var asked = re(`\b(?:what|which)\b[^.?!]*\bdid (?:i|we|you) ((?:cancel|delete|remove|drop|scrap|throw out|get rid of|take (?:off|out)|cut|ditch|change|move|swap|replace|rename|push back|postpone)\b` + clauseEnd + `)`)

// describe writes a change for comparing it with those that were made: with
// the words of the request where the change itself names nothing.
func describe(about, rest string) string {
	named := 0
	for _, w := range scan(about) {
		if content(w) && !changeWord.MatchString(w.low) {
			named++
		}
	}
	about = strings.Join(strings.Fields(about), " ")
	if named >= 2 && !pronoun.MatchString(about) {
		return about
	}
	var extra []string
	for _, w := range scan(tidy(rest)) {
		if content(w) && !askWord[w.low] && !changeWord.MatchString(w.low) {
			extra = append(extra, w.low)
		}
	}
	if len(extra) > 12 {
		extra = extra[len(extra)-12:]
	}
	return strings.TrimSpace(about + " " + strings.Join(extra, " "))
}

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
	changeWord = regexp.MustCompile(`^` + changed + `$|^` + nounish + `$|^(?:cancel|delete|remove|drop|undo|restore|revert|bring|back|out|off|away)$`)
	pronoun    = re(`\b(?:it|them|that|this|one|ones)\b`)
	askWord    = set(`time date price cost original originally previous before earlier old again memory changed mind version used`)
)

func group(p *regexp.Regexp, s string, at []int, name string) string {
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
	doubled = regexp.MustCompile(`\s*([,;:–—-])\s*(?:[,;:–—]\s*)+`)
	spaced  = regexp.MustCompile(`\s+([,.?!;:])`)
	leading = re(`^[\s,;:.!–—-]+(?:(?:and|so|but)\s+)?`)
	trail   = regexp.MustCompile(`[\s,;:–—-]+([.?!]*)$`)
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
