package tree

import (
	"slices"
	"strconv"
	"strings"
)

// Rules of references that resolve treats apart.
const (
	undoing   = "undoing a named change"
	tookAway  = "what a change took away"
	happening = "before something happened"
	somebody  = "before somebody"
)

// happened are verbs for changes that come about.
const happened = `(?:went (?:up|down)|gone (?:up|down)|rose|risen|fell(?: through| ill)?|fallen(?: through| ill)?|dropped out|pulled out|backed out|became|become|took over|taken over|stepped (?:in|down)|came (?:in|along|up)|ran out|sold out|closed down|got (?:ill|sick|cheaper|dearer|longer|shorter|later|earlier|(?:more|less) \w+|\w+ed)|was (?:sold out|called off|put off|\w+ed)|were (?:sold out|called off|put off|\w+ed)|broke(?: down)?|said no)`

var (
	// whoWas asks for a person, as it was.
	whoWas = re(`\bwho(?:se|m)?\b[^.?!]*\b(?:was|were|did|had|ran|led|took|owned|held|gave|taught|looked|\w+ed)\b`)
	// calendarName is a name of a time, which is no person.
	calendarName = re(`\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|easter|christmas|day|week|lunch|dinner|breakfast)\b`)
)

// stepsForm counts changes or versions backwards.
var stepsForm = re(`\b(?:(?:right |just )?before |undo |revert |reverse |take back |roll back |scrap |discard |drop |forget |cancel |without )?(?:the|my|our|that|this|your|these|those) (?:very )?(?:last|latest|most recent|previous|final|newest)(?: (?P<n>two|three|four|five|six|\d{1,2}|couple of|few))? (?:` + nounish + `|thing|things|step|steps|action)(?: (?:i|we|you) (?:made|did))?\b|\b(?:go |step |roll |take (?:me|us) |get )?(?:back )?(?:by )?(?P<m>an?|one|two|three|four|five|six|\d{1,2}|a couple of) (?:steps?|versions?|changes?|edits?)(?: back| ago| earlier)?\b`)

// lastThing is the last of what a memory holds, not of what was done to it.
var lastThing = re(`^(?:(?:right |just )?before |without |drop |forget |cancel |discard |scrap )?(?:the|my|our) [\w ]*\b(?:things?|steps?|action)$`)

// backward tells a count of changes back from one of something else.
var backward = re(`\b(?:before|undo|revert|reverse|take|roll|scrap|discard|drop|forget|cancel|back|ago|earlier|without)\b`)

// stepsBack returns how many changes a request goes back; 0 where it counts
// none. One that says of what it was is named, not counted.
func stepsBack(request string) int {
	at := stepsForm.FindStringSubmatchIndex(request)
	if at == nil || !backward.MatchString(request) {
		return 0
	}
	if rest := strings.TrimLeft(request[at[1]:], " "); changeOf.MatchString(rest) {
		return 0
	}
	if thing := lastThing.MatchString(request[at[0]:at[1]]); thing {
		return 0 // "the last thing we do" is of the plan
	}
	n := strings.ToLower(group(stepsForm, request, at, "n"))
	if m := strings.ToLower(group(stepsForm, request, at, "m")); m != "" {
		if !strings.Contains(strings.ToLower(request[at[0]:at[1]]), "back") && !strings.HasSuffix(strings.ToLower(request[at[0]:at[1]]), "ago") && !strings.HasSuffix(strings.ToLower(request[at[0]:at[1]]), "earlier") {
			return 0
		}
		n = m
	}
	switch n {
	case "", "a", "an", "one":
		return 1
	case "couple of", "a couple of":
		return 2
	case "few":
		return 3
	}
	if i, err := strconv.Atoi(n); err == nil {
		return i
	}
	i, _ := number(n)
	return i
}

var changeOf = re(`^(?:of|to|in|on|for|with|about|that concerns|concerning)\b`)

