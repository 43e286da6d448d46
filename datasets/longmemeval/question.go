package longmemeval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// A question is an element of the file.
type question struct {
	sample datasets.Sample
	gold   datasets.Gold
	flaws  []string // what was corrected
}

func (q *question) flaw(what string) { q.flaws = append(q.flaws, what) }

// A message is a turn as files have it.
type message struct {
	At        *jsontree.Cursor `json:"-"`
	Role      string           `json:"role" want:"required"`
	Content   string           `json:"content" want:"required"`
	HasAnswer bool             `json:"has_answer"`
}

// An entry is a question in either layout.
type entry struct {
	At       *jsontree.Cursor `json:"-"` // where faults are reported
	ID       string           `json:"question_id" want:"filled"`
	Kind     string           `json:"question_type" want:"required"`
	Text     string           `json:"question" want:"filled"`
	Answer   *jsontree.Cursor `json:"answer" want:"required"`
	Asked    string           `json:"question_date" want:"required"`
	Dates    []string         `json:"haystack_dates" want:"required"`
	IDs      []string         `json:"haystack_session_ids" want:"required"`
	Sessions [][]message      `json:"haystack_sessions" want:"required"`
	Evidence []jsontree.Text  `json:"answer_session_ids" want:"required"` // ids of sessions
}

// A caseFile is a question in the layout of agentscope-ai/ReMe. It has one query; if
// its makers changed the answer, the file also has the release's, which is used.
type caseFile struct {
	Queries []struct {
		At     *jsontree.Cursor `json:"-"`
		ID     string           `json:"query_id" want:"filled"`
		Text   string           `json:"question" want:"filled"`
		Answer *jsontree.Cursor `json:"golden_answer" want:"required"`
		About  struct {
			Kind             string           `json:"question_type" want:"required"`
			Asked            string           `json:"question_date" want:"required"`
			OriginalAnswer   *jsontree.Cursor `json:"original_answer"`
			Evidence         []jsontree.Text  `json:"answer_session_ids"`
			OriginalEvidence []jsontree.Text  `json:"original_answer_session_ids"`
		} `json:"metadata" want:"required"`
	} `json:"queries" want:"required"`
	Sessions []struct {
		ID    string `json:"session_id" want:"filled"`
		About struct {
			Date string `json:"date" want:"required"`
		} `json:"metadata" want:"required"`
		Messages []message `json:"messages" want:"required"`
	} `json:"sessions" want:"required"`
}

// layout is the format of dates. The day of the week may disagree with the date.
const layout = "2006/01/02 (Mon) 15:04"

var speakers = []string{"user", "assistant"}

// read reads a question with the turns of its conversation that are wanted. Faults go
// to the cursor's report; the question is usable only if there are none.
func read(c *jsontree.Cursor, turns Turns) *question {
	q := &question{sample: datasets.Sample{Speakers: slices.Clone(speakers), Requests: []datasets.Request{{ID: "q1"}}}}
	readEntry := readElement
	if c.Value.Get("queries") != nil {
		readEntry = q.readCase
	}
	e, ok := readEntry(c)
	q.sample.ID, q.gold.Name = datafile.Sum([]byte(name + ":" + e.ID))[:8], e.ID
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
	if id := c.Value.Get("question_id"); id != nil && id.Kind == jsontree.String && id.Text != "" {
		c = c.Named(id.Text)
		e.ID = id.Text
	}
	if !c.Decode(&e) {
		return e, false
	}
	if n := len(e.Sessions); len(e.Dates) != n || len(e.IDs) != n {
		c.Faultf("haystack_dates has %d items, haystack_session_ids %d and haystack_sessions %d, want as many of each", len(e.Dates), len(e.IDs), n)
		return e, false
	}
	return e, true
}

// readCase reads a case.
func (q *question) readCase(c *jsontree.Cursor) (e entry, ok bool) {
	var file caseFile
	if !c.Decode(&file) {
		return e, false
	}
	if n := len(file.Queries); n != 1 {
		c.Faultf("has %d queries, want one", n)
		return e, false
	}
	asked := file.Queries[0]
	e = entry{At: asked.At, ID: asked.ID, Kind: asked.About.Kind, Text: asked.Text, Asked: asked.About.Asked, Answer: asked.Answer, Evidence: asked.About.Evidence}
	if asked.About.OriginalEvidence != nil {
		e.Evidence = asked.About.OriginalEvidence
	}
	if original := asked.About.OriginalAnswer; original != nil {
		if e.Answer.Value.Text != original.Value.Text {
			q.flaw("golden_answer is not the release's; original_answer is used")
		}
		e.Answer = original
	}
	for _, s := range file.Sessions {
		e.IDs, e.Dates, e.Sessions = append(e.IDs, s.ID), append(e.Dates, s.About.Date), append(e.Sessions, s.Messages)
	}
	return e, true
}

