package tree

import (
	"strings"
)

const (
	// formerWord says of a value that it was so earlier.
	formerWord = `(?:old|original|former|previous|prior|earlier|first|initial)`
	// formerNoun is what a former word is said of, where it means a value and
	// not a thing: "its old time", but not "the old town".
	formerNoun = `(?:one|value|name|date|day|weekday|deadline|due date|time|hour|price|cost|fee|rate|budget|status|state|priority|title|wording|text|slot|setting|start|end|beginning|finish|amount|figure|number|description|entry|note|place|position|spot|order|room|owner|person|length|duration|level|estimate|location|address|category|group|section|form|shape)`
	// wasSo leads to what something was.
	wasSo = `(?:as|how|what|which|where|when|like|the way|the (?:day|time|evening|morning|place|slot|spot)) (?:it|they|that|this|things|everything|all|he|she|we|i|you|the [\w '’-]{1,40}?|my [\w '’-]{1,40}?|our [\w '’-]{1,40}?) (?:was|were|had been|had|stood|looked|said|used to|cost|started|sat|stands)`
	// handed are verbs of orders that may bring an earlier state.
	handed = `(?:put|set|change|move|make|give|get|turn|bring|switch|take|return|let|have|want|need|reset|keep|leave|shift|swap|mark|call|name|rename|raise|lower|start|go|do|hold)`
)

// wanted are wishes for what was, in sentences that are no questions.
var wanted = []struct {
	rule    string
	pattern *pattern
}{
	{"discards the changes", re(`\b(?:scrap|undo|discard|drop|forget|revert|throw out|throw away|cancel|ditch|lose|reverse|bin) (?:about )?(?:all |every(?:thing)? )?(?:of )?(?:the |my |our |these |those |that |this |today['’]s |your )?(?:very )?(?:last |latest |previous |most recent |recent )?(?:two |three |four |\d+ )?(?:` + nounish + `)\b`)},
	{"discards the changes", re(`\b(?:scrap|undo|discard|drop|forget|revert|throw out|throw away|cancel|ditch|reverse) (?:about )?(?:everything|all|whatever|anything) (?:that )?(?:i|we|you)(?:['’]ve| have)? (?:just )?(?:` + changed + `|did|done)\b`)},
	{"stays where it was", re(`\b(?:leave|keep|put|have|return|restore|move|stick) [^.;!?]*\b(?:where|as|how|when|the way) (?:it|they|things|he|she|that) (?:was|were|had been|used to (?:be|stand|sit|go|come)|stood|came from)$`)},
	{"is to be what it was", re(`\b(?:the )?same (?:\w+ )?` + formerNoun + ` as (?:before|originally|at first|in the beginning|it (?:was|had))\b`)},
	{"back to what was", re(`\b` + handed + `\b[^.;!?]* back (?:again )?(?:exactly |just )?(?:to |at |on |in |into )?(?:the )?` + wasSo + `\b`)},
	{"back to what was", re(`\bback (?:its|his|her|their) ` + formerWord + `\b|\bback to (?:exactly |just )?(?:what|how|where|when|the way|(?:its|his|her|their|the|my|our) ` + formerWord + `)\b`)},
	{"wants back what was", re(`\b(?:give|get|want|have|put|bring) (?:me |us )?(?:back )?(?:the |my |our )?(?:\w+ )?(?:back )?(?:exactly |just )?(?:as|the way|how|like) (?:it|they|things) (?:was|were|stood|looked)\b`)},
	{"wants back what was", re(`\bback\b[^.;!?]* (?:as|like|how|the way) (?:it|they|things|that) (?:was|were|stood|had been)\b`)},
	{"is to be what it was", re(`\b` + handed + `\b[^.;!?]*\b` + wasSo + `\b[^.;!?]*\b(?:before|originally|at first|initially|to begin with|in the beginning|at the (?:start|beginning|outset)|earlier|previously|again|back then)\b`)},
	{"is to be what it was", re(`\b(?:say|be|have|show|cost|start|read|stand|take|last|run|go|come|stay) again (?:what|as|how|when|where|like)\b|\b(?:should|must|can|shall|ought to|has to|have to|needs to|is to|are to) (?:say|be|have|show|cost|start|read|stand|take|last|run|go|come) (?:\w+ ){0,3}?(?:again )?(?:` + wasSo + `|(?:as |so )?(?:\w+ )?(?:as|like) before)\b`)},
	{"a former value again", re(`\b` + handed + `\b[^.;!?]*\b(?:its|his|her|their|the|my|our|that) ` + formerWord + ` (?:\w+ )?` + formerNoun + ` (?:back|again)\b`)},
	{"a former value again", re(`\b(?:give|set|return|restore|put|move|change|switch|shift|bring|take|get|do|hold|have)\b[^.;!?]*\b(?:back )?(?:to|at|on|in|with|for) (?:its|his|her|their|the|my|our) ` + formerWord + ` (?:\w+ )?` + formerNoun + `\b`)},
	{"a former value again", re(`\b(?:should|can|must|shall|may)\b[^.;!?]*\b(?:have|get|keep|be|go)\b[^.;!?]*\b(?:its|his|her|their|the) ` + formerWord + ` (?:\w+ )?` + formerNoun + ` (?:back|again)\b`)},
	{"a former value again", re(`\b(?:should|can|could|must|shall|may|ought to|has to) (?:\w+ )?(?:be|go|come|start|begin|stay|stand|happen|take place|return)\b[^.;!?]*\b(?:to|at|on|in|with|for) (?:its|his|her|their|the|my|our) ` + formerWord + ` (?:\w+ )?` + formerNoun + `\b`)},
	{"comes back", re(`\b(?:should|can|could|must|shall|may|will|ought to|has to) (?:\w+ )?(?:come|go|be|be put) back(?: (?:in|on|again|now|please|too|then|after all)(?: the [\w ]{1,30})?)?$`)},
	{"taken back", re(`\bi(?:['’]ll| will)? take (?:that|it|this) back\b`)},
	{"change back", re(`^(?:\W*\w+,? ){0,3}?(?:change|switch|turn|set|get|put|swap|rename|bring|give|have|give (?:me|us)) (?:[\w'’-]+ ){1,6}back(?: again| please| then| now| for me| there| in place)*$`)},
	{"steps back", re(`\b(?:go|step|take (?:me|us|it|this)|move|roll|jump|get|bring (?:me|us|it)) (?:\w+ )?back (?:by )?(?:an?|one|two|three|four|five|six|\d{1,2}|a (?:couple|few)(?: of)?) (?:steps?|versions?|changes?|edits?)\b`)},
	{"from the beginning", re(`\bsquare one\b|\b(?:start|begin) (?:all )?(?:over|again|afresh|anew)(?: again)? (?:with|from) (?:the|my|our|how|what|where)\b|^(?:\W*\w+,? ){0,3}?(?:start|begin) (?:all )?over(?: again)?$`)},
	{"back after all", re(`\b(?:want|like|need|keep|keeping|have|having|do|doing|take|taking|eat|eating|see|visit|go to|going to)(?: to (?:do|have|keep|see|visit|take|go to|eat))? (?:the|my|our|that|those|this|his|her|their) [^.;!?]*\bafter all\b`)},
	{"back on", re(`\b(?:is|are|['’]s|['’]re) (?:back|on again|back on|going ahead after all|on after all|happening after all|in again|needed after all|wanted after all|needed again|wanted again)(?: (?:on|in)(?: the [\w ]{1,30})?)?$`)},
	{"the reverse of an edit", re(`\bun-?(?:cancel|delete|remove|drop|do|check|tick|mark|cross|rename)\b`)},
	{"a mistake", re(`\b(?:shouldn['’]t|should not|ought not to|needn['’]t) have (?:\w+ )?` + changed + `|\b(?:didn['’]t|did not) (?:mean|want) to (?:cancel|delete|remove|drop|move|change|scrap|take)\b|\b(?:i wish (?:i|we) (?:hadn['’]t|had not)|(?:i|we) regret) (?:\w+ )?` + changed + `|\b` + changed + `\b[^.;!?]* (?:was|is) (?:a|my) (?:mistake|bad idea|error)\b|\b` + changed + `\b[^.;!?]* by (?:mistake|accident)\b`)},
	{"have back", re(`\b(?:let|want|like|give|get|have|need)(?: (?:me|us))?(?: have)? [^.;!?]{1,60} back(?: (?:in|on|after all|again|please|now)(?: the [\w ]{1,30})?)?$`)},
	{"have again", re(`^(?:\W*\w+,? ){0,3}?let['’]?s? (?:me |us )?have (?:the|my|our|that|those) [^.;!?]{1,60} again\b`)},
	{"take back", re(`^(?:\W*\w+,? ){0,3}?take back (?:the|my|our|that|this|what)\b|^(?:\W*\w+,? ){0,3}?(?:return|restore|reinstate) (?:the|it|them|that|my|our)\b`)},
}

