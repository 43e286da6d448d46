package changes

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/engine/typed"
)

// A question is asked at a place of a history.
type question struct {
	operation Operation
	text      string
	after     string // id of the turn after which it is asked; empty for the end
	at        time.Time
	expected  typed.Expected
	abstain   bool
	evidence  []string // ids of turns
	labels    map[string]string
	about     fact
}

// A fact is what a question is about, for checking it against the events.
type fact struct {
	Subject, Thing string
	Day            time.Time // of Past
	Until          string    // of Order: the value after the one that is asked for
}

// ask makes the questions of all threads.
func (l *layout) ask() []question {
	var all []question
	for _, t := range l.threads {
		for _, q := range l.questionsOf(t) {
			q.about.Subject, q.about.Thing = t.subject.name, t.thing.name
			q.expected.Kind = l.kind(q.operation, t)
			l.allow(&q, t)
			q.labels = map[string]string{"half": "plain", "asked": "end", datasets.HistoryLabel: l.id}
			if t.hard || q.operation == Past {
				q.labels["half"] = "hard"
			}
			if q.after == "" {
				q.at = l.days[len(l.days)-1].AddDate(0, 0, 1)
			} else {
				q.labels["asked"] = "middle"
			}
			if q.operation == Lag {
				q.labels["lag"] = strconv.Itoa(q.lag(t))
			}
			all = append(all, q)
		}
	}
	return all
}

// lag is the number of turns between a fact and the question.
func (q question) lag(t *thread) int { return turnNumber(q.after) - turnNumber(t.steps[0].Turn) }

func turnNumber(id string) int {
	_, n, _ := strings.Cut(id, ":")
	number, _ := strconv.Atoi(n)
	return number
}

func (l *layout) kind(o Operation, t *thread) typed.Kind {
	switch o {
	case Source:
		return typed.Person
	case Count:
		return typed.Number
	default:
		return t.thing.kind
	}
}

// allow lists what the question names, which an answer may repeat. If names are asked
// for, this also includes all speakers, except the one meant.
func (l *layout) allow(q *question, t *thread) {
	named := typed.Find(q.expected.Kind, q.text)
	if q.expected.Kind == typed.Person {
		named = append(named, t.subject.name)
		if q.operation != Source {
			named = append(named, l.history.speakers...)
		}
		if q.operation == Source {
			named = append(named, t.steps[0].Value)
		}
	}
	for _, v := range named {
		e := &q.expected
		if typed.Find(e.Kind, v) != nil && !slices.Contains(slices.Concat(e.Required, e.Stale, e.Forgotten, e.Allowed), v) {
			e.Allowed = append(e.Allowed, v)
		}
	}
	slices.Sort(q.expected.Allowed)
}

// say makes the text of a question about a thread.
func (l *layout) say(t *thread, key string, gaps words) string {
	all := words{"n": t.subject.name}
	maps.Copy(all, gaps)
	return t.thing.say(l.random, key, all)
}

// questionsOf makes the questions about a thread.
func (l *layout) questionsOf(t *thread) []question {
	held := t.held()
	switch t.ask {
	case Update:
		all := []question{{operation: Update, text: l.say(t, "now", nil), expected: now(held), evidence: l.evidence(t, held[len(held)-1])}}
		if q, ok := l.past(t, held); ok {
			all = append(all, q)
		}
		if q, ok := l.midway(t, held); ok {
			all = append(all, q)
		}
		return all
	case Correct:
		return []question{{operation: Correct, text: l.say(t, "now", nil), expected: now(held), evidence: l.evidence(t, held[len(held)-1])}}
	case Contradict:
		a, b := t.steps[0], t.steps[1]
		return []question{{
			operation: Contradict,
			text:      fmt.Sprintf("%s and %s do not agree about %s. What does each of them say?", a.Teller, b.Teller, fill(t.thing.lines["thing"][0], words{"n": t.subject.name})),
			expected:  typed.Expected{Required: []string{a.Value, b.Value}},
			evidence:  l.evidence(t, a, b),
		}}
	case Expire:
		base, lent := t.steps[0], t.steps[1]
		return []question{
			{
				operation: Expire, text: l.say(t, "now", nil), after: l.lastTurn(lent.session), at: lent.At,
				expected: typed.Expected{Required: []string{lent.Value}, Allowed: []string{base.Value}}, evidence: l.evidence(t, lent),
			},
			{operation: Expire, text: l.say(t, "now", nil), expected: typed.Expected{Required: []string{base.Value}, Stale: []string{lent.Value}}, evidence: l.evidence(t, base, lent)},
		}
	case Forget:
		return []question{{operation: Forget, text: l.say(t, "now", nil), abstain: true, expected: typed.Expected{Forgotten: []string{t.steps[0].Value}}}}
	case Neighbour:
		e := now(held)
		e.Neighbour = true
		return []question{{operation: Neighbour, text: l.say(t, "now", nil), expected: e, evidence: l.evidence(t, held[0])}}
	case Absent:
		return []question{{operation: Absent, text: l.say(t, "now", nil), abstain: true}}
	case Source:
		s := t.steps[0]
		return []question{{
			operation: Source, text: fmt.Sprintf("Who told the others that %s?", fill(t.thing.lines["fact"][0], words{"n": t.subject.name, "v": s.Value})),
			expected: typed.Expected{Required: []string{s.Teller}, Derived: true}, evidence: l.evidence(t, s),
		}}
	case Count:
		n := strconv.Itoa(len(held) - 1)
		return []question{{operation: Count, text: l.say(t, "times", nil), expected: typed.Expected{Required: []string{n}, Derived: true}, evidence: l.evidence(t, held...)}}
	case Order:
		last := held[len(held)-1]
		asked := held[len(held)-2]
		e := typed.Expected{Required: []string{asked.Value}, Allowed: []string{last.Value}}
		for _, s := range held[:len(held)-2] {
			e.Stale = append(e.Stale, s.Value)
		}
		q := question{operation: Order, text: l.say(t, "before", words{"w": last.Value}), expected: e, evidence: l.evidence(t, asked, last)}
		q.about.Until = last.Value
		return []question{q}
	case Lag:
		s := t.steps[0]
		var all []question
		text := l.say(t, "now", nil)
		for _, turns := range lags {
			after := fmt.Sprintf("S%d:%d", s.session+1, turnNumber(s.Turn)+turns)
			all = append(all, question{operation: Lag, text: text, after: after, at: s.At, expected: now(held), evidence: l.evidence(t, s)})
		}
		return all
	default:
		return nil
	}
}

