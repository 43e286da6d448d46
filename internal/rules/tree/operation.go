package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/treetask"
)

// verbs are words and phrases that order an edit, by what they order. A
// phrase stands at the start of a clause; "..." stands for up to six words.
var verbs = []struct {
	op      treetask.Operation
	pattern *pattern
}{
	{treetask.Restore, opening(`restore|undo|revert|reinstate|recover|roll (?:\w+ )?back|roll back|bring (?:.{1,60} )?back|put (?:.{1,60} )?back(?: in| on| where it was| the way it was)?$|put back|take (?:that|it|me) back|go back to (?:the|how|what|my|an?|version)\b|return to (?:the|how|what|my)\b|get (?:.{1,40} )?back\b|give (?:.{1,60} )?back\b|let (?:.{1,40} )?have back|turn back|reset|switch back to|change (?:everything|it all|it|that|things) back|i (?:do )?want (?:.{1,40} )?back\b`)},
	{treetask.Update, opening(`(?:sow|plant|harvest|book|schedule|have|do|hold|start|serve|plan|make) .{1,60} (?:on|at|from|by|until) [^,]{1,30}(?:instead|rather than)(?: of [^,]{1,30})?$|(?:use|take) .{1,60} (?:instead of|rather than|in place of)|put (?:him|her|me|us) (?:down |in )?(?:as|in charge)|put \w+ down as (?:the |its )?\w+ (?:of|for|on|in)|put \w+ (?:down )?as (?:the |its )?(?:owner|assignee|author|host|teacher|lecturer|speaker|contact|guide|tutor|responsible|instructor|leader)|give \w+ (?:the|that|this|those|these) |assign|allocate|hand .{1,40} (?:over )?to|(?:only |just )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) \w+ (?:of|for) .*(?:please|not|instead)`)},
	{treetask.Move, opening(`(?:do|have|see|visit|eat) .{1,60} (?:on|in) (?:the )?(?:\w+ )?(?:day(?: \w+)?|\w+day)\b.* (?:instead|rather than)|put (?:the|my|our|his|her|their|that|those|\w+['’]s) .{1,60} (?:before|after|above|below|ahead of|behind|between|in front of|first|last|at the (?:very )?(?:top|end|bottom|start|beginning|back|front))|swap (?:the )?(?:order|places)|(?:hang|stick|file|park|place|pin|list|keep|drop|put) (?:it|them|that|this|those|these) (?:there|under|in with|over|among|further)\b|move|relocate|transfer|shift|switch (?:.{1,60} )?(?:over )?to\b|put (?:.{1,80} )(?:instead|rather than\b.*)$|put (?:the |my |our |his |her |\w+ing )(?:.{1,60} )?(?:at the (?:very )?(?:top|bottom|end|start|beginning)|first|last|before|after)\b|take (?:.{1,60} )(?:over )?to (?:day|the (?:first|second|third|fourth|fifth|sixth|seventh|last))|drag|bring (?:.{1,60} )?(?:over )?(?:forward )?to (?:day|\w+day)`)},
	{treetask.Move, opening(`let .{1,80} (?:come|go|be|stand|happen|start|follow|run) (?:(?:right|straight|directly|just|immediately) )?(?:after|before|behind|ahead of|in front of|first|last|at the (?:very )?(?:top|end|bottom|start|beginning))|(?:do|have|see|visit|eat|hold|serve|get) .{1,60} (?:on|in) (?:the )?(?:\w+ ){0,2}\w*(?:day|week|month)\b.{0,20} (?:instead|rather than)`)},
	{treetask.Create, opening(`(?:start|begin|open|finish|end|close|round off|kick off) .{2,40} with (?:an?|some|the)|(?:an? |another )?new (?:task|stop|project|entry|item|option|event|appointment)|make (?:that|it|this) an? (?:[\w-]+ ){0,3}(?:task|job|item|entry|stop|exercise|lesson|event|appointment|reminder|project|to-?do)|give (?:him|her|them) \w+ \w+|let \w+ have (?:an?|some|the|\w+)`)},
	{treetask.Move, opening(`make (?:it|this|that|them|these|those|(?:the|my|our) .{1,60}?) (?:be |come |go )?(?:the |our |my )?(?:very )?(?:first|last|final|opening|closing)\b`)},
	{treetask.Update, opening(`change|update|set|mark|rename|call (?:it|the .{1,40}) |edit|modify|adjust|replace|swap|substitute|exchange|raise|lower|increase|decrease|reduce|bump|postpone|delay|defer|reschedule|push|extend|shorten|correct|fix|tick|check off|cross (?:.{1,60} )?off as|flag|make (?:(?:every|each|all|both|the|my|our) .{1,60} (?:free|high|low|medium|urgent|done)\b|the|it|that|this|my|his|her|our|their|sure (?:the|that))|bring (?:.{1,60} )?forward|pull (?:.{1,60} )?forward|put (?:.{1,60} )off\b|put (?:the|its|my|his|her) (?:\w+ )?(?:price|cost|deadline|due date|status|priority|time)|turn|double|halve|start (?:.{1,60} )(?:earlier|later|at)|prolong|upgrade|downgrade|prioriti[sz]e|deprioriti[sz]e|give (?:.{1,60} )(?:priority|deadline|until|till)|give (?:everything|all|it|them|the|this|that|these|those) .{1,60}to \w+$|put (?:.{1,60} )?(?:back )?(?:to|at|on) (?:in progress|done|hold|high|low|medium|open|not started)|hand (?:.{1,60} )?(?:over )?to|assign|reassign|delegate|note that|record that|treat|rate|label|move (?:.{1,60} )(?:back|forward|up|earlier|later) (?:by|an?|one|two|three|half)`)},
	{treetask.Delete, opening(`delete|remove|cancel|drop|scrap|erase|get rid of|throw (?:.{1,60} )?(?:out|away)|cut|ditch|axe|bin|call (?:.{1,60} )?off|clear|wipe|lose|strike|discard|dump|kill|eliminate|forget(?: about)?|skip|trash|chuck|take (?:.{1,80} )?(?:off|out|away)\b|cross (?:.{1,60} )?(?:off|out)|leave (?:.{1,60} )?out|pull (?:.{1,60} )?(?:off|out|from)|clean (?:.{1,60} )?out|prune|weed out|don['’]t (?:bother|keep)|do away with|abandon|empty|purge|not (?:\w+ )?(?:serve|do|have|go|visit|eat|make|cook|keep|see|take|hold|include|offer|attend|bother)`)},
	{treetask.Create, opening(`add|create|insert|put|include|schedule|book|plan|squeeze|slot|slip|pencil|remind me (?:to|about)|note|jot|write|set up|throw in|start a|open a|introduce|append|attach|pop|stick|log|register|work in|fit|make (?:a|an|another|me|room|time|space)|give (?:.{1,60} )?(?:a|an|another|one more)|track|enter|arrange|reserve|fill|leave (?:a|an|some)|block|organi[sz]e|tack|plant|sow|offer|provide|prepare|serve`)},
}