// ask takes what is asked, and the answer.
func (q *question) ask(e *entry) {
	if !slices.Contains(types, e.Kind) {
		e.At.Faultf("%s", suggest.Unknown("question_type", e.Kind, types))
	}
	q.gold.Category = e.Kind
	q.gold.Abstain = strings.HasSuffix(e.ID, abstention)
	answer := e.Answer.Value
	switch {
	case answer.Kind == jsontree.Number && !strings.ContainsAny(answer.Text, ".eE"):
		q.flaw("answer is an integer; its digits are used")
	case answer.Kind != jsontree.String || strings.TrimSpace(answer.Text) == "":
		e.Answer.Faultf("want a string with an answer or an integer, have %s", strings.TrimSpace(string(answer.Kind)+" "+answer.Text))
	}
	if q.gold.Abstain {
		q.gold.Explanation = answer.Text
	} else {
		q.gold.Answer = answer.Text
	}
	r := &q.sample.Requests[0]
	r.Text, r.Time = e.Text, e.date("question_date", e.Asked)
}

// abstention marks a question whose conversation does not contain the answer.
const abstention = "_abs"

// date reads a date, by the clock of the dataset.
func (e *entry) date(what, text string) time.Time {
	t, err := time.Parse(layout, text)
	if err != nil {
		e.At.Faultf("%s is %q, want one like %q", what, text, "2023/05/30 (Tue) 23:17")
	}
	return t
}

// history adds the sessions in the order of their dates, and records which contain the
// answer.
func (q *question) history(e *entry) {
	order := make([]int, len(e.Sessions))
	dates := make([]time.Time, len(e.Sessions))
	for i, date := range e.Dates {
		order[i], dates[i] = i, e.date("the date of session "+strconv.Quote(e.IDs[i]), date)
	}
	if !slices.IsSortedFunc(dates, time.Time.Compare) {
		q.flaw("sessions are not in order of date; sorted")
		slices.SortStableFunc(order, func(a, b int) int { return dates[a].Compare(dates[b]) })
	}
	seen := make(map[string]bool)
	var roles []string // of labelled turns
	for _, i := range order {
		id := e.IDs[i]
		if seen[id] {
			q.flaw("session occurs twice in the conversation; kept as two")
		}
		seen[id] = true
		if len(e.Sessions[i]) == 0 {
			q.flaw("session has no turns; left out")
			continue
		}
		if dates[i].After(q.sample.Requests[0].Time) {
			q.flaw("session is dated after the question; kept")
		}
		s := datasets.Session{ID: "s" + strconv.Itoa(len(q.sample.Sessions)+1), Time: dates[i]}
		labelled := q.turns(&s, e.Sessions[i])
		q.sample.Sessions, roles = append(q.sample.Sessions, s), append(roles, labelled...)
		proof := slices.Contains(e.Evidence, jsontree.Text(id))
		switch {
		case proof && labelled == nil:
			q.flaw("evidence session has no labelled turn; kept")
		case labelled != nil && !proof:
			q.flaw("labelled turn is in a session that is not evidence; kept as evidence")
		}
		if proof || labelled != nil {
			q.gold.Sessions = append(q.gold.Sessions, s.ID)
		}
	}
	if len(q.sample.Sessions) == 0 {
		e.At.Faultf("no session has a turn")
	}
	for _, id := range e.Evidence {
		if !seen[string(id)] {
			q.flaw("evidence names no session of the conversation; left out")
		}
	}
	role, abstains := "none", "no"
	switch user, assistant := slices.Contains(roles, speakers[0]), slices.Contains(roles, speakers[1]); {
	case user && assistant:
		role = "both"
	case user:
		role = speakers[0]
	case assistant:
		role = speakers[1]
	}
	if q.gold.Abstain {
		abstains = "yes"
	}
	q.gold.Labels = map[string]string{"abstention": abstains, "evidence_role": role}
}

// turns takes the turns of a session, and returns the roles of those that are labelled.
func (q *question) turns(s *datasets.Session, messages []message) (labelled []string) {
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
			labelled = append(labelled, m.Role)
			q.gold.Evidence = append(q.gold.Evidence, id)
		}
		s.Turns = append(s.Turns, datasets.Turn{ID: id, Speaker: m.Role, Text: m.Content, Time: s.Time})
	}
	return labelled
}

// dropAssistant leaves out the assistant's turns, and sessions in which the user said
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