// lags are the numbers of turns after which a fact is asked for.
var lags = []int{0, 1, 10}

// held are the steps of a thread whose values were true or taken to be, in order. The
// value corrected by a step is that of the step before.
func (t *thread) held() []*step {
	var all []*step
	for _, s := range t.steps {
		if s.Act == Told || s.Act == Changed || s.Act == Corrected {
			all = append(all, s)
		}
	}
	return all
}

// now expects the last value.
func now(held []*step) typed.Expected {
	var e typed.Expected
	for i, s := range held {
		if i == len(held)-1 {
			e.Required = []string{s.Value}
		} else {
			e.Stale = append(e.Stale, s.Value)
		}
	}
	return e
}

// past asks for a value that held between two changes.
func (l *layout) past(t *thread, held []*step) (question, bool) {
	for i, s := range held[:len(held)-1] {
		next := held[i+1]
		days := int(next.At.Sub(s.At).Hours() / 24)
		if days < 2 {
			continue
		}
		day := s.At.AddDate(0, 0, days/2)
		e := typed.Expected{Required: []string{s.Value}}
		for _, o := range held {
			if o != s && !o.At.After(day) {
				e.Stale = append(e.Stale, o.Value)
			}
		}
		q := question{operation: Past, text: l.say(t, "at", words{"d": day.Format("2 January 2006")}), expected: e, evidence: l.evidence(t, s)}
		q.about.Day = day
		return q, true
	}
	return question{}, false
}

// midway asks for the value that holds at the first middle place that has one and
// after which another comes.
func (l *layout) midway(t *thread, held []*step) (question, bool) {
	for _, session := range l.middle {
		upTo := slices.IndexFunc(held, func(s *step) bool { return s.session > session })
		if upTo > 0 {
			so := held[:upTo]
			return question{
				operation: Update, text: l.say(t, "now", nil), after: l.lastTurn(session), at: l.days[session],
				expected: now(so), evidence: l.evidence(t, so[upTo-1]),
			}, true
		}
	}
	return question{}, false
}

func (l *layout) lastTurn(session int) string {
	turns := l.history.sessions[session].Turns
	return turns[len(turns)-1].ID
}

// evidence returns the turns of steps and, if one of them does not name the subject,
// the turn that says who is meant.
func (l *layout) evidence(t *thread, steps ...*step) []string {
	var ids []string
	for _, s := range steps {
		if s.hidden && s.subject.owner != nil {
			i := slices.IndexFunc(l.intros, func(intro *step) bool { return intro.subject == t.subject })
			ids = append(ids, l.intros[i].Turn)
		}
		ids = append(ids, s.Turn)
	}
	slices.SortFunc(ids, func(a, b string) int { return placeOf(a) - placeOf(b) })
	return slices.Compact(ids)
}

// placeOf numbers turns by their order.
func placeOf(id string) int {
	session, _, _ := strings.Cut(strings.TrimPrefix(id, "S"), ":")
	n, _ := strconv.Atoi(session)
	return n*1_000_000 + turnNumber(id)
}