// opening compiles what may stand at the start of an order.
func opening(phrases string) *pattern { return newPattern(`^(?:` + phrases + `)\b`) }

// statements are sentences that are no order but ask for an edit, or for an
// answer.
var statements = []struct {
	op      treetask.Operation
	pattern *pattern
}{
	{treetask.Update, newPattern(`\b(?:takes? over|took over|steps? in|fills? in|stands? in|is (?:now )?covering)\b|\b(?:whatever|everything|all|anything|what|the rest) .{1,80} (?:goes?|passes|falls) (?:over )?to \w+$|^(?:one |a )?(?:small |quick |minor |tiny )?correction\b|\b(?:is a typo|got that wrong|got it wrong)\b`)},
	{treetask.Create, newPattern(`^(?:an? |one )?(?:new|another|additional|extra) \p{L}+(?: \p{L}+)? (?:for|in|under|at|called|named|to)\b`)},
	{treetask.Update, newPattern(`\b(?:shrinks?|grows?|drops?|rises?|falls?|climbs?|jumps?|goes|comes?|shortens?|lengthens?) (?:up |down |back )?to (?:about |only |just )?(?:\$|€|£)?(?:\d|an? |one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|half)|\b(?:is|are) (?:now |to be )?(?:called|named|titled|known as) `)},
	{treetask.Update, newPattern(`\b(?:gets?|has|have|takes?|comes? with|(?:is|are) (?:made|served|cooked) with|uses?|contains?) [^,.;]{1,40} (?:instead|this time|from now on)$|\b(?:goes?|moves?|shifts?|switch(?:es)?|relocates?) (?:over )?to (?:\p{L}+ )?(?:room|studio|hall|lab|gate|table|platform|\p{L}+ \d+)(?: \w+)?$`)},
	{treetask.Restore, newPattern(`\b(?:changed my mind about (?:cancelling|dropping|deleting|removing|skipping|moving|changing)|(?:shouldn['’]t|should not) have (?:\w+ )?(?:cancell?ed|dropped|deleted|removed|changed|moved|thrown|cut|scrapped|swapped)|want (?:the )?(?:.{1,60} )back (?:in|on|again|after all)|back the way (?:it|they|things) w|the way (?:it|things|they) (?:was|were) (?:before|originally|at first)|as (?:it|they) (?:was|were) (?:before|originally|at first)|(?:like|how) (?:it|they|things) (?:was|were) (?:before|originally|at first))`)},
	{treetask.Delete, newPattern(`\b(?:(?:won['’]t|will not|don['’]t|do not|doesn['’]t|no longer|not|never|isn['’]t|can['’]t|cannot) (?:\w+ )?(?:really )?(?:going to )?(?:be )?(?:need|needed|want|wanted|doing|do|have time for|make it|make|happening|happen|going|attending|attend|required|come|coming|interested|bother|fancy|feel like|care for|eat)|no (?:longer|more) (?:need|want|interested|necessary|required|happening|going|relevant)|has been called off|(?:was|is|been|got|has been) cancell?ed|(?:isn['’]t|is not|not) (?:going ahead|happening|necessary|relevant)|fell through|can go\b|has to go\b|must go\b|should go$|rather not|(?:is|are) off(?:$| (?:the|then|now|after all|again|our|my|his|her|their|\p{L}+['’]s)\b|[,;.!])|(?:is|are|was|were) (?:no longer|not) on\b|out of the question|without the\b|count me out|had enough of|closed for good)`)},
	{treetask.Create, newPattern(`^there (?:has to|should|must|needs to|ought to) be (?:an?|another|some)\b`)},
	{treetask.Delete, newPattern(`\b(?:can|could|should|must|may|has to|have to|needs? to) (?:all |both |also |just |now )?be (?:deleted|removed|cancell?ed|dropped|scrapped|thrown (?:out|away)|taken (?:off|out)|crossed off|cut)\b`)},
	{treetask.Move, newPattern(`\b(?:better (?:off )?(?:in|on|under|with|at|after|before)\b|belongs? (?:better )?(?:at|after|before|above|below)\b|(?:should|must|ought to) be (?:the )?(?:very )?(?:first|last)\b|(?:should|must|has to|have to|needs? to) be \w+ (?:before|after) (?:anything|everything|all) else|(?:want|need|like|prefer) .{1,60} (?:first thing|(?:to (?:be|come|go) )?(?:first|last)|at the (?:very )?(?:end|start|top|beginning|bottom))\b)`)},
	{treetask.Update, newPattern(`\b(?:takes? over|took over|(?:will|['’]ll) (?:do|handle|take care of|look after|see to)|(?:is|are) (?:now )?(?:in charge of|responsible for)|(?:begins?|starts?|ends?|takes?|lasts?|opens?|closes?|runs?|need|needs) .{0,40}(?:later|earlier|longer|shorter|sooner)|(?:is|are)(?: now)? free(?: of charge)?(?: now|$)|(?:it|that|this|price|which|now)['’]s (?:now |only |about )?(?:\$|€|£)\d)`)},
	{treetask.Move, newPattern(`\b(?:should|must|has to|have to|needs to|better|can|could) (?:come|go|be|stand|happen) (?:the )?(?:very )?(?:first|last|at the (?:top|bottom|end|start|beginning)|before|after|right)`)},
	{treetask.Move, newPattern(`\b(?:(?:rather|prefer to|better to|would like to|want to|could we|let['’]s) (?:do|have|see|visit|eat|go to) .{1,80}(?:instead|rather than)|(?:belongs?|goes|go|should (?:go|sit|live|be)|fits?|would (?:fit|go|sit)) (?:better )?(?:under|in|into|on|with) (?:the |my )?\w+)`)},
	{treetask.Delete, newPattern(`\b(?:should|must|has to|have to|needs? to|can|could) (?:all )?(?:be (?:cancell?ed|deleted|removed|dropped|scrapped|thrown out|taken (?:off|out)|cut)|go away)\b`)},
	{treetask.Update, newPattern(`^(?:finished|completed|done with|sent|paid|bought|booked|submitted|handed in|sorted)\b|\b(?:starts?|begins?|ends?|opens?|closes|finishes|leaves?|arrives?) .{0,40}\b(?:earlier|later)$|\btakes? .{0,40}\b(?:longer|less|shorter)\b|\b(?:has|have|needs?|had) to (?:move|go|shift|wait|be (?:moved|postponed|pushed|done|finished|ready)) (?:back )?(?:to|until|till|by|on)\b|\b(?:(?:is|are|has|have|makes?|comes? to|weighs?)(?: now)? (?:only |about |just |really )?(?:\$|€|£)?\d|i(?:['’]ve| have)? (?:just |already |finally |now )*(?:finished|done|completed|wrapped up|dealt with|sorted|paid|sent|called|bought|booked|submitted|handed in|got .{1,40} done|ticked)|(?:is|are|was|were)(?: now| already| finally| all)* (?:done|finished|completed?|sorted|ready|over with)\b|(?:is|are|was|were|has been|been|got|gets|has|have)(?: now)? (?:been )?(?:pushed|moved|postponed|delayed|rescheduled|changed|brought forward|extended|renamed|raised|put back|put off) (?:back )?(?:to|until|till|by|from)|now (?:only |just )?(?:costs?|starts?|begins?|opens?|runs?|is|takes?|ends?|has)|(?:costs?|starts?|begins?|opens?|closes|ends?|is due|takes?)(?: now| actually|,)? .{0,30}\b(?:instead|not|rather than|now)\b|turns out .{0,80}(?:costs?|is|starts?|are)|should (?:be|say|read|start|cost|take|last|have been|now)|needs to be|has to be|must be|(?:went|gone|go|goes) up to|(?:went|gone|dropped|came|come) down to|can wait (?:until|till)|(?:can|should|could|may|is to|has to) be (?:\w+ )?priority|should (?:come|go|stand|be) (?:at|on)|should end|should finish|runs? from|goes from|(?:are|is|am|['’]m|['’]re|we are|i am) (?:halfway|already working|working on|now working)|(?:have|has|['’]ve|['’]s) (?:already |now |just )?(?:started|begun)\b|isn['’]t .{1,40} (?:but|it['’]s)|became|is called|would be better (?:at|on)|make it \d)`)},
	{treetask.Create, newPattern(`\b(?:i(?:['’]d| would)? (?:also )?(?:need|want|like|love) (?:a|an|another|one more|some|to (?:also )?(?:add|book|include|put|have a|fit|squeeze|eat|try|visit|see)) |i (?:completely |totally )?forgot (?:to|about|that)|we(?:['’]d| would)? (?:also )?(?:need|want|like|love) (?:a|an|another|one more|some|to (?:also )?(?:add|have|visit|try|see)) |there (?:has to|should|must|needs to) be (?:a|an|another|some)|is (?:missing|lacking)|we(?:['’]re| are) out of|have to (?:remember|also)|could use|don['’]t let me forget|i have to|i(?:['’]ve| have) got to|i must)`)},
}

