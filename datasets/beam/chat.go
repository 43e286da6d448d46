package beam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
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