// originalValue is a value or a version that is said to be the first.
var originalValue = re(`\b(original |initial )(?:\w+ )?(?:(` + formerNoun + `)\b|\w+)`)

var wasForm = re(`\b(?:was|were|did|had|wasn['’]t|weren['’]t|didn['’]t)\b`)

// former are words about what something was, without a change named. The
// change is one of what the rest of the request names.
var former = re(`(?:^|did|didn['’]t|he|she|it|they|we|i|you|who|what|that|which|[\w'’]+) (?:used?) to (?:be|have|say|cost|start|end|read|sit|come|go|take|contain|last|run|lead|own|do|stand|belong|include|open|close|live|[a-z]+)\b|\bwould(?:n['’]t| not)? (?:[\w'’-]+ ){0,8}?have (?:been|\w+ed|cost|taken|begun|gone|had|come|met|left|run|got|eaten|seen|paid|spent|led|stood|made|done|given|held|put|set)\b|\b(?:before that|before this|beforehand|previously|formerly|earlier on)\b|\b(?:was|were|had|did|been|stood|set)\b[^.?!]* (?:before|earlier|previously)\W*$|\b(?:the|its|his|her|their|my|our|[\w]+['’]s) (?:old|former|previous|prior|earlier) (?:\w+ )?` + formerNoun + `\b`)

// formerly is a former word before what it is said of.
var formerly = re(`\b(?:old|former|previous|prior|earlier) ((?:\w+ )?` + formerNoun + `)\b`)

// lastChange is a description that names nothing but the newest change.
var lastChange = re(`^(?:the|my|our|that|this|your) (?:very )?(?:last|latest|most recent|previous|final|newest)(?: (?:two|three|four|\d+))?(?: (?:updated|` + nounish + `))?$`)

// asked are questions for what a change took away, or for what it was made
// from.
var asked = []*pattern{
	re(`\b(?:what|which|whom?)\b[^.?!]*\b(?:did|have|had|['’]ve) (?:i|we|you) (?P<about>(?:just |already |actually |then |ever )?` + takes + `\b` + clauseEnd + `)`),
	re(`\b(?:by )?how (?:much|many|far)(?: \w+){0,2} (?:did|has|have) (?P<about>[\w '’-]{1,50}? (?:get|got|become|go (?:up|down)|gone (?:up|down)|rise|risen|fall|fallen|drop|dropped|increase|increased|decrease|decreased|change|changed|move|moved))\b`),
	re(`\b(?:what|which|where|whom?)\b[^.?!]*\bdid (?:i|we|you) (?P<about>(?:change|move|swap|replace|rename|switch|raise|lower|push|postpone|shift|reschedule|update|set|bring|take|cut|reduce|increase)\b` + clauseEnd + `) (?:from|for)\W*$`),
	re(`\bfrom (?:what|which|where|whom)\b[^.?!]*\bdid (?:i|we|you) (?P<about>(?:change|move|swap|rename|switch|raise|lower|push|postpone|shift|reschedule|update|cut|reduce|increase)\b` + clauseEnd + `)`),
	re(`\b(?:what|which|who)\b[^.?!]*\bdid (?P<about>(?:the |my |our )?[\w '’-]{1,50} replace)\b`),
	re(`\b(?:what|which|who)\b[^.?!]*\b(?P<about>(?:was|were|got|has been|have been|had been) (?:later |since )?(?:replaced|swapped|switched|traded)\b` + clauseEnd + `)`),
	re(`\bwhat (?P<about>(?:i|we) (?:swapped|replaced|changed|switched|traded|exchanged)\b` + clauseEnd + `)`),
	re(`\b(?:by )?how (?:much|many|far)(?: \w+){0,2} (?:did|have) (?:i|we|you) (?P<about>(?:raise|lower|cut|reduce|increase|add|take|shave|knock|bump|extend|shorten|postpone|push|delay|bring|move|change|shift|put)\b` + clauseEnd + `)`),
}