// courtesies lead an order in.
var courtesies = newPattern(`^(?:(?:and|so|then|also|ok|okay|well|oh|hey|hi|hello|please|now|right|alright|actually|just|no|yes|yeah|sorry|but|anyway|great|phew|whew|yay|hooray|hurray|hurrah|thanks|thank you|perfect|good|fine|hmm|in that case|kindly|quickly|on second thoughts?|after all|instead|because of that|for me|as a result|therefore|(?:i )?guess|i think|for (?:now|today)|go ahead and|feel free to|can you|could you|would you|will you|can we|could we|can i|could i|shall we|may i|might you|would you mind|do you mind|you can|you could|you may|you should|we can|we could|we should|we need to|i need to|i need you to|i want you to|i['’]d like you to|i want to|i['’]d like to|i would like to|i['’]d love to|we want to|we['’]d like to|we['’]d love to|i have to|we have to|i should|let['’]s|let us|let me|help me|i['’]ll|i will|we['’]ll|we will|i['’]m going to|we['’]re going to|be so kind (?:as )?to|make sure (?:to|you)|try to|better|simply|first|finally|maybe|perhaps)[ ,:\-–—!]+)`)

// duties are what the speaker has to do, which is an order only where nothing
// else is asked for.
var duties = newPattern(`^(?:i|we)(?: really| still| just)? (?:have to|need to|must|should|ought to|had to)\b`)

