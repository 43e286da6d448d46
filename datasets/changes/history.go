package changes

import (
	_ "embed" // for the sentences
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/datasets"
	"recallbench/internal/engine/typed"
)

// A history is a conversation in sessions, with its events and questions.
type history struct {
	id        string
	speakers  []string
	sessions  []datasets.Session
	events    []Event
	questions []question
}

// bytesPerToken is the average number of bytes per token of o200k_base in these
// conversations.
const bytesPerToken = 3.77

// perSession is how many turns a session has, unless the conversation is too short for
// [minSessions] of them.
const perSession = 24

// bytesPerTurn is about how long a turn is, with the speaker's name.
const bytesPerTurn = 80

// minSessions is the least number of sessions in which everything fits.
const minSessions = 12

// generate makes a conversation with about that many tokens and questions.
func generate(id string, seed uint64, tokens, questions int) history {
	random := rand.New(rand.NewPCG(seed, 0x6368616e676573))
	sessions := max(minSessions, int(float64(tokens)*bytesPerToken/(perSession*bytesPerTurn)+0.5))
	p := newPlanner(random, sessions)
	p.plan(questions)
	l := layout{planner: p, history: history{id: id}, extra: make(map[string]string)}
	l.perSession = min(perSession, int(float64(tokens)*bytesPerToken/(minSessions*bytesPerTurn)))
	l.lay()
	l.questions = l.ask()
	return l.history
}

// A layout turns a plan into sessions.
type layout struct {
	*planner
	history
	days       []time.Time
	perSession int
	extra      map[string]string // values of people about whom nothing is asked
}

// calendar spreads the sessions over less than a year without repeating a day: one in
// six days, or as many as needed.
func (l *layout) calendar() {
	start := time.Date(2023, time.January, 9, 18, 30, 0, 0, time.UTC)
	const most = 350
	days := min(most, 6*l.planner.sessions)
	for i := range l.planner.sessions {
		at := start.AddDate(0, 0, i*days/l.planner.sessions)
		if i > 0 && !at.After(l.days[i-1]) {
			at = l.days[i-1].Add(10 * time.Minute)
		}
		l.days = append(l.days, at)
	}
}

func (l *layout) lay() {
	l.calendar()
	for _, s := range l.planner.speakers {
		l.history.speakers = append(l.history.speakers, s.name)
	}
	steps := slices.Clone(l.intros)
	for _, t := range l.threads {
		steps = append(steps, t.steps...)
	}
	bySession := make([][]*step, l.planner.sessions)
	for _, s := range steps {
		bySession[s.session] = append(bySession[s.session], s)
	}
	for i, in := range bySession {
		l.session(i, in)
	}
}

// session writes a session with its steps among filler turns.
func (l *layout) session(number int, steps []*step) {
	s := datasets.Session{ID: fmt.Sprintf("S%d", number+1), Time: l.days[number]}
	slots := l.slots(steps)
	var last *person
	for i := range slots {
		turn := datasets.Turn{ID: fmt.Sprintf("S%d:%d", number+1, i+1), Time: s.Time}
		teller := pick(l.random, l.planner.speakers)
		if step := slots[i]; step != nil {
			teller = step.teller
			step.Turn, step.At = turn.ID, s.Time
			step.Subject, step.Teller = step.subject.name, teller.name
			if step.thing != nil {
				step.Thing = step.thing.name
			}
			if step.Act == Lent {
				step.Until = l.lastDay(number)
			}
			if step.undoes != nil {
				turn.Forgets = []string{step.undoes.Turn}
			}
			turn.Text = l.text(step)
			l.events = append(l.events, step.Event)
		} else {
			for teller == last {
				teller = pick(l.random, l.planner.speakers)
			}
			turn.Text = l.filler()
		}
		turn.Speaker, last = teller.name, teller
		s.Turns = append(s.Turns, turn)
	}
	l.history.sessions = append(l.history.sessions, s)
}

// slots assigns steps to turns: introductions and facts that are asked about soon at the
// start, the steps of one fact in order.
func (l *layout) slots(steps []*step) []*step {
	n := max(l.perSession, 2*len(steps)) - 4 + l.random.IntN(9)
	for i, s := range steps {
		if s.early {
			n = max(n, i+1+slices.Max(lags)) // they are asked about in the same session
		}
	}
	slots := make([]*step, max(n, len(steps)))
	var rest []*step
	at := 0
	for _, s := range steps {
		if s.early || s.Act == Met {
			slots[at] = s
			at++
		} else {
			rest = append(rest, s)
		}
	}
	free := l.random.Perm(len(slots) - at)[:len(rest)]
	slices.Sort(free)
	order := l.random.Perm(len(rest))
	dealt := make([]*step, len(rest))
	for i, place := range order {
		dealt[place] = rest[i]
	}
	ordered(dealt)
	for i, s := range dealt {
		slots[at+free[i]] = s
	}
	return slots
}

// ordered puts the steps of each fact in the order in which they were planned, in the
// places that they have.
func ordered(steps []*step) {
	type fact struct {
		subject *person
		thing   *thing
	}
	places := make(map[fact][]int)
	for i, s := range steps {
		f := fact{s.subject, s.thing}
		places[f] = append(places[f], i)
	}
	for _, at := range places {
		var own []*step
		for _, i := range at {
			own = append(own, steps[i])
		}
		slices.SortStableFunc(own, func(a, b *step) int { return a.number - b.number })
		for k, i := range at {
			steps[i] = own[k]
		}
	}
}

// lastDay is the last day of a loan in a session: before the end of the conversation and
// after the next session.
func (l *layout) lastDay(session int) time.Time {
	next := min(session+1+l.random.IntN(3), len(l.days)-2)
	return l.days[next]
}

