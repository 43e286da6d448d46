package changes

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"recallbench/internal/engine/typed"
)

// An Act is what happens to a fact.
type Act string

// The acts.
const (
	Told      Act = "told"       // a value, for the first time
	Changed   Act = "changed"    // a new value from this day on
	Corrected Act = "corrected"  // Was was never true, Value is
	Lent      Act = "lent"       // Value holds until a day, then the former value again
	Supposed  Act = "supposed"   // Value is named and is not true
	Forgotten Act = "forgotten"  // the person wants it forgotten
	Met       Act = "introduced" // who somebody is; no fact
)

// An Event is what one turn says about a fact.
type Event struct {
	Act     Act
	Subject string // the person it is about
	Thing   string // such as "home"
	Value   string // empty for Forgotten and Met
	Was     string // of Corrected
	Teller  string
	Turn    string // id
	At      time.Time
	Until   time.Time // of Lent: the last day
}

// An Operation is a kind of question.
type Operation string

// The operations, in the order of tables.
const (
	Update     Operation = "update"
	Past       Operation = "past"
	Correct    Operation = "correct"
	Contradict Operation = "contradict"
	Expire     Operation = "expire"
	Forget     Operation = "forget"
	Neighbour  Operation = "neighbour"
	Absent     Operation = "absent"
	Source     Operation = "source"
	Count      Operation = "count"
	Order      Operation = "order"
	Lag        Operation = "lag"
)

// A person takes part in a history: one who speaks, or somebody they talk about.
type person struct {
	name     string
	owner    *person // who introduced somebody that does not speak; nil for a speaker
	relation string  // to the owner
}

// A step is an event before it has a turn.
type step struct {
	Event
	subject *person
	thing   *thing // nil for Met
	teller  *person
	session int
	number  int   // in its thread
	early   bool  // in the first turns of its session
	hidden  bool  // the subject is named by the relation to somebody
	undoes  *step // of Forgotten: where it was told
}

// A thread is what happens to one fact, and what is asked about it.
type thread struct {
	ask     Operation
	subject *person
	thing   *thing
	steps   []*step
	hard    bool
	beside  *thread // of Forget: the fact whose loss would be collateral
}

// A planner plans what happens in a conversation.
type planner struct {
	random   *rand.Rand
	w        wordings
	speakers []*person
	others   []*person
	sessions int
	middle   [2]int // sessions after which questions are asked in the middle
	late     int    // session whose facts are asked about soon
	used     map[typed.Kind]map[string]bool
	taken    map[string]bool // subject and thing of threads
	names    []string        // not given to anybody yet
	threads  []*thread
	intros   []*step
}

const (
	speakers  = 4
	relatives = 3 // of each speaker
)

// perScale says how many threads of each operation make about 60 questions.
var perScale = []struct {
	ask   Operation
	count int
}{{Update, 6}, {Correct, 5}, {Contradict, 4}, {Expire, 3}, {Forget, 4}, {Absent, 7}, {Source, 5}, {Count, 4}, {Order, 4}, {Lag, 3}}

// asked is the number of questions of [perScale], given what [questions] asks about a
// thread.
const asked = 62

func newPlanner(random *rand.Rand, sessions int) *planner {
	p := &planner{
		random: random, w: wording(), sessions: sessions, middle: [2]int{sessions * 2 / 5, sessions * 3 / 5}, late: sessions * 4 / 5,
		used: make(map[typed.Kind]map[string]bool), taken: make(map[string]bool), names: typed.Values(typed.Person),
	}
	for _, k := range typed.Kinds() {
		p.used[k] = make(map[string]bool)
	}
	random.Shuffle(len(p.names), func(i, j int) { p.names[i], p.names[j] = p.names[j], p.names[i] })
	for range speakers {
		p.speakers = append(p.speakers, &person{name: p.name()})
	}
	for _, s := range p.speakers {
		relations := slices.Clone(p.w.any.lines["relation"])
		random.Shuffle(len(relations), func(i, j int) { relations[i], relations[j] = relations[j], relations[i] })
		for _, r := range relations[:relatives] {
			other := &person{name: p.name(), owner: s, relation: r}
			p.others = append(p.others, other)
			p.intros = append(p.intros, &step{Event: Event{Act: Met}, subject: other, teller: s})
		}
	}
	return p
}

// name returns an unused name.
func (p *planner) name() string {
	name := p.names[0]
	p.names = p.names[1:]
	p.used[typed.Person][name] = true
	return name
}

// value returns a value of a thing that the conversation does not name yet.
func (p *planner) value(t *thing) string {
	for {
		if v := p.any(t); !p.used[t.kind][v] {
			p.used[t.kind][v] = true
			return v
		}
	}
}

// any gives any value of a thing.
func (p *planner) any(t *thing) string {
	switch {
	case t.kind == typed.Date:
		return typed.DateValue(time.Date(2023, 1, 1+p.random.IntN(365), 0, 0, 0, 0, time.UTC))
	case t.name == "code":
		return strconv.Itoa(1000 + p.random.IntN(9000))
	case t.kind == typed.Number:
		return strconv.Itoa(101 + p.random.IntN(899))
	default:
		return pick(p.random, typed.Values(t.kind))
	}
}

// plan plans the threads for a number of questions.
func (p *planner) plan(questions int) {
	for _, kind := range perScale {
		n := max(1, (kind.count*questions+asked/2)/asked)
		for i := range n {
			p.thread(kind.ask, i%2 == 1)
		}
	}
}