// leadIn is what may stand before the verb of an order: "after the tour put in
// a break".
var leadIn = newPattern(`^(?:after|before|between|on|in|at|for|under|from|to|as|with) [^.;!?]{1,60}?[ ,]+((?:please )?(?:add|put|insert|include|schedule|squeeze|slot|delete|remove|cancel|drop|scrap|move|set|change|mark|swap|replace|update|rename|make|use)\b.*)$`)

// questions open a question.
var questions = newPattern(`^(?:what|when|where|which|who|whom|whose|why|how|is|are|am|was|were|do|does|did|has|have|had|will|would|should|can|could|shall|isn['’]t|aren['’]t|wasn['’]t|don['’]t|doesn['’]t|didn['’]t|hasn['’]t|haven['’]t|in which|in what|on which|on what|at what|at which|for which|for whom|for what|by when|until when|since when|under which|with whom|to whom|to what|from which|of the|any)\b`)

// tellings are orders that ask for an answer.
var tellings = newPattern(`^(?:show|list|tell|give me (?:the|a (?:list|rundown|summary|quick|run)|all|every|an? (?:overview|idea|count))|give (?:us )?(?:the|a list|an overview)|find|name|count|read|remind me (?:what|when|where|which|who|whose|how|of|again|which|why|if|whether)|remind me,|remind me\b.*\?|what['’]s|describe|display|compare|summari[sz]e|look up|look (?:for|at)|search|pull up|check (?:if|whether|what|which|when|how|the|on|for|my|that)|see (?:if|what|which|whether)|point (?:me|out)|walk me|help me (?:see|find|remember|pick|choose)|recall|get me (?:the|a list)|let me (?:know|see)|know|wonder|i wonder|pick (?:out )?(?:the|a|an|me|something)|add up|work out|calculate|sum up|total|tot up|recommend|suggest|choose|identify|fetch|total up|print|report)\b`)

