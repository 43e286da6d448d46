package beam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// A chat is a conversation that has been read.
type chat struct {
	conversation *conversation
	sessions     []datasets.Session
	turns        map[int]string // the first turn with an id
	repeated     map[int]int    // how many turns have an id, from the second on
	warnings     *datasets.Set  // counts the faults that were corrected

	plan, batch int // being read
	base, last  int // what a file's ids are counted from, and the last id of all
}

var speakers = []string{"user", "assistant"}

func (c *conversation) newChat(warnings *datasets.Set) *chat {
	return &chat{conversation: c, turns: make(map[int]string), repeated: make(map[int]int), warnings: warnings, last: -1}
}

func (r *chat) flaw(what, where string) { r.warnings.Warn(what, r.conversation.id()+" "+where) }

// chat reads the messages of a conversation. The error is that of a file.
func (l *loader) chat(ctx context.Context, c *conversation) (*chat, error) {
	r := c.newChat(l.set)
	for _, path := range c.plans {
		f, err := datafile.OpenLarge(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		l.faults.File = path
		part := reread.Part{Path: path}
		sum := sha256.New()
		if err := r.read(ctx, io.TeeReader(f, sum), &l.faults); err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err == nil {
			part.Size = int(info.Size())
		}
		sum.Sum(part.Sum[:0])
		c.parts = append(c.parts, part)
		l.note(path, hex.EncodeToString(part.Sum[:]))
	}
	if len(r.sessions) == 0 {
		l.faults.Addf(1, "%s: there is no batch with turns", c.id())
	}
	r.date()
	return r, nil
}

// again returns the conversation whose files have not changed since.
func (c *conversation) again(data [][]byte) datasets.Sample {
	r := c.newChat(new(datasets.Set))
	for _, file := range data {
		_ = r.read(context.Background(), bytes.NewReader(file), new(datafile.Faults)) // it was read once
	}
	r.date()
	return r.sample()
}

// read reads a file.
func (r *chat) read(ctx context.Context, file io.Reader, faults *datafile.Faults) error {
	if r.conversation.planned() {
		r.plan, r.batch, r.base = r.plan+1, 0, r.last+1
	}
	name := func(n int, _ jsontree.Element) string { return fmt.Sprintf("%s: batch %d: ", r.conversation.id(), n) }
	return faults.Each(ctx, file, jsontree.Array, name, func(_ jsontree.Element, e *jsontree.Cursor) {
		if e.Is(jsontree.Object) {
			r.element(e)
		}
	})
}

// element reads a batch, or the plans of a conversation that has them in one file.
func (r *chat) element(c *jsontree.Cursor) {
	if c.Value.Get("turns") != nil || len(c.Value.Fields) == 0 || !strings.HasPrefix(c.Value.Fields[0].Name, "plan-") {
		r.session(c)
		return
	}
	for _, plan := range c.Fields() {
		if plan.Value.Kind == jsontree.Null {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(plan.Name(), "plan-"))
		if err != nil || n != r.plan+1 {
			plan.Faultf("%q is not the plan that follows plan %d", plan.Name(), r.plan)
			continue
		}
		r.plan, r.batch = n, 0
		if plan.Is(jsontree.Array) {
			for _, batch := range plan.Items() {
				r.session(batch)
			}
		}
	}
}

// layout is the format of dates.
const layout = "January-02-2006"

// A turn is a message as files have it.
type turn struct {
	At     *jsontree.Cursor `json:"-"`
	Role   string           `json:"role" want:"required"`
	ID     int              `json:"id" want:"required"`
	Anchor string           `json:"time_anchor"`
	Text   string           `json:"content" want:"required"`
}

// session reads a batch, which is a session.
func (r *chat) session(c *jsontree.Cursor) {
	r.batch++
	s := datasets.Session{ID: "b" + strconv.Itoa(r.batch)}
	if r.plan > 0 {
		s.ID = fmt.Sprintf("p%d%s", r.plan, s.ID)
	}
	var batch struct {
		Groups [][]turn `json:"turns" want:"required"`
	}
	if !c.Decode(&batch) {
		return
	}
	for _, group := range batch.Groups {
		for i, m := range group {
			r.message(m, speakers[i%len(speakers)], &s)
		}
	}
	if len(s.Turns) == 0 {
		c.Faultf("the batch has no turns")
		return
	}
	if s.Time.IsZero() {
		r.flaw("session has no date", s.ID)
	}
	r.sessions = append(r.sessions, s)
}

// message takes a message, whose role follows from its place.
func (r *chat) message(m turn, role string, s *datasets.Session) {
	if m.Role != role {
		m.At.Faultf("role is %q, want %s", m.Role, role)
	}
	if m.Anchor != "" && s.Time.IsZero() {
		var err error
		if s.Time, err = time.Parse(layout, m.Anchor); err != nil {
			m.At.Faultf("time_anchor is %q, want one like %q", m.Anchor, "March-15-2024")
		}
	}
	n := r.base + m.ID
	r.last = max(r.last, n)
	id := "m" + strconv.Itoa(n)
	if _, there := r.turns[n]; there {
		r.repeated[n]++
		r.flaw("message has the id of another; a number was added", s.ID+" "+id)
		id += "." + strconv.Itoa(r.repeated[n]+1)
	} else {
		r.turns[n] = id
	}
	s.Turns = append(s.Turns, datasets.Turn{ID: id, Speaker: role, Text: m.Text})
}

// date gives turns the dates of their sessions, and removes the date from sessions
// that are out of order with the others: as many as possible keep theirs; of several
// choices the one whose sessions come first.
func (r *chat) date() {
	longest := make([]int, len(r.sessions)+1) // of dates that begin with a session
	for i, s := range slices.Backward(r.sessions) {
		if s.Time.IsZero() {
			continue
		}
		longest[i] = 1
		for j := i + 1; j < len(r.sessions); j++ {
			if !r.sessions[j].Time.Before(s.Time) {
				longest[i] = max(longest[i], 1+longest[j])
			}
		}
	}
	left := slices.Max(longest)
	var last time.Time
	for i := range r.sessions {
		s := &r.sessions[i]
		switch {
		case s.Time.IsZero():
		case longest[i] == left && !s.Time.Before(last):
			left, last = left-1, s.Time
		default:
			s.Time = time.Time{}
			r.flaw("session is dated before the one before it; its time is not used", s.ID)
		}
		for j := range s.Turns {
			s.Turns[j].Time = s.Time
		}
	}
}

// sample returns the conversation without its questions.
func (r *chat) sample() datasets.Sample {
	return datasets.Sample{ID: r.conversation.id(), Speakers: slices.Clone(speakers), Sessions: r.sessions}
}

// questions reads the questions of a conversation, and returns those of the abilities
// that the options name.
func (l *loader) questions(root *jsontree.Cursor, c *conversation, chat *chat, labels map[string]string) (requests []datasets.Request) {
	for _, f := range root.Fields() {
		if !slices.Contains(abilityIDs(), f.Name()) {
			root.Faultf("%s", suggest.Unknown("ability", f.Name(), abilityIDs()))
		}
	}
	for _, b := range abilities {
		list := root.Field(b.id)
		if list == nil {
			root.Faultf("%q is missing, want an array", b.id)
			continue
		}
		var probes []probe
		if !list.Decode(&probes) {
			continue
		}
		if len(probes) == 0 {
			list.Faultf("has no question")
		}
		for k, p := range probes {
			g := p.gold(b)
			g.Name = fmt.Sprintf("%s/%d/%s/%d", c.size, c.number, b.id, k)
			maps.Copy(g.Labels, labels)
			if len(l.options.Abilities) > 0 && !slices.Contains(l.options.Abilities, b.id) {
				continue
			}
			if p.Evidence != nil {
				l.evidence(p.Evidence.Value, chat, &g)
			}
			// The id is a hash, because the name reveals the ability.
			r := datasets.Request{ID: datafile.Sum([]byte(name + ":" + g.Name))[:8], Text: p.Question}
			requests = append(requests, r)
			l.set.SetGold(c.id(), r.ID, g)
		}
	}
	return requests
}

// A probe is a question as the file has it; each ability has a field of its own for the
// reference answer.
type probe struct {
	At         *jsontree.Cursor `json:"-"`
	Question   string           `json:"question" want:"filled"`
	Rubric     []string         `json:"rubric" want:"required"`
	Difficulty string           `json:"difficulty"`
	Evidence   *jsontree.Cursor `json:"source_chat_ids"`
}

// gold returns the gold answer of a question of an ability.
func (p probe) gold(b ability) datasets.Gold {
	g := datasets.Gold{
		Category: b.id, Rubric: p.Rubric, Abstain: b.id == "abstention", Ordered: b.id == "event_ordering", Labels: make(map[string]string),
	}
	var answer jsontree.Text
	if f := p.At.Field(b.answer); f == nil {
		p.At.Faultf("%q is missing, want a string", b.answer)
	} else if f.Decode(&answer) && strings.TrimSpace(string(answer)) == "" {
		f.Faultf("is empty")
	}
	if g.Abstain {
		g.Explanation = string(answer)
	} else {
		g.Answer = string(answer)
	}
	if len(g.Rubric) == 0 || slices.ContainsFunc(g.Rubric, func(nugget string) bool { return strings.TrimSpace(nugget) == "" }) {
		p.At.Faultf("rubric is empty or has an empty nugget, want one or more")
	}
	if p.Difficulty != "" {
		g.Labels["difficulty"] = p.Difficulty
	}
	return g
}

// evidence collects the ids of messages from nested lists and objects.
func (l *loader) evidence(v *jsontree.Value, chat *chat, g *datasets.Gold) {
	for i := range v.Items {
		l.evidence(&v.Items[i], chat, g)
	}
	for i := range v.Fields {
		l.evidence(&v.Fields[i].Value, chat, g)
	}
	if v.Kind == jsontree.Array || v.Kind == jsontree.Object || v.Kind == jsontree.Null {
		return
	}
	n, err := strconv.Atoi(v.Text)
	turn, ok := chat.turns[n]
	where := g.Name + " " + v.Text
	switch {
	case err != nil || v.Kind != jsontree.Number:
		l.set.Warn("evidence is not the id of a message; left out", where)
	case !ok:
		l.set.Warn("evidence names no message of the conversation; left out", where)
	case slices.Contains(g.Evidence, turn):
		l.set.Warn("evidence names a message twice; counted once", where)
	default:
		if chat.repeated[n] > 0 {
			l.set.Warn("evidence is the id of several messages; the first is used", where)
		}
		g.Evidence = append(g.Evidence, turn)
	}
}