// text is the sentence of a step.
func (l *layout) text(s *step) string {
	name := l.called(s)
	if s.Act == Met {
		return fill(pick(l.random, l.w.any.lines["intro"]), words{"r": s.subject.relation, "n": s.subject.name})
	}
	own := "3"
	if s.teller == s.subject {
		own = "1"
	}
	gaps := words{"v": s.Value, "w": s.Was, "n": name, "d": s.Until.Format("2 January")}
	gaps["thing"], gaps["mine"] = fill(s.thing.lines["thing"][0], words{"n": name}), s.thing.lines["mine"][0]
	switch s.Act {
	case Corrected:
		return l.w.told(l.random, l.w.any.say(l.random, "correct"+own, gaps))
	case Forgotten:
		return l.w.told(l.random, l.w.any.say(l.random, "forget", gaps))
	default:
		return l.w.told(l.random, s.thing.say(l.random, keys[s.Act]+own, gaps))
	}
}

// keys are the keys of acts in the file of sentences.
var keys = map[Act]string{Told: "tell", Changed: "change", Lent: "while", Supposed: "might"}

// called is how the teller names the subject of a step.
func (l *layout) called(s *step) string {
	owner := s.subject.owner
	switch {
	case owner == nil || !s.hidden:
		return s.subject.name
	case owner == s.teller:
		return "my " + s.subject.relation
	default:
		return owner.name + "'s " + s.subject.relation
	}
}

// filler is a turn about which nothing is asked: talk, words about a thing without a
// value, or a fact about somebody else.
func (l *layout) filler() string {
	switch l.random.IntN(8) {
	case 0:
		return l.w.told(l.random, pick(l.random, l.w.things).say(l.random, "near1", nil))
	case 1:
		return l.other()
	default:
		return l.w.talk(l.random)
	}
}

// other states a fact about somebody about whom nothing is asked. The values differ from
// all that are asked for.
func (l *layout) other() string {
	const circle = 40 // people at most
	names := l.names[:min(circle, len(l.names))]
	name, t := pick(l.random, names), pick(l.random, l.w.things)
	key := "change3"
	if l.extra[name+t.name] == "" {
		key = "tell3"
	}
	value := l.any(t)
	for l.used[t.kind][value] {
		value = l.any(t)
	}
	l.extra[name+t.name] = value
	return l.w.told(l.random, t.say(l.random, key, words{"n": name, "v": value}))
}

//go:embed wording.txt
var wordingFile string

// A thing is something that people have and change, such as a home, with its sentences by
// key.
type thing struct {
	name  string
	kind  typed.Kind
	lines map[string][]string
}

// wordings are the things, in the order of the file, and the sentences that fit any of
// them.
type wordings struct {
	things []*thing
	any    *thing
}

// wording reads the sentences of the file, whose head says what they are.
var wording = sync.OnceValue(func() wordings {
	var w wordings
	var current *thing
	for line := range strings.Lines(wordingFile) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			name, kind, _ := strings.Cut(strings.TrimSuffix(head, "]"), " ")
			current = &thing{name: name, kind: typed.Kind(kind), lines: make(map[string][]string)}
			if name == "*" {
				w.any = current
			} else {
				w.things = append(w.things, current)
			}
			continue
		}
		if key, sentence, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			current.lines[key] = append(current.lines[key], sentence)
		}
	}
	return w
})

// has is whether there are sentences for all keys.
func (t *thing) has(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return len(t.lines[key]) == 0 })
}

// words are the values for the gaps of a sentence, by name.
type words map[string]string

// say fills in one of the sentences of a key. A gap at the start of a sentence is
// capitalized.
func (t *thing) say(random *rand.Rand, key string, gaps words) string {
	return fill(pick(random, t.lines[key]), gaps)
}

func fill(sentence string, gaps words) string {
	for _, name := range slices.Sorted(maps.Keys(gaps)) {
		gap, text := "{"+name+"}", gaps[name]
		if rest, first := strings.CutPrefix(sentence, gap); first {
			sentence = capitalised(text) + rest
		}
		sentence = strings.ReplaceAll(sentence, ". "+gap, ". "+capitalised(text))
		sentence = strings.ReplaceAll(sentence, gap, text)
	}
	return sentence
}

func capitalised(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// told is the sentence of an event as somebody says it: often with an opener before it
// or an ending after it.
func (w wordings) told(random *rand.Rand, sentence string) string {
	if random.IntN(3) > 0 {
		opener := pick(random, w.any.lines["open"])
		if !strings.HasSuffix(opener, ".") {
			sentence = lowered(sentence)
		}
		sentence = opener + " " + sentence
	}
	if random.IntN(2) > 0 {
		sentence += " " + pick(random, w.any.lines["close"])
	}
	return sentence
}

// lowered is a sentence in the form after a comma or colon. Names and I keep their
// case.
func lowered(sentence string) string {
	first, _, _ := strings.Cut(sentence, " ")
	if slices.Contains(lowerable, first) {
		return strings.ToLower(first) + sentence[len(first):]
	}
	return sentence
}

var lowerable = strings.Fields("My The If You They These As We New Home Until Up From For On After At There Type Send Please Say Use Somebody Everybody People Once No Sorry Could Do Letters To Since Some Many Let About With Make On Letters Change Forget Our In What It A An")

// talk is a turn about nothing.
func (w wordings) talk(random *rand.Rand) string {
	text := pick(random, w.any.lines["middle"])
	if random.IntN(2) > 0 {
		text = pick(random, w.any.lines["talk"]) + " " + text
	}
	if random.IntN(2) > 0 {
		text += " " + pick(random, w.any.lines["end"])
	}
	return text
}