// wonderings lead a question in.
var wonderings = newPattern(`\b(?:i(?:['’]m| am) (?:wondering|looking for|curious|trying to (?:remember|find|figure|work|recall)|not sure|after)|i(?:['’]d| would) (?:like|love|need|want) to (?:know|see|check|hear|find|have a look|look)|i (?:want|need|have) to (?:know|see|check|find|hear)|i forgot (?:what|when|where|which|who|how|whether|if)|i (?:can['’]t|cannot|don['’]t) (?:remember|recall|know)|tell me|show me|remind me (?:what|when|where|which|who|how|of)|let me know|do you know|any idea|need (?:a|the) (?:list|total|overview|number|count|rundown)|what about)\b`)

// A clause is part of a request with what it does.
type clause struct {
	text  string
	op    treetask.Operation // "" for a statement that asks for nothing
	order bool               // an order or a question, not a statement
}

// clauses splits a request into sentences and each into what leads in and
// what follows a comma, colon or dash, as far as the parts ask for something.
func clauses(request string) []clause {
	var all []clause
	for _, s := range sentences(scan(request)) {
		t := join(clip(request), s)
		c := classify(t)
		if c.op == "" || !c.order {
			// "I get seasick, so drop the boat trip": the order follows a
			// mark or a joining word.
			for _, part := range parts(t) {
				if p := classify(part); p.op != "" && p.order {
					if strings.HasSuffix(t, "?") && p.op != treetask.Read && !polite(part) || p.op == treetask.Read && !strings.HasSuffix(t, "?") {
						continue
					}
					p.text = t
					c = p
					break
				}
			}
		}
		all = append(all, c)
	}
	return all
}

