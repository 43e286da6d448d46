package standin

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/text/pytext"
)

// A line is one line of a message: "3. [8 May 2023 13:56] Ana: I moved. It rains." is one.
type line struct {
	number int       // below 0 for none
	time   time.Time // zero for none
	name   string    // of who says it; empty for none
	text   string
}

// A prompt is what the messages of a call say.
type prompt struct {
	lines    []line
	question string
	options  []line // of a multiple choice, by name
	query    bool   // a query over a tree is wanted, and nothing else
}

var (
	numbered = regexp.MustCompile(`^(?:- |\* |• )?(?:(\d+)\. )?(.*)$`)
	dated    = regexp.MustCompile(`^[\[(]([^\]|)]{1,30})[\])]:? +(.*)$`)
	named    = regexp.MustCompile(`^([^\s{}"#*\[:][^{}"#*\[:]*): +(\S.*)$`)
	option   = regexp.MustCompile(`^\(([^)]+)\) (.*)$`)
)

// labels begin lines that are not messages of a conversation.
var labels = []string{"question", "request", "condition", "answer", "options", "title", "date", "grammar"}

// read takes apart the last message that asks for something for the first time.
func read(messages []llm.Message) (p prompt) {
	for _, m := range slices.Backward(messages) {
		if m.Role == llm.Assistant || llm.AsksAgain(m.Content) {
			continue
		}
		p.query = strings.Contains(m.Content, "query     = step")
		for text := range strings.SplitSeq(m.Content, "\n") {
			take(&p, strings.TrimSpace(text))
		}
		return p
	}
	return p
}

// take reads a message into a prompt.
func take(p *prompt, text string) {
	if text == "" {
		return
	}
	for _, label := range []string{"Question: ", "Request: "} {
		if rest, ok := strings.CutPrefix(text, label); ok {
			p.question, p.options = rest, nil
			return
		}
	}
	if m := option.FindStringSubmatch(text); m != nil && p.question != "" {
		p.options = append(p.options, line{name: m[1], text: m[2]})
		return
	}
	m := numbered.FindStringSubmatch(text)
	l := line{number: -1, text: m[2]}
	if n, err := strconv.Atoi(m[1]); err == nil {
		l.number = n
	}
	if m := dated.FindStringSubmatch(l.text); m != nil {
		l.text, l.time = m[2], parseTime(m[1])
	}
	if m := named.FindStringSubmatch(l.text); m != nil && len(strings.Fields(m[1])) <= 2 && !slices.Contains(labels, strings.ToLower(m[1])) {
		l.name, l.text = m[1], m[2]
	}
	p.lines = append(p.lines, l)
}

// parseTime reads a time as prompts write it; the zero time for any other.
func parseTime(s string) time.Time {
	for _, layout := range []string{"2 January 2006 15:04", "2 January 2006", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// A fact is a sentence of a line.
type fact struct {
	line
	first bool // the line begins something new
}

func (f fact) String() string {
	switch {
	case f.name == "":
		return f.text
	case strings.HasSuffix(f.name, " said"): // it is a fact already
		return f.name + ": " + f.text
	default:
		return f.name + " said: " + f.text
	}
}

// facts are the sentences of named lines, and of dated ones where no line has a name.
func (p prompt) facts() (facts []fact) {
	for _, wanted := range []func(line) bool{
		func(l line) bool { return l.name != "" },
		func(l line) bool { return !l.time.IsZero() },
	} {
		for i, l := range p.lines {
			if !wanted(l) {
				continue
			}
			first := p.begins(i)
			for _, s := range pytext.AppendSentences(nil, l.text) {
				l.text = s
				facts = append(facts, fact{l, first})
				first = false
			}
		}
		if len(facts) > 0 {
			break
		}
	}
	return facts
}

// What begins an episode: a pause, or that the one before is long.
const (
	pause    = 30 * time.Minute
	atLength = 12 // messages
)

// begins reports whether line i begins something new after those before it.
func (p prompt) begins(i int) bool {
	before := -1
	n := 0
	for k := range i {
		if p.lines[k].name != "" {
			before, n = k, n+1
		}
	}
	if before < 0 {
		return true
	}
	a, b := p.lines[before].time, p.lines[i].time
	return !a.IsZero() && !b.IsZero() && b.Sub(a) >= pause || n%atLength == 0
}

// Unknown is the answer if nothing that was read has a word of the question.
const Unknown = "No information available"

// answer returns the answer to the question, and the share of its words, by weight,
// that what it was taken from has.
func (p prompt) answer() (text string, share float64) {
	if len(p.options) > 0 {
		return p.choose()
	}
	asked := distinct(p.question)
	weight, sum := p.weights(asked)
	score := func(have []string) (s float64) {
		for _, w := range asked {
			if slices.Contains(have, w) {
				s += weight[w]
			}
		}
		return s
	}
	best, most := line{}, 0.0
	for _, l := range p.lines {
		said := l.name != "" || !l.time.IsZero()
		for _, s := range pytext.AppendSentences(nil, l.text) {
			n := score(append(words(l.name), words(s)...))
			if !said {
				n /= 2 // it may be part of what the message asks for
			}
			if n > 0 && n >= most { // the later counts
				best, most = line{time: l.time, text: s}, n
			}
		}
	}
	switch {
	case most == 0:
		return Unknown, 0
	case strings.HasPrefix(strings.ToLower(p.question), "when") && !best.time.IsZero():
		return best.time.Format("2 January 2006"), most / sum
	default:
		return best.text, most / sum
	}
}

// weights returns how rare each word of a question is among the lines, and the sum.
func (p prompt) weights(asked []string) (weight map[string]float64, sum float64) {
	weight = make(map[string]float64)
	for _, l := range p.lines {
		have := append(words(l.name), words(l.text)...)
		for _, w := range asked {
			if slices.Contains(have, w) {
				weight[w]++
			}
		}
	}
	for _, w := range asked {
		weight[w] = math.Log(1 + float64(len(p.lines))/max(weight[w], 0.5))
		sum += weight[w]
	}
	return weight, sum
}

// choose answers with the option of which the lines have most.
func (p prompt) choose() (text string, share float64) {
	for _, o := range p.options {
		if _, has := (prompt{lines: p.lines, question: o.text}).answer(); text == "" || has > share {
			text, share = "("+o.name+")", has
		}
	}
	return text, share
}

func overlap(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}

// words returns the stems of a text in order, without stop words.
func words(text string) (stems []string) {
	for w := range strings.FieldsFuncSeq(pytext.Lower(text), func(r rune) bool { return !pytext.IsWord(r) }) {
		if !pytext.StopWord(w) {
			stems = append(stems, pytext.Stem(w))
		}
	}
	return stems
}

// distinct returns the words of a text, each once.
func distinct(text string) []string {
	stems := words(text)
	slices.Sort(stems)
	return slices.Compact(stems)
}
