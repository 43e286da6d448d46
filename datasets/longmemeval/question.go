package longmemeval

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// A question is an element of the file.
type question struct {
	sample datasets.Sample
	gold   datasets.Gold
	flaws  []string // what was put right
}

func (q *question) flaw(what string) { q.flaws = append(q.flaws, what) }

// A message is a turn as files have it.
type message struct {
	At        *jsontree.Cursor `json:"."`
	Role      string           `json:"role" want:"required"`
	Content   string           `json:"content" want:"required"`
	HasAnswer bool             `json:"has_answer"`
}

// An entry is a question as either layout has it.
type entry struct {
	at             *jsontree.Cursor // where faults are reported
	id, kind, text string
	asked          string // when
	answer         *jsontree.Cursor
	sessions       []session
	evidence       []jsontree.Text // ids of sessions
}

type session struct {
	id, date string
	at       time.Time // the date, once it is read
	messages []message
}

// layout is the form of dates. The day of the week may disagree with the date.
const layout = "2006/01/02 (Mon) 15:04"

var speakers = []string{"user", "assistant"}

// read reads a question with the turns of its history that are wanted. Faults go to the
// cursor's report, and the question is of use where there are none.
func read(c *jsontree.Cursor, turns Turns) *question {
	q := &question{sample: datasets.Sample{Speakers: slices.Clone(speakers), Requests: []datasets.Request{{ID: "q1"}}}}
	readEntry := readElement
	if c.Value.Get("queries") != nil {
		readEntry = q.readCase
	}
	e, ok := readEntry(c)
	sum := sha256.Sum256([]byte(name + ":" + e.id))
	q.sample.ID, q.gold.Name = hex.EncodeToString(sum[:])[:8], e.id
	if !ok {
		return q
	}
	q.ask(&e)
	q.history(&e)
	if turns == User {
		q.dropAssistant()
	}
	return q
}

// readElement reads a question as the release has it.
func readElement(c *jsontree.Cursor) (e entry, ok bool) {
	var head struct {
		ID string `json:"question_id" want:"filled"`
	}
	if !c.Decode(&head) {
		return e, false
	}
	e.id = head.ID
	c = c.Named(e.id)
	var of struct {
		Kind     string           `json:"question_type" want:"required"`
		Text     string           `json:"question" want:"filled"`
		Answer   *jsontree.Cursor `json:"answer" want:"required"`
		Asked    string           `json:"question_date" want:"required"`
		Dates    []string         `json:"haystack_dates" want:"required"`
		IDs      []string         `json:"haystack_session_ids" want:"required"`
		Sessions [][]message      `json:"haystack_sessions" want:"required"`
		Evidence []jsontree.Text  `json:"answer_session_ids" want:"required"`
	}
	if !c.Decode(&of) {
		return e, false
	}
	if n := len(of.Sessions); len(of.Dates) != n || len(of.IDs) != n {
		c.Faultf("haystack_dates has %d items, haystack_session_ids %d and haystack_sessions %d, want as many of each", len(of.Dates), len(of.IDs), n)
		return e, false
	}
	e = entry{at: c, id: e.id, kind: of.Kind, text: of.Text, asked: of.Asked, answer: of.Answer, evidence: of.Evidence}
	for i, messages := range of.Sessions {
		e.sessions = append(e.sessions, session{id: of.IDs[i], date: of.Dates[i], messages: messages})
	}
	return e, true
}

// ask takes what is asked, and the answer.
func (q *question) ask(e *entry) {
	if official, other := otherNames[e.kind]; other {
		e.kind = official
	}
	if !slices.Contains(types, e.kind) {
		e.at.Faultf("%s", suggest.Unknown("question_type", e.kind, slices.Concat(types, slices.Sorted(maps.Keys(otherNames)))))
	}
	q.gold.Category = e.kind
	q.gold.Abstain = strings.HasSuffix(e.id, abstention)
	if strings.Contains(strings.TrimSuffix(e.id, abstention), abstention) {
		e.at.Faultf("question_id has %s before its end, where it means nothing", abstention)
	}
	answer := e.answer.Value
	switch {
	case answer.Kind == jsontree.Number && integer.MatchString(answer.Text):
		q.flaw("answer is an integer; taken as its digits")
	case answer.Kind != jsontree.String || strings.TrimSpace(answer.Text) == "":
		e.answer.Faultf("want a string with an answer or an integer, have %s", strings.TrimSpace(string(answer.Kind)+" "+answer.Text))
	}
	if q.gold.Abstain {
		q.gold.Explanation = answer.Text
	} else {
		q.gold.Answer = answer.Text
	}
	r := &q.sample.Requests[0]
	r.Text, r.Time = e.text, q.date(e, "question_date", e.asked)
}