// thread adds a thread of an operation about an unused fact.
func (p *planner) thread(ask Operation, hard bool) {
	t := &thread{ask: ask, hard: hard}
	for tries := 0; ; tries++ {
		t.thing = pick(p.random, p.w.things)
		t.subject = pick(p.random, p.candidates(ask, hard))
		if suits(ask, t.thing) && !p.taken[t.subject.name+t.thing.name] {
			break
		}
		if tries == 1000 {
			return // as many questions as there are facts
		}
	}
	p.taken[t.subject.name+t.thing.name] = true
	p.threads = append(p.threads, t)
	switch ask {
	case Update:
		p.changes(t, 1+p.random.IntN(2)+hardly(hard), p.sessions-1)
	case Order:
		p.changes(t, 2, p.sessions-1)
		t.hard = true
	case Count:
		p.changes(t, 1+p.random.IntN(4), p.sessions-1)
		t.hard = true
	case Correct:
		p.corrections(t, 1+hardly(hard))
	case Contradict:
		p.contradiction(t)
	case Expire:
		p.loan(t)
	case Forget:
		p.wish(t)
	case Absent:
		p.silence(t)
	case Source, Past, Neighbour:
		p.add(t, Told, p.random.IntN(p.sessions-1))
	case Lag:
		p.add(t, Told, p.late).early = true
	}
	if hard && (ask == Update || ask == Correct || ask == Order) {
		p.suppose(t, t.steps[len(t.steps)-1].session)
	}
}

func hardly(hard bool) int {
	if hard {
		return 1
	}
	return 0
}

// candidates are the people that a thread may be about.
func (p *planner) candidates(ask Operation, hard bool) []*person {
	switch {
	case ask == Forget || ask == Lag:
		return p.speakers
	case ask == Contradict || ask == Source:
		return p.others
	case hard:
		return slices.Concat(p.others, p.others, p.speakers)
	}
	return slices.Concat(p.speakers, p.speakers, p.others)
}

// suits reports whether a thing can be asked about in this way.
func suits(ask Operation, t *thing) bool {
	switch ask {
	case Expire:
		return t.has("while1", "while3")
	case Count:
		return t.name != "stamps" // a first count is a new one, too
	default:
		return true
	}
}

// add puts an act with a new value into a session.
func (p *planner) add(t *thread, act Act, session int) *step {
	s := &step{Event: Event{Act: act}, subject: t.subject, thing: t.thing, session: session, teller: t.subject}
	if act != Forgotten {
		s.Value = p.value(t.thing)
	}
	if t.subject.owner != nil {
		s.teller = t.subject.owner
		if p.random.IntN(2) == 0 {
			s.teller = pick(p.random, p.speakers)
		}
		s.hidden = t.hard
	} else if t.hard && act != Forgotten && act != Corrected && p.random.IntN(3) == 0 {
		for s.teller == t.subject {
			s.teller = pick(p.random, p.speakers)
		}
	}
	s.number = len(t.steps)
	t.steps = append(t.steps, s)
	return s
}

// spread returns n different sessions in order, at most the last one.
func (p *planner) spread(n, last int) []int {
	sessions := p.random.Perm(last + 1)[:n]
	slices.Sort(sessions)
	return sessions
}

func (p *planner) changes(t *thread, n, last int) {
	for i, session := range p.spread(n+1, last) {
		act := Changed
		if i == 0 {
			act = Told
		}
		p.add(t, act, session)
	}
}

// corrections states a value and corrects it, later or in the same session; the
// speaker who was wrong does so.
func (p *planner) corrections(t *thread, n int) {
	sessions := p.spread(n+1, p.sessions-1)
	if p.random.IntN(2) == 0 {
		sessions[1] = sessions[0]
	}
	first := p.add(t, Told, sessions[0])
	was := first.Value
	for _, session := range sessions[1:] {
		s := p.add(t, Corrected, session)
		s.teller, s.Was = first.teller, was
		was = s.Value
	}
}

// contradiction has two speakers tell different values.
func (p *planner) contradiction(t *thread) {
	two := p.random.Perm(len(p.speakers))
	for i, session := range p.spread(2, p.sessions-1) {
		p.add(t, Told, session).teller = p.speakers[two[i]]
	}
	t.hard = true
}

// loan has a value hold for a time around one of the middle places.
func (p *planner) loan(t *thread) {
	p.add(t, Told, p.random.IntN(p.middle[0]))
	p.add(t, Lent, p.middle[p.random.IntN(2)])
}

// wish has a speaker tell two things and want one of them forgotten.
func (p *planner) wish(t *thread) {
	sessions := p.spread(2, p.sessions-1)
	p.add(t, Told, sessions[0])
	beside := &thread{ask: Neighbour, subject: t.subject, hard: t.hard}
	for range 1000 {
		if beside.thing = pick(p.random, p.w.things); !p.taken[t.subject.name+beside.thing.name] {
			p.taken[t.subject.name+beside.thing.name] = true
			p.add(beside, Told, sessions[0])
			t.beside = beside
			p.threads = append(p.threads, beside)
			break
		}
	}
	p.add(t, Forgotten, sessions[1]).undoes = t.steps[0]
}

// silence has somebody else's value mentioned and, in the hard half, a value that is
// not true of the subject.
func (p *planner) silence(t *thread) {
	for range 20 {
		other := pick(p.random, p.candidates(Absent, false))
		if !p.taken[other.name+t.thing.name] {
			p.taken[other.name+t.thing.name] = true
			s := p.add(t, Told, p.random.IntN(p.sessions))
			s.subject, s.teller, s.hidden = other, cmp.Or(other.owner, other), false
			break
		}
	}
	if t.hard {
		p.suppose(t, 0)
	}
}

// suppose has a value named that is not true, in a later session.
func (p *planner) suppose(t *thread, after int) {
	s := p.add(t, Supposed, after+p.random.IntN(p.sessions-after))
	s.hidden = false
}