var joints = newPattern(`(?i)(?:\s*[,:;–—]\s*|\s-\s+|\s+)(?:and then|and so|so that|and|so|but|then|therefore|because of that|hence|please)\s+|\s*[,:;–—]\s*|\s+-\s+`)

// parts returns what stands behind each joint of a sentence.
func parts(s string) []string {
	var out []string
	for _, at := range joints.FindAllStringIndex(s, 24) {
		out = append(out, s[at[1]:])
	}
	return out
}

// polite reports whether an order is put as a question.
func polite(s string) bool { return politely.MatchString(strings.ToLower(s)) }

var politely = newPattern(`^(?:and |so |then |please |also |,|ok |okay )*(?:can|could|would|will|may|shall|might) (?:you|we|i)\b|\bplease\b`)

// classify says what a sentence does, by how it begins or by what it says.
func classify(s string) clause {
	low := strings.ToLower(strings.TrimSpace(s))
	question := strings.HasSuffix(strings.TrimRight(low, " \"'”)"), "?")
	low = strings.TrimRight(low, " .!?")
	own, led := false, false
	for range 6 {
		at := courtesies.FindStringIndex(low)
		if at == nil || (question && !polite(low) && questions.MatchString(low)) {
			break
		}
		own, led = own || duties.MatchString(low), true
		low = strings.TrimLeft(low[at[1]:], " ")
	}
	if m := leadIn.FindStringSubmatchIndex(low); m != nil && !question {
		low = low[m[2]:]
	}
	if tellings.MatchString(low) && !toDo.MatchString(low) {
		return clause{text: s, op: treetask.Read, order: true}
	}
	if !question && exclaims.MatchString(low) {
		return clause{text: s}
	}
	if questions.MatchString(low) && !(strings.HasPrefix(low, "do ") && (!question || led)) && !(strings.HasPrefix(low, "have ") && (!question || led)) {
		return clause{text: s, op: treetask.Read, order: true}
	}
	for _, v := range verbs {
		if v.pattern.MatchString(low) {
			op := v.op
			if (op == treetask.Create || op == treetask.Move && strings.HasPrefix(low, "put ")) && backed.MatchString(low) && !calling.MatchString(low) {
				op = treetask.Restore
			}
			return clause{text: s, op: op, order: !own}
		}
	}
	if wonderings.MatchString(low) {
		return clause{text: s, op: treetask.Read, order: true}
	}
	if question {
		return clause{text: s, op: treetask.Read, order: true}
	}
	if untilForm.MatchString(low) {
		return clause{text: s, op: treetask.Update}
	}
	for _, st := range statements {
		if st.pattern.MatchString(low) {
			return clause{text: s, op: st.op}
		}
	}
	return clause{text: s}
}

var (
	callIt  = re(`\b(?:call|name) (?:it|that|this)\b`)
	lacking = re(`\b(?:needs?|wants?|(?:would|['’]d) (?:like|love)|should (?:have|get)|lacks?) (?:also )?(?:an?|another|one more|some)\b`)
)

