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
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// A question is an element of the file.
type question struct {
	sample datasets.Sample
	gold   datasets.Gold
	flaws  []string // what was put right
}

// layout is the form of dates. The day of the week may disagree with the date.
const layout = "2006/01/02 (Mon) 15:04"

var speakers = []string{"user", "assistant"}

// read reads a question with the turns of its history that are wanted. Faults go to the
// cursor's report, and the question is of use where there are none.
func read(c *jsontree.Cursor, turns Turns) *question {
	q := readAll(c)
	if turns == User {
		q.dropAssistant()
	}
	return q
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

func readAll(c *jsontree.Cursor) *question {
	q := &question{sample: datasets.Sample{Speakers: slices.Clone(speakers)}}
	if !c.Is(jsontree.Object) {
		return q
	}
	if c.Value.Get("queries") != nil {
		q.caseOf(c)
		return q
	}
	c = q.named(c, "question_id")
	q.category(c)
	q.answer(c, "answer")
	q.asked(c, c)
	q.history(c)
	return q
}

// named reads the id. Faults of the cursor that it returns begin with it.
func (q *question) named(c *jsontree.Cursor, field string) *jsontree.Cursor {
	id, ok := c.Required(field)
	if ok {
		c = c.Named(id)
	}
	sum := sha256.Sum256([]byte(name + ":" + id))
	q.sample.ID, q.gold.Name = hex.EncodeToString(sum[:])[:8], id
	return c
}

// asked reads the text of the question, and its date, which stands elsewhere in a case.
func (q *question) asked(c, date *jsontree.Cursor) {
	r := datasets.Request{ID: "q1"}
	r.Text, _ = c.Required("question")
	if at := date.Field("question_date", jsontree.String); at != nil {
		r.Time = q.date(at)
	}
	q.sample.Requests = []datasets.Request{r}
}

func (q *question) flaw(what string) { q.flaws = append(q.flaws, what) }

func (q *question) category(c *jsontree.Cursor) {
	t, ok := c.Text("question_type")
	if official, other := otherNames[t]; other {
		t = official
	}
	if ok && !slices.Contains(types, t) {
		c.Faultf("%s", suggest.Unknown("question_type", t, slices.Concat(types, slices.Sorted(maps.Keys(otherNames)))))
	}
	q.gold.Category = t
}

// abstention marks a question whose answer the history does not hold.
const abstention = "_abs"

var integer = regexp.MustCompile(`^-?[0-9]+$`)

func (q *question) answer(c *jsontree.Cursor, field string) {
	q.gold.Abstain = strings.HasSuffix(q.gold.Name, abstention)
	if strings.Contains(strings.TrimSuffix(q.gold.Name, abstention), abstention) {
		c.Faultf("question_id has %s before its end, where it means nothing", abstention)
	}
	var text string
	switch v := c.Value.Get(field); {
	case v != nil && v.Kind == jsontree.Number && integer.MatchString(v.Text):
		q.flaw("answer is an integer; taken as its digits")
		text = v.Text
	case v != nil && v.Kind == jsontree.String && strings.TrimSpace(v.Text) != "":
		text = v.Text
	case v == nil:
		c.Faultf("%q is missing, want a string or an integer", field)
	default:
		c.Faultf("%s is %s, want a string with an answer or an integer", field, strings.TrimSpace(string(v.Kind)+" "+v.Text))
	}
	if q.gold.Abstain {
		q.gold.Explanation = text
	} else {
		q.gold.Answer = text
	}
}

// date reads a date, by the clock of the dataset.
func (q *question) date(c *jsontree.Cursor) time.Time {
	t, err := time.Parse(layout, c.Value.Text)
	if err != nil {
		c.Faultf("the date is %q, want one like %q", c.Value.Text, "2023/05/30 (Tue) 23:17")
		return t
	}
	if t.Format(layout) != c.Value.Text {
		q.flaw("day of the week disagrees with its date; not looked at")
	}
	return t
}

// A listed session is one as the file has it.
type listed struct {
	id    string
	at    time.Time
	turns *jsontree.Cursor
}

// history reads the sessions and says which hold the answer.
func (q *question) history(c *jsontree.Cursor) {
	dates, ids := c.Field("haystack_dates", jsontree.Array), c.Field("haystack_session_ids", jsontree.Array)
	sessions, evidence := c.Field("haystack_sessions", jsontree.Array), c.Field("answer_session_ids", jsontree.Array)
	if dates == nil || ids == nil || sessions == nil {
		return
	}
	n := len(sessions.Value.Items)
	if d, i := len(dates.Value.Items), len(ids.Value.Items); d != n || i != n {
		c.Faultf("haystack_dates has %d items, haystack_session_ids %d and haystack_sessions %d, want as many of each", d, i, n)
		return
	}
	all := make([]listed, n)
	dateItems, idItems, items := dates.Items(), ids.Items(), sessions.Items()
	for i := range all {
		s := listed{turns: items[i]}
		if dateItems[i].Is(jsontree.String) {
			s.at = q.date(dateItems[i])
		}
		if idItems[i].Is(jsontree.String) {
			s.id = idItems[i].Value.Text
		}
		items[i].Is(jsontree.Array)
		all[i] = s
	}
	q.sessions(sessions, all, evidence)
}

// sessions takes the sessions that stand at c, and the ids of those with the answer.
func (q *question) sessions(c *jsontree.Cursor, all []listed, proofs *jsontree.Cursor) {
	var evidence []string
	if proofs != nil {
		evidence = proofs.Texts()
	}
	byDate := func(a, b listed) int { return a.at.Compare(b.at) }
	if !slices.IsSortedFunc(all, byDate) {
		q.flaw("sessions are not in the order of their dates; sorted")
		slices.SortStableFunc(all, byDate)
	}
	seen := make(map[string]bool)
	roles := make(map[string]bool) // of labelled turns
	for _, s := range all {
		if seen[s.id] {
			q.flaw("session stands twice in the history; kept as two")
		}
		seen[s.id] = true
		if len(s.turns.Value.Items) == 0 {
			q.flaw("session has no turns; left out")
			continue
		}
		if s.at.After(q.sample.Requests[0].Time) {
			q.flaw("session is dated after the question; kept")
		}
		session := datasets.Session{ID: "s" + strconv.Itoa(len(q.sample.Sessions)+1), Time: s.at}
		labelled := q.turns(&session, s.turns, roles)
		q.sample.Sessions = append(q.sample.Sessions, session)
		proof := slices.Contains(evidence, s.id)
		switch {
		case proof && !labelled:
			q.flaw("evidence session has no labelled turn; kept")
		case labelled && !proof:
			q.flaw("labelled turn is in a session that is no evidence; kept as evidence")
		}
		if proof || labelled {
			q.gold.Sessions = append(q.gold.Sessions, session.ID)
		}
	}
	if len(q.sample.Sessions) == 0 {
		c.Faultf("no session has a turn")
	}
	for _, id := range evidence {
		if !seen[id] {
			q.flaw("evidence names no session of the history; left out")
		}
	}
	role := "none"
	switch {
	case len(roles) == len(speakers):
		role = "both"
	case len(roles) == 1:
		role = strings.Clone(slices.Collect(maps.Keys(roles))[0]) // which else held the whole history
	}
	abstains := "no"
	if q.gold.Abstain {
		abstains = "yes"
	}
	q.gold.Labels = map[string]string{"abstention": abstains, "evidence_role": role}
}

// turns reads the turns of a session, and reports whether one is labelled.
func (q *question) turns(s *datasets.Session, c *jsontree.Cursor, roles map[string]bool) (labelled bool) {
	for i, item := range c.Items() {
		if !item.Is(jsontree.Object) {
			continue
		}
		role, ok := item.Text("role")
		if ok && !slices.Contains(speakers, role) {
			item.Faultf("role is %q, want user or assistant", role)
			continue
		}
		text, ok := item.Text("content")
		if ok && text == "" {
			q.flaw("turn has no text; kept")
		}
		id := fmt.Sprintf("%s:%d%.1s", s.ID, i+1, cmp.Or(role, " "))
		if label := item.Optional("has_answer"); label != nil && label.Is(jsontree.Bool) && label.Value.Text == "true" {
			labelled, roles[role] = true, true
			q.gold.Evidence = append(q.gold.Evidence, id)
		}
		s.Turns = append(s.Turns, datasets.Turn{ID: id, Speaker: role, Text: text, Time: s.Time})
	}
	return labelled
}