// abstention marks a question whose answer the history does not hold.
const abstention = "_abs"

var integer = regexp.MustCompile(`^-?[0-9]+$`)

// date reads a date, by the clock of the dataset.
func (q *question) date(e *entry, what, text string) time.Time {
	t, err := time.Parse(layout, text)
	if err != nil {
		e.at.Faultf("%s is %q, want one like %q", what, text, "2023/05/30 (Tue) 23:17")
		return t
	}
	if t.Format(layout) != text {
		q.flaw("day of the week disagrees with its date; not looked at")
	}
	return t
}

// history takes the sessions, and says which hold the answer.
func (q *question) history(e *entry) {
	for i := range e.sessions {
		e.sessions[i].at = q.date(e, "the date of session "+strconv.Quote(e.sessions[i].id), e.sessions[i].date)
	}
	byDate := func(a, b session) int { return a.at.Compare(b.at) }
	if !slices.IsSortedFunc(e.sessions, byDate) {
		q.flaw("sessions are not in the order of their dates; sorted")
		slices.SortStableFunc(e.sessions, byDate)
	}
	seen, roles := make(map[string]bool), make(map[string]bool) // roles of labelled turns
	for _, s := range e.sessions {
		if seen[s.id] {
			q.flaw("session stands twice in the history; kept as two")
		}
		seen[s.id] = true
		if len(s.messages) == 0 {
			q.flaw("session has no turns; left out")
			continue
		}
		if s.at.After(q.sample.Requests[0].Time) {
			q.flaw("session is dated after the question; kept")
		}
		to := datasets.Session{ID: "s" + strconv.Itoa(len(q.sample.Sessions)+1), Time: s.at}
		labelled := q.turns(&to, s.messages, roles)
		q.sample.Sessions = append(q.sample.Sessions, to)
		proof := slices.Contains(e.evidence, jsontree.Text(s.id))
		switch {
		case proof && !labelled:
			q.flaw("evidence session has no labelled turn; kept")
		case labelled && !proof:
			q.flaw("labelled turn is in a session that is no evidence; kept as evidence")
		}
		if proof || labelled {
			q.gold.Sessions = append(q.gold.Sessions, to.ID)
		}
	}
	if len(q.sample.Sessions) == 0 {
		e.at.Faultf("no session has a turn")
	}
	for _, id := range e.evidence {
		if !seen[string(id)] {
			q.flaw("evidence names no session of the history; left out")
		}
	}
	role := strings.Join(lists.Map(slices.Collect(maps.Keys(roles)), strings.Clone), "") // which else held the whole history
	if len(roles) > 1 {
		role = "both"
	}
	q.gold.Labels = map[string]string{"abstention": "no", "evidence_role": cmp.Or(role, "none")}
	if q.gold.Abstain {
		q.gold.Labels["abstention"] = "yes"
	}
}

// turns takes the turns of a session, and reports whether one is labelled.
func (q *question) turns(s *datasets.Session, messages []message, roles map[string]bool) (labelled bool) {
	for i, m := range messages {
		if !slices.Contains(speakers, m.Role) {
			m.At.Faultf("role is %q, want user or assistant", m.Role)
			continue
		}
		if m.Content == "" {
			q.flaw("turn has no text; kept")
		}
		id := fmt.Sprintf("%s:%d%.1s", s.ID, i+1, m.Role)
		if m.HasAnswer {
			labelled, roles[m.Role] = true, true
			q.gold.Evidence = append(q.gold.Evidence, id)
		}
		s.Turns = append(s.Turns, datasets.Turn{ID: id, Speaker: m.Role, Text: m.Content, Time: s.Time})
	}
	return labelled
}

// dropAssistant leaves out what the assistant said, and sessions in which the user said
// nothing.
func (q *question) dropAssistant() {
	empty := make(map[string]bool)
	for i := range q.sample.Sessions {
		s := &q.sample.Sessions[i]
		s.Turns = slices.DeleteFunc(s.Turns, func(t datasets.Turn) bool { return t.Speaker != speakers[0] })
		empty[s.ID] = len(s.Turns) == 0
	}
	q.sample.Speakers = slices.Clone(speakers[:1])
	q.sample.Sessions = slices.DeleteFunc(q.sample.Sessions, func(s datasets.Session) bool { return empty[s.ID] })
	q.gold.Sessions = slices.DeleteFunc(q.gold.Sessions, func(id string) bool { return empty[id] })
	q.gold.Evidence = slices.DeleteFunc(q.gold.Evidence, func(id string) bool { return !strings.HasSuffix(id, "u") })
}