const takes = `(?:cancel|delete|remove|drop|scrap|throw (?:out|away)|thrown (?:out|away)|get rid of|got rid of|take (?:[\w ]{1,30} )?(?:off|out|away)|taken (?:[\w ]{1,30} )?(?:off|out|away)|cut out|ditch|kick (?:[\w ]{1,30} )?out|kicked (?:[\w ]{1,30} )?out|call off|called off|strike|struck|cross (?:off|out)|crossed (?:off|out)|cancell?ed|deleted|removed|dropped|scrapped|ditched|axed?|bin|binned|abandon(?:ed)?|discard(?:ed)?)`

// pastChange returns the change that a question asks about: "what did I
// cancel?". It is empty for other questions.
func pastChange(request string) string {
	for _, p := range asked {
		if at := p.FindStringSubmatchIndex(request); at != nil {
			about := group(p, request, at, "about")
			if nowForm.MatchString(about) {
				continue
			}
			return describe("what I "+about, around(request, at[0], at[0]))
		}
	}
	if at := reshaped.FindStringSubmatchIndex(request); at != nil {
		if about := group(reshaped, request, at, "about"); !ontoForm.MatchString(about) && !nowForm.MatchString(about) {
			return describe("what I "+about, around(request, at[0], at[0]))
		}
	}
	if at := goneThing.FindStringSubmatchIndex(request); at != nil && wasForm.MatchString(request) {
		return describe("that I deleted", request[at[2]:])
	}
	return ""
}

// reshaped are questions for what was changed and is still there.
var reshaped = re(`\b(?:which|what) (?:of )?[^.?!]*\bdid (?:i|we|you) (?P<about>(?:just |already |then )?(?:rename|replace|swap|move|change|postpone|push back|put off|shorten|extend|cut|lower|raise)\b` + clauseEnd + `)`)

// ontoForm says what a change was made to, which is so now.
var ontoForm = re(`\b(?:to|into|onto|until|till)\b`)

// nowForm ends what a change was made to, which is so now.
var nowForm = re(` (?:to|into|on|onto|in|by|with)\W*$`)

// goneThing is something with the word for what became of it.
var goneThing = re(`\b(?:the|my|our|that|those) (?:cancell?ed|deleted|removed|dropped|scrapped|ditched|discarded|thrown[ -]out) (\w+)`)

// describe writes a change for comparing it with those that were made, by what
// was done as versions have it: with words of the request where the change
// itself names nothing.
func describe(about, rest string) string {
	about = strings.Join(strings.Fields(asMade(about)), " ")
	named := 0
	for _, w := range scan(about) {
		if content(w) && !changeWord.MatchString(w.low) && !askWord[w.low] {
			named++
		}
	}
	if named >= 2 && !pronoun.MatchString(about) {
		return about
	}
	var extra []string
	for _, w := range scan(tidy(rest)) {
		if content(w) && !askWord[w.low] && !changeWord.MatchString(w.low) {
			extra = append(extra, w.low)
		}
	}
	if len(extra) > 8 {
		extra = extra[len(extra)-8:]
	}
	about = strings.TrimSpace(about + " " + strings.Join(extra, " "))
	if about == "" {
		return "changed"
	}
	return about
}

var askWord = set(`time times date price cost original originally previous before earlier old again memory changed mind version used former news know remind remember tell hour weekday start begin want after put give let bring set back make go take return restore undo`)