// newState are words of a statement about how something is from now on.
var newState = re(`\b(?:is|are|on|until|by|for) (?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d{1,2})\b|\b(?:\d+|an?|one|two|three|four|a couple of|a few) more (?:days?|weeks?|months?|hours?|minutes?)\b|\b(?:instead|from now on|these days|rather have|no longer|any ?more|(?:top|high|low|medium) priority|now|later|earlier|longer|shorter)\b|\bso \p{Lu}\p{L}+ \p{L}+s the\b|\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twenty) \w+ (?:more|less|fewer)\b`)

// exclaims are cries that begin like questions.
var exclaims = newPattern(`^(?:what an? |how (?:nice|lovely|great|annoying|sad|exciting|wonderful|kind|sweet|awful|stupid)\b)`)

// untilForm is a later date for what is not wanted yet.
var untilForm = newPattern(`(?:n['’]t|\bnot|\bno longer) (?:\w+ )?(?:needed|wanted|due|required|happening|start|ready|be \w+|have to be \w+|need to be \w+) (?:until|till|before)\b`)

var (
	toDo   = newPattern(`^remind me (?:to|about)\b`)
	backed = newPattern(`\bback (?:in|on|into|where|the way|again)\b|\bback$|\bagain\b`)
)

// operation returns what a request does and the clause that says so: an order
// for an edit before a question, a question before a statement.
func operation(request string) (op treetask.Operation, rule string, main clause) {
	all := clauses(request)
	if rule, ok := wantsBack(request); ok {
		c := clause{text: request, op: treetask.Restore}
		if len(all) > 0 {
			c.text = all[len(all)-1].text
		}
		return treetask.Restore, rule, c
	}
	for i, c := range all {
		if c.order && c.op == treetask.Update && callIt.MatchString(c.text) {
			// "We need another one. Call it ..."
			for _, before := range all[:i+1] {
				if lacking.MatchString(before.text) {
					return treetask.Create, "a need with a name", before
				}
			}
		}
		if c.order && c.op != treetask.Read {
			return refine(c.op, c.text), "an order", c
		}
	}
	for _, c := range all {
		if c.order {
			return treetask.Read, "a question", c
		}
	}
	for _, c := range all {
		if c.op != "" {
			return refine(c.op, c.text), "a statement that asks for a change", c
		}
	}
	for _, c := range slices.Backward(all) {
		if newState.MatchString(c.text) || len(clocks(c.text)) > 0 || moneyForm.MatchString(c.text) || lengthForm.MatchString(c.text) {
			return treetask.Update, "a statement with a new value", c
		}
	}
	c := clause{text: request}
	if len(all) > 0 {
		c = all[len(all)-1]
	}
	return treetask.Read, "nothing asks for a change", c
}

var (
	toTime   = newPattern(`(?i)\b(?:to|until|till|by|at) (?:an? |about |around )?(?:(?:half|quarter) (?:past|to) \w+|\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|a\.m|p\.m|o['’]clock)|\d{1,2}[:.]\d\d|noon|midnight|midday|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:o['’]clock|in the|thirty|fifteen|am|pm))`)
	byLength = newPattern(`(?i)\b(?:by|back|forward|up|earlier|later) (?:an?|one|two|three|four|five|six|half|\d+) ?(?:an? )?(?:min|hour|day|week|month|hr)|(?:\d+|an?|one|two|three|half an) (?:min\w*|hours?|days?|weeks?|months?) (?:earlier|later|forward|back)\b|\b(?:earlier|later)$`)
	dated    = newPattern(`(?i)\b(?:deadline|due date|due|start(?:ing)? time|time|date|price|cost|status|priority)\b.{0,40}\bto\b`)
)

// refine corrects an operation by what the order says elsewhere: a move to a
// time of day or by a length of time changes a field.
func refine(op treetask.Operation, s string) treetask.Operation {
	s = strings.TrimRight(s, " .!?")
	switch op {
	case treetask.Move:
		if toTime.MatchString(s) && !regexpContainer.MatchString(s) || byLength.MatchString(s) || dated.MatchString(s) {
			return treetask.Update
		}
	default:
	}
	return op
}

var regexpContainer = newPattern(`(?i)\b(?:to|into|onto|on|under) (?:the |my |our )?(?:day \w+|\w+ day\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day)`)