// unwanted are sentences that wish for the contrary.
var unwanted = re(`\b(?:don['’]t|do not|won['’]t|doesn['’]t|not|never|no longer|can['’]t|cannot|isn['’]t|aren['’]t)\b`)

// calling is what comes back by itself, or is answered.
var calling = re(`\b(?:call|write|ring|text|phone|report|come|get|go|talk|speak) [\w ]{0,20}back(?: home| to \w+)?$`)

// toClock is a new value that an order names: that sets, and takes nothing
// back.
var toClock = re(`\bback (?:to|by|until|till|from|for|home|door|yard|garden|pain|room|row|up)\b|\bfrom \d`)

// wantsBack reports whether a request asks for what was, and by which rule.
//
// A request to list or show something is none, whatever it says.
func wantsBack(request string) (rule string, ok bool) {
	for _, s := range sentences(scan(request)) {
		text := strings.TrimSpace(join(request, s))
		low := strings.TrimRight(strings.ToLower(text), " .!?")
		question := strings.HasSuffix(text, "?")
		if question && (!polite(low) && !letUs.MatchString(low) || politeTelling.MatchString(low)) {
			continue
		}
		for _, w := range wanted {
			if !w.pattern.MatchString(low) {
				continue
			}
			switch w.rule {
			case "back after all", "back on", "have back":
				if unwanted.MatchString(low) {
					continue
				}
				fallthrough
			case "change back":
				if toClock.MatchString(low) || calling.MatchString(low) {
					continue
				}
			}
			return w.rule, true
		}
	}
	return "", false
}

var letUs = re(`^(?:so |and |then |ok |okay )*(?:let['’]s|let us|how about|why don['’]t we)\b`)

// politeTelling is a question that asks for an answer by an order.
var politeTelling = newPattern(`^(?:and |so )?(?:can|could|would|will) you (?:please |kindly |also |just )*(?:list|show|tell|name|count|find|look up|check|remind|compare|explain|describe|say)\b`)