// made are verbs for what the summaries of versions call by one word.
var made = []struct {
	word    string
	pattern *pattern
}{
	{"deleted", re(`\b(?:cancell?(?:ed|ing)?|delet(?:e|ing)|remov(?:e|ed|ing)|dropp(?:ed|ing)|drop|scrapp(?:ed|ing)|scrap|eras(?:ed|ing)|ditch(?:ed|ing)?|axed|binn(?:ed|ing)|got rid of|get rid of|getting rid of|call(?:ed|ing) off|discard(?:ed|ing)?|thr(?:ew|own|ow) (?:out|away)|cancellation of|deletion of|removal of)\b`)},
	{"updated", re(`\b(?:chang(?:e|ed|ing)|updat(?:e|ing)|edit(?:ed|ing)|alter(?:ed|ing)|adjust(?:ed|ing)|push(?:ed|ing)?|postpon(?:e|ed|ing)|delay(?:ed|ing)?|reschedul(?:e|ed|ing)|rais(?:e|ed|ing)|lower(?:ed|ing)?|reduc(?:e|ed|ing)|increas(?:e|ed|ing)|renam(?:e|ed|ing)|mark(?:ed|ing)?|tick(?:ed|ing)?|extend(?:ed|ing)?|shorten(?:ed|ing)?|finish(?:ed|ing)?|complet(?:ed|ing))\b`)},
	{"created", re(`\b(?:add(?:ed|ing)?|creat(?:e|ing)|insert(?:ed|ing)?|introduc(?:ed|ing)|addition of)\b`)},
}

// asMade writes the verb of a change as the summaries of versions do.
func asMade(about string) string {
	for _, m := range made {
		if at := m.pattern.FindStringIndex(about); at != nil {
			return about[:at[0]] + m.word + about[at[1]:]
		}
	}
	return about
}

// around returns the sentence that a reference stands in, without the
// reference, and what comes before where the sentence points back or names
// nothing by itself.
func around(request string, from, to int) string {
	begin, end := 0, len(request)
	for _, s := range sentences(scan(request)) {
		a, b := s[0].start, s[len(s)-1].end
		if a <= from && from < b {
			begin, end = a, max(b, to)
			break
		}
	}
	own := request[begin:from] + " " + request[min(to, end):end]
	for _, w := range scan(own) {
		if content(w) && !askWord[w.low] && !changeWord.MatchString(w.low) && !frames[w.stem] {
			if backPointing.MatchString(own) {
				break
			}
			return own
		}
	}
	return request[:begin] + " " + own
}

// firstNaming returns the first of texts that names something.
func firstNaming(texts ...string) string {
	for _, t := range texts {
		if slices.ContainsFunc(scan(t), func(w word) bool { return content(w) && !askWord[w.low] && !changeWord.MatchString(w.low) }) {
			return t
		}
	}
	return ""
}

// backPointing are words for what was named in a sentence before.
var backPointing = re(`\b(?:it|them|they|that|those|these|this) ?`)

// orderAt returns where the sentence begins that wants something back.
func orderAt(request string) int {
	for _, s := range sentences(scan(request)) {
		text := join(request, s)
		if _, ok := wantsBack(text); ok {
			return s[0].start
		}
		if op, _, _ := operation(text); op == "restore" {
			return s[0].start
		}
	}
	return 0
}

// following returns the first words of the clause behind a reference: "that I
// took off the list".
func following(after string) string {
	words := scan(after)
	to, n := 0, 0
	for to < len(words) && !words[to].mark && n < 4 && words[to].low != "and" && words[to].low != "but" && words[to].low != "back" {
		if content(words[to]) {
			n++
		}
		to++
	}
	return join(after, words[:to])
}

// whole reports whether a request to restore names nothing but the memory.
func whole(task string) bool {
	return wholeNoun.MatchString(task) && !besides.MatchString(task) && !partOf.MatchString(task) && lone(bare.ReplaceAllString(wholeNoun.ReplaceAllString(task, " "), " ")) ||
		goBack.MatchString(task) && lone(bare.ReplaceAllString(wholeNoun.ReplaceAllString(task, " "), " "))
}

var goBack = re(`^\W*(?:please |so |ok |let['’]s |can we |i want to |we want to )*(?:go|return|jump|step|switch|roll|turn) back\b`)
