package beam

import (
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
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A flaw is something that was put right.
type flaw struct{ what, where string }

// A chat is a conversation that has been read.
type chat struct {
	conversation string
	sessions     []datasets.Session
	turns        map[int]string // the first turn with an id
	repeated     map[int]int    // how many turns have an id, from the second on
	flaws        []flaw

	plan, batch int // being read
	base, last  int // what a file's ids are counted from, and the last id of all
}

var speakers = []string{"user", "assistant"}

// read reads the messages. Faults go to the list; the error is that of a file.
func (c *conversation) read(ctx context.Context, faults *datafile.Faults) (*chat, error) {
	r := &chat{conversation: c.id(), turns: make(map[int]string), repeated: make(map[int]int), last: -1}
	c.bytes = 0
	for _, file := range c.chat {
		if err := c.readFile(ctx, r, file, faults); err != nil {
			return nil, err
		}
	}
	if len(r.sessions) == 0 {
		faults.Addf(1, "%s: there is no batch with turns", r.conversation)
	}
	r.date()
	return r, nil
}

func (c *conversation) readFile(ctx context.Context, r *chat, file chatFile, faults *datafile.Faults) error {
	f, err := datafile.OpenLarge(file.path)
	if err != nil {
		return err
	}
	defer f.Close()
	faults.File = file.path
	sum := sha256.New()
	r.plan, r.batch, r.base = file.plan, 0, 0
	if file.plan > 0 {
		r.base = r.last + 1
	}
	name := func(n int, _ jsontree.Element) string { return fmt.Sprintf("%s: batch %d: ", r.conversation, n) }
	if err := faults.Each(ctx, io.TeeReader(f, sum), jsontree.Array, name, func(_ jsontree.Element, e *jsontree.Cursor) {
		if e.Is(jsontree.Object) {
			r.element(e)
		}
	}); err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil {
		c.bytes += info.Size()
	}
	c.note(file.path, hex.EncodeToString(sum.Sum(nil)))
	return nil
}

// element reads a batch, or the plans of a conversation that has them in one file.
func (r *chat) element(c *jsontree.Cursor) {
	if c.Value.Get("turns") != nil || len(c.Value.Fields) == 0 || !strings.HasPrefix(c.Value.Fields[0].Name, "plan-") {
		r.read(c)
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
				r.read(batch)
			}
		}
	}
}

// layout is the form of dates.
const layout = "January-02-2006"

// A turn is a message as files have it.
type turn struct {
	At     *jsontree.Cursor `json:"."`
	Role   string           `json:"role" want:"required"`
	ID     int              `json:"id" want:"required"`
	Anchor string           `json:"time_anchor"`
	Text   string           `json:"content" want:"required"`
}

// read reads a batch, which is a session.
func (r *chat) read(c *jsontree.Cursor) {
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
		r.flaws = append(r.flaws, flaw{"session has no date", r.conversation + " " + s.ID})
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
		r.flaws = append(r.flaws, flaw{"message has the id of another; told apart by a number", r.conversation + " " + s.ID + " " + id})
		id += "." + strconv.Itoa(r.repeated[n]+1)
	} else {
		r.turns[n] = id
	}
	s.Turns = append(s.Turns, datasets.Turn{ID: id, Speaker: role, Text: m.Text})
}

// date gives turns the dates of their sessions, and takes the date from sessions that
// stand in no order with the others: the most keep theirs, of several choices the
// one whose sessions come first.
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
			r.flaws = append(r.flaws, flaw{"session is dated before the one before it; its time is not used", r.conversation + " " + s.ID})
		}
		for j := range s.Turns {
			s.Turns[j].Time = s.Time
		}
	}
}

// sample returns the conversation without its requests.
func (r *chat) sample(c *conversation) datasets.Sample {
	return datasets.Sample{ID: c.id(), Speakers: slices.Clone(speakers), Sessions: r.sessions}
}
